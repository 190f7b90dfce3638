/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The context id of a communicator whose creation gathers something anyway, by MPICH's own allocator: it makes no
 * offers, and one more collective decides.
 */
#ifndef SPLIT_CTXID_H_INCLUDED
#define SPLIT_CTXID_H_INCLUDED

#include "mpiimpl.h"

typedef struct MPIR_Ctxid {
    MPIR_Comm *parent;
    int takes_part;
} MPIR_Ctxid_t;

static inline void MPIR_Ctxid_begin(MPIR_Ctxid_t * st, MPIR_Comm * parent, int takes_part,
                                    uint64_t * offer)
{
    st->parent = parent;
    st->takes_part = takes_part;
    *offer = 0;
}

static inline void MPIR_Ctxid_fold(uint64_t * all, uint64_t offer)
{
    *all = MPL_MAX(*all, offer);
}

static inline int MPIR_Ctxid_decide(MPIR_Ctxid_t * st, uint64_t folded_own_colour,
                                    uint64_t folded_all, MPIR_Context_id_t * id)
{
    return MPIR_Get_contextid_sparse(st->parent, id, !st->takes_part);
}

static inline void MPIR_Ctxid_abandon(MPIR_Ctxid_t * st)
{
}

#endif /* SPLIT_CTXID_H_INCLUDED */
