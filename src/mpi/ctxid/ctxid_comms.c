/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_ctxid_site.h"
#include "ctxid_holders.h"
#include "ctxid_holders_report.h"
#include "ctxid_spare.h"
#include "ctxid_parts.h"

/* What communicators tell the store of this process (mpir_ctxid.h). */

void MPIR_Ctxid_commit(MPIR_Comm * comm)
{
    /* those of MPI_Init are no user's */
    if (ctxid_commit(ctxid_own_store(), comm) && !HANDLE_IS_BUILTIN(comm->handle))
        ctxid_holders_set(ctxid_prefix_of(comm), ctxid_holder_here());
    if (ctxid_holders_are_asked())
        ctxid_holders_answer();
}

map_site MPIR_Ctxid_site(const MPIR_Comm * comm)
{
    return ctxid_holders_site(ctxid_prefix_of(comm));
}

void MPIR_Ctxid_forget(MPIR_Comm * comm)
{
    if (comm->ctxid_cursor == 0 && !ctxid_block_begun(comm))
        return;
    if (ctxid_forget(ctxid_own_store(), comm))
        ctxid_spare_trim();
}

bool MPIR_Ctxid_has_spare(MPIR_Comm * parent, bool has_taken)
{
    return (has_taken || ctxid_block_has_next(ctxid_own_store(), parent)) && ctxid_spare_lend();
}

void MPIR_Ctxid_burn(MPIR_Context_id_t id)
{
    ctxid_block_burn(ctxid_own_store(), MPIR_CONTEXT_READ_FIELD(PREFIX, id));
}

void MPIR_Ctxid_free(MPIR_Context_id_t id)
{
    /* before another thread can get it */
    if (!ctxid_is_derived(id))
        ctxid_holders_forget(MPIR_CONTEXT_READ_FIELD(PREFIX, id));
    ctxid_free(ctxid_own_store(), id);
    if (ctxid_holders_are_asked())
        ctxid_holders_answer();
}
