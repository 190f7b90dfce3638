/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Process 0 has no memory for an operation that goes as an active message: that is an error, the
 * operation can be repeated, and the epoch ends, though nothing answers what was not sent.  Each
 * allocation of each operation fails once, in epochs of locks, of fences and of start and complete.
 * What is made once, by the hundred or for a target, is there after the first round.
 */
#include "cmaptest_poor.h"

enum { LOCK, FENCE, PSCW, SYNCS };
enum { PUT, GET, ACC, GET_ACC, FOP, CAS, RPUT, RGET, RACC, RGET_ACC, KINDS, ACTIVE_KINDS = RPUT };
enum { PLAIN, STRIDED, SCATTERED, TYPES };
enum { MOST = 5, BLOCKS = 3000, WORDS = 2 * BLOCKS };

static const char *const names[] = {
    "put",  "get",  "accumulate",  "get_accumulate", "fetch_and_op", "compare_and_swap",
    "rput", "rget", "raccumulate", "rget_accumulate"};
static int target;
static MPI_Win win;
static MPI_Datatype types[TYPES];
static const int counts[TYPES] = {3, 1, 1}, words[TYPES] = {3, 2, BLOCKS};
/* of each word that operations on the target change */
static long memory[WORDS], in[WORDS], out[WORDS], value;

/* `value` is what is there, and in[] is 1.  Data of the origin are in one piece: yaksa does not
 * pack without memory. */
static int call(int kind, int t, MPI_Request *request)
{
    MPI_Datatype type = types[t];
    int n = counts[t];

    switch (kind) {
        case PUT: return MPI_Put(in, words[t], MPI_LONG, target, 0, n, type, win);
        case RPUT: return MPI_Rput(in, words[t], MPI_LONG, target, 0, n, type, win, request);
        case GET: return MPI_Get(out, words[t], MPI_LONG, target, 0, n, type, win);
        case RGET: return MPI_Rget(out, words[t], MPI_LONG, target, 0, n, type, win, request);
        case ACC: return MPI_Accumulate(in, words[t], MPI_LONG, target, 0, n, type, MPI_SUM, win);
        case RACC:
            return MPI_Raccumulate(in, words[t], MPI_LONG, target, 0, n, type, MPI_SUM, win,
                                   request);
        case GET_ACC:
            return MPI_Get_accumulate(in, words[t], MPI_LONG, out, words[t], MPI_LONG, target, 0, n,
                                      type, MPI_SUM, win);
        case RGET_ACC:
            return MPI_Rget_accumulate(in, words[t], MPI_LONG, out, words[t], MPI_LONG, target, 0,
                                       n, type, MPI_SUM, win, request);
        case FOP: return MPI_Fetch_and_op(in, out, MPI_LONG, target, 0, MPI_SUM, win);
        default: return MPI_Compare_and_swap(in, &value, out, MPI_LONG, target, 0, win);
    }
}

static void call_without(int kind, int type, int nth)
{
    MPI_Request request = MPI_REQUEST_NULL;

    for (ct_try t = ct_without(names[kind], nth, 2); ct_goes_on(&t);)
        ct_tried(&t, call(kind, type, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void begin_epoch(int sync, MPI_Group group)
{
    if (sync == LOCK && ct_me != target)
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    else if (sync == FENCE)
        MPI_Win_fence(0, win);
    else if (sync == PSCW && ct_me == target)
        MPI_Win_post(group, 0, win);
    else if (sync == PSCW)
        MPI_Win_start(group, 0, win);
}

static void end_epoch(int sync)
{
    if (sync == LOCK && ct_me != target)
        MPI_Win_unlock(target, win);
    else if (sync == FENCE)
        MPI_Win_fence(0, win);
    else if (sync == PSCW && ct_me == target)
        MPI_Win_wait(win);
    else if (sync == PSCW)
        MPI_Win_complete(win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static int brings_result(int kind)
{
    return kind != PUT && kind != RPUT && kind != ACC && kind != RACC;
}

/* The first word of all types tells. */
static void one_case(int sync, int kind, int t, int nth, MPI_Group group)
{
    for (int i = 0; i < WORDS; i++) {
        memory[i] = 10;
        in[i] = 1;
        out[i] = -1;
    }
    value = 10;
    MPI_Barrier(MPI_COMM_WORLD);
    begin_epoch(sync, group);
    if (ct_me == 0)
        call_without(kind, t, nth);
    end_epoch(sync);
    if (ct_me == 0 && brings_result(kind))
        CT_CHECK(out[0] == 10, "%s brings %ld", names[kind], out[0]);
    if (ct_me == target && (kind == GET || kind == RGET))
        CT_CHECK(memory[0] == 10, "%s makes %ld", names[kind], memory[0]);
    else if (ct_me == target)
        CT_CHECK(memory[0] == (kind == PUT || kind == RPUT || kind == CAS ? 1 : 11), "%s makes %ld",
                 names[kind], memory[0]);
}

static void check_cases(MPI_Group group)
{
    for (int nth = 0; nth <= MOST; nth++) {
        for (int sync = 0; sync < SYNCS; sync++) {
            for (int kind = 0; kind < (sync == LOCK ? KINDS : ACTIVE_KINDS); kind++) {
                for (int t = 0; t < (kind == FOP || kind == CAS ? 1 : TYPES); t++)
                    one_case(sync, kind, t, nth, group);
            }
        }
    }
}

static void make_types(void)
{
    static int places[BLOCKS];

    for (int i = 0; i < BLOCKS; i++)
        places[i] = 2 * i;
    types[PLAIN] = MPI_LONG;
    MPI_Type_vector(2, 1, 2, MPI_LONG, &types[STRIDED]);
    MPI_Type_create_indexed_block(BLOCKS, 1, places, MPI_LONG, &types[SCATTERED]);
    MPI_Type_commit(&types[STRIDED]);
    MPI_Type_commit(&types[SCATTERED]);
}

static void check_all(int size)
{
    int others[64], n = 0;
    MPI_Group world, group;
    MPI_Info info;

    target = size - 1;
    for (int i = 0; i < size - 1; i++)
        others[n++] = i;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, ct_me == target ? n : 1, ct_me == target ? others : &target, &group);
    make_types();
    MPI_Info_create(&info);
    MPI_Info_set(info, "rma_issue", "eager");
    MPI_Win_create(memory, sizeof(memory), sizeof(long), info, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    check_cases(group);
    CT_CHECK(ct_me != 0 || ct_failed_calls > 0, "no call lacked memory");
    MPI_Win_free(&win);
    MPI_Info_free(&info);
    MPI_Group_free(&world);
    MPI_Group_free(&group);
    MPI_Type_free(&types[STRIDED]);
    MPI_Type_free(&types[SCATTERED]);
}

int main(int argc, char **argv)
{
    int size;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (ct_can_be_poor())
        check_all(size);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
