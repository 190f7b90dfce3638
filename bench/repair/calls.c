/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long a call takes to return when a process that it needs dies.
 *
 * usage: calls FILE NUMBER   (3 processes or more, of which the last one dies; -1: how many)
 *
 * All processes are on one machine: they have one clock, and FILE's first bytes as shared memory.
 * The line has the call of this number, and the milliseconds from the death until it has returned
 * on all others.
 */
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "death_clock.h"

enum { LONG = 1 << 20, PAUSE_US = 50000, FOR_US = 1000000 };

static volatile double *death;

static int rank, size, victim;
static char *in, *out;
static MPI_Comm comm;
static MPI_Win win;

static int receive(void) { return MPI_Recv(in, 1, MPI_CHAR, victim, 0, comm, MPI_STATUS_IGNORE); }

static int receive_any(void)
{
    return MPI_Recv(in, 1, MPI_CHAR, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
}

static int probe(void) { return MPI_Probe(victim, 0, comm, MPI_STATUS_IGNORE); }

static int long_send(void) { return MPI_Send(out, LONG, MPI_CHAR, victim, 0, comm); }

static int synchronous_send(void) { return MPI_Ssend(out, 1, MPI_CHAR, victim, 0, comm); }

static int barrier(void) { return MPI_Barrier(comm); }

static int duplicate(void)
{
    MPI_Comm made;

    return MPI_Comm_dup(comm, &made);
}

static int duplicate_nonblocking(void)
{
    MPI_Comm made;
    MPI_Request request;

    MPI_Comm_idup(comm, &made, &request);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int split(void)
{
    MPI_Comm made;

    return MPI_Comm_split(comm, rank % 2, 0, &made);
}

static int reduce(int n) { return MPI_Allreduce(in, out, n, MPI_CHAR, MPI_MAX, comm); }

static int reduce_short(void) { return reduce(8); }
static int reduce_long(void) { return reduce(LONG); }

static int reduce_nonblocking(void)
{
    MPI_Request request;

    MPI_Iallreduce(in, out, LONG, MPI_CHAR, MPI_MAX, comm, &request);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int fence(void) { return MPI_Win_fence(0, win); }

static int lock_at(int target)
{
    int error = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);

    if (error == MPI_SUCCESS)
        error = MPI_Put(out, 1, MPI_CHAR, target, 0, 1, MPI_CHAR, win);
    if (error == MPI_SUCCESS)
        error = MPI_Win_unlock(target, win);
    return error;
}

static int lock_of_dead(void) { return lock_at(0); }

/* It lives at first. */
static int lock_at_dead(void)
{
    int error = MPI_SUCCESS;

    while (error == MPI_SUCCESS && (*death == 0 || now_us() < *death + FOR_US))
        error = lock_at(victim);
    return error;
}

static int window_free(void) { return MPI_Win_free(&win); }

static int agree(void)
{
    int flag = 1;

    return MPIX_Comm_agree(comm, &flag);
}

static int shrink(void)
{
    MPI_Comm made;

    return MPIX_Comm_shrink(comm, &made);
}

static const struct {
    const char *name;
    int (*call)(void);
} calls[] = {{"MPI_Recv", receive},
             {"MPI_Recv:any_source", receive_any},
             {"MPI_Probe", probe},
             {"MPI_Send:1_MB", long_send},
             {"MPI_Ssend", synchronous_send},
             {"MPI_Barrier", barrier},
             {"MPI_Allreduce:8_bytes", reduce_short},
             {"MPI_Allreduce:1_MB", reduce_long},
             {"MPI_Iallreduce:1_MB", reduce_nonblocking},
             {"MPI_Comm_dup", duplicate},
             {"MPI_Comm_idup", duplicate_nonblocking},
             {"MPI_Comm_split", split},
             {"MPI_Win_lock:held_by_the_dead", lock_of_dead},
             {"MPI_Win_lock:at_the_dead", lock_at_dead},
             {"MPI_Win_fence", fence},
             {"MPI_Win_free", window_free},
             {"MPIX_Comm_agree", agree},
             {"MPIX_Comm_shrink", shrink}};

enum { CALLS = sizeof(calls) / sizeof(calls[0]) };

/* The others are inside by then. */
static void die(int number)
{
    if (calls[number].call == lock_of_dead) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Put(out, 1, MPI_CHAR, 0, 0, 1, MPI_CHAR, win);
        MPI_Win_flush(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(PAUSE_US);
    *death = now_us();
    kill(getpid(), SIGKILL);
}

static double until_return(int number)
{
    double returned;

    MPI_Barrier(MPI_COMM_WORLD);
    (void) calls[number].call();
    returned = now_us();
    if (*death == 0) {
        fprintf(stderr, "calls: %s did not wait for the last process\n", calls[number].name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return 1e-3 * (returned - *death);
}

int main(int argc, char **argv)
{
    double ms, slowest;
    MPI_Comm living;
    int number;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    victim = size - 1;
    number = argc == 3 ? atoi(argv[2]) : -1;
    if (size < 3 || number < 0 || number >= CALLS) {
        if (rank == 0)
            printf("%d\n", CALLS);
        MPI_Finalize();
        return 0;
    }
    death = share(argv[1]);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    in = calloc(2, LONG);
    out = in + LONG;
    MPI_Win_create(in, LONG, 1, MPI_INFO_NULL, comm, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    if (rank == victim)
        die(number);
    ms = until_return(number);
    MPIX_Comm_shrink(MPI_COMM_WORLD, &living);
    MPI_Reduce(&ms, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, living);
    if (rank == 0)
        printf("%s %.3f\n", calls[number].name, slowest);
    MPI_Finalize();
    return 0;
}
