/* SPDX-License-Identifier: BSD-3-Clause */

/* What a message makes its target do. */

#include "rma/issue/issue_internal.h"
#include "rma/peers/combine.h"
#include "rma/range.h"

/* An operation of a message. */
typedef struct {
    MPI_Aint disp;
    int count;
    MPI_Datatype type;
    MPI_Op op;
    MPIDIG_rma_kind_t kind;
} record_t;

/* Excludes accumulates of other processes that share the memory. */
static int enter_atomic(MPIR_Win *win)
{
    int mpi_errno = MPI_SUCCESS;

#ifndef MPIDI_CH4_DIRECT_NETMOD
    if (MPIDI_WIN(win, winattr) & MPIDI_WINATTR_SHM_ALLOCATED)
        mpi_errno = MPIDI_SHM_rma_op_cs_enter_hook(win);
#endif
    if (!mpi_errno)
        MPIDIG_rma_guard_enter(win);
    return mpi_errno;
}

static int leave_atomic(MPIR_Win *win)
{
    MPIDIG_rma_guard_leave(win);
#ifndef MPIDI_CH4_DIRECT_NETMOD
    if (MPIDI_WIN(win, winattr) & MPIDI_WINATTR_SHM_ALLOCATED)
        return MPIDI_SHM_rma_op_cs_exit_hook(win);
#endif
    return MPI_SUCCESS;
}

static int accumulate(MPIR_Win *win, const record_t *record, char *address, char *data,
                      size_t bytes, char *result)
{
    int mpi_errno = MPI_SUCCESS;
    _Alignas(16) char aligned[MPIDIG_RMA_MESSAGE_MAX];

    if ((uintptr_t) data % 16 && bytes >= 16 && record->kind != MPIDIG_RMA_CAS &&
        record->op != MPI_NO_OP)
        data = memcpy(aligned, data, bytes);
    mpi_errno = enter_atomic(win);
    MPIR_ERR_CHKRETURN(mpi_errno);
    if (result)
        memcpy(result, address, bytes);
    if (record->kind == MPIDIG_RMA_CAS) {
        /* builtin types: equal bits, as elsewhere in CH4; MPI does not allow floating-point types
         */
        if (!memcmp(address, data + MPIDIG_rma_padded(bytes), bytes))
            memcpy(address, data, bytes);
    } else if (record->op != MPI_NO_OP) {
        mpi_errno = MPIDIG_rma_combine(data, record->count, record->type, address, record->op);
    }
    if (mpi_errno)
        leave_atomic(win);
    else
        mpi_errno = leave_atomic(win);

    return mpi_errno;
}

/* The operation as its origin described it. */
static char *read_record(char *from, record_t *record)
{
    rma_issue_record_t sent;

    from = MPIR_rma_issue_record_read(from, &sent);
    *record = (record_t){.disp = sent.disp,
                         .count = (int) sent.count,
                         .type = MPIDIG_RMA_HANDLE(MPI_BYTE, sent.type),
                         .op = MPIDIG_RMA_HANDLE(MPI_SUM, sent.op),
                         .kind = sent.kind};
    return from;
}

/* Performs the operation of the record at *next, moves *next behind the record, and writes a result
 * to *results.  An operation that leaves the window does nothing, and its result is zeros. */
static int perform_one(MPIR_Win *win, char **next, char **results, uint32_t *count)
{
    int mpi_errno = MPI_SUCCESS;
    record_t record;
    char *data = read_record(*next, &record), *address, *result = *results;
    size_t bytes, padded;

    bytes = MPIDIG_rma_size(record.count, record.type);
    padded = MPIDIG_rma_padded(bytes);
    address = (char *) win->base + record.disp * win->disp_unit;
    *next = data;
    if (record.kind != MPIDIG_RMA_GET && record.op != MPI_NO_OP)
        *next += padded;
    if (record.kind == MPIDIG_RMA_CAS)
        *next += padded;
    mpi_errno = MPIDIG_rma_check_own_range(win, record.disp, record.count, record.type);
    if (record.kind == MPIDIG_RMA_PUT || record.kind == MPIDIG_RMA_ACC)
        result = NULL;
    if (mpi_errno && result)
        memset(result, 0, bytes);
    else if (!mpi_errno && record.kind == MPIDIG_RMA_PUT)
        memcpy(address, data, bytes);
    else if (!mpi_errno && record.kind == MPIDIG_RMA_GET)
        memcpy(result, address, bytes);
    else if (!mpi_errno)
        mpi_errno = accumulate(win, &record, address, data, bytes, result);
    if (result) {
        *results += padded;
        ++*count;
    }
    return mpi_errno;
}

/* The answer reports an operation that leaves the window.  Other errors are returned to the caller,
 * which makes progress here. */
static int perform(MPIR_Win *win, MPIDIG_rma_message_t *message)
{
    int mpi_errno = MPI_SUCCESS, failed = MPI_SUCCESS, vci = MPIDI_WIN(win, am_vci);
    char *next = (char *) (message + 1), *message_end = (char *) message + message->bytes;
    union {
        MPIDIG_rma_answer_t header;
        char bytes[MPIDIG_RMA_MESSAGE_MAX];
    } answer;
    char *end = answer.bytes + sizeof(answer.header);
    uint32_t results = 0;

    while (next < message_end) {
        int one = perform_one(win, &next, &end, &results);

        if (one && !failed)
            failed = one;
    }
    if (!MPIDIG_rma_is_answered(message->flags, results > 0))
        return failed;
    answer.header = (MPIDIG_rma_answer_t){.win = message->win,
                                          .target_rank = win->comm_ptr->rank,
                                          .flags = message->flags,
                                          .results = results};
    if (failed && MPIR_ERR_GET_CLASS(failed) == MPI_ERR_RMA_RANGE) {
        answer.header.flags |= MPIDIG_RMA_OUTSIDE;
        failed = MPI_SUCCESS;
    }
    CH4_CALL(am_send_hdr_reply(win->comm_ptr, message->origin_rank, MPIDIG_rma_answer_id, &answer,
                               end - answer.bytes, vci, vci),
             MPIDI_rank_is_local(message->origin_rank, win->comm_ptr), mpi_errno);
    return failed ? failed : mpi_errno;
}

/* The fence that waits for the message returns the message's error; the call that makes progress
 * does not. */
static void message_count(MPIR_Win *win, const MPIDIG_rma_message_t *message, int mpi_errno)
{
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    bool is_ahead = MPIR_rma_issue_phase_is_ahead(&issue->fence.phase, message->epoch);

    issue->fence.arrived++;
    MPIDIG_rma_note_failure(is_ahead ? &issue->fence.failed_early : &issue->failed, mpi_errno);
}

/* Performs the message.  At the end of its epoch, releases the lock or counts the message.
 * MPI_Win_wait returns the errors of an exposure epoch. */
static int carry_out(MPIR_Win *win, MPIDIG_rma_message_t *message)
{
    int mpi_errno = perform(win, message), release_errno = MPI_SUCCESS;

    if (message->flags & MPIDIG_RMA_COUNTED) {
        message_count(win, message, mpi_errno);
        return MPI_SUCCESS;
    }
    if (message->flags & MPIDIG_RMA_PSCW) {
        MPIDIG_rma_note_failure(&MPIDIG_WIN(win, exposure_failed), mpi_errno);
        MPIDIG_WIN(win, sync).sc.count += message->flags & RI_END_EPOCH ? 1 : 0;
        return MPI_SUCCESS;
    }
    if (message->flags & RI_END_EPOCH)
        release_errno = MPIDIG_win_lock_release(win);
    return mpi_errno ? mpi_errno : release_errno;
}

static int granted(MPIR_Win *win, int rank MPL_UNUSED, void *message)
{
    int mpi_errno = carry_out(win, message);

    MPL_free(message);
    return mpi_errno;
}

static int lock_type(const MPIDIG_rma_message_t *message)
{
    return message->flags & MPIDIG_RMA_SHARED_LOCK ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;
}

/* The lock is not free: the message waits with the request. */
static int wait_for_lock(MPIR_Win *win, const MPIDIG_rma_message_t *message)
{
    void *copy = MPL_malloc(message->bytes, MPL_MEM_RMA);

    if (!copy)
        return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_FATAL, __func__, __LINE__, MPI_ERR_NO_MEM,
                                    "**nomem", 0);
    memcpy(copy, message, message->bytes);
    return MPIDIG_win_lock_ask(win, message->origin_rank, lock_type(message), granted, copy);
}

int MPIDIG_rma_accept(MPIR_Win *win, MPIDIG_rma_message_t *message)
{
    if (message->flags & RI_ASK && !MPIDIG_win_lock_try(win, lock_type(message)))
        return wait_for_lock(win, message);
    return carry_out(win, message);
}
