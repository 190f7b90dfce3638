/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a death costs those that are left.
 *
 * usage: repair FILE DEATHS   (DEATHS + 2 processes or more, of which the last ones die in turn)
 *
 * All processes are on one machine: they have one clock, and FILE's first bytes as shared memory.
 * A line has a case, the median of its microseconds and the least:
 *
 *   agree_before   MPIX_Comm_agree while all live, the slowest member's
 *   detect         from the death to the last error of the others, which wait in MPI_Barrier
 *   revoke         from MPIX_Comm_revoke to the last error of the others, which wait in MPI_Recv
 *   agree          MPIX_Comm_agree after the death, the slowest member's
 *   shrink         MPIX_Comm_shrink, the slowest member's
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

enum { AGREEMENTS = 20, CASES = 5, PAUSE_US = 20000 };

static const char *const names[CASES] = {"agree_before", "detect", "revoke", "agree", "shrink"};

static volatile double *begun; /* of the death, or of the revocation */

static void give_up(const char *what)
{
    fprintf(stderr, "repair: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static double agree(MPI_Comm comm)
{
    double begin = now_us();
    int flag = 1;

    MPIX_Comm_agree(comm, &flag);
    return now_us() - begin;
}

static double agree_often(MPI_Comm comm)
{
    double sum = 0;

    agree(comm);
    for (int i = 0; i < AGREEMENTS; i++)
        sum += agree(comm);
    return sum / AGREEMENTS;
}

static double detect(MPI_Comm comm, int is_victim)
{
    MPI_Barrier(comm);
    if (is_victim) {
        usleep(PAUSE_US); /* the others are in the next barrier */
        *begun = now_us();
        kill(getpid(), SIGKILL);
    }
    if (MPI_Barrier(comm) == MPI_SUCCESS)
        give_up("a barrier without the dead process");
    return now_us() - *begun;
}

/* Another communicator with the dead member; rank 0 revokes it. */
static double take_back(MPI_Comm comm, int rank)
{
    int got;

    if (rank == 0) {
        usleep(PAUSE_US);
        *begun = now_us();
        MPIX_Comm_revoke(comm);
        return 0;
    }
    if (MPI_Recv(&got, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS)
        give_up("a message that nobody has sent");
    return now_us() - *begun;
}

static MPI_Comm shrink(MPI_Comm comm, double *us)
{
    MPI_Comm left;
    double begin = now_us();

    if (MPIX_Comm_shrink(comm, &left) != MPI_SUCCESS)
        give_up("no shrunk communicator");
    *us = now_us() - begin;
    MPI_Comm_set_errhandler(left, MPI_ERRORS_RETURN);
    return left;
}

/* The last member dies.  The slowest member's times are in `us` on all. */
static MPI_Comm lose_one(MPI_Comm comm, double us[CASES])
{
    MPI_Comm other, left;
    int rank, size;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_dup(comm, &other);
    MPI_Comm_set_errhandler(other, MPI_ERRORS_RETURN);
    us[0] = agree_often(comm);
    us[1] = detect(comm, rank == size - 1);
    us[2] = take_back(other, rank);
    us[3] = agree_often(comm);
    left = shrink(comm, &us[4]);
    MPI_Allreduce(MPI_IN_PLACE, us, CASES, MPI_DOUBLE, MPI_MAX, left);
    MPI_Comm_free(&other);
    return left;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    double(*us)[CASES], *values;
    MPI_Comm comm = MPI_COMM_WORLD;
    int deaths, rank;

    MPI_Init(&argc, &argv);
    if (argc != 3)
        give_up("usage: repair FILE DEATHS");
    deaths = atoi(argv[2]);
    us = calloc((size_t) deaths, sizeof(*us));
    values = calloc((size_t) deaths, sizeof(*values));
    begun = share(argv[1]);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < deaths; i++)
        comm = lose_one(comm, us[i]);
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < CASES && rank == 0; i++) {
        for (int j = 0; j < deaths; j++)
            values[j] = us[j][i];
        qsort(values, (size_t) deaths, sizeof(*values), compare);
        printf("%s %.1f %.1f\n", names[i], values[deaths / 2], values[0]);
    }
    fflush(stdout);
    free(values);
    free(us);
#ifdef OPEN_MPI
    MPI_Barrier(comm);
    _exit(0); /* MPI_Finalize of 5.0.7 waits for ever in half of the runs with deaths */
#endif
    MPI_Finalize();
    return 0;
}
