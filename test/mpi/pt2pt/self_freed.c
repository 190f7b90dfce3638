/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A process sends to itself, frees the request of the send or of the receive, and then lets the
 * message arrive. Other requests take the place of a freed one if it does not exist any more.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { MESSAGES = 20, OTHERS = 100, WORDS = 500 };

static int sent[MESSAGES][WORDS], got[MESSAGES][WORDS];
static MPI_Comm self;

static void fill(int turn)
{
    memset(got, 0, sizeof(got));
    for (int i = 0; i < MESSAGES; i++)
        for (int k = 0; k < WORDS; k++)
            sent[i][k] = (turn * MESSAGES + i) * WORDS + k;
}

static void check_all(const char *what)
{
    for (int i = 0; i < MESSAGES; i++)
        CT_CHECK(!memcmp(sent[i], got[i], sizeof(got[i])), "%s: message %d is another", what, i);
}

/* Requests that stay for a while. */
static void take_requests(MPI_Request requests[])
{
    static int unused;

    for (int i = 0; i < OTHERS; i++)
        MPI_Irecv(&unused, 1, MPI_INT, 0, 1000 + i, MPI_COMM_SELF, &requests[i]);
}

static void give_requests(MPI_Request requests[])
{
    for (int i = 0; i < OTHERS; i++) {
        MPI_Cancel(&requests[i]);
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
}

static void free_sends(int turn)
{
    MPI_Request request, others[OTHERS];

    fill(turn);
    for (int i = 0; i < MESSAGES; i++) {
        MPI_Isend(sent[i], WORDS, MPI_INT, 0, i, self, &request);
        MPI_Request_free(&request);
    }
    take_requests(others);
    for (int i = 0; i < MESSAGES; i++) {
        MPI_Message message;
        MPI_Status status;
        int count;

        if (i % 2) {
            MPI_Mprobe(0, i, self, &message, &status);
            MPI_Mrecv(got[i], WORDS, MPI_INT, &message, &status);
        } else {
            MPI_Recv(got[i], WORDS, MPI_INT, 0, i, self, &status);
        }
        MPI_Get_count(&status, MPI_INT, &count);
        CT_CHECK(count == WORDS && status.MPI_TAG == i, "message %d: %d integers, tag %d", i, count,
                 status.MPI_TAG);
    }
    check_all("freed sends");
    give_requests(others);
}

static void free_receives(int turn)
{
    MPI_Request request, others[OTHERS];

    fill(turn);
    for (int i = 0; i < MESSAGES; i++) {
        MPI_Irecv(got[i], WORDS, MPI_INT, 0, i, self, &request);
        MPI_Request_free(&request);
    }
    take_requests(others);
    for (int i = 0; i < MESSAGES; i++)
        MPI_Send(sent[i], WORDS, MPI_INT, 0, i, self);
    check_all("freed receives");
    give_requests(others);
}

static void free_persistent_sends(int turn)
{
    MPI_Request requests[MESSAGES], others[OTHERS];

    fill(turn);
    for (int i = 0; i < MESSAGES; i++)
        MPI_Send_init(sent[i], WORDS, MPI_INT, 0, i, self, &requests[i]);
    MPI_Startall(MESSAGES, requests);
    for (int i = 0; i < MESSAGES; i++)
        MPI_Request_free(&requests[i]);
    take_requests(others);
    for (int i = 0; i < MESSAGES; i++)
        MPI_Recv(got[i], WORDS, MPI_INT, 0, i, self, MPI_STATUS_IGNORE);
    check_all("freed persistent sends");
    give_requests(others);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    for (int turn = 0; turn < 10; turn++) {
        free_sends(turn);
        free_receives(turn);
        free_persistent_sends(turn);
    }
    MPI_Comm_free(&self);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
