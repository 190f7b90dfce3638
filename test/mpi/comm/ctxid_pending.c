/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Communicators are created while an MPI_Comm_idup is pending.  First, one whose second member is
 * late: rank 0 must be able to create as many with rank 2 as if it were not there.  Then, when
 * nearly all ids are in use, one whose second member has called it but does not come to MPI for a
 * while: rank 0 alone duplicates MPI_COMM_SELF.  The pending call returns at once, as rank 1 waits
 * for it outside of MPI; the blocking one ends.  The second part needs both on one node.
 *
 * Arguments: -limit=N (the value of MPIR_CVAR_CTXID_LIMIT, default 262144)  -made=N (with rank 2,
 * default 70000)
 */
#include "cmaptest.h"

#include <unistd.h>

#define STEPS 12 /* how far the second member gets before it goes away */

static int limit;
static MPI_Comm pair; /* of ranks 0 and 1 */
static MPI_Comm *made;
static MPI_Win window;
static volatile int *flag; /* in memory of both */

static MPI_Comm of_ranks(int a, int b)
{
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, (ct_me == a || ct_me == b) ? 0 : MPI_UNDEFINED, ct_me, &comm);
    return comm;
}

static void check_alive(MPI_Comm comm)
{
    int one = 1, sum = 0, size;

    MPI_Comm_size(comm, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    CT_CHECK(sum == size, "%d ranks add up to %d", size, sum);
}

/* Duplicates until there is no id; how many. */
static int fill(MPI_Comm comm, int most)
{
    int n = 0;

    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    while (n < most && MPI_Comm_dup(comm, &made[n]) == MPI_SUCCESS)
        n++;
    return n;
}

static void free_last(int from, int to)
{
    while (to > from)
        MPI_Comm_free(&made[--to]);
}

/* ---- a member that is late ---- */

static void check_late(int most)
{
    MPI_Comm others = of_ranks(0, 2), copy;
    MPI_Request request;
    int n;

    if (ct_me == 0)
        MPI_Comm_idup(pair, &copy, &request);
    if (others != MPI_COMM_NULL) {
        n = fill(others, most);
        CT_CHECK(n >= most || n >= limit - 16, "only %d of %d communicators with %d ids", n, most,
                 limit);
        if (n > 0)
            check_alive(made[n - 1]);
        free_last(0, n);
        MPI_Comm_free(&others);
    }
    if (ct_me == 0)
        MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
    if (ct_me == 1) {
        MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Comm_idup(pair, &copy, &request);
    }
    if (ct_me < 2) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check_alive(copy);
        MPI_Comm_free(&copy);
    }
}

/* ---- a member that is away ---- */

/* Rank 1 comes back when rank 0 says so, or after a while. */
static void go_away(int steps, int waits, MPI_Request *request)
{
    int done = 0;

    while (steps-- > 0 && !done)
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (waits) {
        while (!*flag)
            usleep(100);
    } else {
        usleep(20000);
    }
}

static void duplicate_self(int steps, int pending, MPI_Request *request)
{
    MPI_Comm alone;
    MPI_Request own;
    int done = 0;

    while (steps-- > 0 && !done) {
        usleep(500); /* for what rank 1 has sent */
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
    }
    if (pending) {
        MPI_Comm_idup(MPI_COMM_SELF, &alone, &own);
        *flag = 1;
        MPI_Win_sync(window);
        MPI_Wait(&own, MPI_STATUS_IGNORE);
    } else {
        MPI_Comm_dup(MPI_COMM_SELF, &alone);
    }
    check_alive(alone);
    MPI_Comm_free(&alone);
}

static void check_away(int steps, int pending)
{
    MPI_Comm copy;
    MPI_Request request;

    *flag = 0;
    MPI_Win_sync(window);
    MPI_Barrier(pair);
    MPI_Comm_idup(pair, &copy, &request);
    if (ct_me == 0)
        duplicate_self(steps, pending, &request);
    else
        go_away(steps, pending, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_alive(copy);
    MPI_Comm_free(&copy);
}

static void make_flag(void)
{
    void *base;
    MPI_Aint bytes;
    int unit;

    MPI_Win_allocate_shared(ct_me ? 0 : sizeof(int), sizeof(int), MPI_INFO_NULL, pair, &base,
                            &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &base);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    flag = base;
}

/* Two ids are left. */
static void check_end(void)
{
    int n = fill(pair, limit);

    free_last(n - 2, n);
    for (int steps = 0; steps < STEPS; steps++) {
        check_away(steps, 1);
        check_away(steps, 0);
    }
    free_last(0, n - 2);
}

int main(int argc, char **argv)
{
    int most, size;

    MTest_Init(&argc, &argv);
    MTestArgList *args = MTestArgListCreate(argc, argv);
    limit = MTestArgListGetInt_with_default(args, "limit", 262144);
    most = MTestArgListGetInt_with_default(args, "made", 70000);
    MTestArgListDestroy(args);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    made = ct_alloc(limit, sizeof(MPI_Comm));
    pair = of_ranks(0, 1);

    if (size > 2)
        check_late(most);
    if (pair != MPI_COMM_NULL && ct_is_one_node(pair)) {
        make_flag();
        check_end();
        MPI_Win_unlock_all(window);
        MPI_Win_free(&window);
    }
    if (pair != MPI_COMM_NULL)
        MPI_Comm_free(&pair);
    free(made);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
