/* SPDX-License-Identifier: BSD-3-Clause */

/* MPI_Ireduce of two processes: one message, and no copy of what is sent. */
#ifndef IREDUCE_INTRA_SCHED_PAIR_H_INCLUDED
#define IREDUCE_INTRA_SCHED_PAIR_H_INCLUDED

#include "mpiimpl.h"

/* Adds it to the schedule.  REQUIRES an intracommunicator of two */
int MPIR_Ireduce_intra_sched_pair(const void *sendbuf, void *recvbuf, MPI_Aint count,
                                  MPI_Datatype datatype, MPI_Op op, int root, MPIR_Comm *comm,
                                  MPIR_Sched_t s);

#endif /* IREDUCE_INTRA_SCHED_PAIR_H_INCLUDED */
