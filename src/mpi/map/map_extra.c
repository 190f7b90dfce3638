/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "map_extra.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static map_extra *extra;
static MPL_time_t last; /* the end of a phase */

void MPIR_Map_extra_open(void)
{
    extra = MPL_calloc(1, sizeof(*extra), MPL_MEM_OTHER);
    MPL_wtime(&last);
}

void MPIR_Map_extra_close(void)
{
    MPL_free(extra);
    extra = NULL;
}

const map_extra *MPIR_Map_extra(void) { return extra; }

void MPIR_Map_report_phase(const char *name)
{
    MPL_time_t now;

    if (!extra || extra->n_phases == MAP_PHASES)
        return;
    MPL_wtime(&now);
    extra->phases[extra->n_phases].name = name;
    MPL_wtime_diff(&last, &now, &extra->phases[extra->n_phases++].seconds);
    last = now;
}

/* ---- windows --------------------------------------------------------------------------------- */

/* REQUIRES the mutex.  NULL: there are too many different ones. */
static map_window *entry_of(const char *name, map_site site)
{
    map_window *entry;

    for (int i = 0; i < extra->n_windows; i++) {
        entry = &extra->windows[i];
        if (entry->site.call == site.call && strcmp(entry->name, name) == 0)
            return entry;
    }
    if (extra->n_windows == MAP_WINDOWS)
        return NULL;
    entry = &extra->windows[extra->n_windows++];
    entry->site = site;
    MPL_strncpy(entry->name, name, sizeof(entry->name));
    return entry;
}

void MPIR_Map_report_window(const char *name, map_site site, int n, const char *(*name_of)(int),
                            const unsigned long long values[])
{
    map_window *entry;

    MPIR_Assert(n <= MPIR_REPORT_VALUES);
    if (!extra)
        return;
    pthread_mutex_lock(&mutex);
    extra->name_of = name_of;
    extra->n_values = n;
    entry = entry_of(name, site);
    if (entry) {
        entry->windows++;
        for (int i = 0; i < n; i++)
            entry->values[i] += values[i];
    } else {
        extra->unlisted++;
    }
    pthread_mutex_unlock(&mutex);
}

/* ---- MPI_T variables ------------------------------------------------------------------------- */

void MPIR_Map_extra_variables(void (*visit)(void *context, const char *name,
                                            unsigned long long value),
                              void *context)
{
    unsigned n = utarray_len(pvar_table);

    for (unsigned i = 0; i < n; i++) {
        const pvar_table_entry_t *entry = (pvar_table_entry_t *) utarray_eltptr(pvar_table, i);
        unsigned long long value = 0;

        if (!entry->active || !entry->get_value || entry->count != 1 ||
            entry->bind != MPI_T_BIND_NO_OBJECT || entry->datatype != MPI_UNSIGNED_LONG_LONG)
            continue;
        entry->get_value(entry->addr, NULL, 1, &value);
        visit(context, entry->name, value);
    }
}

/* ---- as text --------------------------------------------------------------------------------- */

static unsigned long long value_of(const map_window *window, const char *name)
{
    for (int i = 0; i < extra->n_values; i++) {
        if (strcmp(extra->name_of(i), name) == 0)
            return window->values[i];
    }
    return 0;
}

static double ms_of(const map_window *window, const char *name)
{
    return (double) value_of(window, name) * 1e-6;
}

/* A name is one line, and does nothing to a terminal. */
static void print_name(FILE *out, const map_window *window)
{
    map_line line = {.site = window->site};

    if (window->name[0] == '\0')
        MPIR_Map_site_lines(&line, 1);
    for (const char *c = window->name; *c; c++)
        putc((unsigned char) *c < ' ' || *c == 127 ? '?' : *c, out);
    if (window->name[0] == '\0')
        fprintf(out, "(%s)", line.text[0] ? line.text : "no name");
}

static void print_window(FILE *out, const map_window *window)
{
    fputs("  ", out);
    print_name(out, window);
    fprintf(out, ": %llu window%s, %llu messages with %llu operations, %llu native",
            window->windows, window->windows == 1 ? "" : "s", value_of(window, "rma_messages"),
            value_of(window, "rma_packed"), value_of(window, "rma_native"));
    fprintf(out, "; %llu exchanges, %llu of them early, %llu barriers, %llu changes of habit",
            value_of(window, "rma_exchanges"), value_of(window, "rma_early_exchanges"),
            value_of(window, "rma_barriers"), value_of(window, "rma_habits"));
    fprintf(out, "; ms waited: locks %.3f, posts %.3f, fences %.3f, room %.3f\n",
            ms_of(window, "rma_lock_ns"), ms_of(window, "rma_post_ns"),
            ms_of(window, "rma_fence_ns"), ms_of(window, "rma_room_ns"));
}

/* Targets that compute answer by a helper only.  Where this process has had one, they had. */
static void add_starts(void *starts, const char *name, unsigned long long value)
{
    if (strcmp(name, "progress_helper_starts") == 0)
        *(unsigned long long *) starts += value;
}

static void print_hint(FILE *out)
{
    enum { LEAST_MS = 100 };
    unsigned long long starts = 0;
    double ms = 0;

    for (int i = 0; i < extra->n_windows; i++)
        ms += ms_of(&extra->windows[i], "rma_lock_ns");
    MPIR_Map_extra_variables(add_starts, &starts);
    if (starts == 0 && ms >= LEAST_MS)
        fprintf(out,
                "  rank %d waited %.1f s for locks and answers. If the targets computed: "
                "MPIR_CVAR_PROGRESS_EVENTS=on\n",
                MPIR_Process.rank, ms * 1e-3);
}

void MPIR_Map_extra_print(FILE *out)
{
    if (!extra || extra->n_windows == 0)
        return;
    fputs("One-sided communication, by window\n", out);
    for (int i = 0; i < extra->n_windows; i++)
        print_window(out, &extra->windows[i]);
    if (extra->unlisted > 0)
        fprintf(out, "  (%llu more windows are in no line)\n", extra->unlisted);
    print_hint(out);
    fflush(out);
}
