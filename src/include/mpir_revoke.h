/* SPDX-License-Identifier: BSD-3-Clause */

/* What the end of a revoked communicator asks of other parts of MPI. */
#ifndef MPIR_REVOKE_H_INCLUDED
#define MPIR_REVOKE_H_INCLUDED

/* Messages between these calls pass although the communicator is revoked.  An intercommunicator
 * has its local communicator then. */
int MPIR_Comm_repair_begins(struct MPIR_Comm *comm);
void MPIR_Comm_repair_ends(struct MPIR_Comm *comm);

/* Before a revoked communicator goes: its messages are dropped no longer. */
void MPIR_Comm_revoked_end(struct MPIR_Comm *comm);

/* Of the device: each long message on the communicator, and on its parts, is received and
 * dropped from now on. */
void MPIDIG_comm_revoked_begin(struct MPIR_Comm *comm);
void MPIDIG_comm_revoked_finalize(void);

#endif /* MPIR_REVOKE_H_INCLUDED */
