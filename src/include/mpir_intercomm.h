/* SPDX-License-Identifier: BSD-3-Clause */

/* How an intercommunicator is made of two groups: all that takes memory comes before the agreement on its context ids, which tells both
 * groups when somebody has none.  For src/mpi/comm; not part of mpiimpl.h. */
#ifndef MPIR_INTERCOMM_H_INCLUDED
#define MPIR_INTERCOMM_H_INCLUDED

/* Whole but for its context ids and MPIR_Comm_commit.  MPIR_Comm_discard frees it. */
int MPIR_Comm_prepare_inter(MPIR_Comm * local_comm, int remote_size, uint64_t remote_lpids[],
                            int is_low_group, MPIR_Comm ** comm);

/* The ids: each group finds one, and the leaders exchange them.  `refusal` is why this process cannot make its communicator, or
 * MPI_SUCCESS; it is returned when both groups know.  *own is to be freed, unless there is an error. */
int MPIR_Ctxid_get_by_leaders(MPIR_Comm * group, int leader, MPIR_Comm * peers, int remote_leader,
                              int tag, int refusal, MPIR_Context_id_t * remote,
                              MPIR_Context_id_t * own);

#endif /* MPIR_INTERCOMM_H_INCLUDED */
