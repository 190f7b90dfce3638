/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMM_SURVIVE_H_INCLUDED
#define COMM_SURVIVE_H_INCLUDED

#include "mpiimpl.h"
#include "mpir_ctxid_group.h"
#include "comm_agree.h"

/* What the result of an agreement means.  The error says that a member has died whose death not all
 * have acknowledged; the flag is right then, too. */
int MPIR_Agree_read_flag(const agree_value_t *result, int *flag);

/* A search for an id needs all members.  So many agreements come before it, each with other ids:
 * those of one are taken only if other communicators are being made. */
enum { MPIR_SHRINK_TRIES = 32 };

/* Makes *made, of MPIR_Comm_create, the communicator of the living; ends the creation.  *made is
 * NULL after an error, or if nobody of the other group of an intercommunicator lives.  NULL before:
 * there was no memory for it.  True: nothing is made, and all members agree again; not in the last
 * try. */
bool MPIR_Agree_make_shrunk(MPIR_Comm *comm, MPIR_Ctxid_t *creation, const agree_value_t *result,
                            int tries, MPIR_Comm **made, int *mpi_errno);

/* Until no MPIX_Comm_iagree or _ishrink of this process is under way on the communicator. */
int MPIR_Comm_survive_wait(MPIR_Comm *comm);

#endif /* COMM_SURVIVE_H_INCLUDED */
