/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What a process does where it needs the other processes of the world.  There are two tables: that
 * of a process among others, and that of a process that runs alone as a rank of a larger world, if
 * the library has that topic (mpir_solo.h).  The callers do not know which it is.
 *
 * Nothing on the path of a message looks here.
 */
#ifndef MPIR_OTHERS_H_INCLUDED
#define MPIR_OTHERS_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>

struct cmap_s;
struct split_block;
struct split_call;
struct split_zones;
struct MPIR_Ctxid;

typedef struct MPIR_Others {
    /* How many of n processes exist, if this one is among them. */
    int (*count)(int n);
    /* The rank in the world of the first process that exists. */
    int (*first)(void);
    /* The place of this process among those of its node that exist. */
    int (*local_rank)(void);
    /* MPI_SUCCESS, or an error because the other process with this rank in the world does not
     * exist. */
    int (*check)(int rank);
    /* True with an error in *mpi_errno if members of `comm` that do not exist would have to take
     * part in the collective. */
    bool (*refuses)(MPIR_Comm *comm, const char *collective, int *mpi_errno);
    /* Does this process also hold the context ids of communicators of which it is no member? */
    bool holds_all_ids;
    /* MPI_Comm_split: gets the row of each member of `local`, with offers of context ids.  Begins
     * the agreement on an id; on an error it is abandoned. */
    int (*get_rows)(struct split_call *call, MPIR_Comm *local, struct MPIR_Ctxid *ctxid);
    /* The same by descriptions of blocks of ranks (src/mpi/comm/split).  Before the exchanges: does
     * this process hold the id, although it is no member? */
    int (*foresee)(const struct split_call *call, MPIR_Comm *local, bool *takes_part);
    int (*swap_blocks)(struct split_zones *zones, MPIR_Comm *local, int to,
                       const struct split_block *from);
    /* MPI_Intercomm_create: the map of the remote group, which the caller releases; or NULL if the
     * leaders exchange the groups. */
    int (*remote_group)(MPIR_Comm *local, MPIR_Comm *peer, int remote_leader,
                        struct cmap_s **remote, int *is_low_group);
} MPIR_Others_t;

/* Of this process: that of a process among others, until MPI_Init finds out that there are none. */
extern const MPIR_Others_t *MPIR_Others;

static inline bool MPIR_Do_others_exist(void) { return MPIR_Others->count(2) == 2; }

extern const MPIR_Others_t MPIR_Others_exist;

#endif /* MPIR_OTHERS_H_INCLUDED */
