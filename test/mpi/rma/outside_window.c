/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * An operation that leaves the target's memory is an error of class MPI_ERR_RMA_RANGE where
 * somebody can see it, and does nothing; up to the last byte all is well.  In a node the origin
 * sees it; the target of a message does, and tells whoever ends the epoch.  Parts differ in size
 * from process to process.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

static int size;
static MPI_Win win;

static long words_of(int rank) { return 4 + rank; }

static void expect(int got, int outside, const char *what, int target)
{
    int class = MPI_SUCCESS;

    if (got)
        MPI_Error_class(got, &class);
    CT_CHECK(class == (outside ? MPI_ERR_RMA_RANGE : MPI_SUCCESS), "%s of rank %d: class %d", what,
             target, class);
}

/* Every second of `count` words from disp on, the last of them with nothing behind it. */
static void check_strided(int target, MPI_Aint disp, int count, int outside)
{
    MPI_Datatype type;
    long in[8] = {0};

    MPI_Type_vector(count, 1, 2, MPI_LONG, &type);
    MPI_Type_commit(&type);
    expect(MPI_Get(in, count, MPI_LONG, target, disp, 1, type, win), outside, "strided get",
           target);
    MPI_Type_free(&type);
}

/* Backwards from disp on. */
static void check_backwards(int target, MPI_Aint disp, int outside)
{
    MPI_Datatype type;
    long in[2] = {0};

    MPI_Type_vector(2, 1, -1, MPI_LONG, &type);
    MPI_Type_commit(&type);
    expect(MPI_Get(in, 2, MPI_LONG, target, disp, 1, type, win), outside, "backward get", target);
    MPI_Type_free(&type);
}

static void check_at(int target, MPI_Aint disp, int outside)
{
    long value = 1, other = 1, got = 0;

    expect(MPI_Put(&value, 1, MPI_LONG, target, disp, 1, MPI_LONG, win), outside, "put", target);
    expect(MPI_Get(&got, 1, MPI_LONG, target, disp, 1, MPI_LONG, win), outside, "get", target);
    expect(MPI_Accumulate(&value, 1, MPI_LONG, target, disp, 1, MPI_LONG, MPI_SUM, win), outside,
           "accumulate", target);
    expect(MPI_Get_accumulate(&value, 1, MPI_LONG, &got, 1, MPI_LONG, target, disp, 1, MPI_LONG,
                              MPI_SUM, win),
           outside, "get_accumulate", target);
    expect(MPI_Fetch_and_op(&value, &got, MPI_LONG, target, disp, MPI_SUM, win), outside,
           "fetch_and_op", target);
    expect(MPI_Compare_and_swap(&value, &other, &got, MPI_LONG, target, disp, win), outside,
           "compare_and_swap", target);
    expect(MPI_Put(&value, 0, MPI_LONG, target, disp, 0, MPI_LONG, win), 0, "put of nothing",
           target);
}

static void check_target(int target)
{
    MPI_Aint words = words_of(target);

    check_at(target, words - 1, 0);
    check_at(target, words, 1);
    check_at(target, (MPI_Aint) 1 << 61, 1); /* as bytes it would be zero */
    check_strided(target, words - 3, 2, 0);
    check_strided(target, words - 2, 2, 1);
    check_backwards(target, 1, 0);
    check_backwards(target, 0, 1);
    check_backwards(target, words - 1, 0);
    check_backwards(target, words, 1);
}

/* Two operations in a message: the first stays inside. */
static void check_message(int target, MPI_Aint disp, int flushed)
{
    long value = 7, got = 7;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    expect(MPI_Put(&value, 1, MPI_LONG, target, 0, 1, MPI_LONG, win), 0, "put by message", target);
    expect(MPI_Get(&got, 1, MPI_LONG, target, disp, 1, MPI_LONG, win), 0, "get by message", target);
    if (flushed)
        expect(MPI_Win_flush(target, win), disp >= words_of(target), "flush", target);
    expect(MPI_Win_unlock(target, win), !flushed && disp >= words_of(target), "unlock", target);
    CT_CHECK(got == 0, "got %ld from %ld of rank %d", got, (long) disp, target);
    expect(MPI_Win_lock_all(0, win), 0, "lock_all", target);
    expect(MPI_Put(&value, 1, MPI_LONG, target, disp, 1, MPI_LONG, win), 0, "put", target);
    expect(MPI_Win_unlock_all(win), disp >= words_of(target), "unlock_all", target);
}

/* The fence that ends the epoch tells it, after the barrier: nobody waits there for who has made
 * a mistake. */
static void check_fence(void)
{
    long value = 7, got[2] = {7, 7};
    int target = (ct_me + 1) % size, outside = size > 1;

    expect(MPI_Win_fence(0, win), 0, "first fence", target);
    expect(MPI_Put(&value, 1, MPI_LONG, target, 1, 1, MPI_LONG, win), 0, "put by message", target);
    expect(MPI_Get(&got[0], 1, MPI_LONG, target, 2, 1, MPI_LONG, win), 0, "get by message", target);
    if (outside)
        expect(MPI_Get(&got[1], 1, MPI_LONG, target, words_of(target), 1, MPI_LONG, win), 0,
               "get by message", target);
    expect(MPI_Win_fence(0, win), outside, "fence", target);
    CT_CHECK(got[0] == 0 && (!outside || got[1] == 0), "got %ld and %ld from rank %d", got[0],
             got[1], target);
    value = 0;
    expect(MPI_Put(&value, 1, MPI_LONG, target, 1, 1, MPI_LONG, win), 0, "put by message", target);
    expect(MPI_Win_fence(MPI_MODE_NOSUCCEED, win), 0, "last fence", target);
}

/* One origin, whose message also brings a result: it is told alone. */
static void check_fence_of_origin(void)
{
    long value = 7, got = 7;
    int target = size - 1, is_origin = ct_me == 0 && size > 1;

    expect(MPI_Win_fence(0, win), 0, "first fence", target);
    if (is_origin) {
        expect(MPI_Put(&value, 1, MPI_LONG, target, words_of(target), 1, MPI_LONG, win), 0,
               "put by message", target);
        expect(MPI_Get(&got, 1, MPI_LONG, target, 2, 1, MPI_LONG, win), 0, "get by message",
               target);
    }
    expect(MPI_Win_fence(0, win), is_origin, "fence of the origin", target);
    CT_CHECK(!is_origin || got == 0, "got %ld from rank %d", got, target);
    expect(MPI_Win_fence(MPI_MODE_NOSUCCEED, win), 0, "last fence", target);
}

/* MPI_Win_wait, or MPI_Win_test, of the target tells it, not what the target calls before; the
 * next epoch is as any other. */
static void check_post(int tests)
{
    MPI_Group all, origin_group, target_group;
    int target = size - 1, origin = 0, done = 0, got = MPI_SUCCESS;
    long value = 7;

    if (size == 1)
        return;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &origin, &origin_group);
    MPI_Group_incl(all, 1, &target, &target_group);
    for (int outside = 1; outside >= 0; outside--) {
        if (ct_me == origin) {
            expect(MPI_Win_start(target_group, 0, win), 0, "start", target);
            expect(MPI_Put(&value, 1, MPI_LONG, target, 1, 1, MPI_LONG, win), 0, "put by message",
                   target);
            expect(MPI_Put(&value, 1, MPI_LONG, target, outside ? words_of(target) : 2, 1, MPI_LONG,
                           win),
                   0, "put by message", target);
            expect(MPI_Win_complete(win), 0, "complete", target);
        } else if (ct_me == target) {
            expect(MPI_Win_post(origin_group, 0, win), 0, "post", target);
        }
        for (int k = 0; k < 3; k++)
            expect(MPI_Barrier(MPI_COMM_WORLD), 0, "barrier", ct_me);
        for (done = 0; ct_me == target && !done;) {
            got = tests ? MPI_Win_test(win, &done) : MPI_Win_wait(win);
            done |= !tests;
        }
        if (ct_me == target)
            expect(got, outside, tests ? "test" : "wait", target);
        value = 0;
    }
    MPI_Group_free(&target_group);
    MPI_Group_free(&origin_group);
    MPI_Group_free(&all);
}

static void make_window(long *memory, const char *issue)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "rma_issue", issue);
    MPI_Win_create(memory, (MPI_Aint) (words_of(ct_me) * sizeof(long)), sizeof(long), info,
                   MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
}

static void check_messages(void)
{
    long *mine = ct_alloc(words_of(ct_me), sizeof(long));

    make_window(mine, "hybrid");
    check_fence();
    check_fence_of_origin();
    check_post(0);
    check_post(1);
    MPI_Win_free(&win);
    make_window(mine, "lazy");
    for (int target = ct_me + 1; target < size; target++) {
        MPI_Aint words = words_of(target);

        check_message(target, words, 0);
        check_message(target, words, 1);
        check_message(target, (MPI_Aint) 1 << 61, 0);
        check_message(target, ((MPI_Aint) 1 << 32) + 1, 0); /* in 32 bits it would be inside */
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 1; i < words_of(ct_me); i++)
        CT_CHECK(mine[i] == 0, "word %d is %ld", i, mine[i]);
    CT_CHECK(mine[0] == (ct_me > 0 ? 7 : 0), "word 0 is %ld", mine[0]);
    MPI_Win_free(&win);
    free(mine);
}

static void check_node(MPI_Comm node)
{
    long *mine;

    MPI_Win_allocate((MPI_Aint) (words_of(ct_me) * sizeof(long)), sizeof(long), MPI_INFO_NULL, node,
                     &mine, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    memset(mine, 0, words_of(ct_me) * sizeof(long));
    MPI_Barrier(node);
    for (int target = 0; target < size; target++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
        check_target(target);
        MPI_Win_unlock(target, win);
    }
    MPI_Barrier(node);
    for (int i = 0; i < words_of(ct_me) - 1; i++)
        CT_CHECK(mine[i] == 0, "word %d is %ld", i, mine[i]);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MPI_Comm node;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check_messages();
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &ct_me);
    MPI_Comm_size(node, &size);
    check_node(node);
    MPI_Comm_free(&node);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
