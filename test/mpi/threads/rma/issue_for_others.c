/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * An operation that waits for its lock may be issued when another thread makes progress, and that
 * thread may have to wait inside UCX until it is issued: MPI_Win_unlock does not return before, nor
 * does a flush.
 *
 * UCX is slow here: this file stands between MPI and UCX, and what a blocking put needs is there
 * after some calls only.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "cmaptest_threads.h"
#include "cmaptest_oracle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#define ROUNDS 6
#define INTS 4096
#define SLOW_CALLS 300 /* until a request may be complete */
/* milliseconds until the other thread is inside UCX, if it comes there at all */
#define INSIDE_MOST 500

enum { OK, IN_PROGRESS }; /* UCS_OK, UCS_INPROGRESS; ucs_status_t is one byte */

static pthread_t poller;
static volatile bool is_slow, is_inside, is_over;
static volatile int calls;

static bool delays(void) { return is_slow && pthread_equal(pthread_self(), poller); }

/* A put that UCX has done at once gets a request, too. */
static int done_at_once;

void *ucp_put_nb(void *endpoint, const void *data, size_t bytes, uint64_t address, void *key,
                 void *callback)
{
    void *(*real)(void *, const void *, size_t, uint64_t, void *, void *) =
        (void *(*) (void *, const void *, size_t, uint64_t, void *, void *) ) dlsym(RTLD_NEXT,
                                                                                    "ucp_put_nb");
    void *request = real(endpoint, data, bytes, address, key, callback);

    return delays() && !request ? &done_at_once : request;
}

signed char ucp_request_check_status(void *request)
{
    signed char (*real)(void *) =
        (signed char (*)(void *)) dlsym(RTLD_NEXT, "ucp_request_check_status");

    if (delays()) {
        is_inside = calls++ < SLOW_CALLS;
        if (is_inside)
            return IN_PROGRESS;
    }
    return request == &done_at_once ? OK : real(request);
}

void ucp_request_release(void *request)
{
    void (*real)(void *) = (void (*)(void *)) dlsym(RTLD_NEXT, "ucp_request_release");

    if (request != &done_at_once)
        real(request);
}

static MTEST_THREAD_RETURN_TYPE make_progress(void *comm)
{
    int flag;

    poller = pthread_self();
    while (!is_over) {
        MPI_Iprobe(MPI_ANY_SOURCE, 0, *(MPI_Comm *) comm, &flag, MPI_STATUS_IGNORE);
        usleep(100);
    }
    return (MTEST_THREAD_RETURN_TYPE) 0;
}

/* The program computes, until the other thread issues. */
static void compute(void)
{
    for (int i = 0; i < INSIDE_MOST && !is_inside; i++)
        usleep(1000);
}

static void put(MPI_Win win, MPI_Datatype every_second, const int *data, bool flushes)
{
    calls = 0;
    is_inside = false;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    is_slow = true;
    MPI_Put(data, 1, every_second, 1, 0, INTS, MPI_INT, win);
    compute();
    if (flushes) {
        MPI_Win_flush(1, win);
        CT_CHECK(!is_inside, "a flush is over before the put is issued");
    }
    MPI_Win_unlock(1, win);
    CT_CHECK(!is_inside, "MPI_Win_unlock is over before the put is issued");
    is_slow = false;
}

static void origin(MPI_Win win, MPI_Comm unused)
{
    MPI_Datatype every_second;
    int *data = ct_ints(2 * INTS);

    MPI_Type_vector(INTS, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    MTest_Start_thread(make_progress, &unused);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < INTS; i++)
            data[2 * i] = round + i;
        put(win, every_second, data, round % 2);
    }
    is_over = true;
    MTest_Join_threads();
    MPI_Type_free(&every_second);
    free(data);
}

/* Rank 1 has what was put last. */
int main(int argc, char **argv)
{
    MPI_Win win;
    MPI_Comm unused;
    int *memory = ct_ints(INTS);

    ct_init_threads(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_dup(MPI_COMM_WORLD, &unused);
    MPI_Win_create(memory, INTS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (ct_me == 0)
        origin(win, unused);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; ct_me == 1 && i < INTS; i++)
        CT_CHECK(memory[i] == ROUNDS - 1 + i, "%d is %d", i, memory[i]);
    MPI_Win_free(&win);
    MPI_Comm_free(&unused);
    free(memory);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
