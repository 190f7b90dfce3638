/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What fences order.  A message does not touch its target before that is in the epoch; accumulates
 * are done in their order, whatever their lengths and those of the epochs before; a lock finds done
 * what the fence before it has ended; an operation that is wrong takes none of the others along,
 * and the fence of who can see it tells it; and who waits in a fence, or for a lock, takes part in
 * nonblocking collectives all the while.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { WORDS = 4000, SHORT = 3, MANY = 600, TOLD = 5, EPOCHS = 100 };

static int size;
static MPI_Win win;
static long *memory;

static void new_win(const char *issue)
{
    MPI_Info info;

    memory = ct_alloc(WORDS, sizeof(long));
    MPI_Info_create(&info);
    MPI_Info_set(info, "rma_issue", issue);
    MPI_Win_create(memory, WORDS * sizeof(long), sizeof(long), info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
}

static void free_win(void)
{
    MPI_Win_free(&win);
    free(memory);
}

static void poll_a_while(void)
{
    int flag;

    for (double end = MPI_Wtime() + 0.02; MPI_Wtime() < end;)
        MPI_Iprobe(MPI_ANY_SOURCE, TOLD + 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

/* Another process begins its epoch while the last one still has its memory for itself.  (A fence
 * with nothing before it need not wait for anybody.) */
static void check_early(void)
{
    int target = size - 1;
    long values[MANY];

    for (int round = 1; round <= 5; round++) {
        for (int i = 0; i < MANY; i++)
            values[i] = round * 1000 + i;
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
        if (ct_me == 0 && target > 0)
            MPI_Send(NULL, 0, MPI_BYTE, target, TOLD, MPI_COMM_WORLD);
        if (ct_me == target && target > 0) {
            MPI_Recv(NULL, 0, MPI_BYTE, 0, TOLD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            poll_a_while();
            for (int i = 0; i < MANY; i++) {
                CT_CHECK(round == 1 || memory[i] == (round - 1) * 1000 + i,
                         "round %d: word %d is %ld before the fence", round, i, memory[i]);
                memory[i] = -1;
            }
        }
        MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
        for (int i = 0; i < MANY && ct_me == 0; i++)
            MPI_Put(&values[i], 1, MPI_LONG, target, i, 1, MPI_LONG, win);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
        for (int i = 0; i < MANY && ct_me == target; i++)
            CT_CHECK(memory[i] == values[i], "round %d: word %d is %ld, not %ld", round, i,
                     memory[i], values[i]);
    }
}

/* Short, long, short over the same words: the last one counts. */
static void replace(int target, const long *first, const long *second, const long *third,
                    int with_long)
{
    MPI_Accumulate(first, SHORT, MPI_LONG, target, 0, SHORT, MPI_LONG, MPI_REPLACE, win);
    if (with_long)
        MPI_Accumulate(second, WORDS, MPI_LONG, target, 0, WORDS, MPI_LONG, MPI_REPLACE, win);
    MPI_Accumulate(third, SHORT, MPI_LONG, target, 1, SHORT, MPI_LONG, MPI_REPLACE, win);
}

static void check_replaced(int epoch, const long *first, const long *second, const long *third,
                           int with_long)
{
    for (int i = 0; i < WORDS && (with_long || i <= SHORT); i++) {
        long want = i >= 1 && i <= SHORT ? third[i - 1] : with_long ? second[i] : first[i];

        CT_CHECK(memory[i] == want, "epoch %d: word %d is %ld, not %ld", epoch, i, memory[i], want);
        if (memory[i] != want)
            break;
    }
}

/* Of each epoch it is drawn alike by all who has long operations, if anybody. */
static void check_accumulates(void)
{
    int target = (ct_me + 1) % size, from = (ct_me + size - 1) % size;
    long *second = ct_alloc(WORDS, sizeof(long)), first[SHORT], third[SHORT];
    ct_rng rng = {11};

    MPI_Win_fence(0, win);
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        int longs = ct_below(&rng, 4), whose = ct_below(&rng, size);

        for (int i = 0; i < WORDS; i++)
            second[i] = epoch * 10 + 2;
        for (int i = 0; i < SHORT; i++) {
            first[i] = epoch * 10 + 1;
            third[i] = epoch * 10 + 3;
        }
        replace(target, first, second, third, longs == 3 || (longs == 2 && whose == ct_me));
        MPI_Win_fence(0, win);
        check_replaced(epoch, first, second, third, longs == 3 || (longs == 2 && whose == from));
        MPI_Win_fence(0, win);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    free(second);
}

static int class_of(int result)
{
    int class = MPI_SUCCESS;

    if (result)
        MPI_Error_class(result, &class);
    return class;
}

/* All put a word to process 0, and the last one another outside. */
static void check_outside(void)
{
    long value = 100 + ct_me;
    int class, told, any = 0;

    memset(memory, 0, WORDS * sizeof(long));
    for (int epoch = 0; epoch < 5; epoch++) {
        MPI_Win_fence(0, win);
        value++;
        if (ct_me == size - 1)
            MPI_Put(&value, 1, MPI_LONG, 0, WORDS, 1, MPI_LONG, win);
        MPI_Put(&value, 1, MPI_LONG, 0, ct_me, 1, MPI_LONG, win);
        class = class_of(MPI_Win_fence(0, win));
        CT_CHECK(class == MPI_SUCCESS || class == MPI_ERR_RMA_RANGE, "epoch %d: class %d", epoch,
                 class);
        told = class == MPI_ERR_RMA_RANGE;
        MPI_Allreduce(&told, &any, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        CT_CHECK(any == 1, "epoch %d: %d processes were told of an operation outside", epoch, any);
        for (int i = 0; i < size && ct_me == 0; i++)
            CT_CHECK(memory[i] == 101 + i + epoch, "epoch %d: word %d is %ld", epoch, i, memory[i]);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

/* Process 0 is in the fence, and the others come when the collective is done in which it takes
 * part. */
static void check_collective_in_fence(void)
{
    long mine = ct_me, sum, value = 7;
    MPI_Request request;

    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_LONG, (ct_me + 1) % size, 0, 1, MPI_LONG, win);
    MPI_Iallreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &request);
    if (ct_me > 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (ct_me == 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    CT_CHECK(sum == (long) size * (size - 1) / 2, "the collective beside a fence: %ld", sum);
}

/* Process 0 waits for the lock of the last one, which process 1 gives back when the collective
 * is done. */
static void check_collective_in_lock(void)
{
    long mine = ct_me, sum, value = 7;
    MPI_Request request;

    if (size < 3)
        return;
    if (ct_me == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, size - 1, 0, win);
        MPI_Put(&value, 1, MPI_LONG, size - 1, 0, 1, MPI_LONG, win);
        MPI_Win_flush(size - 1, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Iallreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &request);
    if (ct_me == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, size - 1, 0, win);
        MPI_Put(&value, 1, MPI_LONG, size - 1, 0, 1, MPI_LONG, win);
        MPI_Win_unlock(size - 1, win);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (ct_me == 1)
        MPI_Win_unlock(size - 1, win);
    CT_CHECK(sum == (long) size * (size - 1) / 2, "the collective beside a lock: %ld", sum);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Process 0 looks at the last one's memory by a lock, as soon as it has left the fence; what the
 * others have put there is done. */
static void check_lock_behind_fence(int assert)
{
    int target = size - 1;
    long values[MANY], seen[MANY];

    memset(memory, 0, WORDS * sizeof(long));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 1; round <= EPOCHS; round++) {
        for (int i = 0; i < MANY; i++)
            values[i] = round;
        MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
        for (int i = ct_me - 1; i >= 0 && i < MANY; i += size)
            MPI_Put(&values[i], 1, MPI_LONG, target, i, 1, MPI_LONG, win);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
        if (ct_me == 0) {
            MPI_Win_lock(MPI_LOCK_SHARED, target, assert, win);
            MPI_Get(seen, MANY, MPI_LONG, target, 0, MANY, MPI_LONG, win);
            MPI_Win_unlock(target, win);
        }
        for (int i = 0; i < MANY && ct_me == 0; i++) {
            long want = i % size < size - 1 ? round : 0;
            CT_CHECK(seen[i] == want,
                     "round %d: a lock behind the fence finds %ld in word %d, not %ld", round,
                     seen[i], i, want);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* The last one waits in the fence, and gives locks to who does not come before he has had them. */
static void check_lock_before_fence(void)
{
    int target = size - 1;
    long value = 5;

    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    for (int round = 0; round < 5; round++) {
        value++;
        if (ct_me == 0) {
            poll_a_while();
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
            MPI_Put(&value, 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
            MPI_Win_unlock(target, win);
        }
        MPI_Win_fence(0, win);
        CT_CHECK(ct_me != target || memory[0] == value,
                 "round %d: %ld, not %ld, by a lock before the fence", round, memory[0], value);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    }
}

/* Wrong, and no reason to wait for ever: operations before a fence that is told of none, and
 * behind one that is told of none. */
static void check_wrong_assertions(void)
{
    long value = 9;
    int target = (ct_me + 1) % size;

    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Put(&value, 1, MPI_LONG, target, 1, 1, MPI_LONG, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Put(&value, 1, MPI_LONG, target, 2, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CT_CHECK(memory[1] == 9, "word 1 is %ld", memory[1]);
}

int main(int argc, char **argv)
{
    const char *const modes[] = {"hybrid", "lazy"};

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 2; i++) {
        new_win(modes[i]);
        check_early();
        check_accumulates();
        free_win();
        new_win(modes[i]);
        check_outside();
        free_win();
        new_win(modes[i]);
        check_lock_before_fence();
        check_lock_behind_fence(0);
        check_lock_behind_fence(MPI_MODE_NOCHECK);
        check_collective_in_fence();
        check_collective_in_lock();
        check_wrong_assertions();
        free_win();
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
