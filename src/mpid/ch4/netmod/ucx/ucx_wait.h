/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The wait for a nonblocking UCP call.  UCP's blocking calls spin inside UCX, hold the lock of
 * their VCI and never yield the core.
 */
#ifndef UCX_WAIT_H_INCLUDED
#define UCX_WAIT_H_INCLUDED

#include "mpir_yield.h"

/* in ch4_progress.h, which comes later */
MPL_STATIC_INLINE_PREFIX int MPIDI_do_global_progress(void);
MPL_STATIC_INLINE_PREFIX int MPID_Progress_test(MPID_Progress_state *state);

/* Polls without a look at the clock.  A flush between distant cores takes some 30. */
enum { MPIDI_UCX_QUICK_POLLS = 64 };

/* One more poll.  What is waited for is no request of MPI's, by which waits are told apart:
 * without a beginning a series of flushes would count as one wait that is late. */
MPL_STATIC_INLINE_PREFIX void MPIDI_UCX_wait_idle(int vni MPL_UNUSED, unsigned polls)
{
    if (likely(!MPIR_Yield_on && polls < MPIDI_UCX_QUICK_POLLS))
        return;
    if (polls == MPIDI_UCX_QUICK_POLLS && !MPIR_Yield_on)
        MPIR_Yield_wait_begins();
    MPIR_Yield_idle_in_vci();
    if (unlikely(MPIR_Yield_on || __atomic_load_n(&MPIR_Yield_due, __ATOMIC_RELAXED))) {
        MPID_THREAD_CS_YIELD(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
        MPID_THREAD_CS_YIELD(VCI, MPIDI_VCI(vni).lock);
    }
}

/* Completes what a nonblocking UCP call returned.  The caller holds the lock of the VCI, which is
 * released now and then: the peer may wait for an answer by another VCI, whose threads wait for
 * this one. */
MPL_STATIC_INLINE_PREFIX int MPIDI_UCX_wait(void *request, int vni)
{
    int mpi_errno = MPI_SUCCESS;
    ucs_status_t status = UCS_PTR_STATUS(request);

    if (UCS_PTR_IS_PTR(request)) {
        unsigned polls = 0;

        while ((status = ucp_request_check_status(request)) == UCS_INPROGRESS) {
            ucp_worker_progress(MPIDI_UCX_global.ctx[vni].worker);
            if (MPIDI_do_global_progress()) {
                MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(vni).lock);
                int others_errno = MPID_Progress_test(NULL);
                mpi_errno = mpi_errno ? mpi_errno : others_errno;
                MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(vni).lock);
            }
            MPIDI_UCX_wait_idle(vni, polls++);
        }
        ucp_request_release(request);
    }
    MPIDI_UCX_CHK_STATUS(status);

fn_exit:
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

#endif /* UCX_WAIT_H_INCLUDED */
