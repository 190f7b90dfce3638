/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * usage: dup_silent [-block=N]
 *
 * Duplicates that take a context id of a block send nothing: with blocks of 16 ids 15 of 16, after
 * the first 5.  MPI_Comm_dup, _dup_with_info and _idup in turn, also several pending ones; a
 * message to a process that has not made the duplicate yet; parents that come and go; ids that are
 * set aside are neither in use nor leaked.  N is the value of MPIR_CVAR_CTXID_BLOCK, 16 unless
 * it is given.
 */
#include "cmaptest_mpit.h"

enum { CALLS = 53, PENDING = 40, LATE = 20 };

static ct_pvar collectives, silent, used, reserved;
static int size, block, has_variables;

static long long now(ct_pvar *variable) { return has_variables ? ct_pvar_read(variable) : 0; }

/* With blocks of 1, 4, 16 and so on: does the n-th duplicate agree? */
static int agrees(int n)
{
    int left = 0, next = 1;

    for (int i = 0; i <= n; i++, left--) {
        if (left > 0)
            continue;
        if (i == n)
            return 1;
        left = next;
        next = next * 4 < block ? next * 4 : block;
    }
    return 0;
}

static void check_works(MPI_Comm comm, const char *what)
{
    int one = 1, sum = 0, result, members;

    MPI_Comm_compare(MPI_COMM_WORLD, comm, &result);
    MPI_Comm_size(comm, &members);
    for (int i = 0; i < 3; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    CT_CHECK(sum == members, "%s: %d ones add up to %d", what, members, sum);
    CT_CHECK(members != size || result == MPI_CONGRUENT, "%s is not congruent", what);
}

static void duplicate(MPI_Comm parent, int how, MPI_Comm *made)
{
    MPI_Request request;

    if (how == 0) {
        MPI_Comm_dup(parent, made);
    } else if (how == 1) {
        MPI_Comm_dup_with_info(parent, MPI_INFO_NULL, made);
    } else {
        MPI_Comm_idup(parent, made, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static MPI_Comm fresh(void)
{
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, 0, ct_me, &comm);
    return comm;
}

/* An MPI_Comm_idup has no collective that counts, so those are only told by ctxid_silent. */
static void check_counts(int ways)
{
    MPI_Comm parent = fresh(), made[CALLS];
    long long first = now(&silent), expected = 0;

    for (int n = 0; n < CALLS; n++) {
        int how = n % ways;
        long long before = now(&collectives);

        duplicate(parent, how, &made[n]);
        expected += !agrees(n);
        if (has_variables && how < 2)
            CT_CHECK(now(&collectives) - before == (size > 1 && agrees(n)),
                     "duplicate %d takes %lld collectives", n, now(&collectives) - before);
    }
    CT_CHECK(now(&silent) - first == (has_variables ? expected : 0),
             "%lld of %d duplicates are silent, not %lld", now(&silent) - first, CALLS, expected);
    for (int n = 0; n < CALLS; n++) {
        check_works(made[n], "a duplicate");
        MPI_Comm_free(&made[n]);
    }
    MPI_Comm_free(&parent);
}

/* Several at once, waited for in another order, and blocking ones between. */
static void check_pending(void)
{
    MPI_Comm parent = fresh(), made[PENDING];
    MPI_Request requests[PENDING];
    int sum = 0;

    for (int i = 0; i < PENDING; i++) {
        requests[i] = MPI_REQUEST_NULL;
        if (i % 7 == 3)
            MPI_Comm_dup(parent, &made[i]);
        else
            MPI_Comm_idup(parent, &made[i], &requests[i]);
        if (i % 11 == 5)
            MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, parent);
    }
    for (int i = PENDING - 1 - ct_me % 2; i >= 0; i -= 2)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    MPI_Waitall(PENDING, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < PENDING; i++) {
        check_works(made[i], "a pending duplicate");
        MPI_Comm_free(&made[i]);
    }
    MPI_Comm_free(&parent);
}

/* Process 0 makes all and sends on each, short and long, before the others make the first. */
static void check_early_messages(void)
{
    enum { LONG = 100000 };
    MPI_Comm parent = fresh(), made[LATE];
    MPI_Request requests[2 * LATE];
    int *data = ct_alloc(LONG, sizeof(int)), next = (ct_me + 1) % size;

    for (int i = 0; i < 5; i++) { /* the next block is of 16 */
        MPI_Comm_dup(parent, &made[0]);
        MPI_Comm_free(&made[0]);
    }
    MPI_Comm_dup(parent, &made[0]);
    MPI_Barrier(parent);
    if (block < 16)
        MPI_Barrier(parent);
    else if (ct_me != 0)
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i < 16; i++)
        MPI_Comm_dup(parent, &made[i]);
    for (int i = 0; i < 16; i++) {
        data[i] = 1000 * ct_me + i;
        MPI_Isend(&data[i], 1, MPI_INT, next, i, made[i], &requests[2 * i]);
        MPI_Isend(data + 100, LONG - 100, MPI_INT, next, 99, made[i], &requests[2 * i + 1]);
    }
    for (int rank = 1; ct_me == 0 && block >= 16 && rank < size; rank++)
        MPI_Send(NULL, 0, MPI_INT, rank, 0, MPI_COMM_WORLD);
    for (int i = 15; i >= 0; i--) {
        int from = (ct_me + size - 1) % size, number = -1, *room = ct_alloc(LONG, sizeof(int));
        MPI_Status status;

        MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, i, made[i], &status);
        CT_CHECK(number == 1000 * from + i && status.MPI_SOURCE == from,
                 "duplicate %d brings %d from %d", i, number, status.MPI_SOURCE);
        MPI_Recv(room, LONG, MPI_INT, from, 99, made[i], MPI_STATUS_IGNORE);
        free(room);
    }
    MPI_Waitall(32, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 16; i++)
        MPI_Comm_free(&made[i]);
    MPI_Comm_free(&parent);
    free(data);
}

/* A window made of a duplicate that others may not have yet. */
static void check_window(MPI_Comm parent)
{
    for (int i = 0; i < 8; i++) {
        MPI_Comm made;
        MPI_Win win;
        int *memory, value = ct_me;

        MPI_Comm_dup(parent, &made);
        MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, made, &memory, &win);
        MPI_Win_fence(0, win);
        MPI_Put(&value, 1, MPI_INT, (ct_me + 1) % size, 0, 1, MPI_INT, win);
        MPI_Win_fence(0, win);
        CT_CHECK(*memory == (ct_me + size - 1) % size, "a window has %d", *memory);
        MPI_Win_free(&win);
        MPI_Comm_free(&made);
    }
}

/* What is set aside goes with its parent. */
static void check_free(void)
{
    long long ids = now(&used), aside = now(&reserved);

    for (int i = 0; i < 60; i++) {
        MPI_Comm parent = fresh(), made[CALLS];

        for (int n = 0; n < i % CALLS; n++)
            MPI_Comm_dup(parent, &made[n]);
        CT_CHECK(now(&used) - ids == (has_variables ? 1 + i % CALLS : 0), "%lld ids are in use",
                 now(&used) - ids);
        if (i % 3 == 0)
            MPI_Comm_free(&parent);
        for (int n = 0; n < i % CALLS; n++)
            MPI_Comm_free(&made[n]);
        if (i % 3)
            MPI_Comm_free(&parent);
    }
    CT_CHECK(now(&used) == ids, "%lld ids are in use, not %lld", now(&used), ids);
    CT_CHECK(now(&reserved) <= aside + 1, "%lld ids are set aside, %lld before", now(&reserved),
             aside);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MTestArgList *args = MTestArgListCreate(argc, argv);
    MPI_Comm kept;

    block = MTestArgListGetInt_with_default(args, "block", 16);
    MTestArgListDestroy(args);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ct_mpit_begin();
    has_variables = ct_pvar_find("coll_calls", &collectives) &&
                    ct_pvar_find("ctxid_silent", &silent) && ct_pvar_find("ctxid_used", &used) &&
                    ct_pvar_find("ctxid_reserved", &reserved);
    check_counts(2);
    check_counts(3);
    check_pending();
    check_early_messages();
    check_window(MPI_COMM_WORLD);
    check_free();
    MPI_Comm_dup(MPI_COMM_SELF, &kept);
    check_works(kept, "a duplicate of MPI_COMM_SELF");
    MPI_Comm_free(&kept);
    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
