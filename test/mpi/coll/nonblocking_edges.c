/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Nonblocking collectives of short data where something is unusual: a process without memory, and
 * all have their results; lengths that differ, also with one that is too long for lines; a
 * communicator that is revoked while operations wait, or before a persistent one is started; a
 * function that deletes an attribute while operations wait, and calls MPI; and more operations than
 * may begin at once, of which one begins while its process waits for a window.
 */
#include "cmaptest_poor.h"
#include "cmaptest_small.h"

enum { OPEN = 9, MOST = 2000 };

static int size;

/* ---- no memory ---- */

static void poor(int who, int allowed)
{
    MPI_Comm comm = ct_with_lines();
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
    ct_still_sums(comm, "after a process had no memory");
    MPI_Comm_free(&comm);
}

/* ---- lengths ---- */

/* Rank 0 has `mine` elements, the others `theirs`. */
static void differ(int mine, int theirs)
{
    static int in[MOST], out[MOST];
    MPI_Comm comm = ct_with_lines();
    MPI_Request request;
    int err = MPI_Iallreduce(in, out, ct_me == 0 ? mine : theirs, MPI_INT, MPI_SUM, comm, &request);

    if (err == MPI_SUCCESS)
        err = MPI_Wait(&request, MPI_STATUS_IGNORE);
    CT_CHECK(size == 1 || ct_class_of(err) == MPI_ERR_TRUNCATE,
             "lengths %d and %d: the error is %d", mine, theirs, ct_class_of(err));
    ct_still_sums(comm, "after lengths that differ");
    MPI_Comm_free(&comm);
}

/* In what goes by messages, the other lengths are seen by who expects short data.  Nobody receives
 * what rank 0 sends then: it may wait until the communicator is revoked. */
static void differ_from_long(void)
{
    static int data[MOST];
    MPI_Comm comm = ct_with_lines();
    MPI_Request request;
    int err = MPI_Ibcast(data, ct_me == 0 ? MOST : 3, MPI_INT, 0, comm, &request);

    if (err == MPI_SUCCESS && ct_me > 0)
        err = MPI_Wait(&request, MPI_STATUS_IGNORE);
    CT_CHECK(ct_me == 0 || ct_class_of(err) == MPI_ERR_TRUNCATE,
             "a long broadcast: the error is %d", ct_class_of(err));
    ct_still_sums(comm, "after a long broadcast");
    MPIX_Comm_revoke(comm); /* before it is freed: who knows drops what comes */
    if (ct_me == 0)
        err = MPI_Wait(&request, MPI_STATUS_IGNORE);
    CT_CHECK(ct_me > 0 || err == MPI_SUCCESS || ct_class_of(err) == MPIX_ERR_REVOKED,
             "a long broadcast that nobody receives: the error is %d", ct_class_of(err));
    MPI_Comm_free(&comm);
}

/* ---- revoked ---- */

/* Nobody else calls them, so that they wait; more than may begin. */
static void revoked(void)
{
    MPI_Comm comm = ct_with_lines();
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

/* Rank 0 starts one on a communicator that is revoked. */
static void start_of_revoked(void)
{
    MPI_Comm comm = ct_with_lines();
    MPI_Request request;
    int sum, err;

    MPI_Allreduce_init(&ct_me, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (ct_me == 0)
        MPIX_Comm_revoke(comm);
    if (ct_me == 0) {
        err = MPI_Start(&request);
        if (err == MPI_SUCCESS)
            err = MPI_Wait(&request, MPI_STATUS_IGNORE);
        CT_CHECK(ct_class_of(err) == MPIX_ERR_REVOKED, "a start: the error is %d",
                 ct_class_of(err));
    }
    MPI_Request_free(&request);
    MPI_Comm_free(&comm);
}

/* ---- functions of the user, and waits for others ---- */

static int receive_from_last(MPI_Datatype type, int keyval, void *value, void *comm)
{
    MPI_Recv(NULL, 0, MPI_INT, size - 1, 7, *(MPI_Comm *) comm, MPI_STATUS_IGNORE);
    MPI_Send(NULL, 0, MPI_INT, size - 1, 8, *(MPI_Comm *) comm);
    return MPI_SUCCESS;
}

/* A barrier that waits for the last process, and behind it a broadcast whose type goes with it:
 * rank 0 receives a message meanwhile, which the last one sends after the barrier's call. */
static void attribute_deleted_meanwhile(MPI_Comm comm, MPI_Comm other, int keyval)
{
    MPI_Datatype type;
    MPI_Request requests[3];
    int data[3] = {ct_me, -1, ct_me};

    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    if (ct_me == 0)
        MPI_Type_set_attr(type, keyval, NULL);
    if (ct_me == size - 1)
        MPI_Recv(NULL, 0, MPI_INT, 0, 9, other, MPI_STATUS_IGNORE);
    MPI_Ibarrier(comm, &requests[0]);
    if (ct_me == size - 1) {
        MPI_Send(NULL, 0, MPI_INT, 0, 7, other);
        MPI_Recv(NULL, 0, MPI_INT, 0, 8, other, MPI_STATUS_IGNORE);
    }
    MPI_Ibcast(data, 1, type, 1, comm, &requests[1]);
    if (ct_me == 0)
        MPI_Send(NULL, 0, MPI_INT, size - 1, 9, other);
    MPI_Type_free(&type);
    MPI_Ibarrier(comm, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    CT_CHECK(data[0] == 1 && data[1] == -1 && data[2] == 1, "broadcast: %d %d %d", data[0], data[1],
             data[2]);
}

static void attributes(void)
{
    MPI_Comm comm = ct_with_lines(), other;
    int keyval;

    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, receive_from_last, &keyval, &other);
    for (int round = 0; round < 50 && ct_errs == 0; round++)
        attribute_deleted_meanwhile(comm, other, keyval);
    MPI_Type_free_keyval(&keyval);
    MPI_Comm_free(&other);
    MPI_Comm_free(&comm);
}

/* Rank 0 waits in MPI_Win_wait for rank 1, which completes its collectives first. */
static void window_meanwhile(void)
{
    MPI_Comm comm = ct_with_lines();
    MPI_Request requests[OPEN];
    MPI_Group all, partner;
    MPI_Win win;
    int sums[OPEN], *memory, other = 1 - ct_me;

    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, &win);
    MPI_Comm_group(comm, &all);
    for (int i = 0; i < OPEN; i++)
        MPI_Iallreduce(&ct_me, &sums[i], 1, MPI_INT, MPI_SUM, comm, &requests[i]);
    if (ct_me < 2)
        MPI_Group_incl(all, 1, &other, &partner);
    if (ct_me == 0) {
        MPI_Win_post(partner, 0, win);
        MPI_Win_wait(win);
    }
    MPI_Waitall(OPEN, requests, MPI_STATUSES_IGNORE);
    if (ct_me == 1) {
        MPI_Win_start(partner, 0, win);
        MPI_Put(&ct_me, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_complete(win);
    }
    for (int i = 0; i < OPEN; i++)
        CT_CHECK(sums[i] == size * (size - 1) / 2, "sum %d is %d", i, sums[i]);
    if (ct_me < 2)
        MPI_Group_free(&partner);
    MPI_Group_free(&all);
    MPI_Win_free(&win);
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
    if (ct_is_one_node(MPI_COMM_WORLD)) { /* messages do not tell all members */
        differ(1, 2);
        differ(0, 1);
        differ(3, 100);
        differ(500, 1);
        differ_from_long();
    }
    for (int round = 0; round < 20 && size > 1; round++)
        revoked();
    start_of_revoked();
    for (int round = 0; round < 20 && size > 1; round++)
        window_meanwhile();
    /* with messages the broadcast may come by way of the last process, which has not called yet */
    if (size > 2 && ct_is_one_node(MPI_COMM_WORLD))
        attributes();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
