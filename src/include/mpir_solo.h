/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One process that runs as a rank of a world whose other ranks do not exist (mpirank1 starts it).
 * A stub of the process manager answers MPI_Init.  Instead of waiting for others, the library
 * behaves as follows:
 *
 *   the start-up segment of the node has only this process; agreement on a context id: all others
 *   offer what this process offers; MPI_Comm_split: the others' colours and keys come from a
 *   scenario (MPIRANK1_SCENARIO, see solo_scenario.h); MPI_Comm_split_type: they follow from the
 *   nodes; any other collective, a message to another rank, and a wait that cannot end, are errors.
 *
 * Code of ours that needs the other processes calls the table MPIR_Others (mpir_others.h) and knows
 * nothing of this.  MPICH's own files tell here what they do, and read MPIR_Solo_on where
 * communicators are made and collectives begin.  No file reads it on the path of a message.
 */
#ifndef MPIR_SOLO_H_INCLUDED
#define MPIR_SOLO_H_INCLUDED

#include "mpir_others.h"

extern bool MPIR_Solo_on;
extern const MPIR_Others_t MPIR_Others_missing;

/* Chooses the table.  REQUIRES MPIR_Process.size and rank. */
int MPIR_Solo_init(void);

/* The entry `refuses` of the table, for every collective of MPICH's: callers test MPIR_Solo_on
 * before it. */
bool MPIR_Solo_refuses(MPIR_Comm *comm, const char *collective, int *mpi_errno);

/* An error for a rank that does not exist, as a receive names it; none in a process that is not
 * alone, or for MPI_ANY_SOURCE and MPI_PROC_NULL.  REQUIRES: the communicator has such a rank.
 * Receives compare the rank with the communicator's `sources` anyway, and call this only if the
 * rank is not below it.  `sources` is 0 here, and the remote_size in other processes. */
int MPIR_Solo_test_source(const MPIR_Comm *comm, int rank);

/* The next splits are those inside MPI_Comm_split_type, in which the others give the same type, and
 * their rank or what this process gives as key.  NULL: it is over. */
void MPIR_Solo_split_type(const int *split_type);

#endif /* MPIR_SOLO_H_INCLUDED */
