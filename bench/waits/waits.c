/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an origin waits for a target that computes, how much of a communication is hidden behind
 * computing, and how long a program takes whose tasks are numbers of a counter.
 *
 * usage: waits OPERATIONS MS REPEATS   (2 processes or more; the first and the last are measured)
 *
 *   OPERATIONS   "waits", "hidden" or "tasks"
 *
 * waits: the last process computes for MS milliseconds between two MPI calls.  Process 0 begins an
 * operation 5 ms later and completes it at the target.  A line has a case, the median of its
 * milliseconds and the least.
 *
 * hidden: both processes compute for MS milliseconds between the beginning and the end of an
 * operation.  A line has a case, and the percent of the operation's time alone that is hidden, by
 * medians and by the least times.
 *
 * tasks: all processes take tasks by MPI_Fetch_and_op from a counter of the last one, which works
 * on tasks, too.  They take 1 to 16 eighths of MS milliseconds.  The line has the milliseconds
 * until the last task is done over those of the tasks if nobody waits: the median and the least.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG = 1 << 20, MEDIUM = 1 << 18, SHORT = 1 << 16, AHEAD_US = 5000 };

static int rank, target, repeats;
static double seconds;
static char *sent, *received;
static MPI_Win created, dynamic;
static MPI_Aint place; /* of the target's memory in `dynamic` */

static void compute(double length)
{
    double end = MPI_Wtime() + length;

    while (MPI_Wtime() < end) {
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

typedef struct {
    double median, least;
} times_t;

static times_t times_of(double *values)
{
    qsort(values, (size_t) repeats, sizeof(*values), compare);
    return (times_t){values[repeats / 2], values[0]};
}

/* ---- waits ---- */

typedef enum { PUT, GET, ACCUMULATE, FETCH, SWAP } operation_t;

static void issue(operation_t what, int bytes, MPI_Win window, MPI_Aint at)
{
    long one = 1;
    int n = bytes / (int) sizeof(long);

    switch (what) {
        case PUT: MPI_Put(sent, bytes, MPI_BYTE, target, at, bytes, MPI_BYTE, window); break;
        case GET: MPI_Get(received, bytes, MPI_BYTE, target, at, bytes, MPI_BYTE, window); break;
        case ACCUMULATE:
            MPI_Accumulate(sent, n, MPI_LONG, target, at, n, MPI_LONG, MPI_SUM, window);
            break;
        case FETCH: MPI_Fetch_and_op(&one, received, MPI_LONG, target, at, MPI_SUM, window); break;
        case SWAP: MPI_Compare_and_swap(&one, &one, received, MPI_LONG, target, at, window);
    }
}

static double flushed(operation_t what, int bytes)
{
    double begin, end;

    MPI_Win_lock_all(0, created);
    begin = MPI_Wtime();
    issue(what, bytes, created, 0);
    MPI_Win_flush(target, created);
    end = MPI_Wtime();
    MPI_Win_unlock_all(created);
    return end - begin;
}

static double locked(int bytes, MPI_Win window, MPI_Aint at)
{
    double begin = MPI_Wtime();

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
    if (bytes > 0)
        issue(PUT, bytes, window, at);
    MPI_Win_unlock(target, window);
    return MPI_Wtime() - begin;
}

static double sends(void)
{
    double begin = MPI_Wtime();

    MPI_Send(sent, LONG, MPI_BYTE, target, 0, MPI_COMM_WORLD);
    return MPI_Wtime() - begin;
}

static double put_8(void) { return flushed(PUT, 8); }
static double get_8(void) { return flushed(GET, 8); }
static double put_64k(void) { return flushed(PUT, SHORT); }
static double put_1m(void) { return flushed(PUT, LONG); }
static double accumulate_8(void) { return flushed(ACCUMULATE, 8); }
static double accumulate_1m(void) { return flushed(ACCUMULATE, LONG); }
static double fetch_and_op(void) { return flushed(FETCH, 8); }
static double compare_and_swap(void) { return flushed(SWAP, 8); }
static double lock_put(void) { return locked(8, created, 0); }
static double lock_alone(void) { return locked(0, created, 0); }
static double dynamic_lock_put(void) { return locked(8, dynamic, place); }
static double dynamic_lock_alone(void) { return locked(0, dynamic, place); }

static const struct {
    const char *name;
    double (*wait)(void);
} waits[] = {
    {"put_8", put_8},
    {"get_8", get_8},
    {"put_64K", put_64k},
    {"put_1M", put_1m},
    {"accumulate_8", accumulate_8},
    {"accumulate_1M", accumulate_1m},
    {"fetch_and_op", fetch_and_op},
    {"compare_and_swap", compare_and_swap},
    {"lock_put_unlock", lock_put},
    {"lock_unlock", lock_alone},
    {"dynamic:lock_put_unlock", dynamic_lock_put},
    {"dynamic:lock_unlock", dynamic_lock_alone},
    {"send_1M", sends},
};

static void measure_wait(int which, double *figures)
{
    for (int i = 0; i < repeats; i++) {
        MPI_Request request = MPI_REQUEST_NULL;

        if (rank == target && waits[which].wait == sends)
            MPI_Irecv(received, LONG, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == target)
            compute(seconds);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == 0) {
            usleep(AHEAD_US);
            figures[i] = 1e3 * waits[which].wait();
        }
    }
    if (rank == 0) {
        times_t ms = times_of(figures);

        printf("%s %.3f %.3f\n", waits[which].name, ms.median, ms.least);
    }
}

/* ---- hidden ---- */

static void put_locked(double computing)
{
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, created);
        issue(PUT, MEDIUM, created, 0);
    }
    compute(computing);
    if (rank == 0)
        MPI_Win_unlock(target, created);
}

static void put_fenced(double computing)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE, created);
    if (rank == 0)
        issue(PUT, LONG, created, 0);
    compute(computing);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, created);
}

static void isend(double computing)
{
    MPI_Request request = MPI_REQUEST_NULL;

    if (rank == 0)
        MPI_Isend(sent, LONG, MPI_BYTE, target, 0, MPI_COMM_WORLD, &request);
    else if (rank == target)
        MPI_Irecv(received, LONG, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
    compute(computing);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void iallreduce(double computing)
{
    MPI_Request request;

    MPI_Iallreduce(sent, received, LONG / (int) sizeof(double), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                   &request);
    compute(computing);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static const struct {
    const char *name;
    void (*run)(double computing);
} operations[] = {{"put_256K_under_a_lock", put_locked},
                  {"put_1M_between_fences", put_fenced},
                  {"isend_1M", isend},
                  {"iallreduce_1M", iallreduce}};

/* The slowest process's. */
static times_t run_times(int which, double computing, double *figures)
{
    for (int i = 0; i < repeats; i++) {
        double begin;

        MPI_Barrier(MPI_COMM_WORLD);
        begin = MPI_Wtime();
        operations[which].run(computing);
        figures[i] = MPI_Wtime() - begin;
        MPI_Allreduce(MPI_IN_PLACE, &figures[i], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    return times_of(figures);
}

static double percent_hidden(double alone, double both)
{
    double hidden = 100 * (1 - (both - seconds) / alone);

    return hidden < 0 ? 0 : hidden;
}

static void measure_hidden(int which, double *figures)
{
    times_t alone = run_times(which, 0, figures), both = run_times(which, seconds, figures);

    if (rank == 0)
        printf("%s %.1f %.1f\n", operations[which].name, percent_hidden(alone.median, both.median),
               percent_hidden(alone.least, both.least));
}

/* ---- tasks ---- */

enum { TASKS = 96 };

static double length_of(long task) { return seconds / 8 * (double) (1 + task * 7 % 16); }

static long next_task(void)
{
    long one = 1, task;

    MPI_Fetch_and_op(&one, &task, MPI_LONG, target, 0, MPI_SUM, created);
    MPI_Win_flush(target, created);
    return task;
}

static double run_tasks(char *counter)
{
    double begin, longest, time;
    long task;

    memset(counter, 0, sizeof(long));
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    MPI_Win_lock_all(0, created);
    while ((task = next_task()) < TASKS)
        compute(length_of(task));
    MPI_Win_unlock_all(created);
    time = MPI_Wtime() - begin;
    MPI_Allreduce(&time, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return longest;
}

static void measure_tasks(char *counter, int size, double *figures)
{
    double sum = 0;
    times_t ratio;

    for (long task = 0; task < TASKS; task++)
        sum += length_of(task);
    for (int i = 0; i < repeats; i++)
        figures[i] = run_tasks(counter) / (sum / size);
    ratio = times_of(figures);
    if (rank == 0)
        printf("tasks_of_a_counter %.3f %.3f\n", ratio.median, ratio.least);
}

int main(int argc, char **argv)
{
    double *figures;
    char *memory;
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    target = size - 1;
    if (argc != 4 || size < 2)
        MPI_Abort(MPI_COMM_WORLD, 1);
    seconds = 1e-3 * atof(argv[2]);
    repeats = atoi(argv[3]);
    figures = calloc((size_t) repeats, sizeof(*figures));
    memory = calloc(2, LONG);
    sent = calloc(1, LONG);
    received = calloc(1, LONG);
    MPI_Win_create(memory, LONG, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &created);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
    MPI_Win_attach(dynamic, memory + LONG, LONG);
    MPI_Get_address(memory + LONG, &place);
    MPI_Bcast(&place, 1, MPI_AINT, target, MPI_COMM_WORLD);
    if (strcmp(argv[1], "waits") == 0) {
        for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
            measure_wait((int) i, figures);
    } else if (strcmp(argv[1], "tasks") == 0) {
        measure_tasks(memory, size, figures);
    } else {
        for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
            measure_hidden((int) i, figures);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(dynamic, memory + LONG);
    MPI_Win_free(&dynamic);
    MPI_Win_free(&created);
    free(figures);
    free(memory);
    free(sent);
    free(received);
    MPI_Finalize();
    return 0;
}
