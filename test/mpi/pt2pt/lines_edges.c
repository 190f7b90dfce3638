/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Short messages through shared cache lines where something is unusual.  One completes a receive
 * whose type has been freed, and the function that deletes an attribute of the type receives and
 * sends itself.  One is cancelled while it waits for room.  Each message comes once and in order.
 * Where no message goes by lines nothing is tested: UCX alone has no calls inside its own.
 */
#include <sched.h>
#include "cmaptest_mpit.h"

enum { ROUNDS = 50, TRIES = 20000, MANY = 5000, PING, DATA, ASKED, ANSWER, LATER };

static int deleted;
static ct_pvar lines;

/* Until rank 1 sends by lines.  False: it never does. */
static int opens(void)
{
    int goes_on = 1, by_lines = 0;

    for (int i = 0; goes_on; i++) {
        long long before = ct_pvar_read(&lines);

        if (ct_me == 1) {
            MPI_Send(&by_lines, 1, MPI_INT, 0, PING, MPI_COMM_WORLD);
            by_lines = ct_pvar_read(&lines) > before;
            goes_on = !by_lines && i < TRIES;
            MPI_Send(&goes_on, 1, MPI_INT, 0, PING, MPI_COMM_WORLD);
            MPI_Recv(NULL, 0, MPI_INT, 0, PING, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&by_lines, 1, MPI_INT, 1, PING, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(&goes_on, 1, MPI_INT, 1, PING, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(NULL, 0, MPI_INT, 1, PING, MPI_COMM_WORLD);
        }
    }
    MPI_Bcast(&by_lines, 1, MPI_INT, 1, MPI_COMM_WORLD);
    return by_lines;
}

/* ---- a call inside a completion ---- */

static int receive_and_send(MPI_Datatype type, int keyval, void *value, void *unused)
{
    int asked = -1;

    MPI_Recv(&asked, 1, MPI_INT, 1, ASKED, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CT_CHECK(asked == deleted, "call %d got %d", deleted, asked);
    MPI_Send(&asked, 1, MPI_INT, 1, ANSWER, MPI_COMM_WORLD);
    deleted++;
    return MPI_SUCCESS;
}

static void receive(int round, int keyval)
{
    int data[3] = {-1, -1, -1}, got, found;
    MPI_Datatype type;
    MPI_Request request;

    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_set_attr(type, keyval, NULL);
    MPI_Irecv(data, 1, type, 1, DATA, MPI_COMM_WORLD, &request);
    MPI_Type_free(&type);
    CT_CHECK(deleted == round, "round %d: the type of a receive is gone", round);
    MPI_Send(NULL, 0, MPI_INT, 1, PING, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CT_CHECK(deleted == round + 1, "round %d: %d calls", round, deleted);
    CT_CHECK(data[0] == round && data[1] == -1 && data[2] == round + 1, "round %d: %d %d %d", round,
             data[0], data[1], data[2]);
    for (int i = 0; i < 3; i++) {
        MPI_Recv(&got, 1, MPI_INT, 1, LATER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CT_CHECK(got == i, "round %d: %d came as number %d", round, got, i);
    }
    MPI_Iprobe(1, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    CT_CHECK(!found, "round %d: a message too many", round);
}

static void send(int round)
{
    int data[2] = {round, round + 1}, answer;

    MPI_Recv(NULL, 0, MPI_INT, 0, PING, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(data, 2, MPI_INT, 0, DATA, MPI_COMM_WORLD);
    MPI_Send(&round, 1, MPI_INT, 0, ASKED, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++)
        MPI_Send(&i, 1, MPI_INT, 0, LATER, MPI_COMM_WORLD);
    MPI_Recv(&answer, 1, MPI_INT, 0, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CT_CHECK(answer == round, "round %d: the answer is %d", round, answer);
}

static void attributes(void)
{
    int keyval;

    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, receive_and_send, &keyval, NULL);
    for (int round = 0; round < ROUNDS && ct_errs == 0; round++) {
        if (ct_me == 0)
            receive(round, keyval);
        else
            send(round);
    }
    MPI_Type_free_keyval(&keyval);
}

/* ---- cancelled ---- */

/* Messages until one waits, which is cancelled; then as many as were to come. */
static void send_until_one_waits(volatile int *awake)
{
    static int sent[MANY];
    static MPI_Request requests[MANY];
    MPI_Status status;
    int n = 0, done = 1, cancelled;

    while (n < MANY && done) {
        sent[n] = n;
        MPI_Isend(&sent[n], 1, MPI_INT, 0, DATA, MPI_COMM_WORLD, &requests[n]);
        MPI_Request_get_status(requests[n++], &done, MPI_STATUS_IGNORE);
    }
    CT_CHECK(!done, "%d messages in a row, and none waits", n);
    MPI_Cancel(&requests[n - 1]);
    MPI_Wait(&requests[n - 1], &status);
    MPI_Test_cancelled(&status, &cancelled);
    CT_CHECK(cancelled, "message %d waits, and is not cancelled", n - 1);
    *awake = n;
    MPI_Waitall(n - 1, requests, MPI_STATUSES_IGNORE);
    MPI_Send(&n, 1, MPI_INT, 0, LATER, MPI_COMM_WORLD);
}

static void take_all_but_one(volatile int *awake)
{
    int got, found;

    /* not inside MPI: no message is taken */
    while (*awake == 0)
        sched_yield();
    for (int i = 0; i < *awake - 1; i++) {
        MPI_Recv(&got, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CT_CHECK(got == i, "%d came as number %d", got, i);
    }
    MPI_Recv(&got, 1, MPI_INT, 1, LATER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Iprobe(1, DATA, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    CT_CHECK(!found, "a message that was cancelled");
}

static void cancelled(void)
{
    MPI_Win win;
    MPI_Aint bytes;
    int *awake, unit;

    MPI_Win_allocate_shared(ct_me == 0 ? sizeof(int) : 0, sizeof(int), MPI_INFO_NULL,
                            MPI_COMM_WORLD, &awake, &win);
    MPI_Win_shared_query(win, 0, &bytes, &unit, &awake);
    if (ct_me == 0)
        *awake = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (ct_me == 0)
        take_all_but_one(awake);
    else
        send_until_one_waits(awake);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    ct_mpit_begin();
    if (ct_pvar_find("ucx_lines", &lines)) {
        if (opens())
            attributes();
        if (opens())
            cancelled();
        ct_pvar_close(&lines);
    }
    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
