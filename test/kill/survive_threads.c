/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * mpiexec --enable-recovery: the last rank dies while four threads of each other rank are in calls,
 * each on a communicator of its own.  Each thread gets an error, and then the survivors shrink.
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { RECEIVE, ANY_SOURCE, COLLECTIVE, EXCHANGE, THREADS, SECONDS = 40, TAG = 7 };

static MPI_Comm comms[THREADS];
static int me, size, errs;

static int class_of(int error)
{
    int class = MPI_SUCCESS;

    MPI_Error_class(error, &class);
    return class;
}

static int call_once(int what)
{
    MPI_Comm comm = comms[what];
    int next = (me + 1) % size, previous = (me + size - 1) % size, in, sum;

    switch (what) {
        case RECEIVE: return MPI_Recv(&in, 1, MPI_INT, size - 1, TAG, comm, MPI_STATUS_IGNORE);
        case ANY_SOURCE:
            return MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, TAG, comm, MPI_STATUS_IGNORE);
        case COLLECTIVE: return MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm);
        default:
            return MPI_Sendrecv(&me, 1, MPI_INT, next, TAG, &in, 1, MPI_INT, previous, TAG, comm,
                                MPI_STATUS_IGNORE);
    }
}

static void *call_until_error(void *arg)
{
    int what = (int) (long) arg, error, class;

    do {
        error = call_once(what);
    } while (error == MPI_SUCCESS);
    class = class_of(error);
    /* the others wait for a survivor who has left the ring */
    if (what == EXCHANGE)
        MPIX_Comm_revoke(comms[EXCHANGE]);
    if (class == MPIX_ERR_PROC_FAILED || (what == EXCHANGE && class == MPIX_ERR_REVOKED))
        return NULL;
    printf("rank %d: call %d has class %d\n", me, what, class);
    __atomic_add_fetch(&errs, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void start(pthread_t threads[], int first)
{
    for (long i = first; i < THREADS; i++)
        pthread_create(&threads[i], NULL, call_until_error, (void *) i);
}

static void check_survivors(void)
{
    MPI_Comm survivors;
    int sum = 0, all;

    errs += MPIX_Comm_shrink(comms[RECEIVE], &survivors) != MPI_SUCCESS;
    errs += MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, survivors) != MPI_SUCCESS;
    errs += sum != (size - 1) * (size - 2) / 2;
    MPI_Allreduce(&errs, &all, 1, MPI_INT, MPI_SUM, survivors);
    if (me == 0)
        printf(all ? " %d errors\n" : " No Errors\n", all);
    fflush(stdout);
    MPI_Comm_free(&survivors);
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int provided;

    alarm(SECONDS);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < THREADS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        MPI_Comm_set_errhandler(comms[i], MPI_ERRORS_RETURN);
    }
    start(threads, me == size - 1 ? COLLECTIVE : 0);
    if (me == size - 1) {
        usleep(100000);
        raise(SIGKILL);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    check_survivors();
    MPI_Finalize();
    return 0;
}
