/* SPDX-License-Identifier: BSD-3-Clause */

/* Windows for the report: two without a name, of one line, with epochs of a put each, and one
 * with a name that has characters of HTML, with fences. */
#include <mpi.h>

enum { EPOCHS = 5 };

static int memory[4], rank, size;

static void with_locks(void)
{
    MPI_Win win;
    int value = rank;

    MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int i = 0; i < EPOCHS; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, (rank + 1) % size, 0, win);
        MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
        MPI_Win_unlock((rank + 1) % size, win);
    }
    MPI_Win_free(&win);
}

static void with_fences(void)
{
    MPI_Win win;
    int value = rank;

    MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_name(win, "<halo>");
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 1, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 2; i++)
        with_locks();
    with_fences();
    MPI_Finalize();
    return 0;
}
