/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel begins to refuse copies (of all processes, or with -one of rank 1 alone) while long
 * and synchronous messages are lent: received ones, such as wait for a receive, and such as come
 * later.  All arrive, in their order, with and without gaps, and a synchronous one does not end
 * before its receive.
 */
#include "cmaptest_mpit.h"
#include "cmaptest_refuse.h"

enum { MOST = 300000, SENT = 12, TAG = 3, ROUNDS = 3 };

static const int lengths[] = {9000, 200000, 1, 131072, 50000, 8185, MOST, 0, 131071};

static unsigned char *sent[SENT], *received[SENT];
static MPI_Datatype gapped; /* a byte of two */
static int size, next, previous;

static int length_of(int round, int i)
{
    return lengths[(unsigned) (i * 5 + round) % (sizeof(lengths) / sizeof(lengths[0]))];
}

static int sent_gaps(int i) { return i % 2; }
static int received_gaps(int i) { return i / 2 % 2; }
static int is_sync(int i) { return i % 3 == 1; }

static unsigned char value_at(int rank, int round, int message, int i)
{
    return (unsigned char) (rank * 31 + round * 7 + message * 3 + i + i / 251);
}

static void send(int round, int i, MPI_Request *request)
{
    const int stride = 1 + sent_gaps(i), length = length_of(round, i);

    for (int k = 0; k < length; k++)
        sent[i][stride * k] = value_at(ct_me, round, i, k);
    (is_sync(i) ? MPI_Issend : MPI_Isend)(sent[i], length, sent_gaps(i) ? gapped : MPI_BYTE, next,
                                          TAG, MPI_COMM_WORLD, request);
}

static void receive(int i, MPI_Request *request)
{
    MPI_Message message;
    MPI_Datatype type = received_gaps(i) ? gapped : MPI_BYTE;

    memset(received[i], 0, 2 * MOST);
    if (i % 5 == 4) {
        MPI_Mprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Imrecv(received[i], MOST, type, &message, request);
    } else {
        MPI_Irecv(received[i], MOST, type, previous, TAG, MPI_COMM_WORLD, request);
    }
}

static void check(int round, int i, const MPI_Status *status)
{
    const int stride = 1 + received_gaps(i), length = length_of(round, i);
    int count, wrong = 0;

    MPI_Get_count(status, MPI_BYTE, &count);
    for (int k = 0; k < length; k++) {
        wrong += received[i][stride * k] != value_at(previous, round, i, k);
        wrong += stride > 1 && received[i][stride * k + 1] != 0;
    }
    CT_CHECK(count == length && status->MPI_SOURCE == previous && status->MPI_TAG == TAG && !wrong,
             "round %d, message %d of %d bytes: %d bytes with tag %d of %d, %d wrong", round, i,
             length, count, status->MPI_TAG, status->MPI_SOURCE, wrong);
}

/* is_early: the receives come first. */
static void exchange(int round, int is_early, int refuses)
{
    MPI_Request sends[SENT], receives[SENT];
    MPI_Status statuses[SENT];
    int found = 0, is_over;

    for (int i = 0; is_early && i < SENT; i++) {
        if (i % 5 != 4)
            receive(i, &receives[i]);
    }
    if (refuses && is_early)
        ct_refuse_copies();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < SENT; i++) {
        if (!is_early || i % 5 != 4)
            send(round, i, &sends[i]);
    }
    while (!is_early && !found)
        MPI_Iprobe(previous, TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    if (refuses && !is_early)
        ct_refuse_copies();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; !is_early && i < SENT; i++) {
        MPI_Test(&sends[i], &is_over, MPI_STATUS_IGNORE);
        CT_CHECK(!is_over || !is_sync(i), "round %d: synchronous message %d ends early", round, i);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < SENT; i++) {
        if (is_early && i % 5 == 4)
            send(round, i, &sends[i]);
        if (!is_early || i % 5 == 4)
            receive(i, &receives[i]);
    }
    MPI_Waitall(SENT, receives, statuses);
    MPI_Waitall(SENT, sends, MPI_STATUSES_IGNORE);
    for (int i = 0; i < SENT; i++)
        check(round, i, &statuses[i]);
}

int main(int argc, char **argv)
{
    const int is_early = argc > 1 && strstr(argv[1], "early") != NULL;
    const int is_one = argc > 1 && strstr(argv[1], "one") != NULL;
    ct_pvar loans;
    long long before = 0;
    int has_loans;

    MTest_Init(&argc, &argv);
    ct_mpit_begin();
    has_loans = ct_pvar_find("ucx_loans", &loans);
    if (has_loans)
        before = ct_pvar_read(&loans);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (ct_me + 1) % size;
    previous = (ct_me + size - 1) % size;
    for (int i = 0; i < SENT; i++) {
        sent[i] = malloc(2 * MOST);
        received[i] = malloc(2 * MOST);
    }
    MPI_Type_create_resized(MPI_BYTE, 0, 2, &gapped);
    MPI_Type_commit(&gapped);
    for (int round = 0; round < ROUNDS; round++) {
        exchange(round, is_early, round == 1 && (!is_one || ct_me == 1));
        exchange(round, !is_early, 0);
    }
    if (has_loans) {
        CT_CHECK(ct_pvar_read(&loans) > before, "no message was lent");
        ct_pvar_close(&loans);
    }
    MPI_Type_free(&gapped);
    for (int i = 0; i < SENT; i++) {
        free(sent[i]);
        free(received[i]);
    }
    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
