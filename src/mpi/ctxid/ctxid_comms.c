/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_spare.h"
#include "ctxid_store.h"

/* What communicators tell the store of this process (mpir_ctxid.h). */

void MPIR_Ctxid_commit(MPIR_Comm * comm)
{
    ctxid_commit(ctxid_own_store(), comm);
}

void MPIR_Ctxid_forget(MPIR_Comm * comm)
{
    if (ctxid_forget(ctxid_own_store(), comm))
        ctxid_spare_trim();
}

bool MPIR_Ctxid_has_spare(MPIR_Comm * parent)
{
    return ctxid_block_has_next(ctxid_own_store(), parent) && ctxid_spare_lend();
}

void MPIR_Ctxid_burn(MPIR_Context_id_t id)
{
    ctxid_block_burn(ctxid_own_store(), MPIR_CONTEXT_READ_FIELD(PREFIX, id));
}

void MPIR_Ctxid_free(MPIR_Context_id_t id)
{
    ctxid_free(ctxid_own_store(), id);
}
