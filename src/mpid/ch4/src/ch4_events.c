/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "mpir_events.h"
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>

/*
=== BEGIN_MPI_T_CVAR_INFO_BLOCK ===

cvars:
    - name        : MPIR_CVAR_PROGRESS_EVENTS
      category    : CH4
      type        : enum
      default     : off
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_LOCAL
      description : |-
        Whether a thread of the process makes progress while the program computes. It sleeps until
        something arrives:
        off - none
        on  - one thread, over UCX

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

/* While a nonblocking collective is at work the helper looks again after so many milliseconds:
 * parts that go through shared memory are no events. */
#define LOOK_MS 1

MPIR_Events_t MPIR_Events;

static struct {
    MPIR_Events_source_t source;
    pthread_t thread;
    int wake; /* an eventfd, which ends a sleep */
    pid_t process;
    bool is_running, has_handlers;
} helper;

bool MPIR_Events_are_wanted(void)
{
    return MPIR_CVAR_PROGRESS_EVENTS == MPIR_CVAR_PROGRESS_EVENTS_on && !MPIR_CVAR_ASYNC_PROGRESS;
}

void MPIR_Events_set_source(const MPIR_Events_source_t *source) { helper.source = *source; }

/* Without MPID_Progress_test(), which may give the core away: the program may wait for the end. */
static int progress(int *made)
{
    int mpi_errno = MPI_SUCCESS;

    if (MPIR_Progress_hook_is_any_active())
        mpi_errno = MPIR_Progress_hook_exec_all(made);
    for (int vci = 0; vci < MPIDI_global.n_vcis && mpi_errno == MPI_SUCCESS; vci++) {
        mpi_errno = MPIDI_NM_progress(vci, 0);
        if (mpi_errno == MPI_SUCCESS)
            mpi_errno = MPIDI_deferred_poll(vci);
    }
    return mpi_errno;
}

static bool work(void *context MPL_UNUSED)
{
    unsigned before = MPIR_Aggr_arrivals;
    int made = 0;
    int mpi_errno = progress(&made);

    if (mpi_errno)
        helper.source.keep_error(mpi_errno);
    return made || MPIR_Aggr_arrivals != before;
}

static bool arm(void *context MPL_UNUSED) { return helper.source.arm(); }

static void sleep_until_event(void *context MPL_UNUSED)
{
    struct pollfd ends[] = {{.fd = helper.wake, .events = POLLIN},
                            {.fd = helper.source.descriptor, .events = POLLIN}};

    poll(ends, 2, MPIR_Progress_hook_is_any_active() ? LOOK_MS : -1);
}

static void sleep_for(void *context MPL_UNUSED, unsigned microseconds)
{
    struct timespec time = {.tv_nsec = (long) microseconds * 1000};

    nanosleep(&time, NULL);
}

/* With MPI_THREAD_MULTIPLE. */
static void serve_by_lock(void)
{
    bool is_armed;

    while (!__atomic_load_n(&MPIR_Events.handover.stop, __ATOMIC_ACQUIRE)) {
        MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
        is_armed = !work(NULL) && arm(NULL);
        MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
        if (is_armed)
            sleep_until_event(NULL);
    }
}

static void *serve(void *argument MPL_UNUSED)
{
    static const handover_work_t how = {work, arm, sleep_until_event, sleep_for, NULL};

    if (MPIR_Events.is_marked)
        MPIR_handover_serve(&MPIR_Events.handover, &how);
    else
        serve_by_lock();
    return NULL;
}

/* The program's threads handle its signals. */
static bool create_thread(void)
{
    sigset_t all, before;
    int error;

    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
        return false;
    error = pthread_create(&helper.thread, NULL, serve, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error == 0;
}

static void tell_to_stop(void)
{
    uint64_t one = 1;

    MPIR_handover_stop(&MPIR_Events.handover);
    while (write(helper.wake, &one, sizeof(one)) < 0 && errno == EINTR) {
    }
}

static void end_of_thread(void)
{
    pthread_join(helper.thread, NULL);
    close(helper.wake);
    helper.is_running = false;
    MPIR_Events.is_marked = false;
}

/* The program ends without MPI_Finalize: the helper must not outlive UCX's library.  A thread that
 * ends the program inside MPI may hold the lock that the helper waits for. */
static void stop_at_exit(void)
{
    if (!helper.is_running || helper.process != getpid() ||
        pthread_equal(pthread_self(), helper.thread))
        return;
    tell_to_stop();
    if (MPIR_Events.is_marked)
        end_of_thread();
}

/* The child has no helper. */
static void after_fork(void)
{
    MPIR_handover_forked(&MPIR_Events.handover);
    helper.is_running = false;
    MPIR_Events.is_marked = false;
}

static bool have_handlers(void)
{
    if (!helper.has_handlers)
        helper.has_handlers =
            atexit(stop_at_exit) == 0 && pthread_atfork(NULL, NULL, after_fork) == 0;
    return helper.has_handlers;
}

void MPIR_Events_start(void)
{
    bool can_hand_over;

    if (!MPIR_Events_are_wanted() || !helper.source.arm || helper.is_running || !have_handlers())
        return;
    can_hand_over = MPIR_handover_init(&MPIR_Events.handover);
    if (!MPIR_IS_THREADED && !can_hand_over)
        return;
    helper.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (helper.wake < 0)
        return;
    helper.process = getpid();
    MPIR_Events.is_marked = !MPIR_IS_THREADED;
    helper.is_running = create_thread();
    if (!helper.is_running) {
        MPIR_Events.is_marked = false;
        close(helper.wake);
    }
}

void MPIR_Events_stop(void)
{
    if (!helper.is_running)
        return;
    tell_to_stop();
    end_of_thread();
}
