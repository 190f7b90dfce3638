/* SPDX-License-Identifier: BSD-3-Clause */

/* What blocking and nonblocking agreement and agreement between two groups have in common. */
#ifndef CTXID_AGREE_H_INCLUDED
#define CTXID_AGREE_H_INCLUDED

#include "../ctxid_process.h"

/* Why a creation has ended without an id.  The context id of a prefix. */
int MPIR_ctxid_error(ctxid_state_t why);
MPIR_Context_id_t MPIR_ctxid_of_prefix(uint32_t prefix);

/* MPIR_Ctxid_refuse in an intracommunicator, or for MPI_Intercomm_merge. */
void MPIR_ctxid_refuse_among(MPIR_Comm *comm, MPIR_Group *group, int tag);

/* How many ids an agreement on a duplicate asks for; for all but the first one there are spare
 * communicators.  At its end, MPIR_ctxid_spare_settle(ids - 1). */
uint32_t MPIR_ctxid_ids_to_ask(MPIR_Comm *parent);

/* Makes progress for other creations of this process, which may have to end first. */
int MPIR_ctxid_let_others_go_on(void);
/* Where it stands in the queue of searches. */
uint64_t MPIR_ctxid_order_of_pending(const MPIR_Comm *parent, int tag);

/* Makes the local communicator of an intercommunicator (ctxid_inter.c). */
int MPIR_ctxid_need_local_comm(MPIR_Comm *inter);

#endif /* CTXID_AGREE_H_INCLUDED */
