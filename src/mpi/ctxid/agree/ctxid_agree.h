/* SPDX-License-Identifier: BSD-3-Clause */

/* What blocking and nonblocking agreement and agreement between two groups have in common. */
#ifndef CTXID_AGREE_H_INCLUDED
#define CTXID_AGREE_H_INCLUDED

#include "../ctxid_store.h"

/* The error for an outcome without an id.  The context id of a prefix. */
int MPIR_ctxid_error(ctxid_outcome_t outcome);
MPIR_Context_id_t MPIR_ctxid_of_prefix(uint32_t prefix);

/* MPIR_Ctxid_refuse in an intracommunicator (ctxid_agree.c). */
void MPIR_ctxid_refuse_among(MPIR_Comm *comm, MPIR_Group *group, int tag);

/* Do the duplicates of this communicator take ids of blocks? */
static inline bool MPIR_ctxid_has_blocks(const MPIR_Comm *comm)
{
    return comm->comm_kind == MPIR_COMM_KIND__INTRACOMM && MPIR_CVAR_CTXID_BLOCK > 1;
}

/* How many ids an agreement on a duplicate asks for; for all but the first one there are spare
 * communicators.  At its end, MPIR_ctxid_spare_settle(ids - 1). */
uint32_t MPIR_ctxid_ids_to_ask(const MPIR_Comm *parent);

/* Makes progress for other creations of this process, which may have to end first. */
int MPIR_ctxid_let_others_go_on(void);
/* A creation of this process is about to be pending: from now on others may be made meanwhile. */
void MPIR_ctxid_expect_pending(void);

/* Makes the local communicator of an intercommunicator (ctxid_inter.c). */
int MPIR_ctxid_need_local_comm(MPIR_Comm *inter);
/* Reduces one element over both groups (ctxid_between.c).  REQUIRES: the local communicator
 * exists. */
int MPIR_ctxid_reduce_between(MPIR_Comm *inter, void *data, MPI_Datatype type, MPI_Op op,
                              MPIR_Errflag_t *errflag);

#endif /* CTXID_AGREE_H_INCLUDED */
