/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Comm_split of intercommunicators by many patterns of colours and keys: rank 0 of one side or
 * of both joins nothing, colours that only one side has, sides of different sizes.  With
 * MPIX_PERMUTE each side gets its own order.
 */
#include "cmaptest_split.h"

typedef struct side {
    ct_list members;
    int *colour, *key;
} side;

typedef struct pair {
    MPI_Comm inter, local;
    side mine, theirs;
    int which; /* 0 or 1: the side of this process */
} pair;

static int side_of(int plan, int i, int n)
{
    return plan == 0 ? i % 2 : plan == 1 ? i >= (n + 2) / 3 : i != n - 1;
}

static side make_side(int plan, int which, int n)
{
    side s = {.members = ct_list_new(n), .colour = ct_ints(n), .key = ct_ints(n)};

    for (int i = 0; i < n; i++) {
        if (side_of(plan, i, n) == which)
            s.members.id[s.members.n++] = i;
    }
    return s;
}

static void free_side(side *s)
{
    ct_list_free(&s->members);
    free(s->colour);
    free(s->key);
}

static pair connect(int plan)
{
    int n;
    pair p;

    MPI_Comm_size(MPI_COMM_WORLD, &n);
    p.which = side_of(plan, ct_me, n);
    p.mine = make_side(plan, p.which, n);
    p.theirs = make_side(plan, 1 - p.which, n);
    p.local = ct_comm_of(&p.mine.members); /* MPI_Comm_create takes disjoint groups */
    MPI_Intercomm_create(p.local, 0, MPI_COMM_WORLD, p.theirs.members.id[0], 3, &p.inter);
    return p;
}

static void disconnect(pair *p)
{
    MPI_Comm_free(&p->inter);
    MPI_Comm_free(&p->local);
    free_side(&p->mine);
    free_side(&p->theirs);
}

static void check_child(MPI_Comm child, const ct_list *mine, const ct_list *theirs,
                        const char *what)
{
    int size, remote_size;

    MPI_Comm_size(child, &size);
    MPI_Comm_remote_size(child, &remote_size);
    CT_CHECK(size == mine->n && remote_size == theirs->n, "%s: sizes %d and %d, not %d and %d",
             what, size, remote_size, mine->n, theirs->n);
    if (size != mine->n || remote_size != theirs->n)
        return;
    ct_check_comm_group(child, mine, what);
    ct_check_remote_group(child, theirs, what);
    ct_check_all_pairs(child, theirs, what);
}

/* The same after the sides have merged: one more context id derived from the child. */
static void check_merged(MPI_Comm child, const pair *p, const ct_list *mine, const ct_list *theirs,
                         const char *what)
{
    MPI_Comm merged;

    MPI_Intercomm_merge(child, p->which, &merged);
    ct_list all = p->which ? ct_join(theirs, mine) : ct_join(mine, theirs);
    ct_check_comm(merged, &all, what);
    ct_list_free(&all);
    MPI_Comm_free(&merged);
}

static void check_split(const pair *p, const char *what)
{
    int rank;
    MPI_Comm child;

    MPI_Comm_rank(p->inter, &rank);
    int colour = p->mine.colour[rank];
    ct_list mine = ct_split(&p->mine.members, p->mine.colour, p->mine.key, colour);
    ct_list theirs = ct_split(&p->theirs.members, p->theirs.colour, p->theirs.key, colour);
    MPI_Comm_split(p->inter, colour, p->mine.key[rank], &child);
    int expected = mine.n > 0 && theirs.n > 0;
    CT_CHECK((child != MPI_COMM_NULL) == expected, "%s: a communicator, or none, is wrong", what);
    if (child != MPI_COMM_NULL) {
        check_child(child, &mine, &theirs, what);
        check_merged(child, p, &mine, &theirs, what);
        MPI_Comm_free(&child);
    }
    ct_list_free(&mine);
    ct_list_free(&theirs);
}

enum { NONE_OUT, FIRST_OF_ONE_OUT, FIRSTS_OUT, OTHER_COLOURS, VARIANTS };
static const char *const variant_name[VARIANTS] = {
    "", ", rank 0 of a side out", ", rank 0 of both sides out", ", colours of one side only"};

static void vary(int variant, side *s, int which)
{
    if (variant == FIRSTS_OUT || (variant == FIRST_OF_ONE_OUT && which == 0))
        s->colour[0] = MPI_UNDEFINED;
    for (int i = 0; variant == OTHER_COLOURS && which == 1 && i < s->members.n; i++) {
        if (s->colour[i] != MPI_UNDEFINED && s->colour[i] < 100)
            s->colour[i] += i % 2;
    }
}

static void fill_side(side *s, int which, int colours, int keys, int variant)
{
    ct_rng rng = {1000u * colours + 10u * keys + which};

    ct_fill_colours(colours, &rng, s->colour, s->members.n);
    ct_fill_keys((keys + which) % CT_KEYS, &rng, s->key, s->members.n);
    vary(variant, s, which);
}

static void check_patterns(pair *p, int plan, int variant)
{
    char what[160];

    for (int c = 0; c < CT_COLOURS; c++) {
        for (int k = 0; k < CT_KEYS; k++) {
            fill_side(&p->mine, p->which, c, k, variant);
            fill_side(&p->theirs, 1 - p->which, c, k, variant);
            snprintf(what, sizeof(what), "plan %d, colours %s, keys %s%s", plan, ct_colours_name(c),
                     ct_keys_name(k), variant_name[variant]);
            check_split(p, what);
        }
    }
}

#ifdef MPIX_PERMUTE
static void permute_side(side *s)
{
    for (int i = 0; i < s->members.n; i++)
        s->colour[i] = MPIX_PERMUTE;
}

static void check_permute(pair *p, int plan)
{
    char what[160];

    for (int k = 0; k < CT_KEYS; k++) {
        fill_side(&p->mine, p->which, 0, k, NONE_OUT);
        fill_side(&p->theirs, 1 - p->which, 0, k, NONE_OUT);
        permute_side(&p->mine);
        permute_side(&p->theirs);
        snprintf(what, sizeof(what), "plan %d, permutation, keys %s", plan, ct_keys_name(k));
        check_split(p, what);
    }
}
#else
#define check_permute(p_, plan_)
#endif

/* Ids claimed for colours that the other side does not have must come back: run with few ids
 * (MPIR_CVAR_CTXID_LIMIT), they would not last otherwise. */
static void check_ids_come_back(const pair *p, int times)
{
    MPI_Comm child;

    for (int i = 0; i < times; i++) {
        MPI_Comm_split(p->inter, 10 + p->which, 0, &child);
        CT_CHECK(child == MPI_COMM_NULL, "colours of one side only give a communicator");
    }
}

int main(int argc, char **argv)
{
    int size;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int plan = 0; plan < 3 && size > 1; plan++) {
        pair p = connect(plan);
        for (int variant = 0; variant < VARIANTS; variant++)
            check_patterns(&p, plan, variant);
        check_permute(&p, plan);
        if (size <= 4 && plan == 0)
            check_ids_come_back(&p, 2100);
        disconnect(&p);
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
