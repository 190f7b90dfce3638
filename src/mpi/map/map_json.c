/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "map_extra.h"
#include "map_json.h"
#include "map_table.h"

/* One row or moment a line, so that people can read it and a cut file shows. */

typedef struct writer {
    FILE *out;
    const char *separator; /* before the next item of a list */
} writer;

#define REPLACEMENT 0xfffd /* of Unicode, for what is no character */

/* Longer forms than necessary, halves of UTF-16 pairs, and numbers beyond Unicode's. */
static bool is_no_character(const unsigned char *c)
{
    return (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] >= 0xa0) ||
           (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] >= 0x90);
}

/* Bytes of the UTF-8 character there, 0 when there is none; it does not look beyond the end of
 * the text. */
static int character_bytes(const unsigned char *c)
{
    int n = c[0] < 0x80   ? 1
            : c[0] < 0xc2 ? 0
            : c[0] < 0xe0 ? 2
            : c[0] < 0xf0 ? 3
            : c[0] < 0xf5 ? 4
                          : 0;

    for (int i = 1; i < n; i++) {
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    }
    return is_no_character(c) ? 0 : n;
}

/* Names are the user's: bytes in any encoding, of which JSON accepts UTF-8 alone. */
static void write_text(FILE *out, const char *text)
{
    const unsigned char *c = (const unsigned char *) text;

    putc('"', out);
    while (*c) {
        int n = character_bytes(c);

        if (n == 0)
            fprintf(out, "\\u%04x", REPLACEMENT);
        else if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < ' ' || *c == 127)
            fprintf(out, "\\u%04x", *c);
        else
            fwrite(c, 1, (size_t) n, out);
        c += n ? n : 1;
    }
    putc('"', out);
}

/* The program's locale may have another sign than JSON's point. */
static void write_seconds(FILE *out, double seconds)
{
    uint64_t micros = (uint64_t) (seconds * 1e6 + 0.5);

    fprintf(out, "%" PRIu64 ".%06" PRIu64, micros / 1000000, micros % 1000000);
}

static void write_member(FILE *out, const char *name, const char *text)
{
    fprintf(out, ", \"%s\": ", name);
    write_text(out, text);
}

static void write_site(FILE *out, map_site site)
{
    char text[PATH_MAX + 32];

    MPIR_Map_site_function(site, text, sizeof(text));
    write_member(out, "made_by", text);
    MPIR_Map_site_call(site, text, sizeof(text));
    write_member(out, "called_from", text);
}

static int same_node(int rank MPL_UNUSED) { return 0; }

static int (*node_of)(int rank) = same_node;

void MPIR_Map_report_nodes(int (*of)(int rank)) { node_of = of; }

/* As far as the picture shows; the nodes of processes of other worlds are not asked for. */
static bool is_on_one_node(const map_row *row)
{
    for (uint32_t i = 0; i < row->n_points; i++) {
        if (row->points[i] >= (uint32_t) MPIR_Process.size ||
            node_of((int) row->points[i]) != node_of((int) row->points[0]))
            return false;
    }
    return row->n_points > 0;
}

static void write_row(void *context, const map_row *row)
{
    writer *w = context;

    fprintf(w->out, "%s\n    {\"name\": ", w->separator);
    w->separator = ",";
    write_text(w->out, row->label);
    fprintf(w->out,
            ", \"size\": %" PRIu32 ", \"count\": %" PRIu64
            ", \"representation\": \"%s\", \"declined\": %s",
            row->size, row->holders, MPIR_cmap_rep_name(row->representation),
            row->force_declined ? "true" : "false");
    fprintf(w->out,
            ", \"bytes\": %zu, \"payload_bytes\": %zu, \"array_bytes\": %zu, \"sharers\": %" PRIu32,
            row->bytes, row->payload, row->array, row->sharers);
    fprintf(w->out, ", \"node_bytes\": %zu", row->on_node);
    fputs(", \"first_seconds\": ", w->out);
    write_seconds(w->out, row->first);
    fputs(", \"last_seconds\": ", w->out);
    write_seconds(w->out, row->last);
    write_site(w->out, row->site);
    write_member(w->out, "form", row->form);
    fprintf(w->out, ", \"on_one_node\": %s", is_on_one_node(row) ? "true" : "false");
    fputs(", \"processes\": [", w->out);
    for (uint32_t i = 0; i < row->n_points; i++)
        fprintf(w->out, "%s%" PRIu32, i ? "," : "", row->points[i]);
    fputs("]}", w->out);
}

static void write_moment(void *context, const map_moment *moment)
{
    writer *w = context;

    fprintf(w->out, "%s\n    [", w->separator);
    write_seconds(w->out, moment->seconds);
    fprintf(w->out, ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", moment->holders,
            moment->maps, moment->bytes, moment->array_bytes);
    w->separator = ",";
}

static void skip_row(void *context MPL_UNUSED, const map_row *row MPL_UNUSED) {}

static void skip_moment(void *context MPL_UNUSED, const map_moment *moment MPL_UNUSED) {}

static int write_list(FILE *out, const char *name, void (*row)(void *, const map_row *),
                      void (*moment)(void *, const map_moment *))
{
    writer w = {out, ""};
    map_visitor visitor = {row, moment, &w};

    fprintf(out, "  \"%s\": [", name);
    int complete = MPIR_Map_table_visit(&visitor);
    fputs("\n  ],\n", out);
    return complete;
}

static void write_totals(FILE *out)
{
    map_holders holders = MPIR_Map_table_holders();
    map_peak peak = MPIR_Map_table_peak();
    cmap_totals totals;
    unsigned long long builds = 0;

    MPIR_cmap_get_totals(&totals);
    for (int rep = 0; rep < CMAP_REP_COUNT; rep++)
        builds += totals.builds[rep];
    fprintf(out,
            "  \"holders\": %" PRIu64 ", \"holders_array_bytes\": %" PRIu64
            ", \"unlisted\": %" PRIu64 ",\n",
            holders.counted, holders.array_bytes, holders.unlisted);
    fprintf(out, "  \"maps_built\": %llu, \"maps_found_alive\": %llu,\n", builds,
            (unsigned long long) totals.intern_hits);
    fprintf(out,
            "  \"peak_maps\": %" PRIu64 ", \"peak_bytes\": %" PRIu64
            ", \"peak_array_bytes\": %" PRIu64 ",\n",
            peak.maps, peak.bytes, peak.array_bytes);
}

/* ---- beside the maps ------------------------------------------------------------------------- */

static void write_variable(void *context, const char *name, unsigned long long value)
{
    writer *w = context;

    fprintf(w->out, "%s\n    \"%s\": %llu", w->separator, name, value);
    w->separator = ",";
}

static void write_window(FILE *out, const map_extra *extra, const map_window *window)
{
    fputs("\n    {\"name\": ", out);
    write_text(out, window->name);
    write_site(out, window->site);
    fprintf(out, ", \"windows\": %llu", window->windows);
    for (int i = 0; i < extra->n_values; i++)
        fprintf(out, ", \"%s\": %llu", extra->name_of(i), window->values[i]);
    putc('}', out);
}

/* Without memory for them there are none. */
static void write_extra(FILE *out)
{
    const map_extra *extra = MPIR_Map_extra();
    writer w = {out, ""};

    fputs("  \"variables\": {", out);
    MPIR_Map_extra_variables(write_variable, &w);
    fputs("\n  },\n  \"phases\": [", out);
    for (int i = 0; extra && i < extra->n_phases; i++) {
        fprintf(out, "%s{\"name\": \"%s\", \"seconds\": ", i ? ", " : "", extra->phases[i].name);
        write_seconds(out, extra->phases[i].seconds);
        putc('}', out);
    }
    fputs("],\n  \"windows\": [", out);
    for (int i = 0; extra && i < extra->n_windows; i++) {
        fputs(i ? "," : "", out);
        write_window(out, extra, &extra->windows[i]);
    }
    fprintf(out, "\n  ],\n  \"windows_unlisted\": %llu,\n", extra ? extra->unlisted : 0);
}

int MPIR_Map_json_write(FILE *out, int rank, int size)
{
    errno = 0;
    fprintf(
        out,
        "{\n  \"format\": \"cmap-report 3\", \"rank\": %d, \"world\": %d, \"node_ranks\": %d,\n",
        rank, size, MPIR_Process.local_size);
    write_totals(out);
    int complete = write_list(out, "rows", write_row, skip_moment);
    complete = write_list(out, "history", skip_row, write_moment) && complete;
    write_extra(out);
    fprintf(out, "  \"complete\": %s\n}\n", complete ? "true" : "false");
    return fflush(out) || ferror(out) ? (errno ? errno : EIO) : 0;
}
