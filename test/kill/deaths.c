/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: deaths one|all|early|none [STATUS [OTHERS]]     with mpiexec --enable-recovery
 *
 * The last rank ends with this status and without MPI_Finalize, and the others end with their own.
 * Or all ranks end so.  Or the last one ends inside MPI_Init.  Or none does.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ends_early;

/* MPI_Init writes to the process manager: the fifth time it is in the middle of it. */
ssize_t write(int fd, const void *bytes, size_t n)
{
    static int writes;
    const char *pmi = getenv("PMI_FD");

    if (ends_early && pmi && fd == atoi(pmi) && ++writes == 5)
        _exit(3);
    return syscall(SYS_write, fd, bytes, n);
}

int main(int argc, char **argv)
{
    const char *who = argc > 1 ? argv[1] : "none", *number = getenv("PMI_RANK");
    int status = argc > 2 ? atoi(argv[2]) : 3, others = argc > 3 ? atoi(argv[3]) : 0, rank, size;

    ends_early = !strcmp(who, "early") && number && atoi(number) == 3;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(who, "all") || (!strcmp(who, "one") && rank == size - 1))
        _exit(status);
    MPI_Finalize();
    return others;
}
