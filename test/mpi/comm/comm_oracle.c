/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Chains of communicators, each made from the one before by a random constructor: dup and its
 * kin, split, create, create_group.  After every step the members' order is compared with an
 * oracle, through groups and through messages.  A process that drops out of a communicator waits
 * for the next chain.
 *
 * Arguments: -chains=N (default 12)  -depth=N (default 6)
 */
#include "cmaptest.h"

enum step {
    DUP,
    DUP_WITH_INFO,
    IDUP,
    IDUP_WITH_INFO,
    SPLIT_SAME,
    SPLIT_REVERSED,
    SPLIT_KEYS,
    SPLIT_COLORS,
    SPLIT_SOME,
    CREATE,
    CREATE_DISJOINT,
    CREATE_GROUP,
    STEPS
};

static const char *step_name[STEPS] = {"dup",
                                       "dup_with_info",
                                       "idup",
                                       "idup_with_info",
                                       "split, one color",
                                       "split, reversed keys",
                                       "split, random keys",
                                       "split, random colors",
                                       "split, some undefined",
                                       "create",
                                       "create, disjoint groups",
                                       "create_group"};

/* ---- dup and its kin ---- */

static MPI_Comm duplicate(MPI_Comm parent, int step)
{
    MPI_Comm child;
    MPI_Info info;
    MPI_Request request;

    MPI_Info_create(&info);
    MPI_Info_set(info, "note", "none");
    switch (step) {
        case DUP: MPI_Comm_dup(parent, &child); break;
        case DUP_WITH_INFO: MPI_Comm_dup_with_info(parent, info, &child); break;
        case IDUP:
            MPI_Comm_idup(parent, &child, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            break;
        default:
#if MPI_VERSION >= 4
            MPI_Comm_idup_with_info(parent, info, &child, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
            MPI_Comm_dup(parent, &child);
#endif
    }
    MPI_Info_free(&info);
    return child;
}

static void check_same(MPI_Comm parent, MPI_Comm child, const char *what)
{
    int result;

    MPI_Comm_compare(parent, child, &result);
    CT_CHECK(result == MPI_CONGRUENT, "%s: compare gives %d, not MPI_CONGRUENT", what, result);
}

/* ---- split ---- */

/* Positions of one color, by key, then by rank: an insertion sort, which is stable. */
static ct_list split_oracle(int n, const int *color, const int *key, int mine)
{
    ct_list list = ct_list_new(n);

    for (int i = 0; i < n; i++) {
        if (color[i] != mine)
            continue;
        int k = list.n++;
        for (; k > 0 && key[list.id[k - 1]] > key[i]; k--)
            list.id[k] = list.id[k - 1];
        list.id[k] = i;
    }
    return list;
}

static void draw_split(int step, ct_rng *rng, int n, int *color, int *key)
{
    int far = ct_below(rng, 1000) - 500;

    for (int i = 0; i < n; i++) {
        color[i] = 4;
        key[i] = i;
        if (step == SPLIT_REVERSED)
            key[i] = far - 3 * i;
        else if (step != SPLIT_SAME)
            key[i] = ct_below(rng, n) - n / 2; /* some are equal */
        if (step == SPLIT_COLORS)
            color[i] = ct_below(rng, 2);
        else if (step == SPLIT_SOME)
            color[i] = ct_below(rng, 5) ? 1 : MPI_UNDEFINED;
    }
}

static MPI_Comm split(MPI_Comm parent, int step, ct_rng *rng, const ct_list *members, ct_list *want)
{
    MPI_Comm child;
    int n = members->n, me = ct_find(members, ct_me);
    int *color = ct_ints(n), *key = ct_ints(n);

    draw_split(step, rng, n, color, key);
    MPI_Comm_split(parent, color[me], key[me], &child);
    ct_list positions = split_oracle(n, color, key, color[me]);
    if (color[me] == MPI_UNDEFINED)
        positions.n = 0;
    *want = ct_pick(members, &positions);
    ct_list_free(&positions);
    free(color);
    free(key);
    return child;
}

/* ---- create ---- */

static MPI_Comm create(MPI_Comm parent, int step, ct_rng *rng, const ct_list *members,
                       ct_list *want)
{
    MPI_Comm child = MPI_COMM_NULL;
    MPI_Group all, group;
    ct_list positions = ct_pattern_list(ct_below(rng, CT_PATTERNS), rng, members->n);
    int me = ct_find(members, ct_me);
    int in = ct_find(&positions, me) != MPI_UNDEFINED;

    if (step == CREATE_DISJOINT && !in) { /* those outside the pattern go together, too */
        ct_list every = ct_list_range(members->n);
        ct_list rest = ct_drop(&every, &positions);
        ct_list_free(&every);
        ct_list_free(&positions);
        positions = rest;
        in = 1;
    }
    MPI_Comm_group(parent, &all);
    MPI_Group_incl(all, positions.n, positions.id, &group);
    if (step != CREATE_GROUP)
        MPI_Comm_create(parent, group, &child);
    else if (in)
        MPI_Comm_create_group(parent, group, positions.n, &child);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    *want = ct_pick(members, &positions);
    if (!in)
        want->n = 0;
    ct_list_free(&positions);
    return child;
}

/* ---- chains ---- */

static MPI_Comm next_in_chain(MPI_Comm parent, int step, ct_rng *rng, const ct_list *members,
                              ct_list *want)
{
    if (step >= CREATE)
        return create(parent, step, rng, members, want);
    if (step >= SPLIT_SAME)
        return split(parent, step, rng, members, want);
    MPI_Comm child = duplicate(parent, step);
    *want = ct_list_copy(members);
    check_same(parent, child, step_name[step]);
    return child;
}

static void chain(int number, int depth)
{
    int size, first = number % STEPS;
    MPI_Comm comm = MPI_COMM_WORLD, parent[64];
    int parents = 0;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ct_list members = ct_list_range(size);
    for (int level = 0; level < depth && comm != MPI_COMM_NULL; level++) {
        ct_list want;
        ct_rng rng = ct_rng_of(&members, 100 * number + level);
        /* every constructor is first in some chain; later ones come at random */
        int step = level == 0 ? first : ct_below(&rng, STEPS);
        int keep_parent = ct_below(&rng, 2);
        MPI_Comm child = next_in_chain(comm, step, &rng, &members, &want);

        CT_CHECK((child != MPI_COMM_NULL) == (want.n > 0), "%s: in or out?", step_name[step]);
        if (comm != MPI_COMM_WORLD && !keep_parent)
            MPI_Comm_free(&comm); /* the child has to live without it */
        else if (comm != MPI_COMM_WORLD)
            parent[parents++] = comm;
        if (child != MPI_COMM_NULL)
            ct_check_comm(child, &want, step_name[step]);
        ct_list_free(&members);
        members = want;
        comm = child;
    }
    if (comm != MPI_COMM_NULL && comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    while (parents > 0)
        MPI_Comm_free(&parent[--parents]);
    ct_list_free(&members);
}

int main(int argc, char **argv)
{
    int size;

    MTest_Init(&argc, &argv);
    MTestArgList *args = MTestArgListCreate(argc, argv);
    int chains = MTestArgListGetInt_with_default(args, "chains", 12);
    int depth = MTestArgListGetInt_with_default(args, "depth", 6);
    MTestArgListDestroy(args);
    if (depth > 64)
        depth = 64;

    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ct_list all = ct_list_range(size);
    ct_check_comm(MPI_COMM_WORLD, &all, "world");
    ct_list_free(&all);
    for (int number = 0; number < chains; number++)
        chain(number, depth);

    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
