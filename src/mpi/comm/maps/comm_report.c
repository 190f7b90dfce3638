/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"

/* Communicators in the table of MPIR_CVAR_CMAP_REPORT. */

static const char *label_of(const MPIR_Comm *comm)
{
    if (comm->name[0] != '\0')
        return comm->name;
    switch (comm->hierarchy_kind) {
        case MPIR_COMM_HIERARCHY_KIND__NODE: return "(processes of one node)";
        case MPIR_COMM_HIERARCHY_KIND__NODE_ROOTS: return "(roots of the nodes)";
        default: return MPIR_MAP_NO_NAME;
    }
}

static void count_side(const MPIR_Comm *comm, const char *side, const cmap_t *map)
{
    char label[MPI_MAX_OBJECT_NAME + 16];

    snprintf(label, sizeof(label), "%s%s", label_of(comm), side);
    MPIR_Map_report_count(comm, label, map);
}

static void count_maps(const void *holder)
{
    const MPIR_Comm *comm = holder;

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

void MPIR_Comm_report_born(MPIR_Comm *comm) { MPIR_Map_report_born(comm, count_maps); }

void MPIR_Comm_report_gone(MPIR_Comm *comm) { MPIR_Map_report_gone(comm); }
