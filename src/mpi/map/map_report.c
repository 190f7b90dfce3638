/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "map_table.h"

/* Feeds the table of MPIR_CVAR_CMAP_REPORT.  A holder is counted when it goes, under the name it has then, or at
 * finalize when it is still there. */

static const char *label_of(const MPIR_Comm * comm)
{
    if (comm->name[0] != '\0')
        return comm->name;
    switch (comm->hierarchy_kind) {
        case MPIR_COMM_HIERARCHY_KIND__NODE:
            return "(processes of one node)";
        case MPIR_COMM_HIERARCHY_KIND__NODE_ROOTS:
            return "(roots of the nodes)";
        default:
            return "(no name)";
    }
}

static void count_side(const MPIR_Comm * comm, const char *side, const cmap_t * map)
{
    char label[MPI_MAX_OBJECT_NAME + 16];

    snprintf(label, sizeof(label), "%s%s", label_of(comm), side);
    MPIR_Map_table_count(label, map);
}

static void count_comm(const MPIR_Comm * comm)
{
    if (!comm->map)
        return;
    if (comm->comm_kind == MPIR_COMM_KIND__INTRACOMM) {
        count_side(comm, "", comm->map);
    } else {
        count_side(comm, ", remote", comm->map);
        if (comm->local_map)
            count_side(comm, ", local", comm->local_map);
    }
}

static void count_holder(void *holder, map_holder kind)
{
    if (kind == MAP_HOLDER_COMM)
        count_comm(holder);
    else
        MPIR_Map_table_count("(group)", ((MPIR_Group *) holder)->map);
}

static int print_report(void *unused)
{
    if (MPIR_Process.rank == 0) {
        MPIR_Map_table_visit(count_holder);
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

void MPIR_Map_report_comm_born(MPIR_Comm * comm)
{
    if (MPIR_CVAR_CMAP_REPORT)
        MPIR_Map_table_enter(comm, MAP_HOLDER_COMM);
}

void MPIR_Map_report_comm_gone(MPIR_Comm * comm)
{
    if (MPIR_CVAR_CMAP_REPORT && MPIR_Map_table_leave(comm))
        count_comm(comm);
}

void MPIR_Map_report_group_born(MPIR_Group * group)
{
    if (MPIR_CVAR_CMAP_REPORT)
        MPIR_Map_table_enter(group, MAP_HOLDER_GROUP);
}

void MPIR_Map_report_group_gone(MPIR_Group * group)
{
    if (MPIR_CVAR_CMAP_REPORT && MPIR_Map_table_leave(group))
        MPIR_Map_table_count("(group)", group->map);
}
