/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * With MPIR_CVAR_PROGRESS_EVENTS=auto or on, an origin that computes behind its long puts calls
 * nothing of MPI until a number in its own window says that the target has seen them.  The target
 * computes, too, until they are there.  Where a put is left to the helper, that has to issue it:
 * without it the program would not end, and a watchdog ends it.
 *
 *   -threads   MPI_THREAD_MULTIPLE
 *   -pscw      epochs of post and start, instead of locks
 */
#include "mpitest.h"
#include "cmaptest.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LONG = 1 << 18, PUTS = 3, WAIT_SECONDS = 60, ROUNDS = 5 };

static int rank, target;
static MPI_Win data, numbers; /* of all puts; and what the target has seen, in rank 0 */
static int *memory, seen;

static void compute_until(const volatile int *place, int number)
{
    time_t end = time(NULL) + WAIT_SECONDS;

    while (*place != number) {
        if (time(NULL) > end) {
            fprintf(stderr, "rank %d computes, and nothing arrives: %d instead of %d\n", rank,
                    *place, number);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

static int number_of(int round, int put) { return 1 + round * PUTS + put; }

/* Short puts are behind the first long one of a round and share its way. */
static void originate(int round, int *sent)
{
    for (int put = 0; put < PUTS; put++) {
        int *from = sent + (size_t) put * LONG, number = number_of(round, put);

        for (int i = 0; i < LONG; i++)
            from[i] = number;
        MPI_Put(from, LONG / 2, MPI_INT, target, put * LONG, LONG / 2, MPI_INT, data);
        MPI_Put(from, LONG / 2 - 1, MPI_INT, target, put * LONG + LONG / 2, LONG / 2 - 1, MPI_INT,
                data);
        MPI_Put(from, 1, MPI_INT, target, (put + 1) * LONG - 1, 1, MPI_INT, data);
        compute_until(&seen, number);
    }
}

static void check(int put, int number)
{
    for (int i = 0; i < LONG; i++) {
        CT_CHECK(memory[put * LONG + i] == number, "element %d of put %d is %d instead of %d", i,
                 put, memory[put * LONG + i], number);
        if (ct_errs)
            break;
    }
}

static void receive(int round)
{
    for (int put = 0; put < PUTS; put++) {
        int number = number_of(round, put);

        for (int part = 0; part < 3; part++) {
            static const int last[] = {LONG / 2 - 1, LONG - 2, LONG - 1};

            compute_until(&memory[put * LONG + last[part]], number);
        }
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, numbers);
        MPI_Put(&number, 1, MPI_INT, 0, 0, 1, MPI_INT, numbers);
        MPI_Win_unlock(0, numbers);
    }
}

static void run_round(int round, bool has_posts, MPI_Group other, int *sent)
{
    if (rank == target && has_posts)
        MPI_Win_post(other, 0, data);
    if (rank == target)
        receive(round);
    if (rank == 0 && has_posts)
        MPI_Win_start(other, 0, data);
    else if (rank == 0)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, data);
    if (rank == 0)
        originate(round, sent);
    if (rank == 0 && has_posts)
        MPI_Win_complete(data);
    else if (rank == 0)
        MPI_Win_unlock(target, data);
    if (rank == target && has_posts)
        MPI_Win_wait(data);
    if (rank == target) {
        for (int put = 0; put < PUTS; put++)
            check(put, number_of(round, put));
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const MPI_Aint bytes = (MPI_Aint) PUTS * LONG * (MPI_Aint) sizeof(int);
    int required = MPI_THREAD_SINGLE, provided, *sent, partner;
    bool has_posts = false;
    MPI_Group world, other;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-threads") == 0)
            required = MPI_THREAD_MULTIPLE;
        else if (strcmp(argv[i], "-pscw") == 0)
            has_posts = true;
    }
    MTest_Init_thread(&argc, &argv, required, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &target);
    target--;
    partner = rank == 0 ? target : 0;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &partner, &other);
    sent = malloc((size_t) bytes);
    memory = calloc(1, (size_t) bytes);
    MPI_Win_create(memory, bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &data);
    MPI_Win_create(&seen, sizeof(seen), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &numbers);
    for (int round = 0; round < ROUNDS; round++)
        run_round(round, has_posts, other, sent);
    MPI_Win_free(&numbers);
    MPI_Win_free(&data);
    MPI_Group_free(&other);
    MPI_Group_free(&world);
    free(sent);
    free(memory);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
