/* SPDX-License-Identifier: BSD-3-Clause */

/* Locks of windows, shared and exclusive, with time spent inside them, for ever: some process is
 * going to be killed, and most likely has one or is in line for one.  Says "running" when all
 * are at it. */
#include "running.h"

static void hold(MPI_Win win, int type, int target)
{
    volatile long work = 0;
    long value = 0;

    MPI_Win_lock(type, target, 0, win);
    MPI_Put(&value, 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
    while (work < 20000)
        work++;
    MPI_Win_unlock(target, win);
}

int main(int argc, char **argv)
{
    long memory, *mine;
    int size;
    MPI_Win win[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win[0]);
    MPI_Win_create(&memory, sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win[1]);
    say_running();
    for (int round = 0;; round++) {
        hold(win[round % 16 == 0], round % 5 == 0 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE,
             round / 4 % size);
        if (round % 50 == 0) {
            MPI_Win_lock_all(0, win[0]);
            MPI_Win_unlock_all(win[0]);
        }
    }
}
