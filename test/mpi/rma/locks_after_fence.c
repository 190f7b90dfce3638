/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Fences without assertions, and locks after them.  The owner of a lock that another process holds
 * asks for it by a message, in MPI_Win_lock and in MPI_Win_lock_all.  That message belongs to no
 * fence: it is answered, and the next fence does not wait for it.
 */
#include "mpitest.h"
#include "cmaptest.h"

#include <unistd.h>

enum { ROUNDS = 20, FENCES = 8, HELD_MICROSECONDS = 2000, TAG = 3 };

static int rank, size;

static void fences(MPI_Win win, int *memory, int round)
{
    const int before = (rank + size - 1) % size;

    for (int i = 0; i < FENCES; i++) {
        const int value = (round * FENCES + i) * size + rank;

        MPI_Win_fence(0, win);
        MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
        MPI_Win_fence(0, win);
        CT_CHECK(memory[0] == value - rank + before, "round %d, fence %d: %d, not %d", round, i,
                 memory[0], value - rank + before);
    }
}

/* The last rank holds the lock of rank 0, which asks for it meanwhile. */
static void hold(MPI_Win win, int round)
{
    const int value = round + 1;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    MPI_Send(NULL, 0, MPI_INT, 0, TAG, MPI_COMM_WORLD);
    usleep(HELD_MICROSECONDS);
    MPI_Put(&value, 1, MPI_INT, 0, 2, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
}

static void ask(MPI_Win win, int *memory, int round)
{
    MPI_Recv(NULL, 0, MPI_INT, size - 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (round % 2)
        MPI_Win_lock_all(0, win);
    else
        MPI_Win_lock(round % 4 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, win);
    CT_CHECK(memory[1] == round + 1 && memory[2] == round + 1,
             "round %d: the owner entered while its lock was held: %d, %d", round, memory[1],
             memory[2]);
    if (round % 2)
        MPI_Win_unlock_all(win);
    else
        MPI_Win_unlock(0, win);
}

int main(int argc, char **argv)
{
    int memory[3] = {0};
    MPI_Win win;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int round = 0; round < ROUNDS; round++) {
        fences(win, memory, round);
        if (rank == size - 1)
            hold(win, round);
        else if (rank == 0)
            ask(win, memory, round);
    }
    MPI_Win_free(&win);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
