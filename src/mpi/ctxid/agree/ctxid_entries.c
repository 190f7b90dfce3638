/* SPDX-License-Identifier: BSD-3-Clause */

/* What MPICH calls for context ids, in the place of its contextid.c. */

#include "mpiimpl.h"
#include "../../comm/mpicomm.h"

int MPIR_Get_contextid_sparse(MPIR_Comm *comm_ptr, MPIR_Context_id_t *context_id, int ignore_id)
{
    return MPIR_Ctxid_get(comm_ptr, NULL, 0, !ignore_id, context_id);
}

int MPIR_Get_contextid_sparse_group(MPIR_Comm *comm_ptr, MPIR_Group *group_ptr, int tag,
                                    MPIR_Context_id_t *context_id, int ignore_id)
{
    return MPIR_Ctxid_get(comm_ptr, group_ptr, tag, !ignore_id, context_id);
}

int MPIR_Get_contextid_nonblock(MPIR_Comm *comm_ptr, MPIR_Comm *newcommp, MPIR_Request **req)
{
    return MPIR_Ctxid_get_nonblock(comm_ptr, newcommp, req);
}

int MPIR_Get_intercomm_contextid_nonblock(MPIR_Comm *comm_ptr, MPIR_Comm *newcommp,
                                          MPIR_Request **req)
{
    return MPIR_Ctxid_get_nonblock(comm_ptr, newcommp, req);
}

int MPIR_Get_intercomm_contextid(MPIR_Comm *comm_ptr, MPIR_Context_id_t *context_id,
                                 MPIR_Context_id_t *recvcontext_id)
{
    return MPIR_Ctxid_get_inter(comm_ptr, context_id, recvcontext_id);
}

void MPIR_Free_contextid(MPIR_Context_id_t context_id) { MPIR_Ctxid_free(context_id); }
