/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "mpir_type_blocks.h"
#include "ucx_gaps.h"

void MPIDI_UCX_gaps_begin(MPIR_Request * rreq, MPIR_Datatype * datatype)
{
    MPIR_Datatype_ptr_add_ref(datatype);
    MPIDI_UCX_REQ(rreq).datatype = datatype;
}

ucs_status_t MPIDI_UCX_gaps_end(MPIR_Request * rreq, ucs_status_t status, MPI_Count bytes)
{
    MPIR_Datatype *datatype = MPIDI_UCX_REQ(rreq).datatype;

    if (status == UCS_OK && MPIR_Type_rest(datatype->handle, bytes) > 0)
        status = UCS_ERR_MESSAGE_TRUNCATED;
    MPIR_Datatype_ptr_release(datatype);
    return status;
}
