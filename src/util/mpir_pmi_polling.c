/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_pmi_polling.h"
#include <signal.h>

/*
 * PMI 1 and 2 have a blocking barrier only (PMIx has a nonblocking fence), so a thread waits in it
 * while the caller polls. The thread takes none of the application's signals.
 */

int (*MPIR_pmi_barrier_of_living)(void (*poll)(void));

static bool in_barrier;

bool MPIR_pmi_is_in_barrier(void) { return in_barrier; }

#if MPL_THREAD_PACKAGE_NAME == MPL_THREAD_PACKAGE_POSIX

struct barrier {
    MPL_atomic_int_t over;
    int mpi_errno;
};

static void wait_in_barrier(void *arg)
{
    struct barrier *barrier = arg;

    barrier->mpi_errno = MPIR_pmi_barrier();
    MPL_atomic_release_store_int(&barrier->over, 1);
}

static int start_thread(struct barrier *barrier, MPL_thread_id_t *thread)
{
    sigset_t all, before;
    int err;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    MPL_thread_create(wait_in_barrier, barrier, thread, &err);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err;
}

int MPIR_pmi_barrier_polling(void (*poll)(void))
{
    struct barrier barrier = {MPL_ATOMIC_INT_T_INITIALIZER(0), MPI_SUCCESS};
    MPL_thread_id_t thread;

    if (MPIR_pmi_barrier_of_living)
        return MPIR_pmi_barrier_of_living(poll);
    /* Alone, or without a thread: the barrier as it is. */
    if (MPIR_Process.size == 1 || start_thread(&barrier, &thread))
        return MPIR_pmi_barrier();
    in_barrier = true;
    while (!MPL_atomic_acquire_load_int(&barrier.over))
        poll();
    MPL_thread_join(thread);
    in_barrier = false;
    return barrier.mpi_errno;
}

#else

int MPIR_pmi_barrier_polling(void (*poll)(void)) { return MPIR_pmi_barrier(); }

#endif
