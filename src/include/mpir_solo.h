/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One process that runs as a rank of a world whose other ranks do not exist (mpirank1 starts it).  The process manager's stub
 * answers MPI_Init; here is what the library does instead of waiting for others:
 *
 *   the node's start-up segment has this process alone;
 *   agreement on a context id: all others offer what this process offers;
 *   MPI_Comm_split: the others' colours and keys come from a scenario (MPIRANK1_SCENARIO, see solo_scenario.h);
 *   MPI_Comm_split_type: they follow from the nodes;
 *   any other collective, a message to another rank, and a wait that nothing can end, are errors.
 *
 * The variable MPIR_Solo_on is read where communicators are made and collectives begin, and nowhere on the path of a message.
 */
#ifndef MPIR_SOLO_H_INCLUDED
#define MPIR_SOLO_H_INCLUDED

#include <stdbool.h>

extern bool MPIR_Solo_on;

/* From the environment; REQUIRES MPIR_Process.size and rank. */
int MPIR_Solo_init(void);

/* Processes of this node that exist. */
static inline int MPIR_Solo_local_size(void)
{
    return MPIR_Solo_on ? 1 : MPIR_Process.local_size;
}

static inline int MPIR_Solo_local_rank(void)
{
    return MPIR_Solo_on ? 0 : MPIR_Process.local_rank;
}

/* True, with an error in *mpi_errno, for a collective that others would have to take part in. */
bool MPIR_Solo_refuses(MPIR_Comm * comm, const char *collective, int *mpi_errno);

/* An error for a rank that does not exist, as a receive names it; none in a process that is not alone, or for MPI_ANY_SOURCE and
 * MPI_PROC_NULL.  REQUIRES: the communicator has such a rank.  Receives compare the rank with the communicator's `sources` anyway,
 * and call this only if the rank is not below it.  `sources` is 0 here, and the remote_size in other processes. */
int MPIR_Solo_test_source(const MPIR_Comm * comm, int rank);

/* Colour and key of each process of `comm` but this one, whose are given.  `put` is called for one rank after the other. */
int MPIR_Solo_split(MPIR_Comm * comm, int colour, int key,
                    void (*put) (void *state, int rank, int colour, int key), void *state);

/* The next splits are those of MPI_Cart_sub: the others' calls follow from the topology.  NULL: it is over. */
void MPIR_Solo_cart_sub(MPIR_Topology * topology, const int remain_dims[]);
/* The next splits keep the first n ranks in their order, as those of MPI_Cart_create do.  0: it is over. */
void MPIR_Solo_first_ranks(int n);

/* The next splits are those inside MPI_Comm_split_type, in which the others give the same type, and their rank or what this
 * process gives as key.  NULL: it is over. */
void MPIR_Solo_split_type(const int *split_type);

/* The group of MPI_Intercomm_create's remote leader: its members in the last split of the peer communicator's processes. */
int MPIR_Solo_remote_group(MPIR_Comm * local, MPIR_Comm * peer, int remote_leader, int *remote_size,
                           uint64_t ** remote_lpids, int *is_low_group);

#endif /* MPIR_SOLO_H_INCLUDED */
