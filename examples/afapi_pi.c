/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pi as the area below 4 / (1 + x^2), by the aggregate functions of afapi.h: every process adds up
 * its part of the intervals, and one function adds up the parts.
 *
 *     mpicc -o afapi_pi afapi_pi.c
 *     mpiexec -n 4 ./afapi_pi 1000000       under mpiexec, on any number of nodes
 *     AFAPI_NPROC=4 ./afapi_pi 1000000      alone: p_init starts the processes
 *     mpiexec -n 4 ./afapi_pi 1000000 mpi   as a program that calls MPI, too: both sums are the same
 */
#include <afapi.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 0 for a text that is no number of intervals. */
static long number_of(const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);

    return *end || number < 1 ? 0 : number;
}

static double own_part(long intervals)
{
    double sum = 0;

    for (long i = IPROC; i < intervals; i += NPROC) {
        double x = (i + 0.5) / intervals;
        sum += 4 / (1 + x * x);
    }
    return sum / intervals;
}

/* The same by MPI, or -1. */
static double sum_by_mpi(double part)
{
    double sum;
    int processes;

    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return processes == NPROC ? sum : -1;
}

int main(int argc, char **argv)
{
    long intervals = argc > 1 ? number_of(argv[1]) : 1000000;
    int with_mpi = argc > 2 && strcmp(argv[2], "mpi") == 0;
    int wrong;

    if (intervals == 0 || argc > 3 || (argc > 2 && !with_mpi)) {
        fprintf(stderr, "usage: afapi_pi [INTERVALS (1 or more) [mpi]]\n");
        return 1;
    }
    if (with_mpi)
        MPI_Init(&argc, &argv);
    if (p_init())
        exit(1);

    double part = own_part(intervals), pi = p_reduceAdd64f(part);
    wrong = with_mpi && fabs(sum_by_mpi(part) - pi) > 1e-12;
    if (p_any(wrong) && IPROC == CPROC)
        printf("MPI has another sum\n");
    else if (IPROC == CPROC)
        printf("pi is about %.12f, say %d processes\n", pi, NPROC);

    p_exit();
    if (with_mpi)
        MPI_Finalize();
    return wrong;
}
