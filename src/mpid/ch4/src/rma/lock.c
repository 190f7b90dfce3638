/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "rma/lock.h"

/* A process that asked by message and was not granted the lock yet. */
typedef struct {
    MPIDI_deferred_job_t job; /* first */
    MPIR_Win *win;
    int rank;
    MPIDIG_win_lock_granted_fn granted;
    void *arg;
    rma_lock_request_t request;
} waiting_t;

static bool is_granted(MPIDI_deferred_job_t *job)
{
    waiting_t *waiting = (waiting_t *) job;

    return MPIR_rma_lock_poll(MPIDIG_win_lock_own(waiting->win), &waiting->request);
}

static int grant(MPIDI_deferred_job_t *job)
{
    waiting_t *waiting = (waiting_t *) job;
    int mpi_errno = waiting->granted(waiting->win, waiting->rank, waiting->arg);

    MPL_free(waiting);
    return mpi_errno;
}

MPIDI_deferred_kind_t MPIDIG_win_lock_requests = {.is_due = is_granted, .perform = grant};

int MPIDIG_win_lock_ask(MPIR_Win *win, int rank, int lock_type, MPIDIG_win_lock_granted_fn granted,
                        void *arg)
{
    int mpi_errno = MPI_SUCCESS;
    bool exclusive = lock_type == MPI_LOCK_EXCLUSIVE;
    waiting_t *waiting;

    if (MPIR_rma_lock_try(MPIDIG_win_lock_own(win), exclusive))
        return granted(win, rank, arg);
    waiting = MPL_malloc(sizeof(*waiting), MPL_MEM_RMA);
    MPIR_ERR_CHKANDSTMT1(!waiting, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem",
                         "**nomem %s", "lock request");
    *waiting = (waiting_t){.win = win, .rank = rank, .granted = granted, .arg = arg};
    if (MPIR_rma_lock_ask(MPIDIG_win_lock_own(win), exclusive, &waiting->request)) {
        MPL_free(waiting);
        return granted(win, rank, arg);
    }
    MPIDI_deferred_add(&MPIDIG_win_lock_requests, MPIDI_WIN(win, am_vci), &waiting->job);

    return mpi_errno;
}

/* Handlers of messages call this, too: no operation is issued here. */
int MPIDIG_win_lock_release(MPIR_Win *win)
{
    MPIR_rma_lock_release(MPIDIG_win_lock_own(win));
    return MPIDI_deferred_run(&MPIDIG_win_lock_requests, MPIDI_WIN(win, am_vci));
}
