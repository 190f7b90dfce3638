/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * While one target of a window is locked, the others are not: calls on them return
 * MPI_ERR_RMA_SYNC, do nothing, and the window is as useful as before.  So does MPI_Win_free in an
 * epoch, even if its lock is another process's.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { ASKING = 8 }; /* operations, which ask for the lock before the epoch ends */

static MPI_Win win;

#define FAILS(call) \
    do { \
        int class_ = MPI_SUCCESS, errno_ = call; \
\
        if (errno_) \
            MPI_Error_class(errno_, &class_); \
        CT_CHECK(class_ == MPI_ERR_RMA_SYNC, "%s: %s: class %d", what, #call, class_); \
    } while (0)

static void check_calls(int other, const char *what)
{
    int one = 1, two = 2, result = -1;
    MPI_Request request;

    FAILS(MPI_Put(&one, 1, MPI_INT, other, 0, 1, MPI_INT, win));
    FAILS(MPI_Get(&result, 1, MPI_INT, other, 0, 1, MPI_INT, win));
    FAILS(MPI_Accumulate(&one, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_SUM, win));
    FAILS(MPI_Get_accumulate(&one, 1, MPI_INT, &result, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_SUM,
                             win));
    FAILS(MPI_Fetch_and_op(&one, &result, MPI_INT, other, 0, MPI_SUM, win));
    FAILS(MPI_Compare_and_swap(&one, &two, &result, MPI_INT, other, 0, win));
    FAILS(MPI_Rput(&one, 1, MPI_INT, other, 0, 1, MPI_INT, win, &request));
    FAILS(MPI_Rget(&result, 1, MPI_INT, other, 0, 1, MPI_INT, win, &request));
    FAILS(MPI_Win_flush(other, win));
    FAILS(MPI_Win_flush_local(other, win));
    FAILS(MPI_Win_unlock(other, win));
    CT_CHECK(result == -1, "%s: a result of %d", what, result);
}

/* Each process counts at its target, and nobody else does. */
static void check(int target, int other, const char *what)
{
    int one = 1, count = -1;

    for (int epoch = 0; epoch < 3; epoch++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
        check_calls(other, what);
        MPI_Accumulate(&one, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win);
        check_calls(other, what);
        MPI_Win_flush(target, win);
        check_calls(other, what);
        MPI_Win_unlock(target, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    MPI_Get(&count, 1, MPI_INT, target, 0, 1, MPI_INT, win);
    MPI_Win_unlock(target, win);
    CT_CHECK(count == 3, "%s: counted to %d, not 3", what, count);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_both(int size, int *counter, const char *what)
{
    int next = (ct_me + 1) % size, after = (ct_me + 2) % size;

    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    for (int i = 0; i < 2; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, ct_me, 0, win);
        *counter = 0;
        MPI_Win_unlock(ct_me, win);
        MPI_Barrier(MPI_COMM_WORLD);
        check(next, i == 0 ? after : ct_me, what);
    }
    MPI_Win_free(&win);
}

static void check_created(int size, const char *issue)
{
    MPI_Info info;
    int counter;

    MPI_Info_create(&info);
    MPI_Info_set(info, "rma_issue", issue);
    MPI_Win_create(&counter, sizeof(counter), sizeof(counter), info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    check_both(size, &counter, issue);
}

/* The last process waits for the lock that rank 0 holds, and rank 0 for the last process. */
static void check_free(int last)
{
    const char *what = "free";
    int counter = 0, one = 1, results[ASKING];

    MPI_Win_create(&counter, sizeof(counter), sizeof(counter), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    if (ct_me == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Send(NULL, 0, MPI_INT, last, 0, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_INT, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_unlock(0, win);
    } else if (ct_me == last) {
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        for (int i = 0; i < ASKING; i++)
            MPI_Fetch_and_op(&one, &results[i], MPI_INT, 0, 0, MPI_SUM, win);
        FAILS(MPI_Win_free(&win));
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Win_unlock(0, win);
    }
    MPI_Win_free(&win);
    CT_CHECK(ct_me != 0 || counter == ASKING, "free: counted to %d, not %d", counter, ASKING);
}

/* At least 2 processes. */
int main(int argc, char **argv)
{
    int size, *counter;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check_created(size, "eager");
    check_created(size, "hybrid");
    check_created(size, "lazy");
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &win);
    check_both(size, counter, "allocated");
    check_free(size - 1);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
