/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Arrays of persistent requests of every kind: sends, receives, partitioned ones and all
 * collectives. Each call that takes an array of requests completes each of them once, without an
 * error, and delivers the data; and once more, when all are inactive, it says so. With "long" the
 * blocks have 3,000 elements instead of two.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { GROUP = 16, ROOM = 64, PARTS = 2, TAG = 5 };

static MPI_Comm ring;
static int size, count, left, right;

/* ---- the requests ---- */

static MPI_Request requests[ROOM];
static int n_requests, n_collectives;

/* What one request sends and receives: a block for each rank. */
static struct {
    int *send, *receive;
} buffers[ROOM];

static int counts[GROUP], at[GROUP], bytes_at[GROUP];
static MPI_Aint far_at[GROUP];
static MPI_Datatype types[GROUP];

static void new_buffers(void)
{
    buffers[n_requests].send = ct_ints(GROUP * count);
    buffers[n_requests].receive = ct_ints(GROUP * count);
    n_requests++;
}

static void equal_blocks(void)
{
    for (int i = 0; i < GROUP; i++) {
        counts[i] = count;
        at[i] = i * count;
        bytes_at[i] = i * count * (int) sizeof(int);
        far_at[i] = bytes_at[i];
        types[i] = MPI_INT;
    }
}

#define ADD(name, ...) \
    do { \
        int *send, *receive; \
        new_buffers(); \
        send = buffers[n_requests - 1].send; \
        receive = buffers[n_requests - 1].receive; \
        (void) send; \
        (void) receive; \
        CT_CHECK(MPI_##name##_init(__VA_ARGS__, &requests[n_requests - 1]) == MPI_SUCCESS, \
                 "MPI_" #name "_init fails"); \
    } while (0)

#define ONE count, MPI_INT
#define EACH counts, at, MPI_INT
#define SUM MPI_INT, MPI_SUM
#define TAIL ring, MPI_INFO_NULL

/* The sends go to the right; each receive is behind its send. */
static void add_messages(void)
{
    ADD(Send, send, ONE, right, TAG, ring);
    ADD(Recv, receive, ONE, left, TAG, ring);
    ADD(Ssend, send, ONE, right, TAG + 1, ring);
    ADD(Recv, receive, ONE, left, TAG + 1, ring);
    ADD(Bsend, send, ONE, right, TAG + 2, ring);
    ADD(Recv, receive, ONE, left, TAG + 2, ring);
    ADD(Psend, send, PARTS, count / PARTS, MPI_INT, right, TAG + 3, TAIL);
    ADD(Precv, receive, PARTS, count / PARTS, MPI_INT, left, TAG + 3, TAIL);
}

static void add_collectives(void)
{
    n_collectives = n_requests;
    ADD(Allreduce, send, receive, count, SUM, TAIL);
    ADD(Barrier, TAIL);
    ADD(Bcast, receive, ONE, 0, TAIL);
    ADD(Gather, send, ONE, receive, ONE, 0, TAIL);
    ADD(Gatherv, send, ONE, receive, EACH, 0, TAIL);
    ADD(Scatter, send, ONE, receive, ONE, 0, TAIL);
    ADD(Scatterv, send, EACH, receive, ONE, 0, TAIL);
    ADD(Allgather, send, ONE, receive, ONE, TAIL);
    ADD(Allgatherv, send, ONE, receive, EACH, TAIL);
    ADD(Alltoall, send, ONE, receive, ONE, TAIL);
    ADD(Alltoallv, send, EACH, receive, EACH, TAIL);
    ADD(Alltoallw, send, counts, bytes_at, types, receive, counts, bytes_at, types, TAIL);
    ADD(Reduce, send, receive, count, SUM, size - 1, TAIL);
    ADD(Reduce_scatter, send, receive, counts, SUM, TAIL);
    ADD(Reduce_scatter_block, send, receive, count, SUM, TAIL);
    ADD(Scan, send, receive, count, SUM, TAIL);
    ADD(Exscan, send, receive, count, SUM, TAIL);
    ADD(Neighbor_allgather, send, ONE, receive, ONE, TAIL);
    ADD(Neighbor_allgatherv, send, ONE, receive, EACH, TAIL);
    ADD(Neighbor_alltoall, send, ONE, receive, ONE, TAIL);
    ADD(Neighbor_alltoallv, send, EACH, receive, EACH, TAIL);
    ADD(Neighbor_alltoallw, send, counts, far_at, types, receive, counts, far_at, types, TAIL);
}

/* Requests to leave alone, in between. */
static void add_null(void)
{
    new_buffers();
    requests[n_requests - 1] = MPI_REQUEST_NULL;
}

static void start(int round)
{
    for (int i = 0; i < n_requests; i++) {
        for (int k = 0; k < GROUP * count; k++) {
            buffers[i].send[k] = ct_me + round;
            buffers[i].receive[k] = -1;
        }
    }
    for (int i = 0; i < n_requests; i++)
        if (requests[i] != MPI_REQUEST_NULL)
            MPI_Start(&requests[i]);
    for (int p = 0; p < PARTS; p++)
        MPI_Pready(p, requests[6]);
}

static void check_data(const char *call, int round)
{
    for (int i = 1; i < n_collectives - 1; i += 2)
        for (int k = 0; k < count; k++)
            CT_CHECK(buffers[i].receive[k] == left + round, "%s: message %d has %d", call, i / 2,
                     buffers[i].receive[k]);
    for (int k = 0; k < count; k++)
        CT_CHECK(buffers[n_collectives].receive[k] == size * (size - 1) / 2 + size * round,
                 "%s: the sum is %d", call, buffers[n_collectives].receive[k]);
}

/* ---- the calls ---- */

static int times[ROOM]; /* how often each request was completed */
static MPI_Status statuses[ROOM];

static MPI_Status *wanted(int ignored) { return ignored ? MPI_STATUSES_IGNORE : statuses; }

/* The calls that complete all at once are silent about null and inactive requests. */
static void count_all(void)
{
    for (int i = 0; i < n_requests; i++)
        times[i] += requests[i] != MPI_REQUEST_NULL;
}

static void count_some(int n, const int which[])
{
    for (int i = 0; n != MPI_UNDEFINED && i < n; i++)
        times[which[i]]++;
}

static int wait_all(int ignored)
{
    count_all();
    return MPI_Waitall(n_requests, requests, wanted(ignored));
}

static int test_all(int ignored)
{
    int done = 0, err = MPI_SUCCESS;

    while (!done && err == MPI_SUCCESS)
        err = MPI_Testall(n_requests, requests, &done, wanted(ignored));
    count_all();
    return err;
}

static int wait_any(int ignored)
{
    int which = 0, err = MPI_SUCCESS;

    while (err == MPI_SUCCESS) {
        err = MPI_Waitany(n_requests, requests, &which, wanted(ignored));
        if (which == MPI_UNDEFINED)
            break;
        count_some(1, &which);
    }
    return err;
}

static int test_any(int ignored)
{
    int which = 0, done, err = MPI_SUCCESS;

    while (err == MPI_SUCCESS) {
        err = MPI_Testany(n_requests, requests, &which, &done, wanted(ignored));
        if (done && which == MPI_UNDEFINED)
            break;
        if (done)
            count_some(1, &which);
    }
    return err;
}

static int some(int (*call)(int, MPI_Request *, int *, int *, MPI_Status *), int ignored)
{
    int which[ROOM], n = 0, err = MPI_SUCCESS;

    while (err == MPI_SUCCESS && n != MPI_UNDEFINED) {
        err = call(n_requests, requests, &n, which, wanted(ignored));
        count_some(n, which);
    }
    return err;
}

static int wait_some(int ignored) { return some(MPI_Waitsome, ignored); }

static int test_some(int ignored) { return some(MPI_Testsome, ignored); }

/* Looks, and leaves the requests for MPI_Waitall. */
static int look_at_all(int ignored)
{
    int done = 0, err = MPI_SUCCESS;

    while (!done && err == MPI_SUCCESS)
        err = MPI_Request_get_status_all(n_requests, requests, &done, wanted(ignored));
    return err == MPI_SUCCESS ? wait_all(ignored) : err;
}

static int look_at_any(int ignored)
{
    int which, done = 0, err = MPI_SUCCESS;

    while (!done && err == MPI_SUCCESS)
        err = MPI_Request_get_status_any(n_requests, requests, &which, &done, wanted(ignored));
    return err == MPI_SUCCESS ? wait_all(ignored) : err;
}

static int look_at_some(int ignored)
{
    int which[ROOM], n = 0, err = MPI_SUCCESS;

    while (n == 0 && err == MPI_SUCCESS)
        err = MPI_Request_get_status_some(n_requests, requests, &n, which, wanted(ignored));
    return err == MPI_SUCCESS ? wait_all(ignored) : err;
}

static const struct {
    const char *name;
    int (*complete)(int ignored);
    int one_by_one; /* says which requests it has completed */
} calls[] = {
    {"MPI_Waitall", wait_all, 0},
    {"MPI_Testall", test_all, 0},
    {"MPI_Waitany", wait_any, 1},
    {"MPI_Testany", test_any, 1},
    {"MPI_Waitsome", wait_some, 1},
    {"MPI_Testsome", test_some, 1},
    {"MPI_Request_get_status_all", look_at_all, 0},
    {"MPI_Request_get_status_any", look_at_any, 0},
    {"MPI_Request_get_status_some", look_at_some, 0},
};

enum { CALLS = sizeof(calls) / sizeof(calls[0]) };

static void run(int which, int ignored, int active, int round)
{
    int err, wanted_times = active || !calls[which].one_by_one;

    if (active)
        start(round);
    memset(times, 0, sizeof(times));
    err = calls[which].complete(ignored);
    CT_CHECK(err == MPI_SUCCESS, "%s: code %d", calls[which].name, err);
    for (int i = 0; i < n_requests; i++) {
        int expected = requests[i] != MPI_REQUEST_NULL && wanted_times;

        CT_CHECK(times[i] == expected, "%s: request %d completed %d times, not %d",
                 calls[which].name, i, times[i], expected);
    }
    if (active)
        check_data(calls[which].name, round);
}

int main(int argc, char **argv)
{
    int periodic = 1;

    MTest_Init(&argc, &argv);
    count = argc > 1 && !strcmp(argv[1], "long") ? 3000 : 2;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
    MPI_Comm_rank(ring, &ct_me);
    MPI_Cart_shift(ring, 0, 1, &left, &right);
    MPI_Comm_attach_buffer(ring, MPI_BUFFER_AUTOMATIC, 0);
    equal_blocks();
    /* the first collectives of a communicator may go another way than the later ones */
    MPI_Barrier(ring);
    MPI_Barrier(ring);
    add_messages();
    add_null();
    add_collectives();

    for (int round = 0; round < 3; round++)
        for (int which = 0; which < CALLS; which++)
            for (int ignored = 0; ignored < 2; ignored++)
                for (int active = 1; active >= 0; active--)
                    run(which, ignored, active, round);

    for (int i = 0; i < n_requests; i++) {
        if (requests[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&requests[i]);
        free(buffers[i].send);
        free(buffers[i].receive);
    }
    MPI_Comm_free(&ring);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
