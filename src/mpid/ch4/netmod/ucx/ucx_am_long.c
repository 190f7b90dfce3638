/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "ucx_am_long.h"
#include "deaths.h"

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

/* Data of a process that has died do not come. */
static void note_end(MPIDI_UCX_am_long_t *message, ucs_status_t status)
{
    if (unlikely(status != UCS_OK && MPIR_Deaths_watched))
        MPIDIG_deaths_end_with_error(message->rreq);
    else
        note_status(status);
}

static void data_arrived(void *request, ucs_status_t status, size_t length MPL_UNUSED,
                         void *message)
{
    note_end(message, status);
    ((MPIDI_UCX_am_long_t *) message)->arrived(message);
    ucp_request_free(request);
}

static void return_loan(MPIDI_UCX_am_long_t *message)
{
    MPIDI_UCX_taken_t *taken = message->data;

    taken->returns(taken);
}

/* Where nobody wants the data. */
static void drop(MPIDI_UCX_am_long_t *message)
{
    if (message->is_lent)
        return_loan(message);
    else
        ucp_am_data_release(MPIDI_UCX_global.ctx[message->vni].worker, message->data);
    message->data = NULL;
    message->arrived(message);
}

static bool copy_pieces(const MPIDI_UCX_loan_t *loan, const ucp_dt_iov_t *pieces, size_t n)
{
    size_t offset = 0;

    for (size_t i = 0; i < n && offset < loan->bytes; i++) {
        size_t bytes = MPL_MIN(pieces[i].length, loan->bytes - offset);

        if (!MPIDI_UCX_loan_copy(loan, offset, pieces[i].buffer, bytes))
            return false;
        offset += bytes;
    }
    return true;
}

static void lent_arrived(void *message, ucs_status_t status)
{
    note_end(message, status);
    ((MPIDI_UCX_am_long_t *) message)->arrived(message);
}

/* As fetch(). */
static void fetch_lent(MPIDI_UCX_am_long_t *message, void *copy, void *buffer, size_t count,
                       ucp_datatype_t type)
{
    MPIDI_UCX_taken_t *taken = message->data;
    const ucp_dt_iov_t whole = {buffer, count};
    const bool has_pieces = type == ucp_dt_make_iov(),
               is_there =
                   copy_pieces(&taken->loan, has_pieces ? buffer : &whole, has_pieces ? count : 1);

    taken->arrived = lent_arrived;
    taken->message = message;
    if (!is_there && MPIDI_UCX_loan_ask(taken, buffer, count, type)) {
        message->data = copy;
        return;
    }
    return_loan(message);
    message->data = copy;
    lent_arrived(message, is_there ? UCS_OK : UCS_ERR_CONNECTION_RESET);
}

/* The data go to `copy`, or to the buffer if that is NULL. */
static void fetch(MPIDI_UCX_am_long_t *message, void *copy, void *buffer, size_t count,
                  ucp_datatype_t type)
{
    const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                                                       UCP_OP_ATTR_FIELD_USER_DATA |
                                                       UCP_OP_ATTR_FIELD_DATATYPE,
                                       .datatype = type,
                                       .cb.recv_am = data_arrived,
                                       .user_data = message};
    void *description = message->data, *request;

    if (message->is_lent) {
        fetch_lent(message, copy, copy ? copy : buffer, count, type);
        return;
    }
    message->data = copy;
    request = ucp_am_recv_data_nbx(MPIDI_UCX_global.ctx[message->vni].worker, description,
                                   copy ? copy : buffer, count, &param);
    if (UCS_PTR_IS_PTR(request))
        return;
    note_end(message, UCS_PTR_STATUS(request));
    message->arrived(message);
}

/* UCX registers each block of the memory, so that many blocks are slower than a copy. */
enum { BLOCKS_MOST = 16 };

static void fetch_to_request(MPIDI_UCX_am_long_t *message, size_t bytes)
{
    int is_contig, is_gpu;
    void *buffer, *copy = NULL;
    MPI_Aint count;

    if (MPIDIG_get_recv_iov_count(message->rreq) > BLOCKS_MOST)
        copy = MPL_malloc(bytes, MPL_MEM_BUFFER);
    if (copy) {
        fetch(message, copy, NULL, bytes, ucp_dt_make_contig(1));
        return;
    }
    MPIDIG_get_recv_data(&is_contig, &is_gpu, &buffer, &count, message->rreq);
    if (!is_contig)
        fetch(message, NULL, buffer, count, ucp_dt_make_iov());
    else if ((size_t) count >= bytes)
        fetch(message, NULL, buffer, bytes, ucp_dt_make_contig(1));
    else
        drop(message);
}

void MPIDI_UCX_am_long_begin(MPIDI_UCX_am_long_t *message, MPIDI_UCX_am_header_t *header)
{
    int attr = MPIDIG_AM_ATTR__IS_ASYNC;

    MPIDIG_AM_ATTR_SET_VCIS(attr, header->src_vci, header->dst_vci);
    message->rreq = NULL;
    note_error(MPIDIG_global.target_msg_cbs[header->handler_id](
        header->payload, NULL, header->data_sz, attr, &message->rreq));
    if (message->rreq)
        fetch_to_request(message, header->data_sz);
    else
        drop(message);
}

void MPIDI_UCX_am_long_end(MPIDI_UCX_am_long_t *message)
{
    if (message->data) {
        MPIDIG_recv_copy(message->data, message->rreq);
        MPL_free(message->data);
    }
    if (message->rreq)
        note_error(MPIDIG_REQUEST(message->rreq, req->target_cmpl_cb)(message->rreq));
}
