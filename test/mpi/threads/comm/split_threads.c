/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Comm_split by several threads of a process at once, each in a communicator of its own: all
 * ranks, or a part of them.  A process keeps one reserve of memory for splits, which one thread has
 * while the others allocate theirs.  Regular patterns, and random keys.  The order of each child
 * is right.
 *
 * Arguments: -threads=N (by default 3), -rounds=N (by default 20)
 */
#include "cmaptest.h"
#include "cmaptest_threads.h"

enum { MOST_THREADS = 16 };

static int threads = 3, rounds = 20;
static MPI_Comm parents[MOST_THREADS];

/* Consecutive numbers give unrelated ones. */
static int scatter(int rank, int round)
{
    unsigned x = (unsigned) (rank + 131 * round) * 2654435761u;

    return (int) ((x ^ x >> 15) * 2246822519u >> 8);
}

static int key_of(int rank, int round) { return round % 2 ? scatter(rank, round) : rank; }

/* Rank and size in the child must be those of this process. */
static int is_right(MPI_Comm child, int rank, int size, int round)
{
    int members = 0, before = 0, key = key_of(rank, round), got_size, got_rank;

    for (int r = rank % 2; r < size; r += 2) {
        int other = key_of(r, round);
        members++;
        before += other < key || (other == key && r < rank);
    }
    MPI_Comm_size(child, &got_size);
    MPI_Comm_rank(child, &got_rank);
    return got_size == members && got_rank == before;
}

static int wrong[MOST_THREADS];

static MTEST_THREAD_RETURN_TYPE split_some(void *argument)
{
    int thread = (int) (intptr_t) argument, rank, size;
    MPI_Comm parent = parents[thread], child;

    if (parent == MPI_COMM_NULL)
        return (MTEST_THREAD_RETURN_TYPE) 0;
    MPI_Comm_rank(parent, &rank);
    MPI_Comm_size(parent, &size);
    for (int round = thread; round < thread + rounds; round++) {
        MPI_Comm_split(parent, rank % 2, key_of(rank, round), &child);
        wrong[thread] += !is_right(child, rank, size, round);
        MPI_Comm_free(&child);
    }
    return (MTEST_THREAD_RETURN_TYPE) 0;
}

/* Each thread's communicator has one rank less than that of the thread before. */
static void make_parents(void)
{
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int t = 0; t < threads; t++)
        MPI_Comm_split(MPI_COMM_WORLD, ct_me < size - t ? 0 : MPI_UNDEFINED, ct_me, &parents[t]);
}

int main(int argc, char **argv)
{
    ct_init_threads(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    for (int i = 1; i < argc; i++) {
        sscanf(argv[i], "-threads=%d", &threads);
        sscanf(argv[i], "-rounds=%d", &rounds);
    }
    if (threads < 1 || threads > MOST_THREADS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    make_parents();
    ct_in_threads(threads, split_some);
    for (int t = 0; t < threads; t++) {
        CT_CHECK(wrong[t] == 0, "thread %d: %d children in another order", t, wrong[t]);
        if (parents[t] != MPI_COMM_NULL)
            MPI_Comm_free(&parents[t]);
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
