/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where does the time of MPI_Comm_split go?  Link this file with a program, or preload it: each
 * call first waits for all members, so that waiting and splitting are timed apart.  Rank 0 of the
 * communicator prints a line for each call.
 *
 *     mpicc -o program program.c time_splits.c && mpiexec -n 16 ./program
 *     mpicc -shared -fPIC -o time_splits.so time_splits.c
 *     mpiexec -n 16 -env LD_PRELOAD $PWD/time_splits.so ./program
 */
#include <mpi.h>
#include <stdio.h>

typedef struct {
    double seconds;
    int rank;
} from_rank;

/* Rank 0 gets the longest wait.  The last rank to arrive is the one that waits least. */
static void wait_for_all(MPI_Comm comm, double *longest, int *last)
{
    from_rank mine, least = {0.0, 0};
    double begin = PMPI_Wtime();

    PMPI_Barrier(comm);
    mine.seconds = PMPI_Wtime() - begin;
    PMPI_Comm_rank(comm, &mine.rank);
    PMPI_Reduce(&mine, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, 0, comm);
    PMPI_Reduce(&mine.seconds, longest, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
    *last = least.rank;
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
    double begin, mine, waited = 0.0, longest = 0.0;
    int rank, size, last, between, error;

    PMPI_Comm_test_inter(comm, &between);
    if (between) /* has no reductions within a group */
        return PMPI_Comm_split(comm, color, key, newcomm);
    wait_for_all(comm, &waited, &last);
    PMPI_Barrier(comm);
    begin = PMPI_Wtime();
    error = PMPI_Comm_split(comm, color, key, newcomm);
    mine = PMPI_Wtime() - begin;
    PMPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    if (rank == 0)
        fprintf(stderr, "MPI_Comm_split of %d: %.1f ms until rank %d came, %.1f ms in the split\n",
                size, 1e3 * waited, last, 1e3 * longest);
    return error;
}
