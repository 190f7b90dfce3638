/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Scatterv, gatherv and alltoallv where something is unusual: a taker that expects more or fewer
 * elements than come, short and long, and what a message would do happens; a process without
 * memory; a communicator that is revoked while calls wait; and a collective of which a member takes
 * nothing, which does not wait.  After lengths that differ, the communicator works.
 */
#include "cmaptest_poor.h"
#include "cmaptest_small.h"

enum { MOST = 5000, GUARD = -5 };

static int size, buffer[MOST], counts[256], places[256];

static void same_counts(int n)
{
    for (int m = 0; m < size; m++) {
        counts[m] = n;
        places[m] = 0;
    }
}

/* ---- lengths ---- */

/* Rank 0 gives `sent` elements to each, and the others expect `expected`. */
static int scatterv(int sent, int expected, int blocking, MPI_Comm comm, int *into)
{
    MPI_Request request;
    int n = ct_me == 0 ? sent : expected, err;

    same_counts(sent);
    if (blocking)
        return MPI_Scatterv(buffer, counts, places, MPI_INT, into, n, MPI_INT, 0, comm);
    err = MPI_Iscatterv(buffer, counts, places, MPI_INT, into, n, MPI_INT, 0, comm, &request);
    return err ? err : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void differ(int sent, int expected, int blocking)
{
    MPI_Comm comm = ct_with_lines();
    int *into = ct_ints(MOST), err, fits = ct_me == 0 || sent <= expected;

    for (int i = 0; i < MOST; i++) {
        buffer[i] = i + 1;
        into[i] = GUARD;
    }
    err = scatterv(sent, expected, blocking, comm, into);
    CT_CHECK(ct_class_of(err) == (fits ? MPI_SUCCESS : MPI_ERR_TRUNCATE),
             "%d sent, %d expected, blocking %d: the error is %d", sent, expected, blocking,
             ct_class_of(err));
    for (int i = 0; i < MOST && fits && ct_errs == 0; i++)
        CT_CHECK(into[i] == (i < sent ? i + 1 : GUARD),
                 "%d sent, %d expected, blocking %d: element %d is %d", sent, expected, blocking, i,
                 into[i]);
    for (int i = expected; i < MOST && !fits && ct_errs == 0; i++)
        CT_CHECK(into[i] == GUARD, "%d sent, %d expected: written behind the end", sent, expected);
    ct_still_sums(comm, "after lengths that differ");
    free(into);
    MPI_Comm_free(&comm);
}

static void differ_in_all_ways(void)
{
    static const int lengths[] = {1, 7, 900, 4000};

    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            differ(lengths[i], lengths[k], 0);
            differ(lengths[i], lengths[k], 1);
        }
}

/* Parts that go by messages find each other. */
static void check_messages(MPI_Comm comm, const char *when)
{
    int *out = ct_ints(MOST * size), *into = ct_ints(MOST * size), wrong = 0;
    MPI_Request request;

    for (int m = 0; m < size; m++) {
        counts[m] = MOST;
        places[m] = m * MOST;
        out[places[m]] = ct_me * size + m;
    }
    MPI_Ialltoallv(out, counts, places, MPI_INT, into, counts, places, MPI_INT, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int m = 0; m < size; m++)
        wrong += into[places[m]] != m * size + ct_me;
    CT_CHECK(wrong == 0, "%s: %d parts are wrong", when, wrong);
    free(out);
    free(into);
}

/* A scatter of short parts is another operation than one of long parts. */
static void differ_in_kind(int sent, int expected)
{
    MPI_Comm comm = ct_with_lines();
    int *out = ct_ints(sent * size), *into = ct_ints(MOST), err, n = ct_me == 0 ? sent : expected;
    MPI_Request request;

    err = MPI_Iscatter(out, n, MPI_INT, into, n, MPI_INT, 0, comm, &request);
    if (err == MPI_SUCCESS)
        err = MPI_Wait(&request, MPI_STATUS_IGNORE);
    CT_CHECK(ct_class_of(err) == (ct_me == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE),
             "scatter: %d sent, %d expected: the error is %d", sent, expected, ct_class_of(err));
    ct_still_sums(comm, "after a scatter of lengths that differ");
    check_messages(comm, "after a scatter of lengths that differ");
    free(out);
    free(into);
    MPI_Comm_free(&comm);
}

/* ---- no memory ---- */

static void poor(int who, int allowed, int n)
{
    MPI_Comm comm = ct_with_lines();
    int *to = ct_ints(n * size), err;

    for (int m = 0; m < size; m++) {
        counts[m] = n;
        places[m] = m * n;
    }
    for (int i = 0; i < n; i++)
        buffer[i] = ct_me * 10 + i;
    if (ct_me == who)
        ct_poor_begin_after(allowed);
    err = MPI_Gatherv(buffer, n, MPI_INT, to, counts, places, MPI_INT, size - 1, comm);
    ct_poor_end();
    CT_CHECK(err == MPI_SUCCESS, "%d without memory after %d, %d ints: error %d", who, allowed, n,
             ct_class_of(err));
    for (int i = 0; i < n * size && ct_me == size - 1 && ct_errs == 0; i++)
        CT_CHECK(to[i] == i / n * 10 + i % n, "%d without memory: element %d is %d", who, i, to[i]);
    ct_still_sums(comm, "after a process had no memory");
    free(to);
    MPI_Comm_free(&comm);
}

/* ---- a revoked communicator ---- */

/* The others wait for rank 0, which never comes. */
static void revoked(int n)
{
    MPI_Comm comm = ct_with_lines();
    MPI_Request request = MPI_REQUEST_NULL;
    int *to = ct_ints(n), err = MPI_SUCCESS;

    same_counts(n);
    if (ct_me != 0)
        err = MPI_Iscatterv(buffer, counts, places, MPI_INT, to, n, MPI_INT, 0, comm, &request);
    CT_CHECK(err == MPI_SUCCESS, "%d ints before the revocation: error %d", n, ct_class_of(err));
    MPI_Barrier(MPI_COMM_WORLD);
    if (ct_me == 0)
        MPIX_Comm_revoke(comm);
    if (ct_me != 0)
        err = MPI_Wait(&request, MPI_STATUS_IGNORE);
    CT_CHECK(ct_me == 0 || ct_class_of(err) == MPIX_ERR_REVOKED, "%d ints, revoked: error %d", n,
             ct_class_of(err));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    free(to);
}

/* ---- nothing to take ---- */

/* Rank 0 sends to rank 1 alone, after a message that the others send when they have left. */
static void waits_for_nobody(void)
{
    MPI_Comm comm = ct_with_lines();
    int n = ct_me == 1 ? 3 : 0, got[3] = {0};

    same_counts(0);
    counts[size > 1] = 3;
    if (ct_me == 0)
        for (int m = 2; m < size; m++)
            MPI_Recv(NULL, 0, MPI_INT, m, 1, comm, MPI_STATUS_IGNORE);
    MPI_Scatterv(buffer, counts, places, MPI_INT, got, size > 1 ? n : 3, MPI_INT, 0, comm);
    if (ct_me > 1)
        MPI_Send(NULL, 0, MPI_INT, 0, 1, comm);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (ct_is_one_node(MPI_COMM_WORLD)) { /* messages do not always tell */
        differ_in_all_ways();
        differ_in_kind(1, 3000);
    }
    for (int n = 4; n < 4000; n += 1500) {
        for (int who = 0; who < size; who++)
            for (int allowed = 0; allowed < 4; allowed++)
                poor(who, allowed, n);
        revoked(n);
    }
    waits_for_nobody();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
