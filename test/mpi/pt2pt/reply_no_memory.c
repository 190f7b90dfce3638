/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A receiver has no memory for the answer that a synchronous message wants: the receive says so,
 * and does not wait for ever, also where the message came first.  Where the answer needs no memory
 * the message arrives.
 */
#include "cmaptest_poor.h"

enum { BYTES = 16, ROUNDS = 4 };
enum { DATA, SIGN };

static char sent[BYTES], got[BYTES];

/* Receives without memory; is_early: the message is here already. */
static int receive(int is_early, MPI_Request *request)
{
    int result = MPI_SUCCESS;

    *request = MPI_REQUEST_NULL;
    memset(got, 0, BYTES);
    if (!is_early)
        result = MPI_Irecv(got, BYTES, MPI_BYTE, 0, DATA, MPI_COMM_WORLD, request);
    MPI_Sendrecv(NULL, 0, MPI_BYTE, 0, SIGN, NULL, 0, MPI_BYTE, 0, SIGN, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    ct_poor_begin(CT_ALL_FAIL);
    if (is_early)
        result = MPI_Irecv(got, BYTES, MPI_BYTE, 0, DATA, MPI_COMM_WORLD, request);
    if (result == MPI_SUCCESS)
        result = MPI_Wait(request, MPI_STATUS_IGNORE);
    ct_poor_end();
    return result;
}

static void check(int is_early)
{
    MPI_Request request;
    int result;

    if (ct_me == 0) {
        if (!is_early)
            MPI_Recv(NULL, 0, MPI_BYTE, 1, SIGN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Issend(sent, BYTES, MPI_BYTE, 1, DATA, MPI_COMM_WORLD, &request);
        if (is_early)
            MPI_Recv(NULL, 0, MPI_BYTE, 1, SIGN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(NULL, 0, MPI_BYTE, 1, SIGN, MPI_COMM_WORLD);
        MPI_Recv(&result, 1, MPI_INT, 1, SIGN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (result == MPI_SUCCESS)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        else
            MPI_Request_free(&request);
    } else {
        result = receive(is_early, &request);
        if (result == MPI_SUCCESS)
            CT_CHECK(!memcmp(got, sent, BYTES), "early %d: wrong data", is_early);
        else if (request != MPI_REQUEST_NULL)
            MPI_Request_free(&request);
        MPI_Send(&result, 1, MPI_INT, 0, SIGN, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < BYTES; i++)
        sent[i] = i % 127 + 1;
    if (ct_can_be_poor()) {
        ct_connect_all();
        for (int i = 0; i < ROUNDS; i++) {
            for (int is_early = 0; is_early < 2; is_early++)
                check(is_early);
        }
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
