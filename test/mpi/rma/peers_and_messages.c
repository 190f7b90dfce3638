/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Operations on memory that the processes of a node share have the results that they have by
 * messages: a random program of all operations runs on an allocated window and, with the same
 * arguments, on one of the program's own memory, and every word and every result must be the same.
 * Builtin, pair and derived datatypes, requests, windows of different units and of no size, fences,
 * locks of all kinds, start and post.
 *
 * Then all processes count with all atomic operations in the same words, and no count is lost: with
 * a node that is cut into two (MPIR_CVAR_NUM_CLIQUES), loads and stores meet messages.
 */
#include "cmaptest.h"

#include <stdbool.h>

#define SLOT 48 /* ints of a window that belong to one origin */
#define COUNTS 200

static int size;
static ct_rng rng;

static unsigned draw(unsigned n) { return (unsigned) ct_below(&rng, (int) n); }

typedef struct {
    MPI_Win win;
    int *mine;
    int result[SLOT], origin[SLOT];
} side_t;

static MPI_Datatype types[5];
static int spans[5]; /* ints that one element reaches over */

static void make_types(void)
{
    int lengths[2] = {1, 2}, places[2] = {0, 3};

    types[0] = MPI_INT, spans[0] = 1;
    MPI_Type_vector(2, 1, 2, MPI_INT, &types[1]), spans[1] = 3;
    MPI_Type_indexed(2, lengths, places, MPI_INT, &types[2]), spans[2] = 5;
    MPI_Type_contiguous(3, MPI_INT, &types[3]), spans[3] = 3;
    types[4] = MPI_2INT, spans[4] = 2;
    for (int i = 1; i < 4; i++)
        MPI_Type_commit(&types[i]);
}

typedef struct {
    int kind, type, count, op, disp, value;
} step_t;

static step_t draw_step(bool in_lock)
{
    step_t s;

    s.kind = (int) draw(in_lock ? 10 : 6);
    s.type = (int) draw(5);
    s.count = (int) draw(4);
    s.op = (int) draw(6);
    s.disp = (int) draw(SLOT - 5 * 4);
    s.value = (int) draw(1000);
    return s;
}

static MPI_Op op_of(const step_t *s, bool gets)
{
    static const MPI_Op ops[6] = {MPI_SUM, MPI_MAX, MPI_BXOR, MPI_REPLACE, MPI_PROD, MPI_MIN};

    if (s->type == 4)
        return s->op % 2 ? MPI_MAXLOC : MPI_REPLACE;
    return gets && s->value % 5 == 0 ? MPI_NO_OP : ops[s->op];
}

/* Words of the origin's slot at the target, whose unit is one or two ints. */
static void do_step(side_t *side, const step_t *s, int target)
{
    int unit = target % 2 + 1;
    MPI_Aint disp = (MPI_Aint) ct_me * SLOT / unit + (s->disp + unit - 1) / unit;
    MPI_Datatype type = types[s->type];
    MPI_Win win = side->win;
    MPI_Request request = MPI_REQUEST_NULL;
    int *origin = side->origin, *result = side->result, n = s->count;
    static int compare; /* until the operation is complete */

    for (int i = 0; i < SLOT; i++)
        origin[i] = s->value + i * 3;
    switch (s->kind) {
        case 0: MPI_Put(origin, n, type, target, disp, n, type, win); break;
        case 1: MPI_Get(result, n, type, target, disp, n, type, win); break;
        case 2: MPI_Accumulate(origin, n, type, target, disp, n, type, op_of(s, false), win); break;
        case 3:
            MPI_Get_accumulate(origin, n, type, result, n, type, target, disp, n, type,
                               op_of(s, true), win);
            break;
        case 4:
            MPI_Fetch_and_op(origin, result, MPI_INT, target, disp,
                             s->value % 7 ? MPI_SUM : MPI_NO_OP, win);
            break;
        case 5:
            compare = s->value % 2 ? 0 : side->result[0];
            MPI_Compare_and_swap(origin, &compare, result, MPI_INT, target, disp, win);
            break;
        case 6: MPI_Rput(origin, n, type, target, disp, n, type, win, &request); break;
        case 7: MPI_Rget(result, n, type, target, disp, n, type, win, &request); break;
        case 8:
            MPI_Raccumulate(origin, n, type, target, disp, n, type, op_of(s, false), win, &request);
            break;
        default:
            MPI_Rget_accumulate(origin, n, type, result, n, type, target, disp, n, type,
                                op_of(s, true), win, &request);
            break;
    }
    if (request != MPI_REQUEST_NULL)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void compare_results(const side_t *one, const side_t *other, const char *what,
                            const step_t *s)
{
    for (int i = 0; i < SLOT; i++)
        CT_CHECK(one->result[i] == other->result[i],
                 "%s: result %d of operation %d (type %d, count %d, op %d): %d and %d", what, i,
                 s->kind, s->type, s->count, s->op, one->result[i], other->result[i]);
}

/* Locks of four kinds; one step, a flush, another step. */
static void lock_rounds(side_t sides[2], int rounds)
{
    for (int round = 0; round < rounds; round++) {
        int how = (int) draw(4), target = (int) draw((unsigned) size);
        step_t steps[2] = {draw_step(true), draw_step(true)};

        for (int side = 0; side < 2; side++) {
            if (how == 0)
                MPI_Win_lock_all(0, sides[side].win);
            else
                MPI_Win_lock(how == 1 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0,
                             sides[side].win);
            do_step(&sides[side], &steps[0], target);
            MPI_Win_flush(target, sides[side].win);
        }
        compare_results(&sides[0], &sides[1], "after a flush", &steps[0]);
        for (int side = 0; side < 2; side++) {
            do_step(&sides[side], &steps[1], target);
            if (how == 0)
                MPI_Win_unlock_all(sides[side].win);
            else
                MPI_Win_unlock(target, sides[side].win);
        }
        compare_results(&sides[0], &sides[1], "after the epoch", &steps[1]);
    }
}

static void fence_rounds(side_t sides[2], int rounds)
{
    for (int round = 0; round < rounds; round++) {
        step_t s = draw_step(false);
        int target = (int) draw((unsigned) size);

        for (int side = 0; side < 2; side++) {
            MPI_Win_fence(0, sides[side].win);
            do_step(&sides[side], &s, target);
            MPI_Win_fence(MPI_MODE_NOSUCCEED, sides[side].win);
        }
        compare_results(&sides[0], &sides[1], "after a fence", &s);
    }
}

static void post_rounds(side_t sides[2], int rounds)
{
    MPI_Group all;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int round = 0; round < rounds; round++) {
        step_t s = draw_step(false);
        int target = (int) draw((unsigned) size);

        for (int side = 0; side < 2; side++) {
            MPI_Win_post(all, 0, sides[side].win);
            MPI_Win_start(all, 0, sides[side].win);
            do_step(&sides[side], &s, target);
            MPI_Win_complete(sides[side].win);
            MPI_Win_wait(sides[side].win);
        }
        compare_results(&sides[0], &sides[1], "after complete", &s);
    }
    MPI_Group_free(&all);
}

static void compare_windows(MPI_Win first, const int *one, const int *other, int ints)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, ct_me, 0, first);
    for (int i = 0; i < ints; i++)
        CT_CHECK(one[i] == other[i], "word %d: %d by memory, %d by messages", i, one[i], other[i]);
    MPI_Win_unlock(ct_me, first);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void same_program_on_both(unsigned seed, bool shared)
{
    int ints = size * SLOT, unit = (int) sizeof(int) * (ct_me % 2 + 1);
    side_t *sides = ct_alloc(2, sizeof(side_t));

    rng = (ct_rng){seed * 1000u + (unsigned) ct_me};
    if (shared)
        MPI_Win_allocate_shared(ints * (MPI_Aint) sizeof(int), unit, MPI_INFO_NULL, MPI_COMM_WORLD,
                                &sides[0].mine, &sides[0].win);
    else
        MPI_Win_allocate(ints * (MPI_Aint) sizeof(int), unit, MPI_INFO_NULL, MPI_COMM_WORLD,
                         &sides[0].mine, &sides[0].win);
    sides[1].mine = ct_ints(ints);
    MPI_Win_create(sides[1].mine, ints * (MPI_Aint) sizeof(int), unit, MPI_INFO_NULL,
                   MPI_COMM_WORLD, &sides[1].win);
    memset(sides[0].mine, 0, (size_t) ints * sizeof(int));
    MPI_Barrier(MPI_COMM_WORLD);

    lock_rounds(sides, 60);
    compare_windows(sides[0].win, sides[0].mine, sides[1].mine, ints);
    fence_rounds(sides, 25);
    compare_windows(sides[0].win, sides[0].mine, sides[1].mine, ints);
    post_rounds(sides, 25);
    compare_windows(sides[0].win, sides[0].mine, sides[1].mine, ints);

    MPI_Win_free(&sides[0].win);
    MPI_Win_free(&sides[1].win);
    free(sides[1].mine);
    free(sides);
}

/* A window without memory is still a lock for each process, and one with memory on some
 * processes has the others' locks. */
static void windows_of_no_size(void)
{
    for (int some = 0; some < 2; some++) {
        MPI_Aint bytes = some && ct_me % 2 == 0 ? 8 : 0;
        int *mine, value = 7, next = (ct_me + 1) % size;
        MPI_Win win;

        MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
        for (int i = 0; i < 20; i++) {
            MPI_Win_lock(i % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, next, 0, win);
            if (some && next % 2 == 0)
                MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win);
            else
                MPI_Put(&value, 0, MPI_INT, next, 0, 0, MPI_INT, win);
            MPI_Win_unlock(next, win);
            MPI_Win_lock_all(0, win);
            MPI_Win_flush_all(win);
            MPI_Win_unlock_all(win);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (bytes) {
            MPI_Win_lock(MPI_LOCK_SHARED, ct_me, 0, win);
            CT_CHECK(*mine == value, "%d in a window among some of no size", *mine);
            MPI_Win_unlock(ct_me, win);
        }
        MPI_Win_free(&win);
    }
}

/* Ranks of the window that are not those of the world, nor in its order. */
static void windows_of_other_communicators(void)
{
    for (int parts = 1; parts <= 3; parts++) {
        MPI_Comm comm;
        MPI_Win win;
        int rank, n, *mine, previous, put = ct_me, got = -1;

        MPI_Comm_split(MPI_COMM_WORLD, ct_me % parts, -ct_me, &comm);
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &n);
        MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &mine, &win);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, (rank + 1) % n, 0, win);
        MPI_Put(&put, 1, MPI_INT, (rank + 1) % n, 0, 1, MPI_INT, win);
        MPI_Win_flush((rank + 1) % n, win);
        MPI_Get(&got, 1, MPI_INT, (rank + 1) % n, 0, 1, MPI_INT, win);
        MPI_Win_unlock((rank + 1) % n, win);
        CT_CHECK(got == put, "%d came back for %d in one of %d parts", got, put, parts);
        MPI_Sendrecv(&put, 1, MPI_INT, (rank + 1) % n, 0, &previous, 1, MPI_INT, (rank + n - 1) % n,
                     0, comm, MPI_STATUS_IGNORE);
        MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
        CT_CHECK(*mine == previous, "%d put by rank %d in one of %d parts", *mine, previous, parts);
        MPI_Win_unlock(rank, win);
        MPI_Win_free(&win);
        MPI_Comm_free(&comm);
    }
}

static void add_by_swaps(MPI_Win win, int target)
{
    long seen = 0, wanted, next;

    do {
        wanted = seen;
        next = seen + 1;
        MPI_Compare_and_swap(&next, &wanted, &seen, MPI_LONG, target, 0, win);
        MPI_Win_flush(target, win);
    } while (seen != wanted);
}

static void count_together(void)
{
    long *mine, one = 1, seen, want = 4L * COUNTS * size;
    double one_real = 1;
    MPI_Win win;

    MPI_Win_allocate(2 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    mine[0] = 0;
    *(double *) &mine[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < COUNTS; i++) {
        MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win);
        MPI_Accumulate(&one_real, 1, MPI_DOUBLE, 0, 1, 1, MPI_DOUBLE, MPI_SUM, win);
        MPI_Fetch_and_op(&one, &seen, MPI_LONG, 0, 0, MPI_SUM, win);
        MPI_Get_accumulate(&one, 1, MPI_LONG, &seen, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win);
        add_by_swaps(win, 0);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (ct_me == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        CT_CHECK(mine[0] == want, "counted to %ld, not %ld", mine[0], want);
        CT_CHECK(*(double *) &mine[1] == COUNTS * (double) size, "counted to %g, not %d",
                 *(double *) &mine[1], COUNTS * size);
        MPI_Win_unlock(0, win);
    }
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int one_node = ct_is_one_node(MPI_COMM_WORLD);
    make_types();
    for (unsigned seed = 1; seed <= 4; seed++)
        same_program_on_both(seed, seed % 2 == 0 && one_node);
    windows_of_no_size();
    windows_of_other_communicators();
    count_together();
    for (int i = 1; i < 4; i++)
        MPI_Type_free(&types[i]);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
