/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of several threads at once come in order and unchanged, whatever way each of them goes:
 * through shared cache lines or by the network, by one VCI or another.  Each thread has a
 * communicator of its own, whose hints choose VCIs in all ways that there are, and tags of its own
 * in one that all threads use.  Messages are short and long, with and without gaps, some of them
 * synchronous, buffered, or cancelled.  They are received from anybody, from one, after probes, or
 * by receives that are there before.
 *
 * usage: order_threads [threads] [rounds]
 */
#include <sched.h>
#include "cmaptest.h"
#include "cmaptest_threads.h"

enum {
    EACH = 16,   /* most messages to each rank in a round */
    SHORT = 300, /* bytes */
    MIDDLE = 9000,
    LONG = 40000,
    THREADS = 8,
    TAGS = 3,     /* of a thread */
    DOUBTFUL = 6, /* messages that are cancelled */
    AFRESH = 8,   /* rounds with a communicator */
    DOUBT_TAG = 1000,
    VERDICT_TAG = 2000
};

enum style { ANYBODY, ONE, PROBED, MATCHED, POSTED, STYLES };

static int size, n_threads = 4, n_rounds = 60;
static MPI_Comm common;

/* VCIs follow from them. */
static const char *const hints[4][2] = {{NULL, NULL},
                                        {"mpi_assert_no_any_tag", NULL},
                                        {"mpi_assert_no_any_source", NULL},
                                        {"mpi_assert_no_any_tag", "mpi_assert_no_any_source"}};

/* Where a thread sends and receives. */
typedef struct place {
    MPI_Comm comm;
    bool from_anybody, any_tag; /* may a receive say so? */
    int first_tag;
    unsigned *sent, *got; /* messages, by rank and tag */
} place;

typedef struct thread {
    int number;
    ct_rng alike, mine; /* the same numbers on all ranks; others on each */
    place own, shared;
    char *out, *in;
    MPI_Request *requests;
} thread;

/* ---- what is sent ---- */

static unsigned mixed(unsigned a, unsigned b)
{
    unsigned x = (a + 1) * 2654435761u ^ (b + 7) * 2246822519u;

    x ^= x >> 15;
    x *= 2654435761u;
    return x ^ x >> 13;
}

/* Of message i with a tag, from a rank to another. */
static int length_of(int from, int to, int tag, unsigned i)
{
    unsigned kind = mixed(mixed(from, to), mixed(tag, i)), length = mixed(kind, 5);

    if (i / 50 % 2 == 0 || kind % 8 > 2)
        return sizeof(i) + (int) (length % SHORT);
    return sizeof(i) + (int) (length % (kind % 8 == 0 ? LONG - sizeof(i) : MIDDLE));
}

static void fill(char *bytes, int length, unsigned i)
{
    memcpy(bytes, &i, sizeof(i));
    for (int k = sizeof(i); k < length; k++)
        bytes[k] = (char) (i * 7 + k);
}

static void isend_with_gaps(char *room, int length, int to, int tag, unsigned i, MPI_Comm comm,
                            MPI_Request *request)
{
    char *bytes = ct_alloc(length, 1);

    fill(bytes, length, i);
    ct_isend_with_gaps(bytes, length, room, to, tag, comm, request);
    free(bytes);
}

static void isend(thread *t, place *p, int to, int tag, char *room, MPI_Request *request)
{
    unsigned i = p->sent[to * TAGS + tag - p->first_tag]++;
    int length = length_of(ct_me, to, tag, i), kind = ct_below(&t->mine, 16);

    *request = MPI_REQUEST_NULL;
    if (kind == 0) {
        isend_with_gaps(room, length, to, tag, i, p->comm, request);
        return;
    }
    fill(room, length, i);
    if (kind == 1)
        MPI_Issend(room, length, MPI_CHAR, to, tag, p->comm, request);
    else
        MPI_Isend(room, length, MPI_CHAR, to, tag, p->comm, request);
}

/* ---- what is received ---- */

static void check(place *p, const char *bytes, const MPI_Status *status)
{
    int from = status->MPI_SOURCE, tag = status->MPI_TAG, length;
    unsigned i = p->got[from * TAGS + tag - p->first_tag]++, number;

    MPI_Get_count(status, MPI_CHAR, &length);
    memcpy(&number, bytes, sizeof(number));
    CT_CHECK(number == i, "message %u of %d, tag %d, came as number %u", number, from, tag, i);
    CT_CHECK(length == length_of(from, ct_me, tag, i), "message %u of %d, tag %d: %d bytes", i,
             from, tag, length);
    for (int k = sizeof(i); k < length; k++) {
        if (bytes[k] != (char) (i * 7 + k)) {
            CT_CHECK(0, "message %u of %d, tag %d: byte %d is wrong", i, from, tag, k);
            break;
        }
    }
}

static void receive(place *p, enum style style, int source, int tag, char *room)
{
    MPI_Status status;
    MPI_Message message;
    int found = 0;

    if (style == MATCHED) {
        for (int tries = 0; tries < 3 && !found; tries++)
            MPI_Improbe(source, tag, p->comm, &found, &message, &status);
        if (!found)
            MPI_Mprobe(source, tag, p->comm, &message, &status);
        MPI_Mrecv(room, LONG, MPI_CHAR, &message, &status);
    } else {
        while (style == PROBED && !found) {
            MPI_Iprobe(source, tag, p->comm, &found, &status);
            if (!found)
                sched_yield();
        }
        if (style == PROBED) {
            source = status.MPI_SOURCE;
            tag = status.MPI_TAG;
        }
        MPI_Recv(room, LONG, MPI_CHAR, source, tag, p->comm, &status);
    }
    check(p, room, &status);
}

/* Nothing comes. */
static void cancelled_receive(place *p, char *room)
{
    MPI_Request request;
    MPI_Status status;
    int cancelled;

    MPI_Irecv(room, LONG, MPI_CHAR, p->from_anybody ? MPI_ANY_SOURCE : (ct_me + 1) % size,
              p->any_tag ? MPI_ANY_TAG : p->first_tag, p->comm, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    CT_CHECK(cancelled, "a receive for which nothing comes");
}

/* ---- rounds ---- */

static int source_for(const place *p, enum style style, int hop)
{
    return style == ONE || !p->from_anybody ? (ct_me + hop) % size : MPI_ANY_SOURCE;
}

static int tag_for(const place *p, int tag) { return p->any_tag ? MPI_ANY_TAG : tag; }

static void post(thread *t, place *p, enum style style, const int *tags, int each)
{
    for (int i = 0, n = 0; i < each; i++)
        for (int hop = 1; hop < size; hop++, n++)
            MPI_Irecv(t->in + (size_t) n * LONG, LONG, MPI_CHAR, source_for(p, style, hop),
                      tag_for(p, tags[i]), p->comm, &t->requests[n]);
}

/* The others are in the same round. */
static void one_round(thread *t, place *p)
{
    enum style style = (enum style) ct_below(&t->mine, STYLES);
    int each = 1 + ct_below(&t->alike, EACH), count = each * (size - 1), tags[EACH];
    MPI_Request *in = t->requests, *out = in + EACH * (size - 1);
    MPI_Status *status = ct_alloc(count, sizeof(*status));

    for (int i = 0; i < each; i++)
        tags[i] = p->first_tag + ct_below(&t->alike, TAGS);
    if (size > 1 && ct_below(&t->mine, 4) == 0)
        cancelled_receive(p, t->in);
    MPI_Barrier(t->own.comm);
    if (style == POSTED)
        post(t, p, style, tags, each);
    for (int i = 0, n = 0; i < each; i++)
        for (int hop = 1; hop < size; hop++, n++)
            isend(t, p, (ct_me + hop) % size, tags[i], t->out + (size_t) n * 2 * LONG, &out[n]);
    if (style == POSTED) {
        MPI_Waitall(count, in, status);
        for (int i = 0; i < count; i++)
            check(p, t->in + (size_t) i * LONG, &status[i]);
    } else {
        for (int i = 0; i < each; i++)
            for (int hop = 1; hop < size; hop++)
                receive(p, style, source_for(p, style, hop), tag_for(p, tags[i]), t->in);
    }
    MPI_Waitall(count, out, MPI_STATUSES_IGNORE);
    MPI_Barrier(t->own.comm);
    free(status);
}

/* Messages that are cancelled come, or are cancelled at once. */
static void doubtful(thread *t)
{
    int to = (ct_me + 1) % size, from = (ct_me + size - 1) % size, cancelled[DOUBTFUL];
    int theirs[DOUBTFUL], tag = DOUBT_TAG + t->number, ended;
    MPI_Status status;

    for (int i = 0; i < DOUBTFUL; i++) {
        char *room = t->out + (size_t) i * 2 * LONG;
        int kind = ct_below(&t->mine, 4), length = kind == 0 ? LONG : SHORT;

        fill(room, length, i);
        if (kind == 1)
            MPI_Issend(room, length, MPI_CHAR, to, tag, common, &t->requests[i]);
        else
            MPI_Isend(room, length, MPI_CHAR, to, tag, common, &t->requests[i]);
    }
    for (int i = DOUBTFUL - 1; i >= 0; i--) {
        MPI_Cancel(&t->requests[i]);
        MPI_Test(&t->requests[i], &ended, &status);
        cancelled[i] = 0;
        if (ended)
            MPI_Test_cancelled(&status, &cancelled[i]);
    }
    MPI_Sendrecv(cancelled, DOUBTFUL, MPI_INT, to, VERDICT_TAG + t->number, theirs, DOUBTFUL,
                 MPI_INT, from, VERDICT_TAG + t->number, common, MPI_STATUS_IGNORE);
    for (int i = 0; i < DOUBTFUL; i++) {
        unsigned got;

        if (theirs[i])
            continue;
        MPI_Recv(t->in, LONG, MPI_CHAR, from, tag, common, MPI_STATUS_IGNORE);
        memcpy(&got, t->in, sizeof(got));
        CT_CHECK(got == (unsigned) i, "thread %d: %u came instead of %d", t->number, got, i);
    }
    MPI_Waitall(DOUBTFUL, t->requests, MPI_STATUSES_IGNORE);
}

/* ---- threads ---- */

static void open_place(place *p, MPI_Comm comm, int first_tag)
{
    *p = (place){.comm = comm, .from_anybody = true, .any_tag = true, .first_tag = first_tag};
    p->sent = ct_alloc((size_t) size * TAGS, sizeof(*p->sent));
    p->got = ct_alloc((size_t) size * TAGS, sizeof(*p->got));
}

static void close_place(place *p)
{
    free(p->sent);
    free(p->got);
}

/* Another communicator, with other hints. */
static void afresh(thread *t)
{
    const char *const *hint = hints[ct_below(&t->alike, 4)];
    MPI_Comm old = t->own.comm, comm;
    MPI_Info info;

    MPI_Info_create(&info);
    for (int i = 0; i < 2 && hint[i]; i++)
        MPI_Info_set(info, hint[i], "true");
    MPI_Comm_dup_with_info(old, info, &comm);
    MPI_Info_free(&info);
    MPI_Comm_free(&old);
    close_place(&t->own);
    open_place(&t->own, comm, 0);
    for (int i = 0; i < 2 && hint[i]; i++) {
        t->own.any_tag = t->own.any_tag && strcmp(hint[i], "mpi_assert_no_any_tag") != 0;
        t->own.from_anybody =
            t->own.from_anybody && strcmp(hint[i], "mpi_assert_no_any_source") != 0;
    }
}

static MPI_Comm first_comms[THREADS];

static MTEST_THREAD_RETURN_TYPE work(void *number)
{
    thread *t = ct_alloc(1, sizeof(*t));
    size_t most = (size_t) EACH * (size > 1 ? size - 1 : 1);

    t->number = (int) (intptr_t) number;
    t->alike.state = 100 + t->number;
    t->mine.state = 1000 * (ct_me + 1) + t->number;
    t->out = ct_alloc(most, 2 * LONG);
    t->in = ct_alloc(most, LONG);
    t->requests = ct_alloc(2 * most, sizeof(*t->requests));
    open_place(&t->own, first_comms[t->number], 0);
    open_place(&t->shared, common, 10 + TAGS * t->number);
    t->shared.any_tag = false;
    for (int i = 0; i < n_rounds; i++) {
        if (i % AFRESH == 0) {
            afresh(t);
            doubtful(t);
        }
        one_round(t, ct_below(&t->alike, 3) ? &t->own : &t->shared);
    }
    MPI_Comm_free(&t->own.comm);
    close_place(&t->own);
    close_place(&t->shared);
    free(t->requests);
    free(t->in);
    free(t->out);
    free(t);
    return MTEST_THREAD_RETVAL_IGN;
}

int main(int argc, char **argv)
{
    ct_init_threads(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1)
        n_threads = atoi(argv[1]);
    if (argc > 2)
        n_rounds = atoi(argv[2]);
    MPI_Comm_dup(MPI_COMM_WORLD, &common);
    for (int i = 0; i < n_threads; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &first_comms[i]);
    ct_in_threads(n_threads, work);
    MPI_Comm_free(&common);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
