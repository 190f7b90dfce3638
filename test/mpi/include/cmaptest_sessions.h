/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CMAPTEST_SESSIONS_H_INCLUDED
#define CMAPTEST_SESSIONS_H_INCLUDED

#include "mpi.h"

/* The communicator of a process set. */
static inline MPI_Comm ct_comm_from(MPI_Session session, const char *pset)
{
    MPI_Group group;
    MPI_Comm comm;

    MPI_Group_from_session_pset(session, pset, &group);
    MPI_Comm_create_from_group(group, pset, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    return comm;
}

#endif /* CMAPTEST_SESSIONS_H_INCLUDED */
