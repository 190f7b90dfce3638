/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Long operations go out when their target may be accessed, while the origin is in whatever call of
 * MPI: here it waits for the target to say that it has seen them.  An origin that issues no more
 * before its next call on the window waits for ever.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { WORDS = 1 << 15, ROUNDS = 4, SEEN = 7 };

static int size, origin, target;
static MPI_Win win;
static volatile long *memory;
static MPI_Group of_origin, of_target;

static void begin(int post)
{
    if (post && ct_me == origin)
        MPI_Win_start(of_target, 0, win);
    else if (post)
        MPI_Win_post(of_origin, 0, win);
    else
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
}

static void end(int post)
{
    if (post && ct_me == origin)
        MPI_Win_complete(win);
    else if (post)
        MPI_Win_wait(win);
    else
        MPI_Win_unlock(target, win);
}

static void put_all(const long *values)
{
    int half = WORDS / 2;

    MPI_Put(values, half, MPI_LONG, target, 0, half, MPI_LONG, win);
    MPI_Put(values + half, half, MPI_LONG, target, half, half, MPI_LONG, win);
    MPI_Recv(NULL, 0, MPI_BYTE, target, SEEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void await_all(long first)
{
    int flag;

    while (memory[0] != first || memory[WORDS / 2] != first + WORDS / 2 ||
           memory[WORDS - 1] != first + WORDS - 1)
        MPI_Iprobe(MPI_ANY_SOURCE, SEEN + 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Send(NULL, 0, MPI_BYTE, origin, SEEN, MPI_COMM_WORLD);
}

static void round_of(int post, long first)
{
    long *values = ct_alloc(WORDS, sizeof(long));

    for (int i = 0; i < WORDS; i++)
        values[i] = first + i;
    if (ct_me == origin || ct_me == target) {
        begin(post);
        if (ct_me == origin)
            put_all(values);
        else
            await_all(first);
        end(post);
    }
    free(values);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Group world;
    MPI_Info info;
    long *mine;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    target = size - 1;
    mine = ct_alloc(WORDS, sizeof(long));
    memory = mine;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &origin, &of_origin);
    MPI_Group_incl(world, 1, &target, &of_target);
    MPI_Info_create(&info);
    MPI_Info_set(info, "rma_issue", "hybrid");
    MPI_Win_create(mine, WORDS * sizeof(long), sizeof(long), info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    for (int i = 0; i < ROUNDS && size > 1; i++) {
        round_of(0, 10 * i + 1);
        round_of(1, 10 * i + 5);
    }
    MPI_Group_free(&of_origin);
    MPI_Group_free(&of_target);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
    free(mine);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
