/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Threads that merge intercommunicators at once.  Each thread has groups of its own, whose ids are
 * the same where they have no process in common, and a process is with the one group in one thread
 * and against the other in another: searches for an id take turns, in the same order in all
 * processes, or they go on for ever.
 *
 * Argument: -rounds=N (merges of a thread, default 300)
 */
#include "cmaptest_threads.h"
#include "cmaptest.h"

enum { THREADS = 3, TAG = 1 };

static int rounds, world_size;
static MPI_Comm world_of[THREADS];

/* One process against all others from the last one down, so that it is the low group: another
 * one in each thread. */
static MPI_Comm one_and_others(int thread)
{
    int one = thread % world_size, last = world_size - 1,
        leader_of_others = one == last ? last - 1 : last;
    bool alone = ct_me == one;
    MPI_Comm local, inter;

    MPI_Comm_split(world_of[thread], alone, -ct_me, &local);
    MPI_Intercomm_create(local, 0, world_of[thread], alone ? leader_of_others : one, TAG, &inter);
    MPI_Comm_free(&local);
    return inter;
}

static MTEST_THREAD_RETURN_TYPE work(void *number)
{
    int thread = (int) (size_t) number;

    for (int round = 0; round < rounds; round++) {
        MPI_Comm inter = one_and_others(thread), merged;
        int sum = 0, stamp = round * THREADS + thread;

        MPI_Intercomm_merge(inter, ct_me == thread % world_size, &merged);
        MPI_Allreduce(&stamp, &sum, 1, MPI_INT, MPI_SUM, merged);
        CT_CHECK(sum == stamp * world_size, "thread %d, round %d: the sum is %d", thread, round,
                 sum);
        MPI_Comm_free(&merged);
        MPI_Comm_free(&inter);
    }
    return MTEST_THREAD_RETVAL_IGN;
}

int main(int argc, char **argv)
{
    ct_init_threads(&argc, &argv);
    MTestArgList *args = MTestArgListCreate(argc, argv);
    rounds = MTestArgListGetInt_with_default(args, "rounds", 300);
    MTestArgListDestroy(args);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &world_of[i]);
    ct_in_threads(THREADS, work);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&world_of[i]);

    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
