/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Communicators come and go a hundred thousand times while others stay: creation never fails,
 * messages stay apart, and the highest context id in use stays below twice what was ever taken at
 * once, and 16: the communicators alive, and for each the ids that it has set aside for its
 * duplicates.  (It may also have set one aside for its next child.)
 *
 * Arguments: -cycles=N (default 100000)  -live=N (long-lived ones, default 50)
 *   -block=N (the value of MPIR_CVAR_CTXID_BLOCK, default 16)
 */
#include "cmaptest_mpit.h"

#define SHORT_LIVED 6

static ct_pvar highest;
static int sees_highest;
static int set_aside;     /* most ids of one communicator */
static ct_rng rng = {17}; /* the same on all ranks */

static MPI_Comm child_of(MPI_Comm parent, int kind)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request request;

    if (kind == 0) {
        MPI_Comm_split(parent, 0, -ct_me, &made);
    } else if (kind == 1) {
        MPI_Comm_idup(parent, &made, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Comm_dup(parent, &made);
    }
    return made;
}

/* Each has a message of its own under way; none may take another's. */
static void check_apart(MPI_Comm comm[], int n)
{
    int rank, size, *got = ct_ints(n);
    MPI_Request *request = ct_alloc(n, sizeof(MPI_Request));

    for (int i = 0; i < n; i++) {
        MPI_Comm_rank(comm[i], &rank);
        MPI_Comm_size(comm[i], &size);
        MPI_Irecv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm[i], &request[i]);
    }
    for (int i = n - 1; i >= 0; i--) {
        MPI_Comm_rank(comm[i], &rank);
        MPI_Comm_size(comm[i], &size);
        MPI_Send(&i, 1, MPI_INT, (rank + 1) % size, 3, comm[i]);
    }
    MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; i++)
        CT_CHECK(got[i] == i, "the message of communicator %d came through %d", got[i], i);
    free(got);
    free(request);
}

static void check_bound(int peak)
{
    long long end = sees_highest ? ct_pvar_read(&highest) : 0;

    CT_CHECK(end <= 2 * peak * (1 + set_aside) + 16,
             "context id %lld in use, with never more than %d communicators", end, peak);
}

/* The oldest of the short-lived goes, a new one comes, from any that is alive. */
static void churn(MPI_Comm alive[], int live, int cycles)
{
    int n = live + SHORT_LIVED;

    for (int i = 0; i < cycles; i++) {
        int slot = live + i % SHORT_LIVED;
        int parent = ct_below(&rng, n);
        MPI_Comm made = child_of(alive[parent], ct_below(&rng, 40));
        MPI_Comm_free(&alive[slot]);
        alive[slot] = made;
        if (i % 5000 == 0) {
            /* a long-lived one after all */
            int k = ct_below(&rng, live);
            MPI_Comm_free(&alive[k]);
            MPI_Comm_dup(made, &alive[k]);
            check_apart(alive, n);
            check_bound(n + 3);
        }
    }
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    ct_mpit_begin();
    MTestArgList *args = MTestArgListCreate(argc, argv);
    int cycles = MTestArgListGetInt_with_default(args, "cycles", 100000);
    int live = MTestArgListGetInt_with_default(args, "live", 50);
    int block = MTestArgListGetInt_with_default(args, "block", 16);
    MTestArgListDestroy(args);
    set_aside = block > 1 ? block : 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    sees_highest = ct_pvar_find("ctxid_highest", &highest);

    int n = live + SHORT_LIVED;
    MPI_Comm *alive = ct_alloc(n, sizeof(MPI_Comm));
    for (int i = 0; i < n; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &alive[i]);
    churn(alive, live, cycles);
    check_apart(alive, n);
    for (int i = 0; i < n; i++)
        MPI_Comm_free(&alive[i]);
    check_bound(n + 3);
    free(alive);

    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
