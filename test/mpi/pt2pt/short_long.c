/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Short and long messages of one sender come in order, by whatever way each of them goes: inside a
 * node short ones may go through shared cache lines, and others not.  All ranks send to each other
 * at once, with and without gaps, synchronous or not; they receive from anybody, from one, or by
 * matched probes, in time or late.
 */
#include <unistd.h>
#include "cmaptest_mpit.h"

enum { ROUNDS = 120, MOST = 24, LONGEST = 40000, STYLES = 4, TAGS = 5 };

static int me, size;

static unsigned mixed(unsigned a, unsigned b, unsigned c)
{
    unsigned x = a * 2654435761u ^ b * 40503u ^ c * 2246822519u;

    x ^= x >> 15;
    x *= 2654435761u;
    return x ^ x >> 13;
}

/* Length of message i of a sender, from 8 bytes: rounds of short ones, then of all kinds. */
static int length_of(int from, int to, unsigned i)
{
    unsigned kind = mixed(from, to, i), length = mixed(i, from, to + 77);

    if (i / 200 % 2 == 0)
        return 8 + length % 57;
    if (kind % 8 == 0)
        return 8 + length % (LONGEST - 8);
    return kind % 8 < 3 ? 8 + length % 9000 : 8 + length % 300;
}

static void fill(char *bytes, int length, unsigned i)
{
    memcpy(bytes, &i, sizeof(i));
    for (int k = sizeof(i); k < length; k++)
        bytes[k] = (char) (i + k);
}

static void check(const char *bytes, const MPI_Status *status, unsigned *next)
{
    int from = status->MPI_SOURCE, length;
    unsigned i = next[from]++, got;

    MPI_Get_count(status, MPI_CHAR, &length);
    memcpy(&got, bytes, sizeof(got));
    CT_CHECK(got == i, "message %u of %d came as number %u", got, from, i);
    CT_CHECK(length == length_of(from, me, i), "message %u of %d: %d bytes", i, from, length);
    CT_CHECK(status->MPI_TAG == (int) (i % TAGS), "message %u of %d: tag %d", i, from,
             status->MPI_TAG);
    for (int k = sizeof(i); k < length; k++) {
        if (bytes[k] != (char) (i + k)) {
            CT_CHECK(0, "message %u of %d: byte %d is wrong", i, from, k);
            break;
        }
    }
}

static void isend_with_gaps(char *room, int length, int to, int tag, unsigned i, MPI_Request *req)
{
    char *bytes = malloc(length);

    fill(bytes, length, i);
    ct_isend_with_gaps(bytes, length, room, to, tag, MPI_COMM_WORLD, req);
    free(bytes);
}

static void isend(char *room, int to, unsigned i, MPI_Request *req)
{
    int length = length_of(me, to, i), tag = i % TAGS;
    unsigned kind = mixed(to, i, me) % 16;

    if (kind == 0) {
        isend_with_gaps(room, length, to, tag, i, req);
        return;
    }
    fill(room, length, i);
    if (kind == 1)
        MPI_Issend(room, length, MPI_CHAR, to, tag, MPI_COMM_WORLD, req);
    else
        MPI_Isend(room, length, MPI_CHAR, to, tag, MPI_COMM_WORLD, req);
}

static void receive(char *room, int count, int style, unsigned *next)
{
    MPI_Status status;
    MPI_Message message;

    for (int i = 0; i < count; i++) {
        int source = style == 1 ? (me + 1 + i % (size - 1)) % size : MPI_ANY_SOURCE;

        if (style == 2) {
            MPI_Mprobe(source, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
            MPI_Mrecv(room, LONGEST, MPI_CHAR, &message, &status);
        } else {
            MPI_Recv(room, LONGEST, MPI_CHAR, source, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        }
        check(room, &status, next);
    }
}

static void rounds(void)
{
    int most = MOST * (size - 1);
    char *sent = malloc((size_t) most * 2 * LONGEST), *room = malloc((size_t) most * LONGEST);
    MPI_Request *out = malloc(2 * most * sizeof(*out)), *in = out + most;
    MPI_Status *status = malloc(most * sizeof(*status));
    unsigned *next = calloc(size, sizeof(*next)), number = 0;

    for (int round = 0; round < ROUNDS; round++) {
        int style = round % STYLES, each = 1 + (int) (mixed(round, 5, 5) % MOST), n = 0;
        int count = each * (size - 1);

        if (style == 0) {
            for (int i = 0; i < count; i++)
                MPI_Irecv(room + (size_t) i * LONGEST, LONGEST, MPI_CHAR, MPI_ANY_SOURCE,
                          MPI_ANY_TAG, MPI_COMM_WORLD, &in[i]);
        }
        /* nobody is in the next round, whose messages any receive would take */
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < each; i++, number++) {
            for (int hop = 1; hop < size; hop++, n++)
                isend(sent + (size_t) n * 2 * LONGEST, (me + hop) % size, number, &out[n]);
        }
        if (style == 3)
            usleep(1000 * (me % 2));
        if (style == 0) {
            MPI_Waitall(count, in, status);
            for (int i = 0; i < count; i++)
                check(room + (size_t) i * LONGEST, &status[i], next);
        } else {
            receive(room, count, style, next);
        }
        MPI_Waitall(count, out, MPI_STATUSES_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    free(next);
    free(status);
    free(out);
    free(room);
    free(sent);
}

/* More than any queue has room for, to one who is not there yet; the last is cancelled. */
static void to_a_late_one(void)
{
    enum { MANY = 300 };
    static int sent[MANY], got;
    MPI_Request request[MANY];
    MPI_Status status;
    int cancelled = 0;

    if (me == 0) {
        for (int i = 0; i < MANY; i++) {
            sent[i] = i;
            MPI_Isend(&sent[i], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[i]);
        }
        MPI_Cancel(&request[MANY - 1]);
        MPI_Wait(&request[MANY - 1], &status);
        MPI_Test_cancelled(&status, &cancelled);
        MPI_Waitall(MANY - 1, request, MPI_STATUSES_IGNORE);
        MPI_Send(&cancelled, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    } else if (me == 1) {
        usleep(20000);
        for (int i = 0; i < MANY - 1; i++) {
            MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CT_CHECK(got == i, "%d came as number %d", got, i);
        }
        MPI_Recv(&cancelled, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (!cancelled) {
            MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CT_CHECK(got == MANY - 1, "%d came last", got);
        }
    }
}

/* Who has freed its requests goes to MPI_Finalize at once. */
static void before_the_end(void)
{
    enum { MANY = 300 };
    static int sent[MANY];
    static char longer[LONGEST];
    MPI_Request request;
    int got;

    if (me == 0) {
        for (int i = 0; i < MANY; i++) {
            sent[i] = i;
            MPI_Isend(&sent[i], 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
            MPI_Request_free(&request);
        }
        MPI_Isend(longer, LONGEST, MPI_CHAR, 1, 3, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
    } else if (me == 1) {
        usleep(20000);
        MPI_Recv(longer, LONGEST, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < MANY; i++) {
            MPI_Recv(&got, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CT_CHECK(got == i, "%d came as number %d", got, i);
        }
    }
}

/* Lines lead to the processes of a node only. */
static int shares_a_node(void)
{
    MPI_Comm node;
    int here;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &here);
    MPI_Comm_free(&node);
    return here > 1;
}

int main(int argc, char **argv)
{
    ct_pvar lines;
    int has_lines, wants_lines = argc > 1;

    MTest_Init(&argc, &argv);
    ct_mpit_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    wants_lines = wants_lines && ct_lines_are_on() && shares_a_node();
    has_lines = ct_pvar_find("ucx_lines", &lines);
    rounds();
    to_a_late_one();
    if (has_lines) {
        long long sent = ct_pvar_read(&lines);

        CT_CHECK(!wants_lines || sent > 0, "%lld messages went by lines", sent);
        ct_pvar_close(&lines);
    }
    ct_mpit_end();
    before_the_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
