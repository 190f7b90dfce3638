/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * With MPIR_CVAR_PROGRESS_EVENTS=auto, if messages serve the window, and with on, which serves
 * long messages, too, a process serves the others while it computes.  The last rank computes: it
 * calls nothing of MPI until a number in its window says that all steps are done.  Rank 0 writes
 * the number, after an operation that is complete at the target.  Each step needs progress there:
 * without it the program would not end, and a watchdog ends it.
 *
 *   -threads      MPI_THREAD_MULTIPLE
 *   -kind=NAME    of the window: create (the default), allocate, dynamic
 *   -hints        the window begins without a helper, by its info key, and asks for it later
 */
#include "mpitest.h"
#include "cmaptest.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LONG = 1 << 17, WAIT_SECONDS = 60, ROUNDS = 3 };
enum { MANY = 12, QUIET_MICROSECONDS = 200000 };
enum { NUMBER, COUNT, DATA }; /* places of the window */
#define KEY "mpix_progress_events"

static int rank, target;
static int *memory;
static MPI_Win window;
static MPI_Aint place_0; /* of the target's memory, in the window */
static int *sent, *received;

/* Spins until the number has come. */
static void compute_until(int number)
{
    volatile int *seen = &memory[NUMBER];
    time_t end = time(NULL) + WAIT_SECONDS;

    while (*seen < number) {
        if (time(NULL) > end) {
            fprintf(stderr, "no progress while the target computes: %d instead of %d\n", *seen,
                    number);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

static MPI_Aint place(int index) { return place_0 + index * (MPI_Aint) sizeof(int); }

static void put_number(int number)
{
    MPI_Put(&number, 1, MPI_INT, target, place(NUMBER), 1, MPI_INT, window);
    MPI_Win_flush(target, window);
}

static void put_and_get(int length, int seed)
{
    for (int i = 0; i < length; i++)
        sent[i] = seed + i;
    MPI_Put(sent, length, MPI_INT, target, place(DATA), length, MPI_INT, window);
    MPI_Win_flush(target, window);
    memset(received, 0, (size_t) length * sizeof(int));
    MPI_Get(received, length, MPI_INT, target, place(DATA), length, MPI_INT, window);
    MPI_Win_flush(target, window);
    CT_CHECK(memcmp(sent, received, (size_t) length * sizeof(int)) == 0,
             "%d elements are not those that were put", length);
}

static void accumulate(int length)
{
    MPI_Accumulate(sent, length, MPI_INT, target, place(DATA), length, MPI_INT, MPI_SUM, window);
    MPI_Win_flush(target, window);
    MPI_Get(received, length, MPI_INT, target, place(DATA), length, MPI_INT, window);
    MPI_Win_flush(target, window);
    for (int i = 0; i < length; i++)
        CT_CHECK(received[i] == 2 * sent[i], "element %d of %d is %d instead of %d", i, length,
                 received[i], 2 * sent[i]);
}

static void count_up(int before)
{
    int one = 1, old = -1, next = before + 2, expected = before + 1;

    MPI_Fetch_and_op(&one, &old, MPI_INT, target, place(COUNT), MPI_SUM, window);
    MPI_Win_flush(target, window);
    CT_CHECK(old == before, "the counter was %d instead of %d", old, before);
    MPI_Compare_and_swap(&next, &expected, &old, MPI_INT, target, place(COUNT), window);
    MPI_Win_flush(target, window);
    CT_CHECK(old == expected, "the counter was %d instead of %d", old, expected);
}

static void lock_and_put(int lock, int length)
{
    MPI_Win_lock(lock, target, 0, window);
    MPI_Put(sent, length, MPI_INT, target, place(DATA), length, MPI_INT, window);
    MPI_Win_unlock(target, window);
}

static void epochs(void)
{
    static const int lengths[] = {1, 100, 1 << 14, LONG};
    const int num = sizeof(lengths) / sizeof(lengths[0]);

    for (int i = 0; i < num; i++)
        lock_and_put(i % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, lengths[i]);
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
    for (int i = 0; i < ROUNDS * num; i++)
        put_and_get(lengths[i % num], i);
    for (int i = 0; i < num; i++) {
        put_and_get(lengths[i], i);
        accumulate(lengths[i]);
    }
    for (int i = 0; i < ROUNDS; i++)
        count_up(2 * i);
    put_number(1);
    MPI_Win_unlock(target, window);
}

static bool are_messages_served(void)
{
    const char *value = getenv("MPIR_CVAR_PROGRESS_EVENTS");

    return value && strcmp(value, "on") == 0;
}

/* The target has begun a collective, and long messages if these are served. */
static void messages(void)
{
    MPI_Request requests[3];
    int sum = -1, me = rank;
    const int other = rank == target ? 0 : target;
    const bool are_sent = are_messages_served() && (rank == 0 || rank == target);

    for (int i = 0; i < LONG; i++)
        sent[i] = rank == target ? i : -i;
    MPI_Barrier(MPI_COMM_WORLD);
    if (are_sent) {
        MPI_Irecv(received, LONG, MPI_INT, other, 5, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(sent, LONG, MPI_INT, other, 5, MPI_COMM_WORLD, &requests[1]);
    } else {
        requests[0] = requests[1] = MPI_REQUEST_NULL;
    }
    MPI_Iallreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[2]);
    if (rank == target)
        compute_until(2);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    CT_CHECK(sum == target * (target + 1) / 2, "the sum is %d", sum);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
        put_number(2);
        MPI_Win_unlock(target, window);
    }
    for (int i = 0; i < LONG && are_sent; i++)
        CT_CHECK(received[i] == (rank == target ? -i : i), "element %d is %d", i, received[i]);
}

/* More than a communicator begins at a time, while nothing arrives and the helper sleeps. */
static void many_collectives(void)
{
    MPI_Request requests[MANY];
    int terms[MANY], sums[MANY];

    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(QUIET_MICROSECONDS);
    for (int i = 0; i < MANY; i++) {
        terms[i] = rank + i;
        MPI_Iallreduce(&terms[i], &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
    }
    if (rank == target)
        compute_until(3);
    MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
        put_number(3);
        MPI_Win_unlock(target, window);
    }
    for (int i = 0; i < MANY; i++)
        CT_CHECK(sums[i] == (target + 1) * (target + 2 * i) / 2, "sum %d is %d", i, sums[i]);
}

static bool helper_runs(void)
{
    char said[8] = "";
    int flag;
    MPI_Info info;

    MPI_Win_get_info(window, &info);
    MPI_Info_get(info, KEY, sizeof(said) - 1, said, &flag);
    MPI_Info_free(&info);
    return strcmp(said, "true") == 0;
}

static void hint(const char *value)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, KEY, value);
    MPI_Win_set_info(window, info);
    MPI_Info_free(&info);
}

static void follow_hints(void)
{
    CT_CHECK(!helper_runs(), "a helper runs although the window wanted none");
    for (int i = 0; i < ROUNDS; i++) {
        hint("maybe");
        hint("true");
        CT_CHECK(helper_runs(), "no helper in round %d", i);
        hint("false");
        CT_CHECK(!helper_runs(), "the helper runs on in round %d", i);
    }
    hint("true");
}

static void make_window(const char *kind, MPI_Info info)
{
    const MPI_Aint bytes = (LONG + DATA) * (MPI_Aint) sizeof(int);
    MPI_Aint address = 0;

    if (strcmp(kind, "allocate") == 0) {
        MPI_Win_allocate(bytes, 1, info, MPI_COMM_WORLD, &memory, &window);
    } else {
        MPI_Alloc_mem(bytes, MPI_INFO_NULL, &memory);
        if (strcmp(kind, "dynamic") == 0) {
            MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &window);
            MPI_Win_attach(window, memory, bytes);
            MPI_Get_address(memory, &address);
        } else {
            MPI_Win_create(memory, bytes, 1, info, MPI_COMM_WORLD, &window);
        }
    }
    memset(memory, 0, (size_t) bytes);
    place_0 = address;
    MPI_Bcast(&place_0, 1, MPI_AINT, target, MPI_COMM_WORLD);
}

static void free_window(const char *kind)
{
    if (strcmp(kind, "dynamic") == 0)
        MPI_Win_detach(window, memory);
    MPI_Win_free(&window);
    if (strcmp(kind, "allocate") != 0)
        MPI_Free_mem(memory);
}

int main(int argc, char **argv)
{
    const char *kind = "create";
    int required = MPI_THREAD_SINGLE, provided;
    bool hints = false;
    MPI_Info info = MPI_INFO_NULL;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-threads") == 0)
            required = MPI_THREAD_MULTIPLE;
        else if (strncmp(argv[i], "-kind=", 6) == 0)
            kind = argv[i] + 6;
        else if (strcmp(argv[i], "-hints") == 0)
            hints = true;
    }
    MTest_Init_thread(&argc, &argv, required, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &target);
    target--;
    sent = malloc(LONG * sizeof(int));
    received = malloc(LONG * sizeof(int));
    for (int i = 0; i < LONG; i++)
        sent[i] = i;
    if (hints) {
        MPI_Info_create(&info);
        MPI_Info_set(info, KEY, "false");
    }
    make_window(kind, info);
    if (hints) {
        MPI_Info_free(&info);
        follow_hints();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == target)
        compute_until(1);
    else if (rank == 0)
        epochs();
    messages();
    many_collectives();
    MPI_Barrier(MPI_COMM_WORLD);
    free_window(kind);
    free(sent);
    free(received);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
