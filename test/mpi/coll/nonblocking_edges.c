/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Nonblocking collectives of short data where something is wrong: a process without memory, which
 * then waits in the call, and all have their results; lengths that differ, also with one that is
 * too long for lines; and a communicator that is revoked while operations wait.
 */
#include "cmaptest_poor.h"

enum { OPEN = 9, MOST = 2000 };

static int size;

/* Two collectives, from which on the communicator has lines. */
static MPI_Comm with_lines(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Barrier(comm);
    MPI_Barrier(comm);
    return comm;
}

static void check_sum(MPI_Comm comm, const char *when)
{
    int all = -1, err = MPI_Allreduce(&ct_me, &all, 1, MPI_INT, MPI_SUM, comm);

    CT_CHECK(err == MPI_SUCCESS && all == size * (size - 1) / 2, "%s: the sum is %d", when, all);
}

/* ---- no memory ---- */

static void poor(int who, int allowed)
{
    MPI_Comm comm = with_lines();
    MPI_Request requests[OPEN];
    int in[OPEN], out[OPEN];

    for (int i = 0; i < OPEN; i++) {
        in[i] = ct_me + i;
        out[i] = -1;
    }
    if (ct_me == who)
        ct_poor_begin_after(allowed);
    for (int i = 0; i < OPEN; i++) {
        int err = MPI_Iallreduce(&in[i], &out[i], 1, MPI_INT, MPI_SUM, comm, &requests[i]);

        CT_CHECK(err == MPI_SUCCESS, "%d without memory after %d: call %d fails", who, allowed, i);
        if (err)
            requests[i] = MPI_REQUEST_NULL;
    }
    MPI_Waitall(OPEN, requests, MPI_STATUSES_IGNORE);
    ct_poor_end();
    for (int i = 0; i < OPEN; i++)
        CT_CHECK(out[i] == size * i + size * (size - 1) / 2,
                 "%d without memory after %d: sum %d is %d", who, allowed, i, out[i]);
    check_sum(comm, "after a process had no memory");
    MPI_Comm_free(&comm);
}

/* ---- lengths ---- */

/* Rank 0 has `mine` elements, the others `theirs`. */
static void differ(int mine, int theirs)
{
    static int in[MOST], out[MOST];
    MPI_Comm comm = with_lines();
    MPI_Request request;
    int err = MPI_Iallreduce(in, out, ct_me == 0 ? mine : theirs, MPI_INT, MPI_SUM, comm, &request);

    if (err == MPI_SUCCESS)
        err = MPI_Wait(&request, MPI_STATUS_IGNORE);
    CT_CHECK(size == 1 || ct_class_of(err) == MPI_ERR_TRUNCATE,
             "lengths %d and %d: the error is %d", mine, theirs, ct_class_of(err));
    check_sum(comm, "after lengths that differ");
    MPI_Comm_free(&comm);
}

/* In what goes by messages, the other lengths are seen by who expects short data. */
static void differ_from_long(void)
{
    static int data[MOST];
    MPI_Comm comm = with_lines();
    MPI_Request request;
    int err = MPI_Ibcast(data, ct_me == 0 ? MOST : 3, MPI_INT, 0, comm, &request);

    if (err == MPI_SUCCESS)
        err = MPI_Wait(&request, MPI_STATUS_IGNORE);
    CT_CHECK(ct_me == 0 || ct_class_of(err) == MPI_ERR_TRUNCATE,
             "a long broadcast: the error is %d", ct_class_of(err));
    check_sum(comm, "after a long broadcast");
    MPI_Comm_free(&comm);
}

/* ---- revoked ---- */

/* Nobody else calls them, so that they wait; more than may begin. */
static void revoked(void)
{
    MPI_Comm comm = with_lines();
    MPI_Request requests[OPEN];
    int sums[OPEN];

    if (ct_me == 0) {
        for (int i = 0; i < OPEN; i++)
            MPI_Iallreduce(&ct_me, &sums[i], 1, MPI_INT, MPI_SUM, comm, &requests[i]);
        MPI_Send(NULL, 0, MPI_INT, size - 1, 0, MPI_COMM_WORLD);
        for (int i = 0; i < OPEN; i++) {
            int err = MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
            CT_CHECK(ct_class_of(err) == MPIX_ERR_REVOKED, "request %d: the error is %d", i,
                     ct_class_of(err));
        }
    } else if (ct_me == size - 1) {
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPIX_Comm_revoke(comm);
    }
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int who = 0; who < size; who++)
        for (int allowed = 0; allowed < 12; allowed++)
            poor(who, allowed);
    differ(1, 2);
    differ(0, 1);
    differ(3, 100);
    differ(500, 1);
    differ_from_long();
    for (int round = 0; round < 20 && size > 1; round++)
        revoked();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
