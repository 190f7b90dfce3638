/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Jobs that progress performs later.  A handler must not perform some work itself, or the work
 * waits for an event that no message reports.
 *
 * Each kind of job has a queue for each VCI, which belongs to the lock of that VCI, or one queue
 * for all.  After the network module's own progress, MPIDI_deferred_poll() performs the jobs that
 * are due, one kind after the other.  If nothing is queued, that costs one load.
 */
#ifndef RMA_DEFERRED_H_INCLUDED
#define RMA_DEFERRED_H_INCLUDED

/* In this order: */
enum {
    MPIDI_DEFERRED_MESSAGES,  /* active messages that arrived inside the network's library */
    MPIDI_DEFERRED_EXCHANGES, /* of fences */
    MPIDI_DEFERRED_TARGETS,   /* targets that granted permission: queued operations go out */
    MPIDI_DEFERRED_LOCKS,     /* requests of other processes for this process's lock */
    MPIDI_DEFERRED_ENDINGS,   /* of processes of other worlds */
    MPIDI_DEFERRED_STAND_INS, /* for requests of processes that may die */
    MPIDI_DEFERRED_KINDS
};

/* The first member of a job. */
typedef struct MPIDI_deferred_job {
    struct MPIDI_deferred_job *prev, *next;
} MPIDI_deferred_job_t;

typedef struct {
    /* Is the job due?  NULL: it always is. */
    bool (*is_due)(MPIDI_deferred_job_t *job);
    /* The job has left its queue. */
    int (*perform)(MPIDI_deferred_job_t *job);
    bool is_common; /* one queue, number 0, for all VCIs */
    bool nests;     /* progress inside perform() performs other jobs of the queue */
    struct {
        MPIDI_deferred_job_t *first;
        bool is_running;
    } queues[MPIDI_CH4_MAX_VCIS];
} MPIDI_deferred_kind_t;

/* In MPI_Init. */
void MPIDI_deferred_register(int number, MPIDI_deferred_kind_t *kind);

void MPIDI_deferred_add(MPIDI_deferred_kind_t *kind, int queue, MPIDI_deferred_job_t *job);
/* REQUIRES: the job is in this queue. */
void MPIDI_deferred_remove(MPIDI_deferred_kind_t *kind, int queue, MPIDI_deferred_job_t *job);
/* Performs all jobs of a queue that are due, up to the first error.  Where the kind does not nest,
 * a call from inside does nothing. */
int MPIDI_deferred_run(MPIDI_deferred_kind_t *kind, int queue);

/* Something that brings messages beside the network module's progress: polled before the jobs are
 * performed.  NULL: nothing. */
void MPIDI_deferred_set_source(void (*poll)(void));

/* Jobs in all queues, and MPIDI_DEFERRED_SOURCE if there is a source. */
extern MPL_atomic_int_t MPIDI_deferred_jobs;
int MPIDI_deferred_run_all(int vci);

enum { MPIDI_DEFERRED_SOURCE = 1 << 30 };

MPL_STATIC_INLINE_PREFIX bool MPIDI_deferred_has_source(void)
{
    return MPL_atomic_relaxed_load_int(&MPIDI_deferred_jobs) & MPIDI_DEFERRED_SOURCE;
}

MPL_STATIC_INLINE_PREFIX bool MPIDI_deferred_is_pending(void)
{
    return MPL_atomic_relaxed_load_int(&MPIDI_deferred_jobs) & ~MPIDI_DEFERRED_SOURCE;
}

/* Has the kind jobs?  A thread may ask without any lock, and learns what has been so. */
bool MPIDI_deferred_has(int number);

/* Progress.  REQUIRES: the lock of the VCI is held. */
MPL_STATIC_INLINE_PREFIX int MPIDI_deferred_poll(int vci)
{
    return MPL_atomic_relaxed_load_int(&MPIDI_deferred_jobs) ? MPIDI_deferred_run_all(vci)
                                                             : MPI_SUCCESS;
}

#endif /* RMA_DEFERRED_H_INCLUDED */
