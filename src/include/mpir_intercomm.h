/* SPDX-License-Identifier: BSD-3-Clause */

/* How an intercommunicator is made of two groups, and one communicator of both.  All allocations
 * come before the agreement on the context ids, which tells both groups if a member has no
 * memory.  For src/mpi/comm; this is not part of mpiimpl.h. */
#ifndef MPIR_INTERCOMM_H_INCLUDED
#define MPIR_INTERCOMM_H_INCLUDED

/* The other group.  A process without a map of it sets `error`, and refuses in the agreement. */
typedef struct MPIR_Remote_group {
    cmap_t *map;
    int size;
    int is_low_group; /* of the local group */
    int error;        /* or MPI_SUCCESS */
    uint64_t *held;   /* `size` processes of several worlds, or NULL: the device keeps
                                 * their addresses */
} MPIR_Remote_group_t;

/* The groups meet through their leaders (src/mpid/ch4/src/ch4_inter.c); the caller passes
 * *remote to MPID_Remote_group_free.  If a process is in both groups, all members of both get the
 * same error.  (If processes are of different worlds, an error may concern this process alone, and
 * the others wait for it.) */
int MPID_Intercomm_meet(MPIR_Comm *local_comm, int local_leader, MPIR_Comm *peer_comm,
                        int remote_leader, int tag, MPIR_Remote_group_t *remote);

/* The message of a leader to the other one, and the answer, both of bytes.  NULL: there is none.
 * `tag` and the ranks in `peers` do not matter if the two are roots that have met at a port. */
int MPIR_Leaders_trade(const void *own, MPI_Aint bytes, void *theirs, MPI_Aint room, MPI_Aint *got,
                       int remote_leader, int tag, MPIR_Comm *peers);

/* NULL, or how the device trades for roots that have met at a port.  False: these have not. */
extern bool (*MPIR_Leaders_port)(const MPIR_Comm *peers, const void *own, size_t bytes,
                                 void *theirs, size_t room, size_t *got, int *error);

/* REQUIRES that the communicator is committed, or given up. */
void MPID_Remote_group_free(MPIR_Remote_group_t *remote);

/* MPI_Comm_create: the part of the remote group that takes part, as ranks in it; `part` is the
 * local one.  The caller releases remote->map.  REQUIRES that the local communicator exists. */
void MPID_Intercomm_meet_parts(MPIR_Comm *inter, const struct MPIR_Group *part,
                               MPIR_Remote_group_t *remote);

/* Whole but for its context ids and MPIR_Comm_commit.  MPIR_Comm_discard frees it. */
int MPIR_Comm_prepare_inter(MPIR_Comm *local_comm, const MPIR_Remote_group_t *remote,
                            MPIR_Comm **comm);

/* The same of parts of both groups: `group`, and the result of MPID_Intercomm_meet_parts.  NULL
 * without an error if this process is not in `group`, or if no process of the remote group takes
 * part. */
int MPIR_Comm_prepare_part(MPIR_Comm *inter, struct MPIR_Group *group,
                           const MPIR_Remote_group_t *remote, MPIR_Comm **comm);

/* The same of `made`, which MPIR_Comm_create has made; after an error MPIR_Comm_discard.  REQUIRES
 * members in both parts, and this process among them. */
int MPIR_Comm_fill_part(MPIR_Comm *made, MPIR_Comm *inter, struct MPIR_Group *group,
                        const MPIR_Remote_group_t *remote);

/* The ids: each group finds one, and the leaders exchange them.  `refusal` is the error for which
 * this process cannot make its communicator, or MPI_SUCCESS.  The function returns it when both
 * groups know.  Without an error the caller frees *own. */
int MPIR_Ctxid_get_by_leaders(MPIR_Comm *group, int leader, MPIR_Comm *peers, int remote_leader,
                              int tag, int refusal, MPIR_Context_id_t *remote,
                              MPIR_Context_id_t *own);

/* The last step: ids for *comm, which becomes NULL on an error.  A process that makes no
 * communicator passes NULL there, and `refusal` as above. */
int MPIR_Comm_finish_inter(MPIR_Comm *group, int leader, MPIR_Comm *peers, int remote_leader,
                           int tag, int refusal, MPIR_Comm **comm);

/* MPI_Intercomm_merge: one id for both groups.  `refusal` as above.  REQUIRES that the local
 * communicator is there. */
int MPIR_Ctxid_get_merged(MPIR_Comm *inter, int refusal, MPIR_Context_id_t *id);

#endif /* MPIR_INTERCOMM_H_INCLUDED */
