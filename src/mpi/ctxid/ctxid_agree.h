/* SPDX-License-Identifier: BSD-3-Clause */

/* What the ways to agree on a context id have in common: blocking, nonblocking and between two groups. */
#ifndef CTXID_AGREE_H_INCLUDED
#define CTXID_AGREE_H_INCLUDED

#include "ctxid_store.h"

/* Of one ballot and of one window, by the folds of ctxid_store.h.  One element of a type of ours is never cut in pieces, and for small
 * data and operations of users MPICH chooses recursive doubling. */
typedef struct {
    MPI_Datatype type;
    MPI_Op op;
} ctxid_reduction_t;

const ctxid_reduction_t *ctxid_ballots(void);
const ctxid_reduction_t *ctxid_windows(void);

/* MPI's words for an outcome that is no id; a context id for a prefix. */
int ctxid_error(ctxid_outcome_t outcome);
MPIR_Context_id_t ctxid_of_prefix(uint32_t prefix);

/* MPIR_Ctxid_refuse in an intracommunicator (ctxid_agree.c). */
void ctxid_refuse_among(MPIR_Comm * comm, MPIR_Group * group, int tag);

/* Of intercommunicators (ctxid_inter.c). */
int ctxid_need_local_comm(MPIR_Comm * inter);

#endif /* CTXID_AGREE_H_INCLUDED */
