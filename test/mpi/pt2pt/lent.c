/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of all lengths from each process to the next one, with and without gaps on either side,
 * synchronous or not, received before or after they come, by name, from any source and by matched
 * probes.  With recovery those inside a node are lent above 8 KB.  Short and long ones of one tag
 * come in order, one that is cut off says so, and one whose request was freed arrives.
 */
#include "cmaptest_mpit.h"

enum { MOST = (2 << 20) + 5, IN_ORDER = 60, TAG = 3 };

static const int lengths[] = {0,     1,      4096,   8184,   8185,   16384, 65535,
                              65536, 131071, 131072, 131073, 300001, MOST};

typedef struct {
    int length, sent_gaps, received_gaps, is_sync, is_late, way;
} message_t;

enum { NAMED, ANY, MATCHED, WAYS };

static unsigned char *sent, *received;
static MPI_Datatype gapped; /* a byte of two */
static int next, previous;

static unsigned char value_at(int rank, int length, int i)
{
    return (unsigned char) (rank * 31 + length + i + i / 251);
}

static void send(const message_t *m, MPI_Request *request)
{
    int stride = 1 + m->sent_gaps;

    for (int i = 0; i < m->length; i++)
        sent[stride * i] = value_at(ct_me, m->length, i);
    (m->is_sync ? MPI_Issend : MPI_Isend)(sent, m->length, m->sent_gaps ? gapped : MPI_BYTE, next,
                                          TAG, MPI_COMM_WORLD, request);
}

static void begin_receive(const message_t *m, MPI_Request *request)
{
    MPI_Datatype type = m->received_gaps ? gapped : MPI_BYTE;
    int source = m->way == ANY ? MPI_ANY_SOURCE : previous, count;
    MPI_Message message;
    MPI_Status status;

    memset(received, 0, 2 * (size_t) m->length);
    if (m->way != MATCHED) {
        MPI_Irecv(received, m->length, type, source, TAG, MPI_COMM_WORLD, request);
        return;
    }
    MPI_Mprobe(source, TAG, MPI_COMM_WORLD, &message, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    CT_CHECK(count == m->length, "a probe finds %d of %d bytes", count, m->length);
    MPI_Imrecv(received, m->length, type, &message, request);
}

static int wrong_bytes(const message_t *m)
{
    int stride = 1 + m->received_gaps, wrong = 0;

    for (int i = 0; i < m->length; i++) {
        wrong += received[stride * i] != value_at(previous, m->length, i);
        wrong += m->received_gaps && received[stride * i + 1] != 0;
    }
    return wrong;
}

static void exchange(const message_t *m)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int count, found = 0;

    if (!m->is_late && m->way != MATCHED)
        begin_receive(m, &requests[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    send(m, &requests[1]);
    while (m->is_late && !found)
        MPI_Iprobe(previous, TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    if (m->is_late || m->way == MATCHED)
        begin_receive(m, &requests[0]);
    MPI_Waitall(2, requests, statuses);
    MPI_Get_count(&statuses[0], MPI_BYTE, &count);
    CT_CHECK(count == m->length && statuses[0].MPI_SOURCE == previous && !wrong_bytes(m),
             "%d bytes, gaps %d %d, sync %d, late %d, way %d: %d bytes of %d, %d wrong", m->length,
             m->sent_gaps, m->received_gaps, m->is_sync, m->is_late, m->way, count,
             statuses[0].MPI_SOURCE, wrong_bytes(m));
}

static void all_kinds(void)
{
    for (size_t l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
        for (int kind = 0; kind < 16 * WAYS; kind++) {
            const message_t m = {lengths[l],    kind & 1,      kind >> 1 & 1,
                                 kind >> 2 & 1, kind >> 3 & 1, kind >> 4};
            exchange(&m);
        }
    }
}

static void in_order(void)
{
    MPI_Request requests[IN_ORDER];
    MPI_Status status;
    int count;

    for (int i = 0; i < IN_ORDER; i++)
        MPI_Isend(sent, i % 3 ? i : 5000 * i, MPI_BYTE, next, TAG, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < IN_ORDER; i++) {
        MPI_Recv(received, MOST, MPI_BYTE, i % 2 ? previous : MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD,
                 &status);
        MPI_Get_count(&status, MPI_BYTE, &count);
        CT_CHECK(count == (i % 3 ? i : 5000 * i), "message %d has %d bytes", i, count);
    }
    MPI_Waitall(IN_ORDER, requests, MPI_STATUSES_IGNORE);
}

static void cut_off(int length, int room)
{
    MPI_Request request;
    int error, class;

    MPI_Isend(sent, length, MPI_BYTE, next, TAG, MPI_COMM_WORLD, &request);
    error = MPI_Recv(received, room, MPI_BYTE, previous, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Error_class(error, &class);
    CT_CHECK(class == MPI_ERR_TRUNCATE, "%d bytes in %d: class %d", length, room, class);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void freed(void)
{
    const message_t m = {MOST, 0, 0, 0, 0, NAMED};
    MPI_Request requests[2];

    begin_receive(&m, &requests[0]);
    send(&m, &requests[1]);
    MPI_Request_free(&requests[1]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    CT_CHECK(!wrong_bytes(&m), "a message whose request was freed is wrong");
    MPI_Barrier(MPI_COMM_WORLD); /* the next process has it, too */
}

int main(int argc, char **argv)
{
    ct_pvar loans;
    long long before = 0;
    int has_loans, size;

    MTest_Init(&argc, &argv);
    ct_mpit_begin();
    has_loans = ct_pvar_find("ucx_loans", &loans);
    if (has_loans)
        before = ct_pvar_read(&loans);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    next = (ct_me + 1) % size;
    previous = (ct_me + size - 1) % size;
    sent = malloc(2 * MOST);
    received = malloc(2 * MOST);
    MPI_Type_create_resized(MPI_BYTE, 0, 2, &gapped);
    MPI_Type_commit(&gapped);
    all_kinds();
    in_order();
    for (size_t l = 1; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
        cut_off(lengths[l], 0);
        cut_off(lengths[l], lengths[l] / 2);
        cut_off(lengths[l], lengths[l] - 1);
    }
    freed();
    if (ct_is_one_node(MPI_COMM_WORLD) && has_loans && argc > 1)
        CT_CHECK(ct_pvar_read(&loans) > before, "no message was lent");
    if (has_loans)
        ct_pvar_close(&loans);
    MPI_Type_free(&gapped);
    free(sent);
    free(received);
    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
