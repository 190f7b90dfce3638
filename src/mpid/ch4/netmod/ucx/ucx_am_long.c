/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "ucx_am_long.h"

/* The next progress returns the error. */
static void note_error(int mpi_errno)
{
    if (mpi_errno)
        MPIDI_UCX_handler_errno = mpi_errno;
}

static void note_status(ucs_status_t ucx_status)
{
    int mpi_errno = MPI_SUCCESS;

    MPIDI_UCX_CHK_STATUS(ucx_status);
  fn_fail:
    note_error(mpi_errno);
}

static void data_arrived(void *request, ucs_status_t status, size_t length MPL_UNUSED,
                         void *message)
{
    note_status(status);
    ((MPIDI_UCX_am_long_t *) message)->arrived(message);
    ucp_request_free(request);
}

/* Where nobody wants the data. */
static void drop(MPIDI_UCX_am_long_t * message)
{
    ucp_am_data_release(MPIDI_UCX_global.ctx[message->vni].worker, message->data);
    message->arrived(message);
}

static void fetch(MPIDI_UCX_am_long_t * message, void *buffer, size_t count, bool is_contig)
{
    const ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
            UCP_OP_ATTR_FIELD_DATATYPE,
        .datatype = is_contig ? ucp_dt_make_contig(1) : ucp_dt_make_iov(),
        .cb.recv_am = data_arrived,
        .user_data = message
    };
    void *request = ucp_am_recv_data_nbx(MPIDI_UCX_global.ctx[message->vni].worker, message->data,
                                         buffer, count, &param);

    if (UCS_PTR_IS_PTR(request))
        return;
    note_status(UCS_PTR_STATUS(request));
    message->arrived(message);
}

void MPIDI_UCX_am_long_begin(MPIDI_UCX_am_long_t * message, MPIDI_UCX_am_header_t * header)
{
    int attr = MPIDIG_AM_ATTR__IS_ASYNC, is_contig, is_gpu;
    void *buffer;
    MPI_Aint count;

    MPIDIG_AM_ATTR_SET_VCIS(attr, header->src_vci, header->dst_vci);
    message->rreq = NULL;
    note_error(MPIDIG_global.target_msg_cbs[header->handler_id](header->payload, NULL,
                                                                header->data_sz, attr,
                                                                &message->rreq));
    if (!message->rreq) {
        drop(message);
        return;
    }
    MPIDIG_get_recv_data(&is_contig, &is_gpu, &buffer, &count, message->rreq);
    if (is_contig && (uint64_t) count < header->data_sz)
        drop(message);
    else
        fetch(message, buffer, is_contig ? header->data_sz : (uint64_t) count, is_contig);
}

void MPIDI_UCX_am_long_end(MPIDI_UCX_am_long_t * message)
{
    if (message->rreq)
        note_error(MPIDIG_REQUEST(message->rreq, req->target_cmpl_cb) (message->rreq));
}
