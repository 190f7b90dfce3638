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

/* Polls that do nothing else: each look at something that is rarely so would delay the answer. */
MPL_STATIC_INLINE_PREFIX ucs_status_t MPIDI_UCX_wait_quickly(void *request, int vni)
{
    ucp_worker_h worker = MPIDI_UCX_global.ctx[vni].worker;
    int polls = MPIDI_UCX_QUICK_POLLS;
    ucs_status_t status;

    do {
        ucp_worker_progress(worker);
        status = ucp_request_check_status(request);
    } while (status == UCS_INPROGRESS && --polls > 0);
    return status;
}

/* One more poll, with the looks that the quick ones leave out. */
MPL_STATIC_INLINE_PREFIX int MPIDI_UCX_wait_poll(int vni)
{
    int mpi_errno = MPI_SUCCESS;

    ucp_worker_progress(MPIDI_UCX_global.ctx[vni].worker);
    if (MPIDI_do_global_progress()) {
        MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(vni).lock);
        mpi_errno = MPID_Progress_test(NULL);
        MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(vni).lock);
    }
    MPIR_Yield_idle_in_vci();
    if (MPIR_Yield_is_due()) {
        MPID_THREAD_CS_YIELD(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
        MPID_THREAD_CS_YIELD(VCI, MPIDI_VCI(vni).lock);
    }
    return mpi_errno;
}

/* Completes what a nonblocking UCP call returned.  The caller holds the lock of the VCI, which is
 * released now and then: the peer may wait for an answer by another VCI, whose threads wait for
 * this one. */
MPL_STATIC_INLINE_PREFIX int MPIDI_UCX_wait(void *request, int vni)
{
    int mpi_errno = MPI_SUCCESS;
    ucs_status_t status = UCS_PTR_STATUS(request);

    if (UCS_PTR_IS_PTR(request)) {
        if (likely(!MPIR_Yield_on)) {
            status = MPIDI_UCX_wait_quickly(request, vni);
            /* What is waited for is no request of MPI's, by which waits are told apart: without a
             * beginning a series of flushes would count as one wait that is late. */
            if (status == UCS_INPROGRESS)
                MPIR_Yield_wait_begins();
        }
        while (status == UCS_INPROGRESS) {
            int others_errno = MPIDI_UCX_wait_poll(vni);

            mpi_errno = mpi_errno ? mpi_errno : others_errno;
            status = ucp_request_check_status(request);
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
