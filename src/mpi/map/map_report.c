/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_tvars.h"
#include "map_extra.h"
#include "map_json.h"
#include "map_table.h"

/* The table of MPIR_CVAR_CMAP_REPORT, printed or written into a file by the first rank that exists.
 * A holder is counted when it goes, under the name it has then, or at finalize when it is still
 * there. */

static bool is_on;
static const char *name; /* of the file to write; NULL: the table is printed */
static FILE *file;

static bool is_reporter(void) { return is_on && MPIR_Process.rank == MPIR_Others->first(); }

static void tell_of(int error, const char *instead)
{
    MPL_error_printf("MPIR_CVAR_CMAP_REPORT: %s cannot be written: %s%s\n", name, strerror(error),
                     instead);
}

/* At the first holder, when the process knows its rank, and not after the run: a wrong name shows
 * at once, and the run is not lost. */
static void open_file(void)
{
    file = fopen(name, "w");
    if (!file) {
        tell_of(errno, "; the table is printed");
        name = NULL;
    }
}

static void print_table(void)
{
    MPIR_Map_table_print(stderr, MPIR_Process.rank, MPIR_Process.size);
    MPIR_Map_extra_print(stderr);
}

static void write_file(void)
{
    int status = MPIR_Map_json_write(file, MPIR_Process.rank, MPIR_Process.size);

    if (fclose(file) && status == 0)
        status = errno;
    if (status) {
        tell_of(status, "; the table is printed");
        print_table();
    }
    file = NULL;
}

static int report(void *unused MPL_UNUSED)
{
    if (is_reporter()) {
        MPIR_Map_table_count_alive();
        if (file)
            write_file();
        else
            print_table();
        MPIR_Map_table_clear();
    }
    MPIR_Map_extra_close();
    is_on = false;
    return MPI_SUCCESS;
}

bool MPIR_Map_report_is_on(void) { return is_on; }

static bool is_one_of(const char *value, const char *const *words)
{
    for (; *words; words++) {
        if (strcasecmp(value, *words) == 0)
            return true;
    }
    return false;
}

static bool is_file(const char *value)
{
    size_t length = strlen(value);

    return length > 5 && strcmp(value + length - 5, ".json") == 0;
}

int MPIR_Map_report_init(void)
{
    static const char *const off[] = {"", "0", "no", "false", "off", NULL};
    static const char *const on[] = {"1", "yes", "true", "on", NULL};
    const char *value = MPIR_CVAR_CMAP_REPORT ? MPIR_CVAR_CMAP_REPORT : "";

    if (is_one_of(value, off))
        return MPI_SUCCESS;
    name = is_file(value) ? value : NULL;
    if (!name && !is_one_of(value, on))
        MPIR_TRY(MPIR_Cvar_wrong_value("MPIR_CVAR_CMAP_REPORT", value,
                                       "0, 1, or a name that ends in .json"));
    is_on = true;
    MPIR_Map_table_open(name != NULL);
    MPIR_Map_extra_open();
    /* Before the world goes: callbacks above this priority run first of all at finalize. */
    MPIR_Add_finalize(report, NULL, MPIR_FINALIZE_CALLBACK_PRIO + 1);

    return MPI_SUCCESS;
}

void MPIR_Map_report_born(void *holder, MPIR_Map_counter counter)
{
    if (!is_reporter())
        return;
    if (name && !file)
        open_file();
    MPIR_Map_table_enter(holder, counter);
}

void MPIR_Map_report_gone(void *holder)
{
    if (is_reporter())
        MPIR_Map_table_leave(holder);
}

void MPIR_Map_report_count(const void *holder, const char *label, const cmap_t *map)
{
    MPIR_Map_table_count(holder, label, map);
}
