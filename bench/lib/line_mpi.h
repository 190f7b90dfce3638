/* SPDX-License-Identifier: BSD-3-Clause */
/* The time of a line (line.h) between the two processes of an MPI program. */
#ifndef LINE_MPI_H_INCLUDED
#define LINE_MPI_H_INCLUDED

#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "line.h"

/* Lines of the world's two processes, on a machine that has a core for each; NULL where that is
 * not so, and where BENCH_NO_LINE is set: beside other programs it takes long to measure. */
static line_t *line_share(void)
{
    char name[64], host[MPI_MAX_PROCESSOR_NAME] = "", first[MPI_MAX_PROCESSOR_NAME];
    line_t *lines = NULL;
    int size, length, mine, both;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2 || sysconf(_SC_NPROCESSORS_ONLN) < 2 || getenv("BENCH_NO_LINE"))
        return NULL;
    snprintf(name, sizeof name, "/dev/shm/bench-line-%d", (int) getpid());
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    int file = open(name, O_RDWR | O_CREAT, 0600);
    if (file >= 0 && ftruncate(file, 2 * sizeof *lines) == 0)
        lines = mmap(NULL, 2 * sizeof *lines, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    lines = lines == MAP_FAILED ? NULL : lines;
    MPI_Get_processor_name(host, &length);
    memcpy(first, host, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    mine = lines && strcmp(first, host) == 0;
    MPI_Allreduce(&mine, &both, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    unlink(name);
    return both ? lines : NULL;
}

/* Collective; rank 0 prints "line" and microseconds. */
static void line_show(line_t *lines)
{
    int rank;

    if (!lines)
        return;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    double ns = line_time(lines, rank);
    if (rank == 0)
        printf("line %.4f\n", ns / 1e3);
}

#endif /* LINE_MPI_H_INCLUDED */
