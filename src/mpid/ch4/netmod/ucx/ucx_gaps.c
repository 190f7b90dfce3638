/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "mpir_type_blocks.h"
#include "ucx_gaps.h"
#ifndef MPIR_WITHOUT_SHORT_MESSAGES
#include "ucx_loans.h"
#endif

void *MPIDI_UCX_gaps_begin(MPIR_Request *rreq, void *buffer, MPI_Aint count,
                           MPIR_Datatype *datatype)
{
    struct MPIDI_UCX_gaps *gaps = &MPIDI_UCX_REQ(rreq).gaps;

    MPIR_Datatype_ptr_add_ref(datatype);
    gaps->buffer = buffer;
    gaps->count = count;
    gaps->datatype = datatype;
    gaps->is_unpacked = true;
    return gaps;
}

ucs_status_t MPIDI_UCX_gaps_end(MPIR_Request *rreq, ucs_status_t status, MPI_Count bytes)
{
    MPIR_Datatype *datatype = MPIDI_UCX_REQ(rreq).gaps.datatype;

    if (status == UCS_OK && MPIR_Type_rest(datatype->handle, bytes) > 0)
        status = UCS_ERR_MESSAGE_TRUNCATED;
    MPIR_Datatype_ptr_release(datatype);
    return status;
}

struct MPIDI_UCX_gaps *MPIDI_UCX_gaps_of_send(const void *buffer, MPI_Aint count,
                                              MPIR_Datatype *datatype)
{
    struct MPIDI_UCX_gaps *gaps = MPL_malloc(sizeof(*gaps), MPL_MEM_DATATYPE);

    if (!gaps)
        return NULL;
    MPIR_Datatype_ptr_add_ref(datatype);
    *gaps = (struct MPIDI_UCX_gaps){
        .buffer = (void *) buffer, .count = (size_t) count, .datatype = datatype};
    return gaps;
}

void MPIDI_UCX_gaps_pack_end(struct MPIDI_UCX_gaps *gaps)
{
    if (gaps->datatype)
        MPIR_Datatype_ptr_release(gaps->datatype);
    gaps->datatype = NULL;
}

void *MPIDI_UCX_gaps_start(void *context MPL_UNUSED, void *buffer, size_t count MPL_UNUSED)
{
    return buffer;
}

ucs_status_t MPIDI_UCX_gaps_unpack(void *state, size_t offset, const void *src, size_t bytes)
{
    const struct MPIDI_UCX_gaps *gaps = state;
    MPI_Aint most = (MPI_Aint) gaps->count * gaps->datatype->size;
    MPI_Aint wanted = MPL_MIN(most, (MPI_Aint) bytes), unpacked;

#ifndef MPIR_WITHOUT_SHORT_MESSAGES
    MPIDI_UCX_loan_unpack(src, (void *) src, bytes);
#endif
    MPIR_Typerep_unpack(src, wanted, gaps->buffer, gaps->count, gaps->datatype->handle, offset,
                        &unpacked);
    return unpacked == wanted ? UCS_OK : UCS_ERR_MESSAGE_TRUNCATED;
}
