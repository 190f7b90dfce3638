/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * mpiexec --enable-recovery: the last rank dies while the others are inside a one-sided call, or
 * while it has a lock.  No call waits for it: each succeeds or returns an error of class
 * MPIX_ERR_PROC_FAILED.  What the living do to each other under locks that they have goes on.
 *
 *   survive_windows CALL exit|kill cold|warm [allocate|shared|create|dynamic]
 */
#include "survive.h"
#include <sys/time.h>

enum { INTS = LONG / sizeof(int) };

static MPI_Win win;
static int *base;
static int attached[INTS], values[INTS];
static MPI_Aint bases[64]; /* in a dynamic window */
static int is_dynamic;

/* ---- the window ---- */

static void make_dynamic(void)
{
    MPI_Aint mine;

    is_dynamic = 1;
    base = attached;
    expect_success(MPI_Win_create_dynamic(MPI_INFO_NULL, world, &win), "MPI_Win_create_dynamic");
    MPI_Win_attach(win, attached, sizeof(attached));
    MPI_Get_address(attached, &mine);
    MPI_Allgather(&mine, 1, MPI_AINT, bases, 1, MPI_AINT, world);
}

static void make_window(const char *flavour)
{
    if (!strcmp(flavour, "dynamic")) {
        make_dynamic();
    } else if (!strcmp(flavour, "create")) {
        base = attached;
        expect_success(MPI_Win_create(base, LONG, sizeof(int), MPI_INFO_NULL, world, &win),
                       "MPI_Win_create");
    } else if (!strcmp(flavour, "shared")) {
        expect_success(
            MPI_Win_allocate_shared(LONG, sizeof(int), MPI_INFO_NULL, world, &base, &win),
            "MPI_Win_allocate_shared");
    } else {
        expect_success(MPI_Win_allocate(LONG, sizeof(int), MPI_INFO_NULL, world, &base, &win),
                       "MPI_Win_allocate");
    }
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    memset(base, 0, LONG);
    MPI_Barrier(world);
}

static void free_window(void)
{
    expect_success(MPI_Win_free(&win), "MPI_Win_free");
    expect(win == MPI_WIN_NULL, "the freed window has a handle");
}

static MPI_Aint place(int target, int i)
{
    return is_dynamic ? bases[target] + (MPI_Aint) sizeof(int) * i : i;
}

/* ---- operations, all of which the caller completes ---- */

static int put(int target, int count)
{
    return MPI_Put(values, count, MPI_INT, target, place(target, 0), count, MPI_INT, win);
}

static int get(int target, int count)
{
    return MPI_Get(values, count, MPI_INT, target, place(target, 0), count, MPI_INT, win);
}

static int add(int target, int count)
{
    return MPI_Accumulate(values, count, MPI_INT, target, place(target, 0), count, MPI_INT, MPI_SUM,
                          win);
}

static int fetch(int target, int count)
{
    static int one = 1;

    (void) count;
    return MPI_Fetch_and_op(&one, values, MPI_INT, target, place(target, INTS - 1), MPI_SUM, win);
}

static int swap(int target, int count)
{
    static int one = 1, two = 2;

    (void) count;
    return MPI_Compare_and_swap(&one, &two, values, MPI_INT, target, place(target, INTS - 2), win);
}

static int complete(int error, MPI_Request *request)
{
    return error == MPI_SUCCESS ? MPI_Wait(request, MPI_STATUS_IGNORE) : error;
}

static int rput(int target, int count)
{
    MPI_Request request;

    return complete(
        MPI_Rput(values, count, MPI_INT, target, place(target, 0), count, MPI_INT, win, &request),
        &request);
}

static int rget(int target, int count)
{
    MPI_Request request;

    return complete(
        MPI_Rget(values, count, MPI_INT, target, place(target, 0), count, MPI_INT, win, &request),
        &request);
}

static int radd(int target, int count)
{
    MPI_Request request;

    return complete(MPI_Raccumulate(values, count, MPI_INT, target, place(target, 0), count,
                                    MPI_INT, MPI_SUM, win, &request),
                    &request);
}

static int rget_add(int target, int count)
{
    MPI_Request request;

    return complete(MPI_Rget_accumulate(values, count, MPI_INT, values + INTS / 2, count, MPI_INT,
                                        target, place(target, 0), count, MPI_INT, MPI_SUM, win,
                                        &request),
                    &request);
}

static int (*const operations[])(int target, int count) = {put,  get,  add,  fetch,   swap,
                                                           rput, rget, radd, rget_add};
enum { OPERATIONS = sizeof(operations) / sizeof(operations[0]) };

/* ---- locks ---- */

/* One epoch at a time, while no call fails.  Who has died may have ended in the middle of one. */
static void use_locks(int target, int count)
{
    int error;

    do {
        error = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
        if (error == MPI_SUCCESS)
            error = put(target, count);
        if (error == MPI_SUCCESS)
            error = MPI_Win_unlock(target, win);
    } while (error == MPI_SUCCESS);
    expect_failed(error, "an epoch of MPI_Win_lock");
}

static void hold_and_die(int type)
{
    if (me == victim) {
        MPI_Win_lock(type, 0, 0, win);
        put(0, 1);
        MPI_Win_flush(0, win);
    }
    MPI_Barrier(world);
    if (me != victim)
        use_locks(0, 1);
}

static void in_locked(void) { hold_and_die(MPI_LOCK_EXCLUSIVE); }

static void in_locked_shared(void) { hold_and_die(MPI_LOCK_SHARED); }

/* The dead process has all locks. */
static void in_locked_all(void)
{
    if (me == victim) {
        MPI_Win_lock_all(0, win);
        for (int i = 0; i < victim; i++)
            put(i, 1);
        MPI_Win_flush_all(win);
    }
    MPI_Barrier(world);
    if (me != victim)
        use_locks((me + 1) % victim, 1);
}

static void in_lock(void)
{
    if (me != victim)
        use_locks(victim, 1);
}

static void in_long_put(void)
{
    if (me != victim)
        use_locks(victim, INTS);
}

/* A survivor waits for a lock of this window, and then uses another one. */
static void in_two_windows(void)
{
    MPI_Win other;
    int *other_base, error;

    MPI_Win_allocate(LONG, sizeof(int), MPI_INFO_NULL, MPI_COMM_SELF, &other_base, &other);
    MPI_Win_set_errhandler(other, MPI_ERRORS_RETURN);
    if (me == victim) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        put(0, 1);
        MPI_Win_flush(0, win);
    }
    MPI_Barrier(world);
    if (me == victim)
        return;
    wait_for_death();
    error = MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    expect_success(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, other), "MPI_Win_lock of another window");
    expect_success(MPI_Put(values, 1, MPI_INT, 0, 0, 1, MPI_INT, other), "MPI_Put there");
    expect_success(MPI_Win_unlock(0, other), "MPI_Win_unlock there");
    expect_success(MPI_Win_free(&other), "MPI_Win_free there");
    if (error == MPI_SUCCESS)
        error = put(0, 1);
    if (error == MPI_SUCCESS)
        error = MPI_Win_unlock(0, win);
    expect_failed(error, "an epoch of MPI_Win_lock");
}

static void flush_until_error(int (*flush)(int, MPI_Win), int long_ones)
{
    int error = MPI_SUCCESS;

    MPI_Win_lock_all(0, win);
    MPI_Barrier(world);
    if (me == victim)
        return;
    for (int i = 0; error == MPI_SUCCESS; i++) {
        error = operations[i % OPERATIONS](victim, long_ones ? INTS / 2 : 1);
        if (error == MPI_SUCCESS)
            error = flush(victim, win);
    }
    expect_failed(error, "an operation and its flush");
    expect_failed(MPI_Win_unlock_all(win), "MPI_Win_unlock_all");
}

static int flush_all(int target, MPI_Win window)
{
    (void) target;
    return MPI_Win_flush_all(window);
}

static int flush_local_all(int target, MPI_Win window)
{
    (void) target;
    return MPI_Win_flush_local_all(window);
}

static void in_flush(void) { flush_until_error(MPI_Win_flush, 0); }

static void in_flush_long(void) { flush_until_error(MPI_Win_flush, 1); }

static void in_flush_local(void) { flush_until_error(MPI_Win_flush_local, 0); }

static void in_flush_all(void) { flush_until_error(flush_all, 0); }

static void in_flush_local_all(void) { flush_until_error(flush_local_all, 1); }

/* Many operations are under way. */
static void in_no_flush(void)
{
    int error = MPI_SUCCESS;

    MPI_Win_lock_all(0, win);
    MPI_Barrier(world);
    if (me == victim)
        return;
    while (count_dead(world) == 0 && error == MPI_SUCCESS) {
        for (int i = 0; i < 20 * OPERATIONS && error == MPI_SUCCESS; i++)
            error = operations[i % OPERATIONS](victim, i % 100 ? 1 : INTS / 2);
        if (error == MPI_SUCCESS)
            error = MPI_Win_flush(0, win);
    }
    if (error != MPI_SUCCESS)
        expect_failed(error, "an operation or a flush");
    expect_failed(MPI_Win_unlock_all(win), "MPI_Win_unlock_all");
}

/* Who has the locks of the living goes on. */
static void in_living(void)
{
    int next = (me + 1) % victim, sum = 0, flag = 1;

    MPI_Win_lock_all(0, win);
    for (int i = 0; i < size; i++)
        expect_success(fetch(i, 1), "MPI_Fetch_and_op");
    expect_success(MPI_Win_flush_all(win), "MPI_Win_flush_all");
    MPI_Barrier(world);
    if (me == victim)
        return;
    wait_for_death();
    for (int i = 0; i < 20; i++) {
        values[0] = 1000 + i;
        expect_success(put(next, 1), "MPI_Put");
        expect_success(MPI_Win_flush(next, win), "MPI_Win_flush");
        values[0] = 0;
        expect_success(rget(next, 1), "MPI_Rget and MPI_Wait");
        expect(values[0] == 1000 + i, "a living process has another value");
        expect_success(MPI_Get(&sum, 1, MPI_INT, next, place(next, INTS - 1), 1, MPI_INT, win),
                       "MPI_Get");
        expect_success(MPI_Win_flush_local(next, win), "MPI_Win_flush_local");
        expect(sum == size, "the sum is wrong");
        expect_success(put(next, INTS / 2), "a long MPI_Put");
        expect_success(radd(next, INTS / 2), "MPI_Raccumulate and MPI_Wait");
        expect_success(MPI_Win_flush(next, win), "MPI_Win_flush of long ones");
    }
    MPIX_Comm_agree(world, &flag); /* before a window is freed */
    expect_failed(MPI_Win_unlock_all(win), "MPI_Win_unlock_all");
}

static void dies_now(int number)
{
    (void) number;
    if (dies_by_signal)
        raise(SIGKILL);
    _exit(3);
}

/* The process dies in the middle of an accumulate: in a node, while it keeps others out. */
static void in_accumulate(void)
{
    const struct itimerval timer = {{0, 0}, {0, 150000}};
    int error, late = 0;

    MPI_Win_lock_all(0, win);
    expect_success(fetch(0, 1), "MPI_Fetch_and_op");
    expect_success(MPI_Win_flush(0, win), "MPI_Win_flush");
    MPI_Barrier(world);
    if (me == victim) {
        signal(SIGALRM, dies_now);
        setitimer(ITIMER_REAL, &timer, NULL);
        for (;;) {
            add(0, INTS - 2);
            MPI_Win_flush(0, win);
        }
    }
    do {
        error = fetch(0, 1);
        if (error == MPI_SUCCESS)
            error = MPI_Win_flush(0, win);
        late += count_dead(world) > 0;
    } while (error == MPI_SUCCESS && late < 100);
    expect_success(error, "MPI_Fetch_and_op and MPI_Win_flush");
    MPIX_Comm_agree(world, &late); /* before a window is freed */
    expect_failed(MPI_Win_unlock_all(win), "MPI_Win_unlock_all");
}

/* ---- other epochs ---- */

static void in_fence(void)
{
    if (me != victim)
        expect_failed(MPI_Win_fence(0, win), "MPI_Win_fence");
}

/* With operations on all. */
static void fences(int count)
{
    int error = MPI_SUCCESS;

    for (int i = 0; i < 3; i++) {
        expect_success(MPI_Win_fence(0, win), "MPI_Win_fence");
        put((me + 1) % size, 1);
    }
    MPI_Barrier(world); /* all have left the last fence, or an early death would end it */
    if (me == victim)
        return;
    while (error == MPI_SUCCESS) {
        for (int i = 0; i < size && error == MPI_SUCCESS; i++)
            error = i % 2 ? put(i, count) : get(i, count);
        if (error == MPI_SUCCESS)
            error = MPI_Win_fence(0, win);
    }
    expect_failed(error, "an operation or MPI_Win_fence");
    expect_failed(MPI_Win_fence(0, win), "the next MPI_Win_fence");
}

static void in_fences(void) { fences(1); }

static void in_long_fences(void) { fences(INTS); }

static MPI_Group group_of(int first, int last)
{
    MPI_Group all, some;
    int range[1][3] = {{first, last, 1}};

    MPI_Comm_group(world, &all);
    MPI_Group_range_incl(all, 1, range, &some);
    MPI_Group_free(&all);
    return some;
}

static void start(int first)
{
    MPI_Group group = group_of(first, victim);
    int error = MPI_Win_start(group, 0, win);

    for (int i = first; i <= victim && error == MPI_SUCCESS; i++)
        error = put(i, 1);
    if (error == MPI_SUCCESS)
        error = MPI_Win_complete(win);
    expect_failed(error, "an epoch of MPI_Win_start");
    MPI_Group_free(&group);
}

static void in_start(void)
{
    if (me != victim)
        start(victim);
}

static void post(int is_test)
{
    MPI_Group group = group_of(victim, victim);
    int error = MPI_Win_post(group, 0, win), flag = 0;

    if (error == MPI_SUCCESS && !is_test)
        error = MPI_Win_wait(win);
    while (error == MPI_SUCCESS && !flag)
        error = MPI_Win_test(win, &flag);
    expect_failed(error, "an epoch of MPI_Win_post");
    MPI_Group_free(&group);
}

static void in_wait(void)
{
    if (me != victim)
        post(0);
}

static void in_test(void)
{
    if (me != victim)
        post(1);
}

/* Rank 0 writes to the others, of which one dies.  They wait for it, or it has an error. */
static void in_complete(void)
{
    MPI_Group targets = group_of(1, victim), origin = group_of(0, 0);
    int error = MPI_SUCCESS;

    while (error == MPI_SUCCESS) {
        if (me == 0) {
            error = MPI_Win_start(targets, 0, win);
            for (int i = 1; i <= victim && error == MPI_SUCCESS; i++)
                error = put(i, i % 2 ? 1 : INTS / 4);
            if (error == MPI_SUCCESS)
                error = MPI_Win_complete(win);
        } else {
            error = MPI_Win_post(origin, 0, win);
            if (error == MPI_SUCCESS)
                error = MPI_Win_wait(win);
        }
        if (me == victim)
            die();
        if (error == MPI_SUCCESS)
            error = MPI_Barrier(world);
    }
    expect_failed(error, "an epoch of MPI_Win_start and MPI_Win_post");
    MPI_Group_free(&targets);
    MPI_Group_free(&origin);
}

static void in_free(void) {}

/* All calls when the death is known: none waits. */
static void in_late(void)
{
    MPI_Group group;
    int flag, error;

    if (me == victim)
        return;
    wait_for_death();
    for (int i = 0; i < size; i++) {
        error = MPI_Win_lock(MPI_LOCK_SHARED, i, 0, win);
        for (int k = 0; k < OPERATIONS && error == MPI_SUCCESS; k++)
            error = operations[k](i, 1);
        if (error == MPI_SUCCESS)
            error = MPI_Win_flush(i, win);
        if (error == MPI_SUCCESS)
            error = MPI_Win_unlock(i, win);
        if (error != MPI_SUCCESS)
            expect_failed(error, "a call under a lock");
    }
    error = MPI_Win_lock_all(0, win);
    if (error != MPI_SUCCESS)
        expect_failed(error, "MPI_Win_lock_all");
    group = group_of(0, victim);
    error = MPI_Win_post(group, 0, win);
    if (error == MPI_SUCCESS)
        error = MPI_Win_test(win, &flag);
    if (error == MPI_SUCCESS)
        error = MPI_Win_wait(win);
    expect_failed(error, "MPI_Win_wait");
    MPI_Group_free(&group);
}

/* No window with a dead member is made. */
static void in_create(void)
{
    MPI_Win made = MPI_WIN_NULL;
    void *memory;

    if (me == victim)
        return;
    expect_failed(MPI_Win_create(values, LONG, 1, MPI_INFO_NULL, world, &made), "MPI_Win_create");
    expect_failed(MPI_Win_allocate(LONG, 1, MPI_INFO_NULL, world, &memory, &made),
                  "MPI_Win_allocate");
    expect_failed(MPI_Win_create_dynamic(MPI_INFO_NULL, world, &made), "MPI_Win_create_dynamic");
    expect(made == MPI_WIN_NULL, "a window that was not made has a handle");
}

/* The window is not freed. */
static void in_finalize(void)
{
    if (me != victim) {
        expect_failed(MPI_Win_fence(0, win), "MPI_Win_fence");
        win = MPI_WIN_NULL;
    }
}

static const call_t calls[] = {{"locked", in_locked, 1},
                               {"locked_shared", in_locked_shared, 1},
                               {"locked_all", in_locked_all, 1},
                               {"lock", in_lock, 1},
                               {"long_put", in_long_put, 1},
                               {"two_windows", in_two_windows, 1},
                               {"flush", in_flush, 1},
                               {"flush_long", in_flush_long, 1},
                               {"flush_local", in_flush_local, 1},
                               {"flush_all", in_flush_all, 1},
                               {"flush_local_all", in_flush_local_all, 1},
                               {"no_flush", in_no_flush, 1},
                               {"living", in_living, 1},
                               {"accumulate", in_accumulate, 1},
                               {"fence", in_fence, 1},
                               {"fences", in_fences, 1},
                               {"long_fences", in_long_fences, 1},
                               {"start", in_start, 1},
                               {"wait", in_wait, 1},
                               {"test", in_test, 1},
                               {"complete", in_complete, 1},
                               {"free", in_free, 1},
                               {"late", in_late, 1},
                               {"create", in_create, 1},
                               {"finalize", in_finalize, 1}};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN); /* of requests */
    make_window(argc > 4 ? argv[4] : "allocate");
    run_call(calls, sizeof(calls) / sizeof(calls[0]));
    if (win != MPI_WIN_NULL)
        free_window();
    return finish();
}
