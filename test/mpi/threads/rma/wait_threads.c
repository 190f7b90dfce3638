/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A thread that waits in a one-sided call for another process does not keep the other threads of
 * its own out of MPI: the other process goes on only when it has heard from one of them.
 */
#include "cmaptest_threads.h"
#include "cmaptest_oracle.h"

#define ROUNDS 8
#define WORDS 4 /* that the other thread says meanwhile */

static MPI_Win win;
static MPI_Group others;

static void wait_for_complete(void)
{
    MPI_Win_post(others, 0, win);
    MPI_Win_wait(win);
}

static void complete_after(void (*talk)(void))
{
    long value = 1;

    MPI_Win_start(others, 0, win);
    MPI_Put(&value, 1, MPI_LONG, 1 - ct_me, 0, 1, MPI_LONG, win);
    talk();
    MPI_Win_complete(win);
}

static void wait_for_lock(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Win_unlock(0, win);
}

static void unlock_after(void (*talk)(void))
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    talk();
    MPI_Win_unlock(0, win);
}

static void talk(void)
{
    int word = 0;

    for (int i = 0; i < WORDS; i++)
        MPI_Sendrecv_replace(&word, 1, MPI_INT, 1 - ct_me, 0, 1 - ct_me, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
}

static MTEST_THREAD_RETURN_TYPE in_thread(void *arg)
{
    void (*wait)(void) = *(void (**)(void)) arg;

    wait();
    return (MTEST_THREAD_RETURN_TYPE) 0;
}

static void run(void (*wait)(void), void (*go_on_after)(void (*)(void)), int barrier)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (ct_me == 0) {
            go_on_after(talk);
        } else {
            if (barrier)
                MPI_Barrier(MPI_COMM_WORLD);
            MTest_Start_thread(in_thread, &wait);
            talk();
            MTest_Join_threads();
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int provided, other, size;
    long *mine, memory = 0;
    MPI_Group all;

    MTest_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CT_CHECK(size == 2, "%d processes, not 2", size);
    other = 1 - ct_me;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &other, &others);
    for (int created = 0; created <= 1 && provided == MPI_THREAD_MULTIPLE && size == 2; created++) {
        if (created)
            MPI_Win_create(&memory, sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD,
                           &win);
        else
            MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &mine,
                             &win);
        run(wait_for_complete, complete_after, 0);
        run(wait_for_lock, unlock_after, 1);
        MPI_Win_free(&win);
    }
    MPI_Group_free(&others);
    MPI_Group_free(&all);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
