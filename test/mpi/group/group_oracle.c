/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * All group functions against plain arrays: every pattern by itself and nested, every pair of
 * patterns through the set operations, then a long random walk over a pool of groups.  Group
 * operations are local, so every rank takes its own seed.
 *
 * Arguments: -rounds=N (random operations, default 600)
 */
#include "cmaptest.h"

#define POOL 24
#define MAX_BASES 5
#define MAX_RANGES 6

typedef struct entry {
    MPI_Group group;
    ct_list members;
} entry;

static MPI_Group world;
static int world_size;
static entry base[MAX_BASES];
static int bases;

static void release(entry *e)
{
    if (e->group != MPI_GROUP_EMPTY)
        MPI_Group_free(&e->group);
    ct_list_free(&e->members);
}

static void check(const entry *e, const char *what)
{
    ct_check_group(e->group, &e->members, world, what);
    if (e->members.n == 0)
        CT_CHECK(e->group == MPI_GROUP_EMPTY, "%s: an empty group is not MPI_GROUP_EMPTY", what);
}

/* ---- where groups come from ---- */

static void add_base(MPI_Group group, ct_list members, const char *what)
{
    base[bases].group = group;
    base[bases].members = members;
    check(&base[bases], what);
    bases++;
}

/* The local and remote groups of an intercommunicator between evens and odds, odds in reverse
 * order. */
static void add_intercomm_bases(void)
{
    MPI_Comm local, inter;
    MPI_Group group;
    ct_list side[2] = {ct_list_new(world_size), ct_list_new(world_size)};
    int mine = ct_me % 2;

    for (int i = 0; i < world_size; i += 2)
        side[0].id[side[0].n++] = i;
    for (int i = world_size - 1; i >= 0; i--)
        if (i % 2)
            side[1].id[side[1].n++] = i;
    MPI_Comm_split(MPI_COMM_WORLD, mine, ct_find(&side[mine], ct_me), &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, side[!mine].id[0], 3, &inter);
    MPI_Comm_remote_group(inter, &group);
    add_base(group, side[!mine], "remote group");
    MPI_Comm_group(inter, &group);
    add_base(group, side[mine], "local group of an intercommunicator");
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
}

static void make_bases(void)
{
    MPI_Comm comm;
    MPI_Group group;
    ct_list all = ct_list_range(world_size);
    ct_rng rng = {11};

    MPI_Comm_group(MPI_COMM_WORLD, &group);
    add_base(group, ct_list_copy(&all), "world");

    /* the communicators go at once: a group must outlive them */
    MPI_Comm_split(MPI_COMM_WORLD, 0, world_size - ct_me, &comm);
    MPI_Comm_group(comm, &group);
    MPI_Comm_free(&comm);
    add_base(group, ct_pattern_list(CT_REVERSED, &rng, world_size), "reversed communicator");

    ct_list mixed = ct_pattern_list(CT_SHUFFLED, &rng, world_size);
    MPI_Comm_split(MPI_COMM_WORLD, 0, ct_find(&mixed, ct_me), &comm);
    MPI_Comm_group(comm, &group);
    MPI_Comm_free(&comm);
    add_base(group, mixed, "shuffled communicator");

    if (world_size > 1)
        add_intercomm_bases();
    ct_list_free(&all);
}

/* ---- one operation each: the result comes from MPI and from the oracle ---- */

static entry make_incl(const entry *a, const ct_list *positions)
{
    entry e;

    MPI_Group_incl(a->group, positions->n, positions->id, &e.group);
    e.members = ct_pick(&a->members, positions);
    check(&e, "incl");
    return e;
}

static entry make_excl(const entry *a, const ct_list *positions)
{
    entry e;

    MPI_Group_excl(a->group, positions->n, positions->id, &e.group);
    e.members = ct_drop(&a->members, positions);
    check(&e, "excl");
    return e;
}

static entry make_range(const entry *a, int n, int ranges[][3], int exclude)
{
    entry e;
    ct_list positions = ct_list_new(a->members.n);

    for (int k = 0; k < n; k++) {
        int step = ranges[k][2];
        for (int i = ranges[k][0]; step > 0 ? i <= ranges[k][1] : i >= ranges[k][1]; i += step)
            positions.id[positions.n++] = i;
    }
    if (exclude) {
        MPI_Group_range_excl(a->group, n, ranges, &e.group);
        e.members = ct_drop(&a->members, &positions);
    } else {
        MPI_Group_range_incl(a->group, n, ranges, &e.group);
        e.members = ct_pick(&a->members, &positions);
    }
    check(&e, exclude ? "range_excl" : "range_incl");
    ct_list_free(&positions);
    return e;
}

/* The members of a that are (keep) or are not in b. */
static ct_list filter(const ct_list *a, const ct_list *b, int keep)
{
    ct_list list = ct_list_new(a->n);

    for (int i = 0; i < a->n; i++)
        if ((ct_find(b, a->id[i]) != MPI_UNDEFINED) == keep)
            list.id[list.n++] = a->id[i];
    return list;
}

static entry make_union(const entry *a, const entry *b)
{
    entry e;
    ct_list added = filter(&b->members, &a->members, 0);

    MPI_Group_union(a->group, b->group, &e.group);
    e.members = ct_join(&a->members, &added);
    ct_list_free(&added);
    check(&e, "union");
    return e;
}

static entry make_intersection(const entry *a, const entry *b)
{
    entry e;

    MPI_Group_intersection(a->group, b->group, &e.group);
    e.members = filter(&a->members, &b->members, 1);
    check(&e, "intersection");
    return e;
}

static entry make_difference(const entry *a, const entry *b)
{
    entry e;

    MPI_Group_difference(a->group, b->group, &e.group);
    e.members = filter(&a->members, &b->members, 0);
    check(&e, "difference");
    return e;
}

static void check_compare(const entry *a, const entry *b)
{
    int got, want = MPI_UNEQUAL;
    ct_list rest = filter(&a->members, &b->members, 0);

    if (a->members.n == b->members.n && rest.n == 0) {
        int same = !memcmp(a->members.id, b->members.id, a->members.n * sizeof(int));
        want = same ? MPI_IDENT : MPI_SIMILAR;
    }
    MPI_Group_compare(a->group, b->group, &got);
    CT_CHECK(got == want, "compare of %d and %d members gives %d, not %d", a->members.n,
             b->members.n, got, want);
    ct_list_free(&rest);
}

/* Random ranks of a, in any order, some twice, some MPI_PROC_NULL. */
static void check_translate(ct_rng *rng, const entry *a, const entry *b)
{
    int n = a->members.n ? ct_below(rng, 2 * a->members.n + 1) : 1;
    int *in = ct_ints(n), *out = ct_ints(n);

    for (int i = 0; i < n; i++)
        in[i] = a->members.n && ct_below(rng, 8) ? ct_below(rng, a->members.n) : MPI_PROC_NULL;
    MPI_Group_translate_ranks(a->group, n, in, b->group, out);
    for (int i = 0; i < n; i++) {
        int null = in[i] == MPI_PROC_NULL;
        int want = null ? MPI_PROC_NULL : ct_find(&b->members, a->members.id[in[i]]);
        if (null && b->members.n == 0 && out[i] == MPI_UNDEFINED)
            continue; /* MPICH 4.0's answer when the second group is empty */
        CT_CHECK(out[i] == want, "translate: rank %d becomes %d, not %d", in[i], out[i], want);
    }
    free(in);
    free(out);
}

/* ---- random ranges: legal, without overlap ---- */

static int range_is_free(const char *used, const int range[3])
{
    for (int i = range[0]; range[2] > 0 ? i <= range[1] : i >= range[1]; i += range[2])
        if (used[i])
            return 0;
    return 1;
}

static int random_ranges(ct_rng *rng, int n, int ranges[MAX_RANGES][3])
{
    char *used = ct_alloc(n, 1);
    int count = 0;

    for (int k = 0; n && k < MAX_RANGES; k++) {
        int *r = ranges[count];
        r[0] = ct_below(rng, n);
        r[1] = ct_below(rng, n);
        r[2] = 1 + ct_below(rng, 4);
        if (r[1] < r[0] || (r[1] == r[0] && ct_below(rng, 2)))
            r[2] = -r[2];
        if (!range_is_free(used, r))
            continue;
        for (int i = r[0]; r[2] > 0 ? i <= r[1] : i >= r[1]; i += r[2])
            used[i] = 1;
        count++;
    }
    free(used);
    return count;
}

/* ---- crafted ---- */

static void pair_of_patterns(const entry *a, const entry *b, ct_rng *rng)
{
    entry u = make_union(a, b), i = make_intersection(a, b), d = make_difference(a, b);

    check_compare(a, b);
    check_compare(&u, a);
    check_compare(&i, b);
    check_translate(rng, &u, &d);
    check_translate(rng, a, b);
    release(&u);
    release(&i);
    release(&d);
}

static void all_pairs(const entry *from, ct_rng *rng)
{
    entry made[CT_PATTERNS];

    for (int k = 0; k < CT_PATTERNS; k++) {
        ct_list positions = ct_pattern_list(k, rng, from->members.n);
        made[k] = make_incl(from, &positions);
        entry rest = make_excl(from, &positions);
        pair_of_patterns(&made[k], &rest, rng);
        release(&rest);
        ct_list_free(&positions);
    }
    for (int a = 0; a < CT_PATTERNS; a++)
        for (int b = 0; b < CT_PATTERNS; b++)
            pair_of_patterns(&made[a], &made[b], rng);
    for (int k = 0; k < CT_PATTERNS; k++)
        release(&made[k]);
}

/* Pattern of a pattern of a pattern; the outer groups are freed before the inner ones are used. */
static void nested(const entry *from, int kind, int depth, ct_rng *rng)
{
    ct_list positions = ct_pattern_list(kind, rng, from->members.n);
    entry inner = make_incl(from, &positions);

    if (depth > 1)
        nested(&inner, ct_below(rng, CT_PATTERNS), depth - 1, rng);
    entry same = make_incl(from, &positions);
    check_compare(&same, &inner);
    release(&inner);
    check(&same, "nested");
    release(&same);
    ct_list_free(&positions);
}

static void crafted_ranges(const entry *from)
{
    int n = from->members.n;
    int all[][3] = {{0, n - 1, 1}};
    int reversed[][3] = {{n - 1, 0, -1}};
    int evens[][3] = {{0, n - 1, 2}};
    int down[][3] = {{n - 1, 0, -3}};
    int halves[][3] = {{n / 2, n - 1, 1}, {0, n / 2 - 1, 1}};
    int folded[][3] = {{n - 1, n / 2, -1}, {0, n / 2 - 1, 1}};
    int single[][3] = {{n - 1, n - 1, -5}};
    struct {
        int n;
        int (*ranges)[3];
    } list[] = {{1, all},
                {1, reversed},
                {1, evens},
                {1, down},
                {1, single},
                {n > 1 ? 2 : 1, halves},
                {n > 1 ? 2 : 1, folded},
                {0, all}};

    for (size_t k = 0; k < sizeof(list) / sizeof(list[0]); k++) {
        for (int exclude = 0; exclude < 2; exclude++) {
            entry e = make_range(from, list[k].n, list[k].ranges, exclude);
            check_compare(&e, from);
            release(&e);
        }
    }
}

static void with_empty(const entry *from, ct_rng *rng)
{
    entry empty = {MPI_GROUP_EMPTY, ct_list_new(0)};
    ct_list nothing = ct_list_new(0);
    entry none = make_incl(from, &nothing), all = make_excl(from, &nothing);

    check_compare(&none, &empty);
    check_compare(&all, from);
    pair_of_patterns(from, &empty, rng);
    pair_of_patterns(&empty, from, rng);
    pair_of_patterns(&empty, &none, rng);
    release(&none);
    release(&all);
    release(&empty);
    ct_list_free(&nothing);
}

/* ---- random walk ---- */

static entry fresh(ct_rng *rng)
{
    const entry *from = &base[ct_below(rng, bases)];
    ct_list positions = ct_pattern_list(ct_below(rng, CT_PATTERNS), rng, from->members.n);
    entry e = make_incl(from, &positions);

    ct_list_free(&positions);
    return e;
}

static entry random_operation(ct_rng *rng, const entry *a, const entry *b)
{
    int ranges[MAX_RANGES][3];
    int operation = ct_below(rng, 7);
    entry e;

    if (operation < 2 && a->members.n > 0) {
        ct_list positions = ct_pattern_list(ct_below(rng, CT_PATTERNS), rng, a->members.n);
        e = operation ? make_excl(a, &positions) : make_incl(a, &positions);
        ct_list_free(&positions);
        return e;
    }
    switch (operation) {
        case 2:
        case 3:
            return make_range(a, random_ranges(rng, a->members.n, ranges), ranges, operation == 3);
        case 4: return make_intersection(a, b);
        case 5: return make_difference(a, b);
        default: return make_union(a, b);
    }
}

static void random_walk(int rounds, ct_rng *rng)
{
    entry pool[POOL];

    for (int k = 0; k < POOL; k++)
        pool[k] = fresh(rng);
    for (int round = 0; round < rounds; round++) {
        entry *a = &pool[ct_below(rng, POOL)], *b = &pool[ct_below(rng, POOL)];
        entry *place = &pool[ct_below(rng, POOL)];
        /* small results are replaced now and then, or the pool would run empty */
        entry e = a->members.n < 2 && ct_below(rng, 2) ? fresh(rng) : random_operation(rng, a, b);
        check_compare(&e, b);
        check_translate(rng, &e, a);
        check_translate(rng, b, &e);
        release(place);
        *place = e;
    }
    for (int k = 0; k < POOL; k++) {
        check(&pool[k], "end of the walk");
        release(&pool[k]);
    }
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MTestArgList *args = MTestArgListCreate(argc, argv);
    int rounds = MTestArgListGetInt_with_default(args, "rounds", 600);
    MTestArgListDestroy(args);

    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    make_bases();

    ct_rng rng = {1000 + ct_me};
    for (int k = 0; k < bases; k++) {
        crafted_ranges(&base[k]);
        with_empty(&base[k], &rng);
        for (int kind = 0; kind < CT_PATTERNS; kind++)
            nested(&base[k], kind, 4, &rng);
    }
    all_pairs(&base[ct_me % bases], &rng);
    random_walk(rounds, &rng);

    for (int k = 0; k < bases; k++)
        release(&base[k]);
    MPI_Group_free(&world);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
