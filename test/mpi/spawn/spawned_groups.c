/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Two worlds spawned by the same parents, which come to know each other through them:
 * intercommunicators of the one against the other, and of sides that take members of all three
 * worlds in any order, merged both ways, with equal and different `high`.  Sides that have members
 * in common are refused on both.  All that several times, with a disconnect in between.
 *
 * A process is known by an id, 100 * world + rank: world 0 are the parents.
 *
 * Arguments: -rounds=N (default 3), -children=N (default 3); children get -world, -parents,
 * -children, -round
 */
#include "cmaptest_inter.h"

#define RANDOM_SIDES 4

static char *program;
static int my_world, parents, children, this_round;

static ct_list members_of(int world)
{
    int n = world ? children : parents;
    ct_list list = ct_list_new(n);

    for (int i = 0; i < n; i++)
        list.id[list.n++] = 100 * world + i;
    return list;
}

/* ---- sides of the three worlds ---- */

static void try_merges(MPI_Comm inter, const ct_sides *s, const char *what)
{
    static const int high[4][2] = {{0, 1}, {1, 0}, {0, 0}, {1, 1}};

    for (int k = 0; k < 4; k++) {
        ct_list want;
        MPI_Comm merged = ct_merge_sides(inter, s, high[k], &want);
        ct_check_messages(merged, &want, what);
        MPI_Comm_free(&merged);
        ct_list_free(&want);
    }
}

static void try_sides(MPI_Comm all, const ct_list *members, ct_sides *s, ct_rng *rng,
                      const char *what)
{
    MPI_Comm inter, copy;

    for (int k = 0; k < 2; k++) {
        ct_shuffle(rng, s->list[k].id, s->list[k].n);
        if (ct_find(&s->list[k], ct_me) != MPI_UNDEFINED)
            s->mine = k;
    }
    inter = ct_connect_sides(all, members, s, rng);
    if (inter == MPI_COMM_NULL)
        return;
    ct_check_all_pairs(inter, &s->list[!s->mine], what);
    MPI_Comm_dup(inter, &copy);
    try_merges(inter, s, what);
    MPI_Comm_free(&inter);
    ct_check_all_pairs(copy, &s->list[!s->mine], what);
    MPI_Comm_free(&copy);
}

static void try_two_worlds(MPI_Comm all, const ct_list *members, int a, int b, ct_rng *rng)
{
    ct_sides s = {{members_of(a), members_of(b)}, -1};

    try_sides(all, members, &s, rng, "two worlds");
    ct_sides_free(&s);
}

static void try_random_sides(MPI_Comm all, const ct_list *members, ct_rng *rng)
{
    ct_list order = ct_list_copy(members);
    ct_sides s = {{ct_list_new(order.n), ct_list_new(order.n)}, -1};

    ct_shuffle(rng, order.id, order.n);
    for (int i = 0; i < order.n; i++) { /* the first two on different sides */
        int side = i < 2 ? i : ct_below(rng, 3);
        if (side < 2)
            s.list[side].id[s.list[side].n++] = order.id[i];
    }
    try_sides(all, members, &s, rng, "random sides");
    ct_sides_free(&s);
    ct_list_free(&order);
}

/* The parents and world 1 against world 2 and one of theirs, of another world than the leader
 * that waits for the other side. */
static void try_overlaps(MPI_Comm all, const ct_list *members, const ct_list *first,
                         const ct_list *second)
{
    for (int i = 0; i < first->n; i++) {
        ct_list common = {1, &first->id[i]}, list[2] = {*first, ct_join(&common, second)};
        ct_check_overlap(all, members, list, "a member of both");
        ct_list_free(&list[1]);
    }
}

static void try_all(MPI_Comm all)
{
    ct_list zero = members_of(0), one = members_of(1), two = members_of(2);
    ct_list first = ct_join(&zero, &one), members = ct_join(&first, &two);
    int errs;

    ct_check_messages(all, &members, "three worlds");
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            ct_rng rng = ct_rng_of(&members, 10 * a + b);
            if (a != b)
                try_two_worlds(all, &members, a, b, &rng);
        }
    }
    for (int i = 0; i < RANDOM_SIDES; i++) {
        ct_rng rng = ct_rng_of(&members, RANDOM_SIDES * this_round + i + 100);
        try_random_sides(all, &members, &rng);
    }
    try_overlaps(all, &members, &first, &two);
    MPI_Allreduce(&ct_errs, &errs, 1, MPI_INT, MPI_SUM, all);
    if (ct_me == 0)
        ct_errs = errs;
    ct_list_free(&zero);
    ct_list_free(&one);
    ct_list_free(&two);
    ct_list_free(&first);
    ct_list_free(&members);
}

/* ---- how the worlds meet ---- */

static MPI_Comm spawn(int world)
{
    char args[4][32], *argv[5] = {args[0], args[1], args[2], args[3], NULL};
    MPI_Comm inter;

    snprintf(args[0], sizeof(args[0]), "-world=%d", world);
    snprintf(args[1], sizeof(args[1]), "-parents=%d", parents);
    snprintf(args[2], sizeof(args[2]), "-children=%d", children);
    snprintf(args[3], sizeof(args[3]), "-round=%d", this_round);
    MPI_Comm_spawn(program, argv, children, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                   MPI_ERRCODES_IGNORE);
    return inter;
}

/* The parents and world 1, merged, and world 2: the leaders are parent 0 and child 0, who know
 * each other by `peers`. */
static void meet_second(MPI_Comm local, MPI_Comm peers, int high)
{
    MPI_Comm inter, all;

    MPI_Intercomm_create(local, 0, peers, 0, 7, &inter);
    MPI_Intercomm_merge(inter, high, &all);
    MPI_Comm_free(&inter);
    try_all(all);
    MPI_Comm_free(&all);
}

static void be_parents(void)
{
    MPI_Comm first = spawn(1), second = spawn(2), merged;

    MPI_Intercomm_merge(first, 0, &merged);
    meet_second(merged, second, 0);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&second);
    MPI_Comm_disconnect(&first);
}

static void be_children(MPI_Comm parent)
{
    MPI_Comm merged;

    if (my_world == 1) {
        MPI_Intercomm_merge(parent, 1, &merged);
        meet_second(merged, MPI_COMM_NULL, 0);
        MPI_Comm_free(&merged);
    } else {
        meet_second(MPI_COMM_WORLD, parent, 1);
    }
    MPI_Comm_disconnect(&parent);
}

int main(int argc, char **argv)
{
    int rank, rounds;
    MPI_Comm parent;

    MTest_Init(&argc, &argv);
    program = argv[0];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &parents);
    MTestArgList *args = MTestArgListCreate(argc, argv);
    my_world = MTestArgListGetInt_with_default(args, "world", 0);
    parents = MTestArgListGetInt_with_default(args, "parents", parents);
    children = MTestArgListGetInt_with_default(args, "children", 3);
    rounds = MTestArgListGetInt_with_default(args, "rounds", 3);
    this_round = MTestArgListGetInt_with_default(args, "round", 0);
    MTestArgListDestroy(args);
    ct_me = 100 * my_world + rank;

    MPI_Comm_get_parent(&parent);
    if (my_world > 0) { /* the verdict is the parents' */
        be_children(parent);
        MPI_Finalize();
        return 0;
    }
    for (this_round = 0; this_round < rounds; this_round++)
        be_parents();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
