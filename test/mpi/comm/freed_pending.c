/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Comm_free only marks a communicator: what is pending on it goes on, and it lives until then.
 * Receives and sends that are pending while new communicators come and go, which take context ids
 * as they become free: nobody gets a message of another communicator, and every message of the
 * freed one arrives.
 *
 * Arguments: -rounds=N (default 3) -comms=N new communicators meanwhile (default 40)
 */
#include "cmaptest.h"

#define TAG 5
#define LARGE 300000 /* ints: its sender waits for the receiver */

static int size, next, previous, comms, key, deleted;

static int count_deleted(MPI_Comm comm, int keyval, void *value, void *unused)
{
    deleted++;
    return MPI_SUCCESS;
}

/* Has an attribute, by which one sees when it is no more. */
static MPI_Comm fresh_comm(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_attr(comm, key, NULL);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    deleted = 0;
    return comm;
}

/* With the rank and the tag that receives of the freed communicator wait for. */
static void use(MPI_Comm comm, int number)
{
    int sent = 1000 + number, got = -1;
    MPI_Status status;

    MPI_Sendrecv(&sent, 1, MPI_INT, next, TAG, &got, 1, MPI_INT, previous, TAG, comm, &status);
    CT_CHECK(got == sent, "new communicator %d: got %d, not %d", number, got, sent);
    MPI_Sendrecv(&sent, 1, MPI_INT, next, TAG, &got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm,
                 &status);
    CT_CHECK(got == sent && status.MPI_SOURCE == previous && status.MPI_TAG == TAG,
             "new communicator %d: got %d from %d with tag %d", number, got, status.MPI_SOURCE,
             status.MPI_TAG);
}

static void make_and_use(void)
{
    MPI_Comm *made = ct_alloc(comms, sizeof(MPI_Comm));

    for (int i = 0; i < comms; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &made[i]);
        use(made[i], i);
    }
    for (int i = 0; i < comms; i++)
        MPI_Comm_free(&made[i]);
    free(made);
}

static void expect_gone(const char *what)
{
    CT_CHECK(deleted == 1, "%s: the freed communicator is still there afterwards", what);
}

/* One receive names its sender, one takes everything; nobody sends, and a new communicator's
 * messages are not theirs. */
static void check_cancelled(void)
{
    MPI_Comm comm = fresh_comm();
    MPI_Request request[2];
    MPI_Status status;
    int got[2] = {-1, -1}, done, cancelled;

    MPI_Irecv(&got[0], 1, MPI_INT, previous, TAG, comm, &request[0]);
    MPI_Irecv(&got[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request[1]);
    MPI_Comm_free(&comm);
    CT_CHECK(deleted == 0, "a communicator goes with receives pending");
    make_and_use();
    for (int i = 0; i < 2; i++) {
        MPI_Test(&request[i], &done, &status);
        CT_CHECK(!done, "receive %d of a freed communicator got %d from a new one", i, got[i]);
        if (done)
            continue;
        MPI_Cancel(&request[i]);
        MPI_Wait(&request[i], &status);
        MPI_Test_cancelled(&status, &cancelled);
        CT_CHECK(cancelled, "receive %d is not cancelled", i);
    }
    expect_gone("cancelled");
}

/* The sends are started when the communicator is free already: a persistent request keeps it,
 * too. */
static void check_late_sends(void)
{
    MPI_Comm comm = fresh_comm();
    MPI_Request receive[2], send[2];
    MPI_Status status[2];
    int got[2] = {-1, -1}, sent[2] = {77, 78};

    for (int i = 0; i < 2; i++) {
        MPI_Send_init(&sent[i], 1, MPI_INT, next, TAG + i, comm, &send[i]);
        MPI_Irecv(&got[i], 1, MPI_INT, i ? MPI_ANY_SOURCE : previous, TAG + i, comm, &receive[i]);
    }
    MPI_Comm_free(&comm);
    make_and_use();
    MPI_Startall(2, send);
    make_and_use();
    MPI_Waitall(2, send, status);
    MPI_Waitall(2, receive, status);
    for (int i = 0; i < 2; i++) {
        CT_CHECK(got[i] == sent[i], "receive %d got %d, not %d", i, got[i], sent[i]);
        CT_CHECK(status[i].MPI_SOURCE == previous && status[i].MPI_TAG == TAG + i,
                 "receive %d: from %d with tag %d", i, status[i].MPI_SOURCE, status[i].MPI_TAG);
        MPI_Request_free(&send[i]);
    }
    expect_gone("received later");
}

/* Both sides are pending when the communicator is freed, and a third message finds its receive's
 * buffer too small. */
static void check_large(void)
{
    MPI_Comm comm = fresh_comm();
    MPI_Request request[4];
    MPI_Status status, statuses[2];
    int *in = ct_ints(LARGE), *out = ct_ints(LARGE), small, wrong = 0, result, class_;

    for (int i = 0; i < LARGE; i++)
        out[i] = i ^ ct_me;
    MPI_Isend(out, LARGE, MPI_INT, next, TAG, comm, &request[0]);
    MPI_Isend(out, LARGE, MPI_INT, next, TAG + 1, comm, &request[1]);
    MPI_Irecv(in, LARGE, MPI_INT, previous, TAG, comm, &request[2]);
    MPI_Irecv(&small, 1, MPI_INT, previous, TAG + 1, comm, &request[3]);
    MPI_Comm_free(&comm);
    make_and_use();
    MPI_Wait(&request[2], &status);
    for (int i = 0; i < LARGE; i++)
        wrong += in[i] != (i ^ previous);
    CT_CHECK(wrong == 0, "%d of %d numbers are wrong", wrong, LARGE);
    MPI_Waitall(2, request, statuses);
    result = MPI_Wait(&request[3], &status);
    MPI_Error_class(result, &class_);
    CT_CHECK(class_ == MPI_ERR_TRUNCATE, "a message that is too large gives class %d", class_);
    expect_gone("large messages");
    free(in);
    free(out);
}

/* Nobody waits for the receive. */
static void check_forgotten(void)
{
    MPI_Comm comm = fresh_comm();
    MPI_Request send, receive;
    int got = -1, sent = 79, unused;

    MPI_Send_init(&sent, 1, MPI_INT, next, TAG, comm, &send);
    MPI_Irecv(&got, 1, MPI_INT, previous, TAG, comm, &receive);
    MPI_Request_free(&receive);
    MPI_Comm_free(&comm);
    make_and_use();
    MPI_Start(&send);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Request_free(&send);
    make_and_use();
    while (deleted == 0) /* until the test's limit of time */
        MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_SELF, &unused, MPI_STATUS_IGNORE);
    CT_CHECK(got == sent, "a receive that nobody waits for got %d", got);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MTestArgList *args = MTestArgListCreate(argc, argv);
    int rounds = MTestArgListGetInt_with_default(args, "rounds", 3);

    comms = MTestArgListGetInt_with_default(args, "comms", 40);
    MTestArgListDestroy(args);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (ct_me + 1) % size;
    previous = (ct_me + size - 1) % size;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count_deleted, &key, NULL);
    for (int round = 0; round < rounds; round++) {
        check_cancelled();
        check_late_sends();
        check_large();
        if (size > 1) /* MPICH loses messages to oneself when their requests are freed */
            check_forgotten();
    }
    MPI_Comm_free_keyval(&key);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
