/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A spawned world has helpers of its own: its last process computes, and calls nothing of MPI until
 * a number has come into its window.  A window of parents and children together works, too, though
 * nobody serves it while its owner computes (doc/how_it_works/progress.md): before the spawned
 * world has helpers, and after.
 */
#include "mpitest.h"
#include "cmaptest.h"
#include <stdlib.h>
#include <time.h>

enum { CHILDREN = 2, WAIT_SECONDS = 60, NUMBERS = 20000 };

static void compute_until(volatile int *seen, int number)
{
    time_t end = time(NULL) + WAIT_SECONDS;

    while (*seen < number) {
        if (time(NULL) > end) {
            fprintf(stderr, "no progress while a spawned process computes\n");
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

static void serve_world(void)
{
    const int one = 1;
    int rank, size, number = 0;
    MPI_Win window;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(&number, sizeof(number), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, size - 1, 0, window);
        MPI_Accumulate(&one, 1, MPI_INT, size - 1, 0, 1, MPI_INT, MPI_SUM, window);
        MPI_Win_unlock(size - 1, window);
    } else if (rank == size - 1) {
        compute_until(&number, 1);
    }
    MPI_Win_free(&window);
}

static void put_around(MPI_Comm all)
{
    int rank, size, *mine = calloc(2 * NUMBERS, sizeof(*mine)), *sent = mine + NUMBERS;
    MPI_Win window;

    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    for (int i = 0; i < NUMBERS; i++)
        sent[i] = rank + i;
    MPI_Win_create(mine, NUMBERS * sizeof(int), sizeof(int), MPI_INFO_NULL, all, &window);
    for (int length = 1; length <= NUMBERS; length *= 10) {
        MPI_Win_fence(0, window);
        MPI_Put(sent, length, MPI_INT, (rank + 1) % size, 0, length, MPI_INT, window);
        MPI_Win_fence(0, window);
        for (int i = 0; i < length; i++)
            CT_CHECK(mine[i] == (rank + size - 1) % size + i, "number %d of %d is %d", i, length,
                     mine[i]);
    }
    MPI_Win_free(&window);
    free(mine);
}

static void be_parents(const char *program)
{
    MPI_Comm children, all;

    MPI_Comm_spawn(program, MPI_ARGV_NULL, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                   MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(children, 0, &all);
    put_around(all);
    put_around(MPI_COMM_WORLD);
    put_around(all);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&children);
}

static void be_children(MPI_Comm parents)
{
    MPI_Comm all;

    MPI_Intercomm_merge(parents, 1, &all);
    put_around(all);
    serve_world();
    put_around(all);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&parents);
}

int main(int argc, char **argv)
{
    MPI_Comm parents;

    MTest_Init(&argc, &argv);
    MPI_Comm_get_parent(&parents);
    if (parents != MPI_COMM_NULL) { /* what they print fails the test */
        be_children(parents);
        MPI_Finalize();
        return 0;
    }
    be_parents(argv[0]);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
