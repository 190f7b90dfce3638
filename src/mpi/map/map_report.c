/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "map_table.h"

/* The table of MPIR_CVAR_CMAP_REPORT.  A holder is counted when it goes, under the name it has then, or at finalize when
 * it is still there. */

static int print_report(void *unused)
{
    if (MPIR_Process.rank == 0) {
        MPIR_Map_table_count_alive();
        MPIR_Map_table_print(stdout, MPIR_Process.size);
    }
    MPIR_Map_table_clear();
    return MPI_SUCCESS;
}

void MPIR_Map_report_init(void)
{
    /* Before the world goes: callbacks above this priority run first of all at finalize. */
    if (MPIR_CVAR_CMAP_REPORT)
        MPIR_Add_finalize(print_report, NULL, MPIR_FINALIZE_CALLBACK_PRIO + 1);
}

void MPIR_Map_report_born(void *holder, MPIR_Map_counter counter)
{
    if (MPIR_CVAR_CMAP_REPORT)
        MPIR_Map_table_enter(holder, counter);
}

void MPIR_Map_report_gone(void *holder)
{
    if (MPIR_CVAR_CMAP_REPORT)
        MPIR_Map_table_leave(holder);
}

void MPIR_Map_report_count(const char *label, const cmap_t * map)
{
    MPIR_Map_table_count(label, map);
}
