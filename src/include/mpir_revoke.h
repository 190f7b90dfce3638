/* SPDX-License-Identifier: BSD-3-Clause */

/* What the end of a revoked communicator asks of other parts of MPI. */
#ifndef MPIR_REVOKE_H_INCLUDED
#define MPIR_REVOKE_H_INCLUDED

/* Members that were in their first collective wait on the node's board for all others, which no revocation can end.  The others come
 * to it here, from collective calls on the revoked communicator. */
void MPIR_Comm_settle_revoked(struct MPIR_Comm *comm);

#endif /* MPIR_REVOKE_H_INCLUDED */
