/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "rma/deferred.h"

MPL_atomic_int_t MPIDI_deferred_jobs = MPL_ATOMIC_INT_T_INITIALIZER(0);

static MPIDI_deferred_kind_t *kinds[MPIDI_DEFERRED_KINDS];
static void (*poll_source)(void);

void MPIDI_deferred_register(int number, MPIDI_deferred_kind_t *kind) { kinds[number] = kind; }

bool MPIDI_deferred_has(int number)
{
    return kinds[number] && __atomic_load_n(&kinds[number]->queues[0].first, __ATOMIC_RELAXED);
}

void MPIDI_deferred_set_source(void (*poll)(void))
{
    int before = poll_source ? MPIDI_DEFERRED_SOURCE : 0;

    poll_source = poll;
    MPL_atomic_fetch_add_int(&MPIDI_deferred_jobs, (poll ? MPIDI_DEFERRED_SOURCE : 0) - before);
}

void MPIDI_deferred_add(MPIDI_deferred_kind_t *kind, int queue, MPIDI_deferred_job_t *job)
{
    DL_APPEND(kind->queues[queue].first, job);
    MPL_atomic_fetch_add_int(&MPIDI_deferred_jobs, 1);
}

void MPIDI_deferred_remove(MPIDI_deferred_kind_t *kind, int queue, MPIDI_deferred_job_t *job)
{
    DL_DELETE(kind->queues[queue].first, job);
    MPL_atomic_fetch_sub_int(&MPIDI_deferred_jobs, 1);
}

/* The first that is due, or NULL. */
static MPIDI_deferred_job_t *take(MPIDI_deferred_kind_t *kind, int queue)
{
    MPIDI_deferred_job_t *job = kind->queues[queue].first;

    while (job && kind->is_due && !kind->is_due(job))
        job = job->next;
    if (job)
        MPIDI_deferred_remove(kind, queue, job);
    return job;
}

int MPIDI_deferred_run(MPIDI_deferred_kind_t *kind, int queue)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDI_deferred_job_t *job;

    /* the outer call performs what this one leaves: no chain of jobs makes the stack deep */
    if (kind->queues[queue].is_running)
        return MPI_SUCCESS;
    kind->queues[queue].is_running = !kind->nests;
    while (!mpi_errno && (job = take(kind, queue)) != NULL)
        mpi_errno = kind->perform(job);
    kind->queues[queue].is_running = false;
    return mpi_errno;
}

int MPIDI_deferred_run_all(int vci)
{
    int mpi_errno = MPI_SUCCESS;

    if (poll_source)
        poll_source();
    /* after the last job no further queue is read */
    for (int i = 0; i < MPIDI_DEFERRED_KINDS && !mpi_errno && MPIDI_deferred_is_pending(); i++) {
        MPIDI_deferred_kind_t *kind = kinds[i];
        int queue = kind && !kind->is_common ? vci : 0;

        if (kind && kind->queues[queue].first)
            mpi_errno = MPIDI_deferred_run(kind, queue);
    }
    return mpi_errno;
}
