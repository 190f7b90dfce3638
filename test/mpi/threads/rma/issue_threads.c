/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Operations of several threads wait at once.  In one epoch of lock_all on one window each thread
 * has words of its own at every target, and sends what waits by whatever flush: those of the others
 * wait for the same target, and go along or stay, but none is lost or done twice.  Then each thread
 * makes windows of its own, has epochs of all kinds on them and frees them, while the others do the
 * same.
 */
#include "cmaptest_threads.h"
#include "cmaptest_oracle.h"

#define THREADS 3
#define STEPS 150
#define WORDS 12
#define WINDOWS 6

static int size;
static MPI_Win win;
static MPI_Comm comms[THREADS];
static long added[THREADS];

/* One thread's random numbers, and what its words at a target hold. */
typedef struct worker {
    ct_rng rng;
    MPI_Win win;
    MPI_Aint first; /* of its words */
    long *model;    /* [target][word] */
} worker;

static worker new_worker(int thread, MPI_Win on, MPI_Aint first)
{
    worker w = {{1 + 1000 * (uint64_t) ct_me + (uint64_t) thread},
                on,
                first,
                ct_alloc((size_t) size * WORDS, sizeof(long))};
    return w;
}

/* Operations on words that follow each other; `in` stays as it is until they are complete. */
static void change(worker *w, int target, int n, long *in)
{
    for (int i = 0; i < n; i++) {
        long *to = &w->model[target * WORDS + i];

        in[i] = (long) ct_random(&w->rng);
        if (ct_below(&w->rng, 2)) {
            MPI_Put(&in[i], 1, MPI_LONG, target, w->first + i, 1, MPI_LONG, w->win);
            *to = in[i];
        } else {
            MPI_Accumulate(&in[i], 1, MPI_LONG, target, w->first + i, 1, MPI_LONG, MPI_SUM, w->win);
            *to += in[i];
        }
    }
}

static void read_back(worker *w, int target, long *out)
{
    memset(out, -1, WORDS * sizeof(long));
    MPI_Get(out, WORDS, MPI_LONG, target, w->first, WORDS, MPI_LONG, w->win);
}

static void check(const worker *w, int target, const long *out, const char *when)
{
    for (int i = 0; i < WORDS; i++)
        CT_CHECK(out[i] == w->model[target * WORDS + i], "%s: word %d at %d is %ld, not %ld", when,
                 i, target, out[i], w->model[target * WORDS + i]);
}

static void add_one(int thread, int target)
{
    static const long one = 1;

    MPI_Accumulate(&one, 1, MPI_LONG, target, (MPI_Aint) size * THREADS * WORDS, 1, MPI_LONG,
                   MPI_SUM, win);
    added[thread]++;
}

/* The answer is there when the call returns. */
static void request_back(worker *w, int target, long *out)
{
    MPI_Request request;

    MPI_Rget(out, WORDS, MPI_LONG, target, w->first, WORDS, MPI_LONG, w->win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static MTEST_THREAD_RETURN_TYPE share_an_epoch(void *arg)
{
    int thread = (int) (intptr_t) arg;
    worker w = new_worker(thread, win, ((MPI_Aint) ct_me * THREADS + thread) * WORDS);
    long in[WORDS], out[WORDS];

    for (int i = 0; i < STEPS; i++) {
        int target = ct_below(&w.rng, size);

        change(&w, target, ct_below(&w.rng, WORDS + 1), in);
        add_one(thread, target);
        if (ct_below(&w.rng, 2))
            MPI_Win_flush(target, win);
        else
            MPI_Win_flush_all(win);
        if (ct_below(&w.rng, 3) == 0) {
            request_back(&w, target, out);
        } else {
            read_back(&w, target, out);
            if (ct_below(&w.rng, 2))
                MPI_Win_flush_local(target, win);
            else
                MPI_Win_flush_local_all(win);
        }
        check(&w, target, out, "in a shared epoch");
    }
    free(w.model);
    return (MTEST_THREAD_RETURN_TYPE) 0;
}

static void lock_epochs(worker *w)
{
    long in[WORDS], out[WORDS];

    for (int i = 0; i < size; i++) {
        int target = (ct_me + i) % size;

        MPI_Win_lock(i % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, w->win);
        change(w, target, ct_below(&w->rng, WORDS + 1), in);
        MPI_Win_unlock(target, w->win);
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, w->win);
        read_back(w, target, out);
        MPI_Win_unlock(target, w->win);
        check(w, target, out, "under a lock");
    }
}

static void fence_epochs(worker *w)
{
    long in[WORDS], out[WORDS];
    int target = (ct_me + 1) % size;

    MPI_Win_fence(MPI_MODE_NOPRECEDE, w->win);
    change(w, target, ct_below(&w->rng, 3), in);
    MPI_Win_fence(0, w->win);
    read_back(w, target, out);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win);
    check(w, target, out, "after a fence");
}

static void post_epochs(worker *w)
{
    long in[WORDS], out[WORDS];
    int target = (ct_me + 1) % size, origin = (ct_me + size - 1) % size;
    MPI_Group all, to, from;

    MPI_Win_get_group(w->win, &all);
    MPI_Group_incl(all, 1, &target, &to);
    MPI_Group_incl(all, 1, &origin, &from);
    for (int reads = 0; reads < 2; reads++) {
        MPI_Win_post(from, 0, w->win);
        MPI_Win_start(to, 0, w->win);
        if (reads)
            read_back(w, target, out);
        else
            change(w, target, ct_below(&w->rng, 3), in);
        MPI_Win_complete(w->win);
        MPI_Win_wait(w->win);
    }
    check(w, target, out, "after complete");
    MPI_Group_free(&all);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
}

static MTEST_THREAD_RETURN_TYPE windows_of_its_own(void *arg)
{
    int thread = (int) (intptr_t) arg;
    MPI_Aint bytes = (MPI_Aint) size * WORDS * (MPI_Aint) sizeof(long);

    for (int i = 0; i < WINDOWS; i++) {
        worker w = new_worker(thread, MPI_WIN_NULL, (MPI_Aint) ct_me * WORDS);
        long *memory = ct_alloc((size_t) size * WORDS, sizeof(long)), *mine = memory;

        if (i % 2)
            MPI_Win_allocate(bytes, sizeof(long), MPI_INFO_NULL, comms[thread], &mine, &w.win);
        else
            MPI_Win_create(memory, bytes, sizeof(long), MPI_INFO_NULL, comms[thread], &w.win);
        memset(mine, 0, (size_t) bytes);
        MPI_Barrier(comms[thread]);
        lock_epochs(&w);
        MPI_Barrier(comms[thread]);
        fence_epochs(&w);
        MPI_Barrier(comms[thread]);
        post_epochs(&w);
        MPI_Win_free(&w.win);
        free(w.model);
        free(memory);
    }
    return (MTEST_THREAD_RETURN_TYPE) 0;
}

static void one_epoch_for_all(int created)
{
    MPI_Aint words = (MPI_Aint) size * THREADS * WORDS + 1, bytes = words * (MPI_Aint) sizeof(long);
    long *memory = ct_alloc((size_t) words, sizeof(long)), *mine = memory, want = 0, sum;

    if (created)
        MPI_Win_create(memory, bytes, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    else
        MPI_Win_allocate(bytes, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    memset(mine, 0, (size_t) bytes);
    memset(added, 0, sizeof added);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    ct_in_threads(THREADS, share_an_epoch);
    MPI_Win_unlock_all(win);
    for (int i = 0; i < THREADS; i++)
        want += added[i];
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, ct_me, 0, win);
    sum = mine[words - 1];
    MPI_Win_unlock(ct_me, win);
    MPI_Allreduce(MPI_IN_PLACE, &want, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    CT_CHECK(sum == want, "all threads added %ld, not %ld", sum, want);
    MPI_Win_free(&win);
    free(memory);
}

int main(int argc, char **argv)
{
    int provided;

    MTest_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (provided == MPI_THREAD_MULTIPLE) {
        one_epoch_for_all(0);
        one_epoch_for_all(1);
        for (int i = 0; i < THREADS; i++)
            MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        ct_in_threads(THREADS, windows_of_its_own);
        for (int i = 0; i < THREADS; i++)
            MPI_Comm_free(&comms[i]);
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
