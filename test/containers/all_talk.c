/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every way in which the processes of a node reach each other, with checked data: small
 * collectives, an all-to-all, messages of 1 MB, communicators, windows that MPI allocates and
 * windows of the program's own memory.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGE = 1 << 17 }; /* of 8 bytes */

static int rank, size, errors;

static void expect(int is_right, const char *what)
{
    if (!is_right && errors++ == 0)
        fprintf(stderr, "process %d: wrong data: %s\n", rank, what);
}

static void collectives(MPI_Comm comm)
{
    int *sent = malloc(size * sizeof(int)), *got = malloc(size * sizeof(int)), sum = 0, members,
        mine;

    MPI_Comm_size(comm, &members);
    MPI_Comm_rank(comm, &mine);
    for (int i = 0; i < members; i++)
        sent[i] = mine * members + i;
    MPI_Alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, comm);
    for (int i = 0; i < members; i++)
        expect(got[i] == i * members + mine, "alltoall");
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
    expect(sum == members * (members - 1) / 2, "allreduce");
    free(sent);
    free(got);
}

static void communicators(void)
{
    MPI_Comm half, twin;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_dup(half, &twin);
    for (int i = 0; i < 3; i++)
        collectives(twin);
    MPI_Comm_free(&twin);
    MPI_Comm_free(&half);
}

static void large_messages(void)
{
    long *sent = malloc(LARGE * sizeof(long)), *got = malloc(LARGE * sizeof(long));
    int to = (rank + 1) % size, from = (rank + size - 1) % size;

    for (int i = 0; i < LARGE; i++)
        sent[i] = rank * 1000L + i;
    MPI_Sendrecv(sent, LARGE, MPI_LONG, to, 0, got, LARGE, MPI_LONG, from, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < LARGE; i++)
        expect(got[i] == from * 1000L + i, "message of 1 MB");
    free(sent);
    free(got);
}

/* Each puts its rank into the next one's window. */
static void put_into(MPI_Win win, const long *memory)
{
    long mine = rank;

    MPI_Win_fence(0, win);
    MPI_Put(&mine, 1, MPI_LONG, (rank + 1) % size, 0, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    expect(memory[0] == (rank + size - 1) % size, "put");
}

static void windows(void)
{
    long *allocated, own[16] = {-1};
    MPI_Win win;

    MPI_Win_allocate(sizeof own, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &allocated, &win);
    put_into(win, allocated);
    MPI_Win_free(&win);
    MPI_Win_create(own, sizeof own, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    put_into(win, own);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    int all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    collectives(MPI_COMM_WORLD);
    communicators();
    large_messages();
    windows();
    MPI_Allreduce(&errors, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && all == 0)
        printf("%d processes: all data are right\n", size);
    MPI_Finalize();
    return all != 0;
}
