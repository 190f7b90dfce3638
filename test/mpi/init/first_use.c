/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * An endpoint is made when a peer is first used, once, whoever uses it: a message, an answer to one
 * who was never sent to, two threads at the same time, a window.
 *
 * Arguments:
 *   -eager     the endpoints are there after MPI_Init (MPIR_CVAR_CH4_UCX_LAZY_ENDPOINTS=0,
 *              MPIR_CVAR_CH4_OFI_LAZY_ADDRESSES=0)
 *   -apart     each process is a node of its own: over OFI, too, all messages need an address,
 *              which is counted
 */
#include <pthread.h>
#include "cmaptest_mpit.h"

#define LONG_MESSAGE (1 << 20)
#define THREADS 2

static int rank, size, eager, apart, counted, over_ofi;
static ct_pvar endpoints, address_bytes;
static char *used;

static int count_used(void)
{
    int n = 0;

    for (int i = 0; i < size; i++)
        n += used[i];
    return n;
}

/* OFI has the process's own address from the start, and does not count those of MPI_Init. */
static long long count_wanted(void)
{
    if (over_ofi)
        return eager ? 0 : count_used() + !used[rank];
    return eager ? size : count_used();
}

/* Exactly one endpoint for each peer in use. */
static void check(const char *after)
{
    long long want = count_wanted();

    if (counted) {
        long long got = ct_pvar_read(&endpoints);
        CT_CHECK(got == want, "after %s: %lld endpoints, not %lld", after, got, want);
    }
}

/* Whoever is only sent to makes no endpoint of its own; over OFI it looks up whom it answers
 * that it has the message. */
static void send_to_first(void)
{
    char *buffer = malloc(LONG_MESSAGE);

    memset(buffer, rank, LONG_MESSAGE);
    if (rank > 0) {
        MPI_Ssend(buffer, LONG_MESSAGE, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        used[0] = 1;
    }
    for (int i = 1; rank == 0 && i < size; i++) {
        MPI_Recv(buffer, LONG_MESSAGE, MPI_CHAR, i, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CT_CHECK(buffer[0] == (char) i && buffer[LONG_MESSAGE - 1] == (char) i, "data of %d", i);
        used[i] = over_ofi;
    }
    free(buffer);
}

/* Partitions wait for the receiver's answer, which is an active message. */
static void send_partitions(int to, int from)
{
    int out[4] = {rank, rank + 1, rank + 2, rank + 3}, in[4] = {0};
    MPI_Request send, receive;

    MPI_Precv_init(in, 2, 2, MPI_INT, from, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &receive);
    MPI_Psend_init(out, 2, 2, MPI_INT, to, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &send);
    MPI_Start(&receive);
    MPI_Start(&send);
    MPI_Pready(0, send);
    MPI_Pready(1, send);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    CT_CHECK(in[0] == from && in[3] == from + 3, "partitions of %d", from);
    MPI_Request_free(&send);
    MPI_Request_free(&receive);
    used[to] = used[from] = 1;
}

static pthread_barrier_t at_once;

static void *meet(void *arg)
{
    int tag = 10 + *(int *) arg, to = (rank + 2) % size, from = (rank + size - 2) % size;
    int out = rank * 100 + tag, in = -1;

    pthread_barrier_wait(&at_once);
    MPI_Sendrecv(&out, 1, MPI_INT, to, tag, &in, 1, MPI_INT, from, tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CT_CHECK(in == from * 100 + tag, "thread %d got %d", tag, in);
    return NULL;
}

static void send_by_threads(void)
{
    pthread_t thread[THREADS];
    int number[THREADS];

    pthread_barrier_init(&at_once, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        pthread_create(&thread[i], NULL, meet, &number[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&at_once);
    used[(rank + 2) % size] = size > 1; /* a process alone needs no endpoint for itself */
}

static void send_to_all(void)
{
    int n = 20000;
    int *out = malloc(sizeof(int) * size * n), *in = malloc(sizeof(int) * size * n);

    for (int i = 0; i < size * n; i++)
        out[i] = rank * size + i / n;
    MPI_Alltoall(out, n, MPI_INT, in, n, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size * n; i++)
        CT_CHECK(in[i] == i / n * size + rank, "%d of all to all is %d", i, in[i]);
    free(out);
    free(in);
}

/* Active messages in both directions: an accumulate, and a get of a datatype. */
static void use_window(void)
{
    int *base, got[2] = {0}, one = 1;
    MPI_Win win;
    MPI_Datatype gap;

    MPI_Type_vector(2, 1, 2, MPI_INT, &gap);
    MPI_Type_commit(&gap);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    for (int i = 0; i < 4; i++)
        base[i] = i == 1 ? 0 : rank * 10 + i;
    MPI_Win_unlock(rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < size; i++) {
        MPI_Win_lock(MPI_LOCK_SHARED, i, 0, win);
        MPI_Accumulate(&one, 1, MPI_INT, i, 1, 1, MPI_INT, MPI_SUM, win);
        MPI_Get(got, 2, MPI_INT, i, 0, 1, gap, win);
        MPI_Win_unlock(i, win);
        CT_CHECK(got[0] == i * 10 && got[1] == i * 10 + 2, "got %d and %d from %d", got[0], got[1],
                 i);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    CT_CHECK(base[1] == size, "sum in the window is %d", base[1]);
    MPI_Win_unlock(rank, win);
    MPI_Win_free(&win);
    MPI_Type_free(&gap);
}

int main(int argc, char **argv)
{
    int provided;

    MTest_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ct_me = rank;
    for (int i = 1; i < argc; i++) {
        eager |= !strcmp(argv[i], "-eager");
        apart |= !strcmp(argv[i], "-apart");
    }
    used = calloc(size, 1);
    ct_mpit_begin();
    counted = ct_pvar_find("ucx_endpoints", &endpoints) &&
              ct_pvar_find("ucx_address_bytes", &address_bytes);
    over_ofi = !counted && apart && ct_pvar_find("ofi_addresses", &endpoints) &&
               ct_pvar_find("ofi_address_bytes", &address_bytes);
    counted = (counted || over_ofi) && ct_vcis() == 1; /* else a pair has several */

    check("MPI_Init");
    send_to_first();
    check("messages to the first");
    if (counted && !eager)
        CT_CHECK((ct_pvar_read(&address_bytes) > 0) == (rank > 0 || over_ofi),
                 "bytes of addresses");
    if (size > 1)
        send_partitions((rank + 1) % size, (rank + size - 1) % size);
    check("partitions");
    if (provided == MPI_THREAD_MULTIPLE)
        send_by_threads();
    check("two threads");
    send_to_all();
    use_window();
    if (counted && size > 1) {
        long long n = ct_pvar_read(&endpoints);
        if (over_ofi)
            CT_CHECK(n == size || (eager && n == 0), "%lld addresses in the end", n);
        else
            CT_CHECK(n >= size - 1 && n <= (long long) size * ct_endpoints_of_pair(),
                     "%lld endpoints in the end", n);
    }

    ct_mpit_end();
    free(used);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
