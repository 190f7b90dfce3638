/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Receives into a datatype with gaps.  UCX unpacks each fragment of the message where it belongs,
 * and a fragment may end inside an element.  Only at the end of the message is it known whether
 * the message does, as one of another type signature: such a receive fails with MPI_ERR_TRUNCATE.
 *
 * What UCX needs to unpack is in the request.  UCX says nothing at the end of a receive that is
 * cancelled, but for its completion.
 */
#ifndef UCX_GAPS_H_INCLUDED
#define UCX_GAPS_H_INCLUDED

#include "ucx_impl.h"

/* What to give UCX as the buffer.  The receive holds the datatype until it is complete: the program
 * may free it before. */
void *MPIDI_UCX_gaps_begin(MPIR_Request *rreq, void *buffer, MPI_Aint count,
                           MPIR_Datatype *datatype);

/* The status of the whole receive, of which UCX says this.  Once for each receive. */
ucs_status_t MPIDI_UCX_gaps_end(MPIR_Request *rreq, ucs_status_t status, MPI_Count bytes);

/* ---- sends ---- */

/* What to give UCX as the buffer.  NULL: no memory.  It holds the datatype until UCX has packed. */
struct MPIDI_UCX_gaps *MPIDI_UCX_gaps_of_send(const void *buffer, MPI_Aint count,
                                              MPIR_Datatype *datatype);

/* UCX may say so twice, where the other process dies. */
void MPIDI_UCX_gaps_pack_end(struct MPIDI_UCX_gaps *gaps);

/* UCX has ended the send.  NULL: without gaps. */
static inline void MPIDI_UCX_gaps_sent(struct MPIDI_UCX_gaps *gaps)
{
    if (likely(!gaps))
        return;
    MPIDI_UCX_gaps_pack_end(gaps);
    MPL_free(gaps);
}

/* ---- what UCX calls for the datatype (ucp_generic_dt_ops_t) ---- */

void *MPIDI_UCX_gaps_start(void *context, void *buffer, size_t count);
ucs_status_t MPIDI_UCX_gaps_unpack(void *state, size_t offset, const void *src, size_t bytes);

#endif /* UCX_GAPS_H_INCLUDED */
