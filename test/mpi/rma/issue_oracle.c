/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Random programs of one-sided operations in windows and epochs of all kinds, with datatypes of all
 * kinds, against a plain oracle.  Each process has a slice of every target's window, where it alone
 * writes: it knows what is there.  Beside the slices are counters that all share.
 *
 * What the rounds are is drawn alike by everybody, what each does in them is its own.
 * issue_oracle [rounds] [seed]
 * A failure prints the seed, the window and the round.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { WORDS = 300, MOST_OPS = 40, SHARED = 2 };
enum { FREE, ACCUMULATED, TAKEN }; /* of a word in this epoch */
enum { LOCK, NESTED, LOCK_ALL, FENCE, PSCW, TICKET, ROUND_KINDS };
enum { CREATED, ALLOCATED, DYNAMIC, SHARED_WINDOW, WINDOW_KINDS };
enum { PLAIN, STRIDED, SCATTERED, BACKWARD, APART, LAYOUTS };

/* Where the words of an operation are. */
typedef struct layout {
    int n, span;
    int *at;
    int count;
    MPI_Datatype type;
} layout;

typedef struct op {
    const char *what;
    int target, n;
    layout here;           /* of in and out */
    long *in, *out, *want; /* want: what the words of out must be when the epoch is over */
    MPI_Request request;
} op;

static const char *const window_names[] = {"created", "allocated", "dynamic", "shared"};
static uint64_t seed;
static int size, window_kind;
/* of the others' memory, as displacements in bytes: not 0 in dynamic windows */
static MPI_Aint *begins;
static MPI_Win win;
static long *base;  /* size slices, then SHARED counters */
static long *model; /* [target][word]: my slice there */
static char *state; /* [target][word] */
static op ops[4 * MOST_OPS];
static int n_ops, round_number;
static ct_rng mine, common;
static long tickets, added;

/* ---- layouts ---- */

static layout new_layout(int kind, int n)
{
    layout l = {.n = n, .at = ct_ints(n), .count = 1, .type = MPI_LONG};

    for (int i = 0; i < n; i++)
        l.at[i] = kind == STRIDED     ? 2 * i
                  : kind == SCATTERED ? i + i / 3
                  : kind == BACKWARD  ? n - 1 - i
                  : kind == APART     ? 3 * i
                                      : i;
    l.span = kind == STRIDED     ? 2 * n - 1
             : kind == SCATTERED ? n + (n - 1) / 3
             : kind == APART     ? 3 * n - 2
                                 : n;
    if (kind == STRIDED)
        MPI_Type_vector(n, 1, 2, MPI_LONG, &l.type);
    else if (kind == APART)
        MPI_Type_create_resized(MPI_LONG, 0, 3 * sizeof(long), &l.type);
    else if (kind != PLAIN)
        MPI_Type_create_indexed_block(n, 1, l.at, MPI_LONG, &l.type);
    if (kind != PLAIN)
        MPI_Type_commit(&l.type);
    if (kind == APART || kind == PLAIN)
        l.count = n;
    return l;
}

static layout random_layout(int n)
{
    return new_layout(ct_below(&mine, 3) ? PLAIN : ct_below(&mine, LAYOUTS), n);
}

/* MPI keeps what it needs of a type. */
static void free_type(layout *l)
{
    if (l->type != MPI_LONG)
        MPI_Type_free(&l->type);
}

/* ---- operations ---- */

/* Displacement of a word of my slice there; all units are 8 bytes but those of dynamic windows. */
static MPI_Aint place(int target, MPI_Aint word)
{
    return window_kind == DYNAMIC ? begins[target] + word * (MPI_Aint) sizeof(long) : word;
}

static MPI_Aint in_slice(int target, int first)
{
    return place(target, (MPI_Aint) ct_me * WORDS + first);
}

static op *new_op(const char *what, int target, layout here)
{
    op *o = &ops[n_ops++];

    *o = (op){what,
              target,
              here.n,
              here,
              ct_alloc(here.span, sizeof(long)),
              ct_alloc(here.span, sizeof(long)),
              NULL,
              MPI_REQUEST_NULL};
    for (int i = 0; i < here.n; i++)
        o->in[here.at[i]] = (long) ct_random(&mine);
    return o;
}

static long *word_of(const op *o, int first, const layout *there, int i)
{
    return &model[o->target * WORDS + first + there->at[i]];
}

/* Its result must be what the oracle holds now. */
static void expect(op *o, int first, const layout *there)
{
    o->want = ct_alloc(o->n, sizeof(long));
    for (int i = 0; i < o->n; i++)
        o->want[i] = *word_of(o, first, there, i);
}

static int may(int target, int first, const layout *there, int use)
{
    char *now = &state[target * WORDS + first];

    for (int i = 0; i < there->n; i++)
        if (now[there->at[i]] != FREE && !(use == ACCUMULATED && now[there->at[i]] == ACCUMULATED))
            return 0;
    for (int i = 0; i < there->n; i++)
        now[there->at[i]] = (char) use;
    return 1;
}

static void apply(op *o, int first, const layout *there, MPI_Op kind)
{
    for (int i = 0; i < o->n; i++) {
        long *to = word_of(o, first, there, i), in = o->in[o->here.at[i]];

        if (kind == MPI_SUM)
            *to += in;
        else if (kind == MPI_BXOR)
            *to ^= in;
        else if (kind == MPI_MAX)
            *to = in > *to ? in : *to;
        else if (kind == MPI_REPLACE)
            *to = in;
    }
}

static void put(int target, int first, layout *there, int with_request)
{
    op *o = new_op("put", target, random_layout(there->n));
    layout *here = &o->here;
    MPI_Aint disp = in_slice(target, first);

    if (with_request)
        MPI_Rput(o->in, here->count, here->type, target, disp, there->count, there->type, win,
                 &o->request);
    else
        MPI_Put(o->in, here->count, here->type, target, disp, there->count, there->type, win);
    apply(o, first, there, MPI_REPLACE);
    free_type(here);
}

static void get(int target, int first, layout *there, int with_request)
{
    op *o = new_op("get", target, random_layout(there->n));
    layout *here = &o->here;
    MPI_Aint disp = in_slice(target, first);

    expect(o, first, there);
    if (with_request)
        MPI_Rget(o->out, here->count, here->type, target, disp, there->count, there->type, win,
                 &o->request);
    else
        MPI_Get(o->out, here->count, here->type, target, disp, there->count, there->type, win);
    free_type(here);
}

static MPI_Op random_kind(void)
{
    const MPI_Op kinds[] = {MPI_SUM, MPI_BXOR, MPI_MAX, MPI_REPLACE};

    return kinds[ct_below(&mine, 4)];
}

static void accumulate(int target, int first, layout *there, int with_request)
{
    op *o = new_op("accumulate", target, random_layout(there->n));
    layout *here = &o->here;
    MPI_Aint disp = in_slice(target, first);
    MPI_Op kind = random_kind();

    if (with_request)
        MPI_Raccumulate(o->in, here->count, here->type, target, disp, there->count, there->type,
                        kind, win, &o->request);
    else
        MPI_Accumulate(o->in, here->count, here->type, target, disp, there->count, there->type,
                       kind, win);
    apply(o, first, there, kind);
    free_type(here);
}

static void get_accumulate(int target, int first, layout *there, int with_request)
{
    op *o = new_op("get_accumulate", target, random_layout(there->n));
    layout *here = &o->here;
    MPI_Aint disp = in_slice(target, first);
    MPI_Op kind = ct_below(&mine, 4) ? random_kind() : MPI_NO_OP;

    expect(o, first, there);
    if (with_request)
        MPI_Rget_accumulate(o->in, here->count, here->type, o->out, here->count, here->type, target,
                            disp, there->count, there->type, kind, win, &o->request);
    else
        MPI_Get_accumulate(o->in, here->count, here->type, o->out, here->count, here->type, target,
                           disp, there->count, there->type, kind, win);
    apply(o, first, there, kind);
    free_type(here);
}

static void single(int target, int word)
{
    layout there = new_layout(PLAIN, 1);
    long now = model[target * WORDS + word];
    MPI_Aint disp = in_slice(target, word);
    op *o = may(target, word, &there, ACCUMULATED)
                ? new_op("fetch_and_op", target, new_layout(PLAIN, 1))
                : NULL;

    if (o)
        expect(o, word, &there);
    if (o && ct_below(&mine, 2)) {
        MPI_Fetch_and_op(o->in, o->out, MPI_LONG, target, disp, MPI_SUM, win);
        apply(o, word, &there, MPI_SUM);
    } else if (o) {
        long *compare;

        /* what is compared has to stay, too */
        free(o->in);
        o->in = ct_alloc(2, sizeof(long));
        o->in[0] = (long) ct_random(&mine);
        compare = &o->in[1];
        *compare = now + ct_below(&mine, 2);
        o->what = "compare_and_swap";
        MPI_Compare_and_swap(&o->in[0], compare, o->out, MPI_LONG, target, disp, win);
        if (*compare == now)
            apply(o, word, &there, MPI_REPLACE);
    }
    free(there.at);
}

/* A counter that all add to at once. */
static void add_shared(int target)
{
    op *o = new_op("shared sum", target, new_layout(PLAIN, 1));

    o->in[0] = 1 + ct_below(&mine, 9);
    added += o->in[0];
    MPI_Accumulate(o->in, 1, MPI_LONG, target, place(target, (MPI_Aint) size * WORDS + 1), 1,
                   MPI_LONG, MPI_SUM, win);
}

static void check_result(op *o)
{
    for (int k = 0; o->want && k < o->n; k++) {
        long got = o->out[o->here.at[k]];

        CT_CHECK(got == o->want[k],
                 "seed %llu, %s window, round %d: word %d of a %s of %d from %d is %ld, not %ld",
                 (unsigned long long) seed, window_names[window_kind], round_number, k, o->what,
                 o->n, o->target, got, o->want[k]);
        if (got != o->want[k])
            break;
    }
    free(o->want);
    o->want = NULL;
}

/* A request that is complete has brought its result, and its buffer may be overwritten. */
static void finish(op *o)
{
    if (o->request == MPI_REQUEST_NULL)
        return;
    MPI_Wait(&o->request, MPI_STATUS_IGNORE);
    check_result(o);
    memset(o->in, 0xff, o->here.span * sizeof(long));
}

/* On some words of my slice there. */
static void random_range(int kind, int target, int with_request)
{
    int n = ct_below(&mine, 4) ? 1 + ct_below(&mine, 4) : 1 + ct_below(&mine, WORDS / 3);
    layout there = random_layout(n);
    int first = ct_below(&mine, WORDS - there.span + 1);

    if (!may(target, first, &there, kind < 2 ? TAKEN : ACCUMULATED))
        ;
    else if (kind == 0)
        put(target, first, &there, with_request);
    else if (kind == 1)
        get(target, first, &there, with_request);
    else if (kind == 2)
        accumulate(target, first, &there, with_request);
    else
        get_accumulate(target, first, &there, with_request);
    free_type(&there);
    free(there.at);
}

static void random_op(int target, int passive)
{
    int with_request = passive && ct_below(&mine, 6) == 0, kind = ct_below(&mine, 6);

    if (kind == 4)
        single(target, ct_below(&mine, WORDS));
    else if (kind == 5)
        add_shared(target);
    else
        random_range(kind, target, with_request);
    if (n_ops && ct_below(&mine, 2))
        finish(&ops[n_ops - 1]);
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

static int few(void) { return ct_below(&mine, 3) ? ct_below(&mine, 3) : ct_below(&mine, MOST_OPS); }

static void finish_requests(void)
{
    for (int i = 0; i < n_ops; i++)
        finish(&ops[i]);
}

static void end_epoch(void)
{
    for (int i = 0; i < n_ops; i++) {
        op *o = &ops[i];

        check_result(o);
        free(o->here.at);
        free(o->in);
        free(o->out);
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
        CT_CHECK(seen[i] == all[i],
                 "seed %llu, %s window, round %d: after %s, word %d of %d is %ld, not %ld",
                 (unsigned long long) seed, window_names[window_kind], round_number, what,
                 i % WORDS, i / WORDS, seen[i], all[i]);
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
    MPI_Aint disp = place(target, (MPI_Aint) size * WORDS);
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
        case LOCK: lock_round(); break;
        case NESTED: nested_round(); break;
        case LOCK_ALL: lock_all_round(); break;
        case FENCE: fence_round(); break;
        case PSCW: pscw_round(); break;
        default: ticket_round();
    }
    end_epoch();
}

static void check_counters(void)
{
    long given[SHARED] = {tickets, added}, all[SHARED], here[SHARED];

    MPI_Allreduce(given, all, SHARED, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&base[size * WORDS], here, SHARED, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    CT_CHECK(here[0] == all[0], "%ld of %ld tickets", here[0], all[0]);
    CT_CHECK(here[1] == all[1], "a shared sum of %ld, not %ld", here[1], all[1]);
}

/* Memory that is not the window's own is returned. */
static long *make_window(MPI_Aint bytes)
{
    long *memory = NULL;
    MPI_Aint begin;

    if (window_kind == CREATED || window_kind == DYNAMIC)
        base = memory = ct_alloc(1, bytes);
    if (window_kind == CREATED)
        MPI_Win_create(base, bytes, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    else if (window_kind == ALLOCATED)
        MPI_Win_allocate(bytes, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    else if (window_kind == SHARED_WINDOW)
        MPI_Win_allocate_shared(bytes, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    else
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (window_kind == DYNAMIC)
        MPI_Win_attach(win, base, bytes);
    MPI_Get_address(base, &begin);
    MPI_Allgather(&begin, 1, MPI_AINT, begins, 1, MPI_AINT, MPI_COMM_WORLD);
    return memory;
}

static void free_window(long *memory)
{
    if (window_kind == DYNAMIC) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_detach(win, base);
    }
    MPI_Win_free(&win);
    free(memory);
}

static void program(int rounds)
{
    MPI_Aint bytes = ((MPI_Aint) size * WORDS + SHARED) * (MPI_Aint) sizeof(long);
    long *memory = make_window(bytes);

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
    free_window(memory);
}

/* A shared window wants one node. */
static int is_one_node(void)
{
    int members;
    MPI_Comm node;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &members);
    MPI_Comm_free(&node);
    return members == size;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 40, kinds;

    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    model = ct_alloc((size_t) size * WORDS, sizeof(long));
    state = ct_alloc((size_t) size * WORDS, 1);
    begins = ct_alloc(size, sizeof(MPI_Aint));
    common.state = seed;
    mine.state = seed * 1000003 + (uint64_t) ct_me;
    kinds = is_one_node() ? WINDOW_KINDS : SHARED_WINDOW;
    for (window_kind = 0; window_kind < kinds; window_kind++)
        program(rounds);
    free(begins);
    free(model);
    free(state);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
