/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Receives into a datatype with gaps.  UCX unpacks each fragment of the message where it belongs,
 * and a fragment may end inside an element.  Only at the end of the message is it known whether
 * the message does, as one of another type signature: such a receive fails with MPI_ERR_TRUNCATE.
 */
#ifndef UCX_GAPS_H_INCLUDED
#define UCX_GAPS_H_INCLUDED

#include "ucx_impl.h"

/* The receive holds the datatype until its message has ended: the program may free it before. */
void MPIDI_UCX_gaps_begin(MPIR_Request * rreq, MPIR_Datatype * datatype);

/* The status of the whole receive, of which UCX says this */
ucs_status_t MPIDI_UCX_gaps_end(MPIR_Request * rreq, ucs_status_t status, MPI_Count bytes);

#endif /* UCX_GAPS_H_INCLUDED */
