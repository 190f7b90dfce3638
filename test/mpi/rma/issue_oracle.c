/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Random programs of one-sided operations in epochs of all kinds, against a plain oracle.  Each process has a slice of every
 * target's window, where it alone writes: it knows what is there.  Beside the slices are counters that all share.
 *
 * What the rounds are is drawn alike by everybody, what each does in them is its own.   issue_oracle [rounds] [seed]
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { WORDS = 300, MOST_OPS = 40, SHARED = 2 };
enum { FREE, ACCUMULATED, TAKEN };      /* of a word in this epoch */
enum { LOCK, NESTED, LOCK_ALL, FENCE, PSCW, TICKET, ROUND_KINDS };

typedef struct op {
    const char *what;
    int target, n;
    long *in, *out, *want;      /* want: what out must hold when the epoch is over */
    MPI_Request request;
} op;

static int size;
static MPI_Win win;
static long *base;              /* size slices, then SHARED counters */
static long *model;             /* [target][word]: my slice there */
static char *state;             /* [target][word] */
static op ops[4 * MOST_OPS];
static int n_ops, round_number;
static ct_rng mine, common;
static long tickets, added;

static MPI_Aint slice(void)
{
    return (MPI_Aint) ct_me * WORDS;
}

static op *new_op(const char *what, int target, int n)
{
    op *o = &ops[n_ops++];

    *o = (op) {what, target, n, ct_alloc(n, sizeof(long)), ct_alloc(n, sizeof(long)), NULL, MPI_REQUEST_NULL};
    for (int i = 0; i < n; i++)
        o->in[i] = (long) ct_random(&mine);
    return o;
}

/* Its result must be what the oracle holds now. */
static void expect(op *o, int first)
{
    o->want = ct_alloc(o->n, sizeof(long));
    memcpy(o->want, &model[o->target * WORDS + first], o->n * sizeof(long));
}

static int may(int target, int first, int n, int use)
{
    for (int i = first; i < first + n; i++)
        if (state[target * WORDS + i] != FREE && !(use == ACCUMULATED && state[target * WORDS + i] == ACCUMULATED))
            return 0;
    memset(&state[target * WORDS + first], use, n);
    return 1;
}

static void apply(op *o, int first, MPI_Op kind)
{
    long *to = &model[o->target * WORDS + first];

    for (int i = 0; i < o->n; i++) {
        if (kind == MPI_SUM)
            to[i] += o->in[i];
        else if (kind == MPI_BXOR)
            to[i] ^= o->in[i];
        else if (kind == MPI_REPLACE)
            to[i] = o->in[i];
    }
}

static void put_or_get(int target, int first, int n, int with_request)
{
    MPI_Aint disp = slice() + first;
    op *o;

    if (!may(target, first, n, TAKEN))
        return;
    if (ct_below(&mine, 2)) {
        o = new_op("put", target, n);
        if (with_request)
            MPI_Rput(o->in, n, MPI_LONG, target, disp, n, MPI_LONG, win, &o->request);
        else
            MPI_Put(o->in, n, MPI_LONG, target, disp, n, MPI_LONG, win);
        apply(o, first, MPI_REPLACE);
    } else {
        o = new_op("get", target, n);
        expect(o, first);
        if (with_request)
            MPI_Rget(o->out, n, MPI_LONG, target, disp, n, MPI_LONG, win, &o->request);
        else
            MPI_Get(o->out, n, MPI_LONG, target, disp, n, MPI_LONG, win);
    }
}

/* Every other word; the type is freed when the operation has been called. */
static void strided(int target, int first, int n)
{
    MPI_Datatype type;
    op *o;

    if (n < 3 || !may(target, first, n, TAKEN))
        return;
    o = new_op("strided put", target, (n + 1) / 2);
    MPI_Type_vector(o->n, 1, 2, MPI_LONG, &type);
    MPI_Type_commit(&type);
    MPI_Put(o->in, o->n, MPI_LONG, target, slice() + first, 1, type, win);
    MPI_Type_free(&type);
    for (int i = 0; i < o->n; i++)
        model[target * WORDS + first + 2 * i] = o->in[i];
}

static void accumulate(int target, int first, int n, int with_request)
{
    const MPI_Op kinds[] = { MPI_SUM, MPI_BXOR, MPI_REPLACE, MPI_NO_OP };
    MPI_Op kind = kinds[ct_below(&mine, 4)];
    MPI_Aint disp = slice() + first;
    op *o;

    if (!may(target, first, n, ACCUMULATED))
        return;
    if (ct_below(&mine, 2) && kind != MPI_NO_OP) {
        o = new_op("accumulate", target, n);
        if (with_request)
            MPI_Raccumulate(o->in, n, MPI_LONG, target, disp, n, MPI_LONG, kind, win, &o->request);
        else
            MPI_Accumulate(o->in, n, MPI_LONG, target, disp, n, MPI_LONG, kind, win);
    } else {
        o = new_op("get_accumulate", target, n);
        expect(o, first);
        if (with_request)
            MPI_Rget_accumulate(o->in, n, MPI_LONG, o->out, n, MPI_LONG, target, disp, n, MPI_LONG, kind, win, &o->request);
        else
            MPI_Get_accumulate(o->in, n, MPI_LONG, o->out, n, MPI_LONG, target, disp, n, MPI_LONG, kind, win);
    }
    apply(o, first, kind);
}

static void single(int target, int word)
{
    long now = model[target * WORDS + word];
    op *o;

    if (!may(target, word, 1, ACCUMULATED))
        return;
    if (ct_below(&mine, 2)) {
        o = new_op("fetch_and_op", target, 1);
        expect(o, word);
        MPI_Fetch_and_op(o->in, o->out, MPI_LONG, target, slice() + word, MPI_SUM, win);
        apply(o, word, MPI_SUM);
    } else {
        o = new_op("compare_and_swap", target, 2);
        o->n = 1;
        expect(o, word);
        o->in[1] = now + ct_below(&mine, 2);
        MPI_Compare_and_swap(&o->in[0], &o->in[1], o->out, MPI_LONG, target, slice() + word, win);
        if (o->in[1] == now)
            apply(o, word, MPI_REPLACE);
    }
}

/* A counter that all add to at once. */
static void add_shared(int target)
{
    op *o = new_op("shared sum", target, 1);

    o->in[0] = 1 + ct_below(&mine, 9);
    added += o->in[0];
    MPI_Accumulate(o->in, 1, MPI_LONG, target, (MPI_Aint) size * WORDS + 1, 1, MPI_LONG, MPI_SUM, win);
}

static void random_op(int target, int passive)
{
    int with_request = passive && ct_below(&mine, 6) == 0;
    int n = ct_below(&mine, 4) ? 1 + ct_below(&mine, 4) : 1 + ct_below(&mine, WORDS);
    int first = ct_below(&mine, WORDS - n + 1);

    switch (ct_below(&mine, 6)) {
        case 0:
        case 1:
            put_or_get(target, first, n, with_request);
            break;
        case 2:
            strided(target, first, n);
            break;
        case 3:
            accumulate(target, first, n, with_request);
            break;
        case 4:
            single(target, first);
            break;
        default:
            add_shared(target);
    }
    if (n_ops && ops[n_ops - 1].request != MPI_REQUEST_NULL && ct_below(&mine, 2))
        MPI_Wait(&ops[n_ops - 1].request, MPI_STATUS_IGNORE);
}

/* What is complete at the target may be touched again. */
static void maybe_flush(int target)
{
    int kind = ct_below(&mine, 12);

    if (kind == 0) {
        MPI_Win_flush(target, win);
        memset(&state[target * WORDS], FREE, WORDS);
    } else if (kind == 1) {
        MPI_Win_flush_local(target, win);
    } else if (kind == 2) {
        MPI_Win_flush_all(win);
        memset(state, FREE, (size_t) size * WORDS);
    } else if (kind == 3) {
        MPI_Win_flush_local_all(win);
    }
}

static int few(void)
{
    return ct_below(&mine, 3) ? ct_below(&mine, 3) : ct_below(&mine, MOST_OPS);
}

static void finish_requests(void)
{
    for (int i = 0; i < n_ops; i++)
        MPI_Wait(&ops[i].request, MPI_STATUS_IGNORE);
}

static void end_epoch(void)
{
    for (int i = 0; i < n_ops; i++) {
        op *o = &ops[i];

        for (int k = 0; o->want && k < o->n; k++) {
            CT_CHECK(o->out[k] == o->want[k], "round %d: word %d of a %s of %d from %d is %ld, not %ld", round_number, k,
                     o->what, o->n, o->target, o->out[k], o->want[k]);
            if (o->out[k] != o->want[k])
                break;
        }
        free(o->in);
        free(o->out);
        free(o->want);
    }
    n_ops = 0;
    memset(state, FREE, (size_t) size * WORDS);
}

/* What all others wrote is in my memory as `seen`: at once, not when they happen to come around. */
static void check_memory(const long *seen, const char *what)
{
    long *all = ct_alloc((size_t) size * WORDS, sizeof(long));

    MPI_Alltoall(model, WORDS, MPI_LONG, all, WORDS, MPI_LONG, MPI_COMM_WORLD);
    for (int i = 0; i < size * WORDS; i++) {
        CT_CHECK(seen[i] == all[i], "round %d: after %s, word %d of %d is %ld, not %ld", round_number, what, i % WORDS,
                 i / WORDS, seen[i], all[i]);
        if (seen[i] != all[i])
            break;
    }
    free(all);
}

static long *snapshot(void)
{
    long *copy = ct_alloc((size_t) size * WORDS, sizeof(long));

    memcpy(copy, base, (size_t) size * WORDS * sizeof(long));
    return copy;
}

static void lock_round(void)
{
    int target = ct_below(&mine, size);

    MPI_Win_lock(ct_below(&mine, 2) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win);
    for (int left = few(); left > 0; left--) {
        random_op(target, 1);
        if (ct_below(&mine, 3) == 0)
            maybe_flush(target);
    }
    finish_requests();
    MPI_Win_unlock(target, win);
}

/* In the order of ranks, which cannot block when each lock is real before the next. */
static void nested_round(void)
{
    int low = ct_below(&mine, size), high = ct_below(&mine, size);

    if (low == high) {
        lock_round();
        return;
    }
    if (low > high) {
        int t = low;
        low = high;
        high = t;
    }
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, low, 0, win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, high, 0, win);
    for (int left = few(); left > 0; left--)
        random_op(ct_below(&mine, 2) ? low : high, 1);
    finish_requests();
    if (ct_below(&mine, 2)) {
        MPI_Win_unlock(low, win);
        MPI_Win_unlock(high, win);
    } else {
        MPI_Win_unlock(high, win);
        MPI_Win_unlock(low, win);
    }
}

static void lock_all_round(void)
{
    MPI_Win_lock_all(ct_below(&common, 2) ? MPI_MODE_NOCHECK : 0, win);
    for (int left = few(); left > 0; left--) {
        int target = ct_below(&mine, size);

        random_op(target, 1);
        maybe_flush(target);
    }
    finish_requests();
    MPI_Win_unlock_all(win);
}

static void fence_round(void)
{
    int epochs = 1 + ct_below(&common, 3);
    long *seen;

    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    for (int i = 0; i < epochs; i++) {
        for (int left = few(); left > 0; left--)
            random_op(ct_below(&mine, size), 0);
        MPI_Win_fence(i + 1 == epochs ? MPI_MODE_NOSUCCEED : 0, win);
        seen = snapshot();
        end_epoch();
        check_memory(seen, "fence");
        free(seen);
        MPI_Barrier(MPI_COMM_WORLD);
        if (i + 1 < epochs)
            MPI_Win_fence(0, win);
    }
}

/* Who writes to whom is drawn alike by all. */
static void pscw_round(void)
{
    int *targets = ct_ints(size), *origins = ct_ints(size), n_targets = 0, n_origins = 0;
    MPI_Group world, to, from;
    long *seen;

    for (int a = 0; a < size; a++) {
        for (int b = 0; b < size; b++) {
            if (ct_below(&common, 3))
                continue;
            if (a == ct_me)
                targets[n_targets++] = b;
            if (b == ct_me)
                origins[n_origins++] = a;
        }
    }
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, n_targets, targets, &to);
    MPI_Group_incl(world, n_origins, origins, &from);
    MPI_Win_post(from, 0, win);
    MPI_Win_start(to, 0, win);
    for (int left = n_targets ? few() : 0; left > 0; left--)
        random_op(targets[ct_below(&mine, n_targets)], 0);
    MPI_Win_complete(win);
    if (ct_below(&mine, 2)) {
        MPI_Win_wait(win);
    } else {
        for (int done = 0; !done;)
            MPI_Win_test(win, &done);
    }
    seen = snapshot();
    end_epoch();
    check_memory(seen, "wait");
    free(seen);
    MPI_Group_free(&world);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    free(targets);
    free(origins);
}

/* Read, add one, write: right when nobody else holds the lock. */
static void ticket_round(void)
{
    int target = ct_below(&mine, size);
    MPI_Aint disp = (MPI_Aint) size * WORDS;
    long now = -1;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    MPI_Get(&now, 1, MPI_LONG, target, disp, 1, MPI_LONG, win);
    MPI_Win_flush(target, win);
    now++;
    MPI_Put(&now, 1, MPI_LONG, target, disp, 1, MPI_LONG, win);
    MPI_Win_unlock(target, win);
    tickets++;
}

static void one_round(int kind)
{
    switch (kind) {
        case LOCK:
            lock_round();
            break;
        case NESTED:
            nested_round();
            break;
        case LOCK_ALL:
            lock_all_round();
            break;
        case FENCE:
            fence_round();
            break;
        case PSCW:
            pscw_round();
            break;
        default:
            ticket_round();
    }
    end_epoch();
}

static void check_counters(void)
{
    long given[SHARED] = { tickets, added }, all[SHARED], here[SHARED];

    MPI_Allreduce(given, all, SHARED, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&base[size * WORDS], here, SHARED, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    CT_CHECK(here[0] == all[0], "%ld of %ld tickets", here[0], all[0]);
    CT_CHECK(here[1] == all[1], "a shared sum of %ld, not %ld", here[1], all[1]);
}

static void program(int rounds, int allocated)
{
    MPI_Aint bytes = ((MPI_Aint) size * WORDS + SHARED) * (MPI_Aint) sizeof(long);
    long *memory = NULL;

    if (allocated) {
        MPI_Win_allocate(bytes, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    } else {
        base = memory = ct_alloc(1, bytes);
        MPI_Win_create(base, bytes, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    }
    memset(base, 0, bytes);
    memset(model, 0, (size_t) size * WORDS * sizeof(long));
    tickets = added = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (round_number = 0; round_number < rounds; round_number++) {
        int kind = ct_below(&common, ROUND_KINDS), collective = kind == FENCE || kind == PSCW;
        int times = collective ? 1 : 1 + ct_below(&common, 8);

        /* epochs of different kinds do not meet */
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < times; i++)
            one_round(kind);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, ct_me, 0, win);
    {
        long *seen = snapshot();
        MPI_Win_unlock(ct_me, win);
        check_memory(seen, "all");
        free(seen);
    }
    check_counters();
    MPI_Win_free(&win);
    free(memory);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 60;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    model = ct_alloc((size_t) size * WORDS, sizeof(long));
    state = ct_alloc((size_t) size * WORDS, 1);
    common.state = seed;
    mine.state = seed * 1000003 + (uint64_t) ct_me;
    for (int allocated = 0; allocated < 2; allocated++)
        program(rounds, allocated);
    free(model);
    free(state);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
