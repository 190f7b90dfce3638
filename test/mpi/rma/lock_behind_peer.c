/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A process asks for a lock that another node's process holds, whose owner computes.  The holder is
 * on the owner's node and gives the lock back in shared memory, which is no event: the owner's
 * helper has to look for that.  Without it the owner would compute until a watchdog ends it.
 *
 * Rank 0 asks, the last rank owns, and the one before it on the same node holds.
 */
#include "mpitest.h"
#include "cmaptest.h"
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_SECONDS = 60, HELD_MICROSECONDS = 100000, TAG = 7 };

static int rank, owner, holder;
static volatile int *memory;
static MPI_Win window;

/* Of the owner's node, without rank 0; -1: there is none. */
static int find_holder(void)
{
    int before, mine = -1, found;
    MPI_Comm node;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &before);
    if (before > 0) {
        const int last = before - 1;
        MPI_Group world, all;

        MPI_Comm_group(MPI_COMM_WORLD, &world);
        MPI_Comm_group(node, &all);
        MPI_Group_translate_ranks(all, 1, &last, world, &mine);
        MPI_Group_free(&all);
        MPI_Group_free(&world);
    }
    MPI_Comm_free(&node);
    found = mine;
    MPI_Bcast(&found, 1, MPI_INT, owner, MPI_COMM_WORLD);
    return found > 0 ? found : -1;
}

static void hold(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, owner, 0, window);
    MPI_Send(NULL, 0, MPI_INT, 0, TAG, MPI_COMM_WORLD);
    usleep(HELD_MICROSECONDS);
    MPI_Win_unlock(owner, window);
}

static void ask(void)
{
    const int number = 1;

    MPI_Recv(NULL, 0, MPI_INT, holder, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, owner, 0, window);
    MPI_Put(&number, 1, MPI_INT, owner, 0, 1, MPI_INT, window);
    MPI_Win_unlock(owner, window);
}

static void compute(void)
{
    time_t end = time(NULL) + WAIT_SECONDS;

    while (*memory == 0) {
        if (time(NULL) > end) {
            fprintf(stderr, "no progress while the owner of a lock computes\n");
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &owner);
    owner--;
    holder = find_holder();
    MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    *memory = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    CT_CHECK(holder > 0 || !ct_is_one_host(MPI_COMM_WORLD),
             "nobody is on the node of the last rank");
    if (holder > 0 && rank == holder)
        hold();
    else if (holder > 0 && rank == 0)
        ask();
    else if (holder > 0 && rank == owner)
        compute();
    MPI_Win_free(&window);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
