/* SPDX-License-Identifier: BSD-3-Clause */

/* What the end of a revoked communicator asks of other parts of MPI. */
#ifndef MPIR_REVOKE_H_INCLUDED
#define MPIR_REVOKE_H_INCLUDED

/* Messages between these calls pass although the communicator is revoked.  An intercommunicator
 * has its local communicator then. */
int MPIR_Comm_repair_begins(struct MPIR_Comm *comm);
void MPIR_Comm_repair_ends(struct MPIR_Comm *comm);

/* Called when the last reference to `comm` is gone.  If it is revoked or has lost a
 * member, it stays until MPI ends: another member may have sent a long message before it learned of
 * that, and waits until this process drops it.  It also stays if others may still ask for the
 * result of an agreement.  False if the communicator goes, also because there is no memory, or MPI
 * ends. */
bool MPIR_Comm_keep_revoked(struct MPIR_Comm *comm);
/* Takes over the caller's reference until MPI ends.  False without memory: then the reference is
 * never given back. */
bool MPIR_Comm_keep_until_end(struct MPIR_Comm *comm);

/* No other process sends any more: all that was kept goes. */
void MPIR_Comm_kept_free(void);

/* Before a revoked communicator goes: its messages are dropped no longer. */
void MPIR_Comm_revoked_end(struct MPIR_Comm *comm);

/* MPIX_Comm_agree and MPIX_Comm_shrink of an intracommunicator whose members may die.  Of the first
 * one, all living members get the same error, or none does. */
int MPIR_Comm_agree_of_living(struct MPIR_Comm *comm, int *flag);
int MPIR_Comm_shrink_to_living(struct MPIR_Comm *comm, struct MPIR_Comm **made);

/* A member has died: the communicator's collectives end with an error, now and later. */
void MPIDIG_comm_died(struct MPIR_Comm *comm);

/* ROMIO has made the communicator for a file, or failed with this error.  The result is for the
 * program.  Where members may die, it becomes one that ends with the first of them. */
int MPIR_Comm_begin_file(struct MPIR_Comm *comm, int error);
/* By this handler one knows it.  NULL: there was none. */
extern struct MPIR_Errhandler *MPIR_Comm_file_handler;

/* Of the device: each long message on the communicator, and on its parts, is received and
 * dropped from now on. */
void MPIDIG_comm_revoked_begin(struct MPIR_Comm *comm);
/* Set at the beginning: makes the parts of a marked communicator, which stays until MPI ends, and
 * marks them. */
extern void (*MPIDIG_comm_mark_late_parts)(struct MPIR_Comm *comm);
/* In MPI_Finalize, while others may still send: drops messages if there is such a communicator. */
void MPIDIG_comm_revoked_progress(void);
void MPIDIG_comm_revoked_finalize(void);

#endif /* MPIR_REVOKE_H_INCLUDED */
