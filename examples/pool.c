/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pool of workers that may die.  Rank 0 hands out tasks, one to each worker at a time.  If a
 * worker dies, another one gets its task.  When none is left, rank 0 does the rest.
 *
 *     mpicc -O2 -o pool pool.c && mpiexec --enable-recovery -n 4 ./pool 2 17
 *
 * kills 2 workers, which the seed 17 chooses: before, in, or after one of their first tasks.  A
 * third argument is the number of tasks, 300 without it.  Rank 0 compares the sum of the results
 * with that of its own work.
 *
 * Rank 0 receives from any source.  That returns an error when a worker has died, and again and
 * again, until rank 0 acknowledges the death.  A result that had arrived before is still received.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_TASK = 1, TAG_RESULT, MOST_TASKS = 1 << 20, FIRST_TASKS = 4, RANGE = 200 };
enum { STOP = -1, IDLE = -1, DEAD = -2 };
enum place { BEFORE, INSIDE, AFTER, PLACES };

typedef struct {
    long task, value;
} result_t;

static int rank, size;

/* ---- a task: the steps of Collatz's sequences from some numbers to 1 */

static long steps_to_1(unsigned long n)
{
    long steps = 0;

    for (; n != 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

static long work(long task, int dies)
{
    long sum = 0;

    for (int i = 0; i < RANGE; i++) {
        if (dies && i == RANGE / 2)
            raise(SIGKILL);
        sum += steps_to_1((unsigned long) (task * RANGE + i + 1));
    }
    return sum;
}

/* ---- a worker */

static unsigned draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* In which of its tasks this rank dies, and where; 0: it lives.  All ranks draw alike. */
static int choose_death(int deaths, unsigned seed, enum place *where)
{
    int mine = 0, *dies = calloc((size_t) size, sizeof(int));

    for (int i = 0; i < deaths;) {
        int victim = 1 + (int) (draw(&seed) % (unsigned) (size - 1));
        int when = 1 + (int) (draw(&seed) % FIRST_TASKS);
        enum place its_place = (enum place)(draw(&seed) % PLACES);

        if (dies[victim]++)
            continue;
        if (victim == rank)
            mine = when, *where = its_place;
        i++;
    }
    free(dies);
    return mine;
}

static void be_worker(int deaths, unsigned seed)
{
    enum place where = BEFORE;
    int dies_in = choose_death(deaths, seed, &where);

    for (int number = 1;; number++) {
        result_t result;

        MPI_Recv(&result.task, 1, MPI_LONG, 0, TAG_TASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (result.task == STOP)
            return;
        if (number == dies_in && where == BEFORE)
            raise(SIGKILL);
        result.value = work(result.task, number == dies_in && where == INSIDE);
        MPI_Send(&result, 2, MPI_LONG, 0, TAG_RESULT, MPI_COMM_WORLD);
        if (number == dies_in)
            raise(SIGKILL);
    }
}

/* ---- rank 0 */

static long tasks, done, repeated, sum;
static long *waiting, n_waiting; /* the tasks that nobody has */
static long *task_of;            /* of each worker; IDLE, DEAD */
static char *is_done;

static void *allocate(long count, size_t bytes)
{
    void *memory = calloc((size_t) count, bytes);

    if (!memory)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

/* The result of a worker that has died may have come after its task was given to another one. */
static void take_result(const result_t *result)
{
    if (is_done[result->task])
        return;
    is_done[result->task] = 1;
    sum += result->value;
    done++;
}

static void note_death(int worker)
{
    long task = task_of[worker];

    if (task == DEAD)
        return;
    task_of[worker] = DEAD;
    if (task == IDLE || is_done[task])
        return;
    waiting[n_waiting++] = task;
    repeated++;
}

static int error_class(int error)
{
    int class = MPI_SUCCESS;

    MPI_Error_class(error, &class);
    return class;
}

/* From now on receives from any source succeed again. */
static void acknowledge(void)
{
    MPI_Group dead, world;
    int n, all, worker;

    MPIX_Comm_failure_ack(MPI_COMM_WORLD);
    MPIX_Comm_failure_get_acked(MPI_COMM_WORLD, &dead);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_size(dead, &all);
    for (n = 0; n < all; n++) {
        MPI_Group_translate_ranks(dead, 1, &n, world, &worker);
        note_death(worker);
    }
    MPI_Group_free(&world);
    if (dead != MPI_GROUP_EMPTY)
        MPI_Group_free(&dead);
}

/* The send to a worker that has died may succeed or not: either way its task comes back later. */
static void hand_out(void)
{
    for (int worker = 1; worker < size && n_waiting > 0; worker++) {
        if (task_of[worker] != IDLE)
            continue;
        task_of[worker] = waiting[--n_waiting];
        MPI_Send(&task_of[worker], 1, MPI_LONG, worker, TAG_TASK, MPI_COMM_WORLD);
    }
}

static void receive(void)
{
    result_t result;
    MPI_Status status;
    int error = MPI_Recv(&result, 2, MPI_LONG, MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD, &status);

    if (error_class(error) == MPIX_ERR_PROC_FAILED) {
        acknowledge();
    } else if (error != MPI_SUCCESS) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    } else {
        take_result(&result);
        if (task_of[status.MPI_SOURCE] != DEAD)
            task_of[status.MPI_SOURCE] = IDLE;
    }
}

static int count_living(void)
{
    int living = 0;

    for (int worker = 1; worker < size; worker++)
        living += task_of[worker] != DEAD;
    return living;
}

static void be_master(void)
{
    const long stop = STOP;

    while (done < tasks && count_living() > 0) {
        hand_out();
        receive();
    }
    while (n_waiting > 0) {
        result_t result = {waiting[--n_waiting], 0};

        result.value = work(result.task, 0);
        take_result(&result);
    }
    for (int worker = 1; worker < size; worker++)
        if (task_of[worker] != DEAD)
            MPI_Send(&stop, 1, MPI_LONG, worker, TAG_TASK, MPI_COMM_WORLD);
}

static int run_pool(void)
{
    long expected = 0;

    waiting = allocate(tasks, sizeof(long));
    task_of = allocate(size, sizeof(long));
    is_done = allocate(tasks, 1);
    for (int worker = 0; worker < size; worker++)
        task_of[worker] = IDLE;
    for (n_waiting = 0; n_waiting < tasks; n_waiting++)
        waiting[n_waiting] = tasks - 1 - n_waiting;
    be_master();
    for (long task = 0; task < tasks; task++)
        expected += work(task, 0);
    printf("pool: %d ranks, %d died, %ld tasks, %ld given to another: the sum is %s\n", size,
           size - 1 - count_living(), tasks, repeated, sum == expected ? "right" : "WRONG");
    free(waiting);
    free(task_of);
    free(is_done);
    return sum == expected;
}

int main(int argc, char **argv)
{
    int deaths = argc > 1 ? atoi(argv[1]) : 0, well = 1;
    unsigned seed = argc > 2 ? (unsigned) atoi(argv[2]) : 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    tasks = argc > 3 ? atol(argv[3]) : 300;
    if (deaths < 0 || deaths >= size || tasks < 1 || tasks > MOST_TASKS) {
        fprintf(stderr, "usage: pool [DEATHS, fewer than ranks [SEED [TASKS, 1 to %d]]]\n",
                MOST_TASKS);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (rank == 0)
        well = run_pool();
    else
        be_worker(deaths, seed);
    MPI_Finalize();
    return well ? 0 : 1;
}
