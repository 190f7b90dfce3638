/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "rma/peers/peers.h"
#include "rma/issue/issue.h"
#include "am_later.h"

/* A process that asked by message and was not granted the lock yet. */
typedef struct waiting {
    MPIR_Win *win;
    int rank;
    bool exclusive;
    MPIDIG_win_lock_granted_fn granted;
    void *arg;
    rma_lock_request_t request;
    struct waiting *prev, *next;
} waiting_t;

MPL_atomic_int_t MPIDIG_rma_todo = MPL_ATOMIC_INT_T_INITIALIZER(0);

int (*MPIDIG_am_later) (int vci);

/* By VCI, in the order of their arrival; each belongs to the lock of its VCI. */
static struct {
    waiting_t *first;
    bool in_poll;
} vcis[MPIDI_CH4_MAX_VCIS];

int MPIDIG_win_lock_ask(MPIR_Win * win, int rank, int lock_type, MPIDIG_win_lock_granted_fn granted,
                        void *arg)
{
    int mpi_errno = MPI_SUCCESS;
    bool exclusive = lock_type == MPI_LOCK_EXCLUSIVE;
    waiting_t *waiting;

    if (rma_lock_try(MPIDIG_win_lock_own(win), exclusive))
        return granted(win, rank, arg);
    waiting = MPL_malloc(sizeof(*waiting), MPL_MEM_RMA);
    MPIR_ERR_CHKANDJUMP1(!waiting, mpi_errno, MPI_ERR_NO_MEM, "**nomem", "**nomem %s", "lock request");
    *waiting = (waiting_t) {
        .win = win,.rank = rank,.exclusive = exclusive,.granted = granted,.arg = arg
    };
    if (rma_lock_ask(MPIDIG_win_lock_own(win), exclusive, &waiting->request)) {
        MPL_free(waiting);
        return granted(win, rank, arg);
    }
    DL_APPEND(vcis[MPIDI_WIN(win, am_vci)].first, waiting);
    MPL_atomic_fetch_add_int(&MPIDIG_rma_todo, 1);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* The first in order that is granted now.  Of the exclusive requests of a window only the first one's turn can have come. */
static waiting_t *take_granted(int vci)
{
    waiting_t *waiting;
    const MPIR_Win *polled = NULL;

    DL_FOREACH(vcis[vci].first, waiting) {
        if (waiting->exclusive && waiting->win == polled)
            continue;
        if (waiting->exclusive)
            polled = waiting->win;
        if (rma_lock_poll(MPIDIG_win_lock_own(waiting->win), &waiting->request))
            break;
    }
    if (waiting) {
        DL_DELETE(vcis[vci].first, waiting);
        MPL_atomic_fetch_sub_int(&MPIDIG_rma_todo, 1);
    }
    return waiting;
}

static int grant_waiting(int vci)
{
    int mpi_errno = MPI_SUCCESS;
    waiting_t *waiting;

    /* granting one may release his lock: the loop outside goes on, however long the chain */
    if (vcis[vci].in_poll)
        return MPI_SUCCESS;
    vcis[vci].in_poll = true;
    while (!mpi_errno && (waiting = take_granted(vci)) != NULL) {
        mpi_errno = waiting->granted(waiting->win, waiting->rank, waiting->arg);
        MPL_free(waiting);
    }
    vcis[vci].in_poll = false;
    return mpi_errno;
}

/* Handlers of messages call this, too: nothing is issued here. */
int MPIDIG_win_lock_release(MPIR_Win * win)
{
    rma_lock_release(MPIDIG_win_lock_own(win));
    return grant_waiting(MPIDI_WIN(win, am_vci));
}

int MPIDIG_rma_do_todo(int vci)
{
    int mpi_errno = MPIDIG_am_later ? MPIDIG_am_later(vci) : MPI_SUCCESS;

    MPIDIG_rma_issue_ready();
    return mpi_errno ? mpi_errno : grant_waiting(vci);
}
