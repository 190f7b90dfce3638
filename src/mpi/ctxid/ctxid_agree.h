/* SPDX-License-Identifier: BSD-3-Clause */

/* What the ways to agree on a context id have in common: blocking, nonblocking and between two groups. */
#ifndef CTXID_AGREE_H_INCLUDED
#define CTXID_AGREE_H_INCLUDED

#include "ctxid_store.h"

/* MPI's words for an outcome that is no id; a context id for a prefix. */
int ctxid_error(ctxid_outcome_t outcome);
MPIR_Context_id_t ctxid_of_prefix(uint32_t prefix);

/* MPIR_Ctxid_refuse in an intracommunicator (ctxid_agree.c). */
void ctxid_refuse_among(MPIR_Comm * comm, MPIR_Group * group, int tag);

/* Other creations of this process may have to end first: threads, and pending ones, which the progress engine moves. */
int ctxid_let_others_go_on(void);

/* Of intercommunicators (ctxid_inter.c). */
int ctxid_need_local_comm(MPIR_Comm * inter);
/* One element, over both groups (ctxid_between.c).  REQUIRES that the local communicator is there. */
int ctxid_reduce_between(MPIR_Comm * inter, void *data, MPI_Datatype type, MPI_Op op, MPIR_Errflag_t * errflag);

#endif /* CTXID_AGREE_H_INCLUDED */
