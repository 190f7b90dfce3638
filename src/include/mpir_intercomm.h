/* SPDX-License-Identifier: BSD-3-Clause */

/* How an intercommunicator is made of two groups, and one communicator of both: all that takes memory comes before the agreement on
 * its context ids, which tells both groups when somebody has none.  For src/mpi/comm; not part of mpiimpl.h. */
#ifndef MPIR_INTERCOMM_H_INCLUDED
#define MPIR_INTERCOMM_H_INCLUDED

/* The other group.  Who has no map of it says why in `error`, and makes it known in the agreement. */
typedef struct MPIR_Remote_group {
    cmap_t *map;
    int size;
    int is_low_group;           /* of the local group */
    int error;                  /* or MPI_SUCCESS */
} MPIR_Remote_group_t;

/* The groups meet through their leaders (src/mpid/ch4/src/ch4_inter.c); remote->map is to be released.  An error here is one that
 * all members of both groups have, or nobody: processes that are in both.  (Where processes are not of one world, also what this one
 * fails at: the others wait for it.) */
int MPID_Intercomm_meet(MPIR_Comm * local_comm, int local_leader, MPIR_Comm * peer_comm, int remote_leader,
                        int tag, MPIR_Remote_group_t * remote);

/* MPI_Comm_create: which part of the remote group takes part, as ranks in it; `part` is that of the local one.  remote->map is to be
 * released.  REQUIRES that the local communicator is there. */
void MPID_Intercomm_meet_parts(MPIR_Comm * inter, const struct MPIR_Group *part, MPIR_Remote_group_t * remote);

/* Whole but for its context ids and MPIR_Comm_commit.  MPIR_Comm_discard frees it. */
int MPIR_Comm_prepare_inter(MPIR_Comm * local_comm, const MPIR_Remote_group_t * remote, MPIR_Comm ** comm);

/* The same of parts of both groups, `group` and what MPID_Intercomm_meet_parts has found.  NULL, and no error, where there is none to be
 * made: for who is not in the group, and when nobody of the remote one takes part. */
int MPIR_Comm_prepare_part(MPIR_Comm * inter, struct MPIR_Group *group, const MPIR_Remote_group_t * remote, MPIR_Comm ** comm);

/* The ids: each group finds one, and the leaders exchange them.  `refusal` is why this process cannot make its communicator, or
 * MPI_SUCCESS; it is returned when both groups know.  *own is to be freed, unless there is an error. */
int MPIR_Ctxid_get_by_leaders(MPIR_Comm * group, int leader, MPIR_Comm * peers, int remote_leader,
                              int tag, int refusal, MPIR_Context_id_t * remote,
                              MPIR_Context_id_t * own);

/* The end of what makes one: ids for *comm, which becomes NULL when there is an error.  Who makes none has NULL there, and `refusal` as
 * above. */
int MPIR_Comm_finish_inter(MPIR_Comm * group, int leader, MPIR_Comm * peers, int remote_leader, int tag,
                           int refusal, MPIR_Comm ** comm);

/* MPI_Intercomm_merge with the remote group first (`local_high`, the opposite in the other group), or the local one. */
int MPIR_Comm_merge_groups(MPIR_Comm * inter, int local_high, MPIR_Comm ** merged);
/* One id for both groups.  `refusal` as above.  REQUIRES the algorithm highest, and that the local communicator is there. */
int MPIR_Ctxid_get_merged(MPIR_Comm * inter, int refusal, MPIR_Context_id_t * id);

#endif /* MPIR_INTERCOMM_H_INCLUDED */
