/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "map_json.h"
#include "map_table.h"

/* One row or moment a line, so that people can read it and a cut file shows. */

typedef struct writer {
    FILE *out;
    const char *separator;      /* before the next item of a list */
} writer;

/* Names are the user's: bytes in any encoding.  What is not ASCII goes as it is, so that UTF-8 stays UTF-8. */
static void write_text(FILE * out, const char *text)
{
    putc('"', out);
    for (const unsigned char *c = (const unsigned char *) text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < ' ' || *c == 127)
            fprintf(out, "\\u%04x", *c);
        else
            putc(*c, out);
    }
    putc('"', out);
}

static void write_member(FILE * out, const char *name, const char *text)
{
    fprintf(out, ", \"%s\": ", name);
    write_text(out, text);
}

static void write_site(FILE * out, map_site site)
{
    char text[PATH_MAX + 32];

    MPIR_Map_site_function(site, text, sizeof(text));
    write_member(out, "made_by", text);
    MPIR_Map_site_call(site, text, sizeof(text));
    write_member(out, "called_from", text);
}

static int same_node(int rank)
{
    return 0;
}

static int (*node_of) (int rank) = same_node;

void MPIR_Map_report_nodes(int (*of) (int rank))
{
    node_of = of;
}

/* As far as the picture shows; the nodes of processes of other worlds are not asked for. */
static bool is_on_one_node(const map_row * row)
{
    for (uint32_t i = 0; i < row->n_points; i++) {
        if (row->points[i] >= (uint32_t) MPIR_Process.size ||
            node_of((int) row->points[i]) != node_of((int) row->points[0]))
            return false;
    }
    return row->n_points > 0;
}

static void write_row(void *context, const map_row * row)
{
    writer *w = context;

    fprintf(w->out, "%s\n    {\"name\": ", w->separator);
    w->separator = ",";
    write_text(w->out, row->label);
    fprintf(w->out, ", \"size\": %" PRIu32 ", \"count\": %" PRIu64 ", \"representation\": \"%s\", \"declined\": %s",
            row->size, row->holders, cmap_rep_name(row->representation), row->force_declined ? "true" : "false");
    fprintf(w->out, ", \"bytes\": %zu, \"payload_bytes\": %zu, \"array_bytes\": %zu, \"sharers\": %" PRIu32,
            row->bytes, row->payload, row->array, row->sharers);
    fprintf(w->out, ", \"first_seconds\": %.6f, \"last_seconds\": %.6f", row->first, row->last);
    write_site(w->out, row->site);
    write_member(w->out, "form", row->form);
    fprintf(w->out, ", \"on_one_node\": %s", is_on_one_node(row) ? "true" : "false");
    fputs(", \"processes\": [", w->out);
    for (uint32_t i = 0; i < row->n_points; i++)
        fprintf(w->out, "%s%" PRIu32, i ? "," : "", row->points[i]);
    fputs("]}", w->out);
}

static void write_moment(void *context, const map_moment * moment)
{
    writer *w = context;

    fprintf(w->out, "%s\n    [%.6f, %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", w->separator, moment->seconds,
            moment->holders, moment->maps, moment->bytes, moment->array_bytes);
    w->separator = ",";
}

static void skip_row(void *context, const map_row * row)
{
}

static void skip_moment(void *context, const map_moment * moment)
{
}

static int write_list(FILE * out, const char *name, void (*row) (void *, const map_row *),
                      void (*moment) (void *, const map_moment *))
{
    writer w = { out, "" };
    map_visitor visitor = { row, moment, &w };

    fprintf(out, "  \"%s\": [", name);
    int complete = MPIR_Map_table_visit(&visitor);
    fputs("\n  ],\n", out);
    return complete;
}

static void write_totals(FILE * out)
{
    map_holders holders = MPIR_Map_table_holders();
    cmap_totals totals;
    unsigned long long builds = 0;

    cmap_get_totals(&totals);
    for (int rep = 0; rep < CMAP_REP_COUNT; rep++)
        builds += totals.builds[rep];
    fprintf(out, "  \"holders\": %" PRIu64 ", \"holders_array_bytes\": %" PRIu64 ", \"unlisted\": %" PRIu64 ",\n",
            holders.counted, holders.array_bytes, holders.unlisted);
    fprintf(out, "  \"maps_built\": %llu, \"maps_found_alive\": %llu,\n", builds,
            (unsigned long long) totals.intern_hits);
    fprintf(out, "  \"maps\": %llu, \"bytes\": %llu, \"array_bytes\": %llu,\n", (unsigned long long) totals.maps,
            (unsigned long long) totals.bytes, (unsigned long long) totals.shared_array_bytes);
}

int MPIR_Map_json_write(FILE * out, int rank, int size)
{
    errno = 0;
    fprintf(out, "{\n  \"format\": \"cmap-report 1\", \"rank\": %d, \"world\": %d, \"node_ranks\": %d,\n", rank, size,
            MPIR_Process.local_size);
    write_totals(out);
    int complete = write_list(out, "rows", write_row, skip_moment);
    complete = write_list(out, "history", skip_row, write_moment) && complete;
    fprintf(out, "  \"complete\": %s\n}\n", complete ? "true" : "false");
    return fflush(out) || ferror(out) ? (errno ? errno : EIO) : 0;
}
