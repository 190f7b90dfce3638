/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each process sends many messages of all lengths to each, itself among them, before anybody
 * receives: standard, synchronous, persistent and buffered ones, with and without gaps.  They are
 * received in orders that are drawn: by name, from any source, with any tag, and by matched probes
 * of which several are open.  Each message has its own bytes, and those of one sender and tag come
 * in order.  With recovery the long and the synchronous ones are lent.
 */
#include "cmaptest_mpit.h"

enum { TAGS = 3, MOST = 200001, OPEN = 5 };
enum { NAMED, ANY_SOURCE, ANY_TAG, ANY, PROBED, PROBED_ANY, WAYS };
enum { STANDARD, SYNCHRONOUS, PERSISTENT, BUFFERED, FREED, KINDS };

static const int lengths[] = {0, 1, 40, 3000, 8184, 8185, 20000, 70000, 131071, 131072, MOST};

static int size, messages, round_now;
static unsigned seed = 1;
static MPI_Comm comm;
static MPI_Datatype gapped; /* a byte of two */

static unsigned draw(unsigned a, unsigned b, unsigned c, unsigned d)
{
    unsigned x = seed * 2654435761u ^ a * 40503u ^ b * 2246822519u ^ c * 3266489917u ^
                 d * 668265263u ^ (unsigned) round_now * 374761393u;

    for (int i = 0; i < 3; i++) {
        x ^= x >> 15;
        x *= 2246822519u;
        x ^= x >> 13;
        x *= 3266489917u;
    }
    return x ^ x >> 16;
}

typedef struct {
    int from, to, k, length, tag, kind, has_gaps;
} message_t;

static message_t message_of(int from, int to, int k)
{
    const unsigned x = draw(from, to, k, 1);
    message_t m = {from, to, k, lengths[x % 11], x / 16 % TAGS, x / 64 % KINDS, x / 512 % 2};

    if (m.to == m.from && m.kind == BUFFERED)
        m.kind = STANDARD;
    return m;
}

static void fill(unsigned char *at, const message_t *m, int stride)
{
    unsigned char first = (unsigned char) draw(m->from, m->to, m->k, 2);

    for (int i = 0; i < m->length; i++)
        at[stride * i] = (unsigned char) (first + i + i / 251);
}

static int wrong_bytes(const unsigned char *at, const message_t *m, int stride)
{
    unsigned char first = (unsigned char) draw(m->from, m->to, m->k, 2);
    int wrong = 0;

    for (int i = 0; i < m->length; i++)
        wrong += at[stride * i] != (unsigned char) (first + i + i / 251);
    return wrong;
}

/* ---- sends ---- */

typedef struct {
    MPI_Request request;
    unsigned char *bytes;
    int is_persistent;
} send_t;

static void begin_send(const message_t *m, send_t *s)
{
    const int stride = 1 + m->has_gaps;
    MPI_Datatype type = m->has_gaps ? gapped : MPI_BYTE;

    s->bytes = malloc((size_t) stride * m->length + 1);
    s->is_persistent = m->kind == PERSISTENT;
    fill(s->bytes, m, stride);
    switch (m->kind) {
        case SYNCHRONOUS:
            MPI_Issend(s->bytes, m->length, type, m->to, m->tag, comm, &s->request);
            break;
        case PERSISTENT:
            MPI_Send_init(s->bytes, m->length, type, m->to, m->tag, comm, &s->request);
            MPI_Start(&s->request);
            break;
        case BUFFERED:
            MPI_Ibsend(s->bytes, m->length, type, m->to, m->tag, comm, &s->request);
            break;
        default:
            MPI_Isend(s->bytes, m->length, type, m->to, m->tag, comm, &s->request);
            if (m->kind == FREED)
                MPI_Request_free(&s->request);
    }
}

/* ---- receives ---- */

static int *next_of; /* by sender and tag, the next message */

/* What the next message of this sender and tag is. */
static message_t expected(int from, int tag)
{
    int *next = &next_of[from * TAGS + tag];
    message_t m = {.from = -1};

    while (*next < messages && (m = message_of(from, ct_me, *next)).tag != tag)
        ++*next;
    if (*next == messages)
        m.from = -1;
    ++*next;
    return m;
}

static void check(const unsigned char *at, int stride, const MPI_Status *status, int way)
{
    const message_t m = expected(status->MPI_SOURCE, status->MPI_TAG);
    int count;

    MPI_Get_count(status, MPI_BYTE, &count);
    CT_CHECK(m.from >= 0 && count == m.length,
             "seed %u, round %d, way %d: %d bytes of %d with tag %d instead of %d", seed, round_now,
             way, count, status->MPI_SOURCE, status->MPI_TAG, m.length);
    if (m.from >= 0 && count == m.length)
        CT_CHECK(!wrong_bytes(at, &m, stride),
                 "seed %u, round %d, way %d: message %d of %d, %d bytes, kind %d: %d are wrong",
                 seed, round_now, way, m.k, m.from, m.length, m.kind, wrong_bytes(at, &m, stride));
}

/* Numbers of all messages to this process, in an order that is drawn. */
static int *shuffled(int n)
{
    int *order = malloc(n * sizeof(int));

    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = (int) (draw(ct_me, i, n, 3) % (unsigned) (i + 1)), x = order[i];
        order[i] = order[j];
        order[j] = x;
    }
    return order;
}

static void receive_all(int way)
{
    const int n = size * messages, open = way >= PROBED ? OPEN : n;
    int *order = shuffled(n);
    MPI_Request *requests = malloc(n * sizeof(MPI_Request));
    MPI_Status *statuses = malloc(n * sizeof(MPI_Status));
    unsigned char **room = malloc(n * sizeof(*room));

    for (int i = 0; i < n; i++) {
        const message_t m = message_of(order[i] / messages, ct_me, order[i] % messages);
        int source = way == ANY_SOURCE || way == ANY || way == PROBED_ANY ? MPI_ANY_SOURCE : m.from;
        int tag = way == ANY_TAG || way == ANY || way == PROBED_ANY ? MPI_ANY_TAG : m.tag;
        int stride = 1 + i % 2, number = MOST;
        MPI_Datatype type = i % 2 ? gapped : MPI_BYTE;
        MPI_Message message;

        if (way >= PROBED) {
            MPI_Mprobe(source, tag, comm, &message, &statuses[i]);
            MPI_Get_count(&statuses[i], MPI_BYTE, &number);
        }
        room[i] = malloc((size_t) number * stride + 1);
        if (way >= PROBED)
            MPI_Imrecv(room[i], number, type, &message, &requests[i]);
        else
            MPI_Irecv(room[i], number, type, source, tag, comm, &requests[i]);
        if (i % open == open - 1 || i == n - 1) {
            int first = i / open * open;

            MPI_Waitall(i - first + 1, requests + first, statuses + first);
            for (int j = first; j <= i; j++) {
                check(room[j], 1 + j % 2, &statuses[j], way);
                free(room[j]);
            }
        }
    }
    free(order);
    free(requests);
    free(statuses);
    free(room);
}

static void all_to_all(void)
{
    const int n = size * messages, way = (int) (draw(9, 9, 9, 4) % WAYS);
    send_t *sends = calloc(n, sizeof(send_t));

    memset(next_of, 0, size * TAGS * sizeof(int));
    /* the members duplicate it and free it while its messages are under way */
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int k = 0; k < messages; k++) {
        for (int i = 0; i < size; i++) {
            const int to = (ct_me + i * (1 + k % 2)) % size;
            const message_t m = message_of(ct_me, size % 2 ? to : (ct_me + i) % size, k);

            begin_send(&m, &sends[m.to * messages + k]);
        }
    }
    receive_all(way);
    MPI_Comm_free(&comm);
    for (int i = 0; i < n; i++) {
        MPI_Wait(&sends[i].request, MPI_STATUS_IGNORE);
        if (sends[i].is_persistent)
            MPI_Request_free(&sends[i].request);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* all that were freed have arrived */
    for (int i = 0; i < n; i++)
        free(sends[i].bytes);
    free(sends);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 12, bytes;
    char *buffer;

    MTest_Init(&argc, &argv);
    messages = argc > 2 ? atoi(argv[2]) : 8;
    seed = argc > 3 ? (unsigned) atoi(argv[3]) : 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_create_resized(MPI_BYTE, 0, 2, &gapped);
    MPI_Type_commit(&gapped);
    next_of = malloc(size * TAGS * sizeof(int));
    bytes = 2 * size * messages * (MOST + MPI_BSEND_OVERHEAD);
    buffer = malloc(bytes);
    MPI_Buffer_attach(buffer, bytes);
    for (round_now = 0; round_now < rounds; round_now++)
        all_to_all();
    MPI_Buffer_detach(&buffer, &bytes);
    free(buffer);
    free(next_of);
    MPI_Type_free(&gapped);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
