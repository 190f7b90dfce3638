/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Several threads of a process put to the same target and flush it, each for itself: what a thread
 * has put is there when its flush returns, whoever else flushes meanwhile.
 */
#include "cmaptest_threads.h"
#include "cmaptest_oracle.h"

#define THREADS 3
#define STEPS 150
#define WORDS 16

static int size;
static MPI_Win win;

/* The words of this thread at every target: nobody else's. */
static MPI_Aint place(int thread) { return ((MPI_Aint) ct_me * THREADS + thread) * WORDS; }

static void flush(int step, int target)
{
    if (step % 7 == 0)
        MPI_Win_flush_all(win);
    else
        MPI_Win_flush(target, win);
}

static MTEST_THREAD_RETURN_TYPE put_and_look(void *arg)
{
    int me = (int) (intptr_t) arg;
    long out[WORDS], in[WORDS];

    for (int step = 0; step < STEPS; step++) {
        int target = (ct_me + 1 + step / 10) % size;

        for (int i = 0; i < WORDS; i++) {
            out[i] = 1000L * step + i;
            in[i] = -1;
        }
        MPI_Put(out, WORDS, MPI_LONG, target, place(me), WORDS, MPI_LONG, win);
        flush(step, target);
        memset(out, 0, sizeof(out));
        MPI_Get(in, WORDS, MPI_LONG, target, place(me), WORDS, MPI_LONG, win);
        flush(step, target);
        for (int i = 0; i < WORDS; i++)
            CT_CHECK(in[i] == 1000L * step + i, "step %d: %ld, not %ld", step, in[i],
                     1000L * step + i);
    }
    return (MTEST_THREAD_RETURN_TYPE) 0;
}

static void run(void)
{
    size_t words = (size_t) size * THREADS * WORDS;
    long *memory = ct_alloc(words, sizeof(long));

    MPI_Win_create(memory, (MPI_Aint) (words * sizeof(long)), sizeof(long), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    ct_in_threads(THREADS, put_and_look);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    free(memory);
}

int main(int argc, char **argv)
{
    int provided;

    MTest_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (provided == MPI_THREAD_MULTIPLE)
        run();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
