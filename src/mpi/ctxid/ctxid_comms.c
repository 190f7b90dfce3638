/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_ctxid_site.h"
#include "ctxid_holders.h"
#include "ctxid_holders_report.h"
#include "ctxid_spare.h"
#include "ctxid_store.h"

/* What communicators tell the store of this process (mpir_ctxid.h). */

/* Has it an id of its own, and none of another communicator's? */
static bool is_held(MPIR_Context_id_t id)
{
    return MPIR_Ctxid_is_highest() && !MPIR_CONTEXT_READ_FIELD(SUBCOMM, id) &&
        !MPIR_CONTEXT_READ_FIELD(IS_LOCALCOMM, id);
}

void MPIR_Ctxid_commit(MPIR_Comm * comm)
{
    MPIR_Context_id_t id = comm->recvcontext_id;

    ctxid_commit(ctxid_own_store(), comm);
    /* those of MPI_Init are no user's */
    if (is_held(id) && !HANDLE_IS_BUILTIN(comm->handle))
        ctxid_holders_set(MPIR_CONTEXT_READ_FIELD(PREFIX, id), ctxid_holder_here());
    if (MPIR_Ctxid_is_asked)
        ctxid_holders_answer();
}

map_site MPIR_Ctxid_site(const MPIR_Comm * comm)
{
    return ctxid_holders_site(MPIR_CONTEXT_READ_FIELD(PREFIX, comm->recvcontext_id));
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
    /* before another thread can get it */
    if (is_held(id))
        ctxid_holders_forget(MPIR_CONTEXT_READ_FIELD(PREFIX, id));
    ctxid_free(ctxid_own_store(), id);
    if (MPIR_Ctxid_is_asked)
        ctxid_holders_answer();
}
