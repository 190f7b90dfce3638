/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BEATS_H_INCLUDED
#define BEATS_H_INCLUDED

#include "hydra.h"
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/*
 * MPIR_CVAR_FT_TIMEOUT, with --enable-recovery: hosts that hang, and networks that are cut.
 *
 *   proxy      opens a second connection to mpiexec, the beat.  A thread sends the time over it,
 *              eight times in the limit.
 *   mpiexec    A thread sends each time back.  If it has heard nothing of a proxy for the limit,
 *              it shuts the control connection down.  Then all goes on as if the proxy had ended
 *              (deaths.h).
 *   proxy      A time that comes back is a lease: the ranks live three quarters of the limit,
 *              counted from it.  The guardian (guardian.h) kills them, and the proxy, at its end.
 *
 * A lease counts from before mpiexec has heard the beat.  So the ranks end before mpiexec says that
 * they are dead, whichever side hangs.  If their whole host is stopped the guardian kills them when
 * it goes on.  A rank that goes on first makes no new endpoint (MPIR_Deaths_obey_lease).
 *
 * The beat has connections and threads of its own: mpiexec may wait for who reads its output, and
 * then the proxies wait, too.
 */

/* In the limit: beats of a proxy, and looks of mpiexec. */
enum { HYD_PMCD_BEATS = 8, HYD_PMCD_LOOKS = 32 };

static inline uint64_t HYD_pmcd_beat_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

static inline uint64_t HYD_pmcd_beat_limit(int seconds) { return (uint64_t) seconds * 1000000000; }

/* Signals are for the main thread. */
static inline bool HYD_pmcd_beat_thread(void *(*run)(void *) )
{
    sigset_t all, before;
    pthread_t thread;
    bool is_started;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    is_started = pthread_create(&thread, NULL, run, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started && pthread_detach(thread) == 0;
}

/* ---- in the proxy ---- */

/* Before it says to mpiexec that it is there: nothing without a limit. */
HYD_status HYD_pmcd_pmip_beats_begin(void);

/* ---- in mpiexec ---- */

/* A new connection has said this number.  True: it is a beat. */
bool HYD_pmcd_beats_take(const struct HYD_pg *pg, int fd, int id);
/* Is the proxy lost because it is silent? */
bool HYD_pmcd_is_silent(const struct HYD_proxy *proxy);
/* Its control connection is about to be closed. */
void HYD_pmcd_beats_leave(const struct HYD_proxy *proxy);
/* The host of the proxy is lost: nobody waits for its launcher, or for the output of this. */
void HYD_pmcd_leave_launcher(struct HYD_proxy *proxy);

#endif /* BEATS_H_INCLUDED */
