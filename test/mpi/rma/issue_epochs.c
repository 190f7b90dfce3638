/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What operations that wait must not change: errors come from the call that is wrong, a type may be
 * freed, windows do not disturb each other, and info keys say what is in force.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { WORDS = 64 };

static int size, next_rank;
static long *memory;

static MPI_Win new_win(MPI_Info info)
{
    MPI_Win win;

    memory = ct_alloc(WORDS, sizeof(long));
    MPI_Win_create(memory, WORDS * sizeof(long), sizeof(long), info, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    return win;
}

static void free_win(MPI_Win *win, long *its_memory)
{
    MPI_Win_free(win);
    free(its_memory);
}

static void check_key(MPI_Win win, const char *key, const char *want)
{
    MPI_Info used;
    char value[MPI_MAX_INFO_VAL];
    int found;

    MPI_Win_get_info(win, &used);
    MPI_Info_get(used, key, MPI_MAX_INFO_VAL - 1, value, &found);
    CT_CHECK(found && !strcmp(value, want), "%s is %s, not %s", key, found ? value : "not there",
             want);
    MPI_Info_free(&used);
}

static void check_info(void)
{
    MPI_Info info;
    MPI_Win win;

    MPI_Info_create(&info);
    MPI_Info_set(info, "rma_issue", "lazy");
    MPI_Info_set(info, "rma_issue_ops", "7");
    MPI_Info_set(info, "rma_issue_bytes", "many");
    win = new_win(info);
    check_key(win, "rma_issue", "lazy");
    check_key(win, "rma_issue_ops", "7");
    check_key(win, "rma_issue_bytes", "4096");
    free_win(&win, memory);
    MPI_Info_set(info, "rma_issue", "sometimes");
    MPI_Info_set(info, "rma_issue_bytes", "0");
    win = new_win(info);
    check_key(win, "rma_issue_bytes", "0");
    free_win(&win, memory);
    MPI_Info_free(&info);
}

static void check_error(int got, const char *what)
{
    int class = MPI_SUCCESS;

    if (got)
        MPI_Error_class(got, &class);
    CT_CHECK(class == MPI_ERR_RMA_SYNC, "%s: error class %d, not MPI_ERR_RMA_SYNC", what, class);
}

static void check_errors(void)
{
    MPI_Win win = new_win(MPI_INFO_NULL);
    long value = 1;

    check_error(MPI_Put(&value, 1, MPI_LONG, next_rank, 0, 1, MPI_LONG, win),
                "put without an epoch");
    check_error(MPI_Win_unlock(next_rank, win), "unlock without a lock");
    check_error(MPI_Win_unlock_all(win), "unlock_all without lock_all");
    check_error(MPI_Win_complete(win), "complete without start");
    check_error(MPI_Win_flush(next_rank, win), "flush without a lock");
    MPI_Win_lock(MPI_LOCK_SHARED, next_rank, 0, win);
    check_error(MPI_Win_lock(MPI_LOCK_SHARED, next_rank, 0, win), "a lock twice");
    check_error(MPI_Win_lock_all(0, win), "lock_all beside a lock");
    check_error(MPI_Win_unlock_all(win), "unlock_all of a lock");
    check_error(MPI_Win_fence(0, win), "fence beside a lock");
    MPI_Put(&value, 1, MPI_LONG, next_rank, 0, 1, MPI_LONG, win);
    MPI_Win_unlock(next_rank, win);
    MPI_Win_lock_all(0, win);
    check_error(MPI_Win_lock(MPI_LOCK_SHARED, next_rank, 0, win), "a lock beside lock_all");
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, ct_me, 0, win);
    CT_CHECK(memory[0] == 1, "%ld put, not 1", memory[0]);
    MPI_Win_unlock(ct_me, win);
    free_win(&win, memory);
}

/* Waiting operations keep their types. */
static void check_freed_types(void)
{
    MPI_Win win = new_win(MPI_INFO_NULL);
    MPI_Datatype column;
    long put[4] = {1, 2, 3, 4}, got[8] = {0};

    for (int i = 0; i < 2; i++) {
        MPI_Type_vector(4, 1, 2, MPI_LONG, &column);
        MPI_Type_commit(&column);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next_rank, 0, win);
        if (i == 0)
            MPI_Put(put, 4, MPI_LONG, next_rank, 0, 1, column, win);
        else
            MPI_Get(got, 1, column, next_rank, 0, 1, column, win);
        MPI_Type_free(&column);
        MPI_Win_unlock(next_rank, win);
    }
    for (int i = 0; i < 8; i++)
        CT_CHECK(got[i] == (i % 2 ? 0 : i / 2 + 1), "element %d of the column is %ld", i, got[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    free_win(&win, memory);
}

/* Nothing to do, and nothing to do it to. */
static void check_empty(void)
{
    MPI_Win win = new_win(MPI_INFO_NULL);
    long value = 9;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next_rank, 0, win);
    MPI_Put(NULL, 0, MPI_LONG, next_rank, 0, 0, MPI_LONG, win);
    MPI_Put(&value, 1, MPI_LONG, MPI_PROC_NULL, 0, 1, MPI_LONG, win);
    MPI_Win_flush(next_rank, win);
    MPI_Win_unlock(next_rank, win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, MPI_PROC_NULL, 0, win);
    MPI_Win_unlock(MPI_PROC_NULL, win);
    MPI_Win_lock_all(0, win);
    MPI_Win_flush_all(win);
    MPI_Win_unlock_all(win);
    MPI_Win_start(MPI_GROUP_EMPTY, 0, win);
    MPI_Win_complete(win);
    MPI_Barrier(MPI_COMM_WORLD);
    CT_CHECK(memory[0] == 0, "%ld put by nobody", memory[0]);
    free_win(&win, memory);
}

/* Epochs on two windows at once, ended in either order. */
static void check_two_windows(void)
{
    MPI_Win one = new_win(MPI_INFO_NULL), two;
    long *of_one = memory, value[2] = {11, 22}, got[2] = {0, 0};

    two = new_win(MPI_INFO_NULL);
    for (int i = 0; i < 4; i++) {
        MPI_Win_lock(MPI_LOCK_SHARED, next_rank, 0, one);
        MPI_Win_lock(MPI_LOCK_SHARED, next_rank, 0, two);
        MPI_Put(&value[0], 1, MPI_LONG, next_rank, i, 1, MPI_LONG, one);
        MPI_Put(&value[1], 1, MPI_LONG, next_rank, i, 1, MPI_LONG, two);
        MPI_Win_unlock(next_rank, i % 2 ? one : two);
        MPI_Win_unlock(next_rank, i % 2 ? two : one);
        MPI_Win_lock(MPI_LOCK_SHARED, next_rank, 0, one);
        MPI_Get(&got[0], 1, MPI_LONG, next_rank, i, 1, MPI_LONG, one);
        MPI_Win_lock(MPI_LOCK_SHARED, next_rank, 0, two);
        MPI_Get(&got[1], 1, MPI_LONG, next_rank, i, 1, MPI_LONG, two);
        MPI_Win_unlock(next_rank, two);
        MPI_Win_unlock(next_rank, one);
        CT_CHECK(got[0] == 11 && got[1] == 22, "got %ld and %ld", got[0], got[1]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    free_win(&two, memory);
    free_win(&one, of_one);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next_rank = (ct_me + 1) % size;
    check_info();
    check_errors();
    check_freed_types();
    check_empty();
    check_two_windows();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
