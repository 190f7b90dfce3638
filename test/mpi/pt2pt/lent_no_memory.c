/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allocations fail while long and synchronous messages are sent, received and given back, which
 * are lent with recovery.  The call says so or the message arrives; nobody waits for ever.  A
 * receive that was an error is waited for again when there is memory, and has its data.
 *
 * With -from all allocations from one on fail.
 *
 * yaksa takes memory to pack and unpack gaps and does not look whether it has got it.  So a send
 * with gaps lacks its first allocation alone, and a receive with gaps none.
 */
#include "cmaptest_poor.h"

enum { SHORT = 20, MOST = 200000, DATA = 1, SIGN = 2, ALLOCATIONS = 20 };

typedef struct {
    int length, sent_gaps, received_gaps, is_sync, is_early;
} message_t;

static const int lengths[] = {SHORT, 20000, MOST};

static char *sent, *received;
static MPI_Datatype gapped; /* a byte of two */

static void sign(int *value)
{
    if (ct_me == 0)
        MPI_Send(value, 1, MPI_INT, 1, SIGN, MPI_COMM_WORLD);
    else
        MPI_Recv(value, 1, MPI_INT, 0, SIGN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void sign_back(int *value)
{
    if (ct_me == 1)
        MPI_Send(value, 1, MPI_INT, 0, SIGN, MPI_COMM_WORLD);
    else
        MPI_Recv(value, 1, MPI_INT, 1, SIGN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int begin_send(const message_t *m, MPI_Request *request)
{
    return (m->is_sync ? MPI_Issend : MPI_Isend)(sent, m->length, m->sent_gaps ? gapped : MPI_BYTE,
                                                 1, DATA, MPI_COMM_WORLD, request);
}

static int begin_receive(const message_t *m, MPI_Request *request)
{
    memset(received, 0, 2 * MOST);
    return MPI_Irecv(received, m->length, m->received_gaps ? gapped : MPI_BYTE, 0, DATA,
                     MPI_COMM_WORLD, request);
}

static void check_data(const message_t *m)
{
    int wrong = 0;

    for (int i = 0; i < m->length; i++)
        wrong += received[i * (1 + m->received_gaps)] != sent[i * (1 + m->sent_gaps)];
    CT_CHECK(!wrong, "%d bytes, gaps %d %d, sync %d: %d are wrong", m->length, m->sent_gaps,
             m->received_gaps, m->is_sync, wrong);
}

/* The receive is there before.  Returns how many allocations failed. */
static int send_without(const message_t *m, int n)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int result = MPI_SUCCESS, refused = 0, is_cancelled;
    MPI_Status status;

    if (ct_me == 1)
        begin_receive(m, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (ct_me == 0) {
        ct_poor_begin(n);
        result = begin_send(m, &request);
        if (result == MPI_SUCCESS)
            result = MPI_Wait(&request, MPI_STATUS_IGNORE);
        refused = ct_poor_end();
        ct_check_class(result, refused, "a send", 0, n);
        if (request != MPI_REQUEST_NULL)
            MPI_Request_free(&request);
    }
    sign(&result);
    if (ct_me == 1) {
        if (result != MPI_SUCCESS)
            MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &is_cancelled);
        if (!is_cancelled)
            check_data(m);
    }
    return refused;
}

static int receive_without(const message_t *m, int n)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int result = MPI_SUCCESS, refused = 0, found = 0;

    if (ct_me == 1 && m->is_early)
        begin_receive(m, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (ct_me == 0)
        begin_send(m, &request);
    while (ct_me == 1 && !m->is_early && !found)
        MPI_Iprobe(0, DATA, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    if (ct_me == 1) {
        ct_poor_begin(n);
        if (!m->is_early)
            result = begin_receive(m, &request);
        if (result == MPI_SUCCESS)
            result = MPI_Wait(&request, MPI_STATUS_IGNORE);
        refused = ct_poor_end();
        ct_check_class(result, refused, "a receive", 1, n);
        if (result != MPI_SUCCESS && request == MPI_REQUEST_NULL)
            result = begin_receive(m, &request);
        if (request != MPI_REQUEST_NULL)
            result = MPI_Wait(&request, MPI_STATUS_IGNORE);
        CT_CHECK(result == MPI_SUCCESS, "a receive fails with all the memory");
        check_data(m);
    }
    sign_back(&result);
    if (ct_me == 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    return refused;
}

static int each_allocation(const message_t *m, int (*without)(const message_t *, int), int most)
{
    int refused = 1, all = 0;

    for (int n = 1; n <= most && refused > 0; n++) {
        refused = ct_outcome_of(MPI_SUCCESS, 1, without(m, n)).refused;
        all += refused;
    }
    return all;
}

int main(int argc, char **argv)
{
    int refused = 0;

    MTest_Init(&argc, &argv);
    if (argc > 1)
        ct_poor_mode(argv[1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    sent = malloc(2 * MOST);
    received = malloc(2 * MOST);
    for (int i = 0; i < 2 * MOST; i++)
        sent[i] = (char) (i % 127 + 1);
    MPI_Type_create_resized(MPI_BYTE, 0, 2, &gapped);
    MPI_Type_commit(&gapped);
    if (ct_can_be_poor()) {
        ct_connect_all();
        for (int kind = 0; kind < 16 * 3; kind++) {
            const message_t m = {lengths[kind / 16], kind & 1, kind >> 1 & 1, kind >> 2 & 1,
                                 kind >> 3 & 1};
            if (!m.sent_gaps || m.length > SHORT)
                refused += each_allocation(&m, send_without, m.sent_gaps ? 1 : ALLOCATIONS);
            if (!m.received_gaps)
                refused += each_allocation(&m, receive_without, ALLOCATIONS);
        }
        CT_CHECK(refused > 0, "no allocation has failed");
    }
    MPI_Type_free(&gapped);
    free(sent);
    free(received);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
