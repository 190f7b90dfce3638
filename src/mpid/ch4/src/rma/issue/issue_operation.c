/* SPDX-License-Identifier: BSD-3-Clause */

/* An operation: kept while it waits, packed into a message, or issued natively. */

#include "rma/issue/issue_internal.h"

static void retain_type(MPI_Datatype type)
{
    if (type != MPI_DATATYPE_NULL)
        MPIR_Datatype_add_ref_if_not_builtin(type);
}

static void release_type(MPI_Datatype type)
{
    if (type != MPI_DATATYPE_NULL)
        MPIR_Datatype_release_if_not_builtin(type);
}

MPIDIG_rma_op_t *MPIDIG_rma_op_keep(MPIDIG_rma_issue_t *issue, const MPIDIG_rma_op_t *what)
{
    MPIDIG_rma_op_t *op = issue->free_ops;

    if (op)
        issue->free_ops = (MPIDIG_rma_op_t *) op->queue.next;
    else
        op = MPL_malloc(sizeof(*op), MPL_MEM_RMA);
    if (!op)
        return NULL;
    *op = *what;
    retain_type(op->origin_type);
    retain_type(op->result_type);
    retain_type(op->type);
    return op;
}

void MPIDIG_rma_op_drop(MPIDIG_rma_issue_t *issue, MPIDIG_rma_op_t *op)
{
    release_type(op->origin_type);
    release_type(op->result_type);
    release_type(op->type);
    op->queue.next = (rma_issue_op_t *) issue->free_ops;
    issue->free_ops = op;
}

/* Over OFI, accumulates of this process may be atomics of the network.  Those are not atomic with
 * accumulates of a handler. */
static bool accumulates_travel(void)
{
#ifdef HAVE_CH4_NETMOD_OFI
    return false;
#else
    return true;
#endif
}

static bool is_plain(MPI_Aint count, MPI_Datatype type, size_t bytes)
{
    return HANDLE_IS_BUILTIN(type) && MPIDIG_rma_size(count, type) == bytes;
}

/* Does the operation fit into messages: a builtin type, contiguous, the same at both ends?
 * Operations of a pair type are native. */
static bool travels(const MPIDIG_rma_op_t *op)
{
    bool plain_origin = is_plain(op->origin_count, op->origin_type, op->queue.bytes);
    bool plain_result = is_plain(op->result_count, op->result_type, op->queue.bytes);

    if (!HANDLE_IS_BUILTIN(op->type) || !HANDLE_IS_BUILTIN(op->op))
        return false;
    switch (op->kind) {
        case MPIDIG_RMA_PUT: return plain_origin;
        case MPIDIG_RMA_GET: return plain_result;
        case MPIDIG_RMA_ACC:
            return accumulates_travel() && plain_origin && op->origin_type == op->type;
        case MPIDIG_RMA_CAS: return accumulates_travel();
        default:
            return accumulates_travel() && plain_result &&
                   (op->op == MPI_NO_OP || (plain_origin && op->origin_type == op->type));
    }
}

static bool sends_data(const MPIDIG_rma_op_t *op)
{
    return op->kind != MPIDIG_RMA_GET && op->op != MPI_NO_OP;
}

bool MPIDIG_rma_op_sends(const MPIDIG_rma_op_t *op)
{
    return op->kind == MPIDIG_RMA_PUT || op->kind == MPIDIG_RMA_ACC;
}

bool MPIDIG_rma_op_has_result(const MPIDIG_rma_op_t *op) { return !MPIDIG_rma_op_sends(op); }

static rma_issue_record_t record_of(const MPIDIG_rma_op_t *op)
{
    return (rma_issue_record_t){.disp = op->disp,
                                .count = (uint32_t) op->count,
                                .type = MPIDIG_RMA_INDEX(op->type),
                                .op = (uint8_t) MPIDIG_RMA_INDEX(op->op),
                                .kind = op->kind};
}

void MPIDIG_rma_op_measure(MPIDIG_rma_op_t *op)
{
    size_t bytes = MPIDIG_rma_size(op->count, op->type);
    rma_issue_record_t record;

    op->queue = (rma_issue_op_t){.bytes = bytes};
    if (!travels(op))
        return;
    record = record_of(op);
    op->queue.wire = MPIR_rma_issue_record_size(&record);
    if (sends_data(op))
        op->queue.wire += MPIDIG_rma_padded(bytes);
    if (op->kind == MPIDIG_RMA_CAS)
        op->queue.wire += MPIDIG_rma_padded(bytes);
    if (MPIDIG_rma_op_has_result(op))
        op->queue.answer = MPIDIG_rma_padded(bytes);
}

static char *bytes_append(char *end, const void *data, size_t bytes)
{
    memcpy(end, data, bytes);
    return end + MPIDIG_rma_padded(bytes);
}

char *MPIDIG_rma_op_pack(char *end, const MPIDIG_rma_op_t *op)
{
    rma_issue_record_t record = record_of(op);

    end = MPIR_rma_issue_record_write(end, &record);
    if (sends_data(op))
        end = bytes_append(end, op->origin, op->queue.bytes);
    if (op->kind == MPIDIG_RMA_CAS)
        end = bytes_append(end, op->compare, op->queue.bytes);
    return end;
}

int MPIDIG_rma_op_issue(MPIR_Win *win, int rank, const MPIDIG_rma_op_t *op)
{
    int mpi_errno = MPI_SUCCESS;

    switch (op->kind) {
        case MPIDIG_RMA_PUT:
            mpi_errno = MPIDI_put(op->origin, op->origin_count, op->origin_type, rank, op->disp,
                                  op->count, op->type, win);
            break;
        case MPIDIG_RMA_GET:
            mpi_errno = MPIDI_get(op->result, op->result_count, op->result_type, rank, op->disp,
                                  op->count, op->type, win);
            break;
        case MPIDIG_RMA_ACC:
            mpi_errno = MPIDI_accumulate(op->origin, op->origin_count, op->origin_type, rank,
                                         op->disp, op->count, op->type, op->op, win);
            break;
        case MPIDIG_RMA_GET_ACC:
            mpi_errno = MPIDI_get_accumulate(op->origin, op->origin_count, op->origin_type,
                                             op->result, op->result_count, op->result_type, rank,
                                             op->disp, op->count, op->type, op->op, win);
            break;
        case MPIDIG_RMA_FOP:
            mpi_errno =
                MPIDI_fetch_and_op(op->origin, op->result, op->type, rank, op->disp, op->op, win);
            break;
        case MPIDIG_RMA_CAS:
            mpi_errno = MPIDI_compare_and_swap(op->origin, op->compare, op->result, op->type, rank,
                                               op->disp, win);
            break;
    }
    return mpi_errno;
}
