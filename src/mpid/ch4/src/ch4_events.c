/* SPDX-License-Identifier: BSD-3-Clause */

/* ppoll */
#define _GNU_SOURCE

#include "mpidimpl.h"
#include "mpir_arrivals.h"
#include "mpir_events.h"
#include "mpir_tvars.h"
#include "rma/deferred.h"
#include "rma/window/agree.h"
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
      default     : auto
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_LOCAL
      description : |-
        Whether a thread of the process makes progress while the program computes. It sleeps until
        something arrives:
        auto - from the first window on in which messages serve others: one of MPI_Win_create or
               MPI_Win_create_dynamic, or one of MPI_Win_allocate with members on other nodes. The
               info key mpix_progress_events of a window, true or false, starts or ends it
        on   - from MPI_Init on
        off  - never
        With auto it serves such windows alone. With on it serves all messages, and those inside a
        node go through no cache lines.

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

/* While a nonblocking collective is at work, or a job waits, the helper looks again after so many
 * milliseconds: parts that go through shared memory are no events, nor is a lock that a process of
 * the node gives back. */
#define LOOK_MS 1

#define KEY "mpix_progress_events"

/* Of helper.rests, in this order. */
enum { AWAKE, PAUSES, SLEEPS };

MPIR_Events_t MPIR_Events;

static struct {
    MPIR_Events_source_t source;
    MPIR_Events_late_t late;
    pthread_t thread;
    int wake; /* an eventfd, which ends a sleep */
    pid_t process;
    bool is_wanted, is_running, has_handlers;
    bool has_run;              /* since MPI_Init; MPI_Finalize may have ended it */
    unsigned long long starts; /* of the thread */
    uint32_t rests;            /* what is no event has to wake it */
    unsigned long long passes; /* of the engine that found something */
} helper;

/* A build with a lock for each VCI has none that the helper could take. */
bool MPIR_Events_may_come(void)
{
    return MPICH_THREAD_GRANULARITY == MPICH_THREAD_GRANULARITY__GLOBAL &&
           MPIR_CVAR_PROGRESS_EVENTS != MPIR_CVAR_PROGRESS_EVENTS_off && !MPIR_CVAR_ASYNC_PROGRESS;
}

bool MPIR_Events_are_for_all(void)
{
    return MPIR_CVAR_PROGRESS_EVENTS == MPIR_CVAR_PROGRESS_EVENTS_on;
}

bool MPIR_Events_run(void) { return helper.is_running && helper.is_wanted; }

bool MPIR_Events_are_handled(void)
{
    return helper.is_running && pthread_equal(pthread_self(), helper.thread);
}

void MPIR_Events_set_source(const MPIR_Events_source_t *source)
{
    helper.source = *source;
    helper.process = getpid();
}

void MPIR_Events_set_late(const MPIR_Events_late_t *late)
{
    helper.late = *late;
    helper.process = getpid();
}

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
    unsigned before = MPIR_Arrivals;
    int made = 0;
    int mpi_errno = progress(&made);

    if (mpi_errno)
        helper.source.keep_error(mpi_errno);
    if (!made && MPIR_Arrivals == before)
        return false;
    helper.passes++;
    return true;
}

static bool arm(void *context MPL_UNUSED) { return helper.source.arm(); }

/* Ends a sleep. */
static void ring(void)
{
    uint64_t one = 1;

    while (write(helper.wake, &one, sizeof(one)) < 0 && errno == EINTR) {
    }
}

/* The descriptor does not block.  After an interruption the sleeper comes again. */
static void hear_rings(void)
{
    uint64_t rings;

    if (read(helper.wake, &rings, sizeof(rings)) < 0)
        return;
}

static void sleep_until_ring(void)
{
    struct pollfd end = {.fd = helper.wake, .events = POLLIN};

    poll(&end, 1, -1);
    hear_rings();
}

static bool is_to_look(void)
{
    return MPIR_Progress_hook_is_any_active() || MPIDI_deferred_is_pending();
}

/* A hook that becomes active is no event, nor is work that the program leaves.  The helper says
 * that it rests before it looks at these, and the program looks whether it rests when they are
 * there: one sees the other. */
static void begin_rest(uint32_t kind)
{
    __atomic_store_n(&helper.rests, kind, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void end_rest(void)
{
    __atomic_store_n(&helper.rests, AWAKE, __ATOMIC_RELAXED);
    hear_rings();
}

static void sleep_until_event(void *context MPL_UNUSED)
{
    struct pollfd ends[] = {{.fd = helper.wake, .events = POLLIN},
                            {.fd = helper.source.descriptor, .events = POLLIN}};

    begin_rest(SLEEPS);
    poll(ends, 2, is_to_look() ? LOOK_MS : -1);
    end_rest();
}

/* Ends a rest of this kind, or a deeper one. */
static void end_rest_from(uint32_t kind)
{
    if (!helper.is_running)
        return;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&helper.rests, __ATOMIC_RELAXED) >= kind &&
        __atomic_exchange_n(&helper.rests, AWAKE, __ATOMIC_RELAXED) != AWAKE)
        ring();
}

void MPIR_Events_hook_is_active(void) { end_rest_from(SLEEPS); }

void MPIR_Events_leave_work(void) { end_rest_from(PAUSES); }

static bool is_work_left(void) { return MPIDI_deferred_has(MPIDI_DEFERRED_TARGETS); }

static bool pause_for(void *context MPL_UNUSED, unsigned microseconds)
{
    struct pollfd end = {.fd = helper.wake, .events = POLLIN};
    struct timespec time = {.tv_nsec = (long) microseconds * 1000};

    begin_rest(PAUSES);
    if (is_work_left())
        time.tv_nsec = HANDOVER_PAUSE_LEAST * 1000;
    ppoll(&end, 1, &time, NULL);
    end_rest();
    return is_work_left();
}

/* One piece of work with the lock of all functions.  True: nothing is left. */
static bool work_by_lock(void)
{
    bool is_armed;

    MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    is_armed = !work(NULL) && arm(NULL);
    MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    return is_armed;
}

/* With MPI_THREAD_MULTIPLE. */
static void serve_by_lock(void)
{
    while (!__atomic_load_n(&MPIR_Events.handover.stop, __ATOMIC_ACQUIRE)) {
        if (!__atomic_load_n(&helper.is_wanted, __ATOMIC_RELAXED))
            sleep_until_ring();
        else if (work_by_lock())
            sleep_until_event(NULL);
    }
}

static void *serve(void *argument MPL_UNUSED)
{
    static const handover_work_t how = {work, arm, sleep_until_event, pause_for, NULL};

    if (MPIR_Events.state & MPIR_EVENTS_MARKED)
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
    MPIR_handover_stop(&MPIR_Events.handover);
    ring();
}

static void end_of_thread(void)
{
    pthread_join(helper.thread, NULL);
    close(helper.wake);
    helper.is_running = false;
    MPIR_Events.state = 0;
}

/* The program ends without MPI_Finalize: the helper must not outlive UCX's library.  A thread that
 * ends the program inside MPI may hold the lock that the helper waits for. */
static void stop_at_exit(void)
{
    if (!helper.is_running || helper.process != getpid() || MPIR_Events_are_handled())
        return;
    tell_to_stop();
    if (MPIR_Events.state & MPIR_EVENTS_MARKED)
        end_of_thread();
}

/* The child has no helper. */
static void after_fork(void)
{
    MPIR_handover_forked(&MPIR_Events.handover);
    helper.is_running = helper.has_run = false;
    MPIR_Events.state = 0;
}

static bool have_handlers(void)
{
    if (!helper.has_handlers)
        helper.has_handlers =
            atexit(stop_at_exit) == 0 && pthread_atfork(NULL, NULL, after_fork) == 0;
    return helper.has_handlers;
}

/* A child of fork() shares the network's memory and descriptors with its parent. */
static bool can_start(void)
{
    return helper.process == getpid() && have_handlers() &&
           (MPIR_handover_init(&MPIR_Events.handover) || MPIR_IS_THREADED);
}

static void start(void)
{
    if (!helper.source.arm || helper.is_running || !can_start())
        return;
    helper.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (helper.wake < 0)
        return;
    MPIR_Events.state = MPIR_IS_THREADED ? 0 : MPIR_EVENTS_MARKED;
    helper.is_running = helper.has_run = create_thread();
    helper.starts += helper.is_running;
    if (!helper.is_running) {
        MPIR_Events.state = 0;
        close(helper.wake);
    }
}

void MPIR_Events_stop(void)
{
    MPIR_Events.state &= ~MPIR_EVENTS_DUE;
    if (!helper.is_running)
        return;
    tell_to_stop();
    end_of_thread();
}

/* With threads the caller has the lock, which the helper may wait for: its end is not awaited. */
void MPIR_Events_turn(void)
{
    MPIR_Events.state &= ~MPIR_EVENTS_DUE;
    if (helper.is_running && MPIR_IS_THREADED)
        ring();
    else if (helper.is_wanted)
        start();
    else
        MPIR_Events_stop();
}

/* In a function of windows, which no callback of the program calls: from its end on. */
static void want(bool wanted)
{
    if (!MPIR_Events_may_come() || !helper.source.arm || wanted == MPIR_Events_run())
        return;
    __atomic_store_n(&helper.is_wanted, wanted, __ATOMIC_RELAXED);
    MPIR_Events.state |= MPIR_EVENTS_DUE;
}

/* True: the info object has the key, with a value that means something. */
static bool has_hint(MPIR_Info *info, bool *is_wanted)
{
    char value[sizeof("false")];
    int flag = 0;

    if (!info || MPIR_Info_get_impl(info, KEY, sizeof(value) - 1, value, &flag) || !flag)
        return false;
    *is_wanted = strcmp(value, "true") == 0;
    return *is_wanted || strcmp(value, "false") == 0;
}

/* True: there is a hint. */
static bool follow(MPIR_Info *info)
{
    bool is_wanted;
    bool has = has_hint(info, &is_wanted);

    if (has)
        want(is_wanted);
    return has;
}

void MPIR_Events_set_info(MPIR_Info *info) { (void) follow(info); }

int MPIR_Events_get_info(MPIR_Info *info)
{
    return MPIR_Info_set_impl(info, KEY, MPIR_Events_run() ? "true" : "false");
}

static bool reach_memory_of_their_node(void)
{
#ifdef MPIR_WITHOUT_ONE_SIDED
    return false;
#else
    return MPIR_CVAR_CH4_RMA_SHARED;
#endif
}

static bool is_served_by_messages(const MPIR_Win *win)
{
    const MPIR_Comm *comm = win->comm_ptr;

    if (comm->local_size == 1 || win->create_flavor == MPI_WIN_FLAVOR_SHARED)
        return false;
    if (win->create_flavor != MPI_WIN_FLAVOR_ALLOCATE || !reach_memory_of_their_node())
        return true;
    return !comm->node_comm || comm->node_comm->local_size < comm->local_size;
}

/* Without a helper a second source of messages would be polled in vain. */
static bool can_come(MPIR_Comm *comm)
{
    return helper.late.open && helper.late.can_meet(comm) && (helper.is_running || can_start()) &&
           helper.late.open();
}

unsigned MPIR_Events_offer(const MPIR_Win *win, MPIR_Info *info)
{
    bool is_hinted;

    if (!(is_served_by_messages(win) || (has_hint(info, &is_hinted) && is_hinted)) ||
        !can_come(win->comm_ptr))
        return MPIDIG_WIN_WITHOUT_EVENTS;
    return helper.late.has_met(win->comm_ptr) ? 0 : MPIDIG_WIN_STRANGERS;
}

int MPIR_Events_window(const MPIR_Win *win, MPIR_Info *info, unsigned flags)
{
    int mpi_errno = MPI_SUCCESS;
    bool is_served = !(flags & MPIDIG_WIN_WITHOUT_EVENTS);

    if (is_served && flags & MPIDIG_WIN_STRANGERS)
        mpi_errno = helper.late.meet(win->comm_ptr);
    MPIR_ERR_CHKRETURN(mpi_errno);
    if (is_served)
        helper.late.use(win->comm_ptr);
    if (!follow(info) && is_served)
        want(true);
    return mpi_errno;
}

/* The report reads it after the end of the thread. */
static void read_running(void *address MPL_UNUSED, void *obj_handle MPL_UNUSED,
                         int count MPL_UNUSED, void *buffer)
{
    *(unsigned long long *) buffer = helper.has_run && helper.is_wanted;
}

static void read_starts(void *address MPL_UNUSED, void *obj_handle MPL_UNUSED, int count MPL_UNUSED,
                        void *buffer)
{
    *(unsigned long long *) buffer = helper.starts;
}

static void read_passes(void *address MPL_UNUSED, void *obj_handle MPL_UNUSED, int count MPL_UNUSED,
                        void *buffer)
{
    *(unsigned long long *) buffer = helper.passes;
}

void MPIR_Events_init(void)
{
    static bool is_known;

    if (!is_known) {
        MPIR_Pvar_register(MPI_T_PVAR_CLASS_LEVEL, "progress_helper", NULL, read_running, "CH4",
                           "1: a thread makes progress while the program computes");
        MPIR_Pvar_register(MPI_T_PVAR_CLASS_COUNTER, "progress_helper_starts", NULL, read_starts,
                           "CH4", "times that thread was started");
        MPIR_Pvar_register(MPI_T_PVAR_CLASS_COUNTER, "progress_helper_passes", NULL, read_passes,
                           "CH4", "passes of the progress engine in which that thread found work");
    }
    is_known = true;
    helper.has_run = false;
    helper.is_wanted =
        MPIR_Events_may_come() && MPIR_CVAR_PROGRESS_EVENTS == MPIR_CVAR_PROGRESS_EVENTS_on;
    if (helper.is_wanted)
        start();
}
