/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_ctxid_site.h"
#include "ctxid_holders.h"
#include "ctxid_holders_report.h"
#include "ctxid_spare.h"
#include "ctxid_parts.h"

/* What communicators tell the store of this process (mpir_ctxid.h). */

void MPIR_Ctxid_commit(MPIR_Comm *comm)
{
    /* those of MPI_Init are no user's */
    if (MPIR_ctxid_commit(MPIR_ctxid_own_store(), comm) && !HANDLE_IS_BUILTIN(comm->handle))
        MPIR_ctxid_holders_set(MPIR_ctxid_prefix_of(comm), MPIR_ctxid_holder_here());
    if (MPIR_ctxid_holders_are_asked())
        MPIR_ctxid_holders_answer();
}

map_site MPIR_Ctxid_site(const MPIR_Comm *comm)
{
    return MPIR_ctxid_holders_site(MPIR_ctxid_prefix_of(comm));
}

void MPIR_Ctxid_forget(MPIR_Comm *comm)
{
    if (comm->ctxid_cursor == 0 && !MPIR_ctxid_block_begun(comm))
        return;
    if (MPIR_ctxid_forget(MPIR_ctxid_own_store(), comm))
        MPIR_ctxid_spare_trim();
}

bool MPIR_Ctxid_make_spare(MPIR_Comm *parent, bool has_taken)
{
    return (has_taken || MPIR_ctxid_block_has_next(MPIR_ctxid_own_store(), parent)) &&
           MPIR_ctxid_spare_lend();
}

void MPIR_Ctxid_burn(MPIR_Context_id_t id)
{
    MPIR_ctxid_block_burn(MPIR_ctxid_own_store(), MPIR_CONTEXT_READ_FIELD(PREFIX, id));
}

void MPIR_Ctxid_free(MPIR_Context_id_t id)
{
    /* before another thread can get it */
    if (!MPIR_ctxid_is_derived(id))
        MPIR_ctxid_holders_forget(MPIR_CONTEXT_READ_FIELD(PREFIX, id));
    MPIR_ctxid_free(MPIR_ctxid_own_store(), id);
    if (MPIR_ctxid_holders_are_asked())
        MPIR_ctxid_holders_answer();
}
