/* SPDX-License-Identifier: BSD-3-Clause */

/* Messages to this process.  It keeps those of a later epoch until that epoch has begun. */

#include "rma/issue/issue_internal.h"

typedef struct MPIDIG_rma_early {
    struct MPIDIG_rma_early *prev, *next;
    bool used; /* of the reserve */
    union {
        MPIDIG_rma_message_t header;
        char bytes[MPIDIG_RMA_MESSAGE_MAX];
    } message;
} early_t;

/* Used without memory: a message that has arrived cannot be refused. */
static early_t reserve[8];

#define RESERVE_END (reserve + sizeof(reserve) / sizeof(reserve[0]))

static early_t *new_early(size_t bytes)
{
    early_t *early = MPL_malloc(offsetof(early_t, message) + bytes, MPL_MEM_RMA);

    for (early_t *spare = reserve; !early && spare < RESERVE_END; spare++) {
        if (!spare->used)
            early = spare;
    }
    if (!early)
        MPID_Abort(NULL, MPI_ERR_NO_MEM, 1, "no memory for a message that has arrived");
    early->used = true;
    return early;
}

static void free_early(MPIDIG_rma_fence_t *fence, early_t *early)
{
    DL_DELETE(fence->early, early);
    early->used = false;
    if (early < reserve || early >= RESERVE_END)
        MPL_free(early);
}

static void keep_early(MPIR_Win *win, const MPIDIG_rma_message_t *message)
{
    early_t *early = new_early(message->bytes);

    memcpy(&early->message, message, message->bytes);
    DL_APPEND(MPIDIG_WIN(win, issue)->fence.early, early);
}

/* The first whose epoch has begun, or NULL. */
static early_t *find_begun(const MPIDIG_rma_fence_t *fence)
{
    early_t *early;

    DL_FOREACH(fence->early, early)
    {
        if (!MPIR_rma_issue_phase_is_ahead(&fence->phase, early->message.header.epoch))
            break;
    }
    return early;
}

/* A message must not overtake messages that came earlier and are being accepted. */
static bool has_to_wait(const MPIR_Win *win, const MPIDIG_rma_message_t *message)
{
    const MPIDIG_rma_fence_t *fence;

    if (!(message->flags & MPIDIG_RMA_NUMBERED))
        return false;
    fence = &MPIDIG_WIN(win, issue)->fence;
    return MPIR_rma_issue_phase_is_ahead(&fence->phase, message->epoch) || find_begun(fence);
}

void MPIDIG_rma_accept_early(MPIR_Win *win)
{
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    early_t *early;

    while ((early = find_begun(&issue->fence)) != NULL) {
        MPIDIG_rma_note_failure(&issue->failed, MPIDIG_rma_accept(win, &early->message.header));
        free_early(&issue->fence, early);
    }
}

void MPIDIG_rma_forget_early(MPIDIG_rma_issue_t *issue)
{
    while (issue->fence.early)
        free_early(&issue->fence, issue->fence.early);
}

int MPIDIG_rma_request_cb(void *am_hdr, void *data MPL_UNUSED, MPI_Aint in_data_sz MPL_UNUSED,
                          uint32_t attr, MPIR_Request **req)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_message_t *message = am_hdr;
    MPIR_Win *win = MPIDIG_rma_win(message->win);

    if (has_to_wait(win, message))
        keep_early(win, message);
    else
        mpi_errno = MPIDIG_rma_accept(win, message);
    MPIR_ERR_CHKRETURN(mpi_errno);
    if (attr & MPIDIG_AM_ATTR__IS_ASYNC)
        *req = NULL;
    MPIDIG_rma_set_am_flag();

    return mpi_errno;
}
