/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Maps over several process tables.  The first processes spawn a set of children; both sets merged
 * spawn another; the first set of children and the second connect by a port as well.  On the way:
 * intercommunicators and merged communicators with members of two and three tables in mixed orders,
 * the group functions over them, disconnect, and all that several times.
 *
 * A process is known by an id, 100 * set + rank: set 0 are the first processes.
 *
 * Arguments: -rounds=N (default 2); children get -set, -parents
 */
#include "cmaptest.h"

#define FIRST_CHILDREN 2
#define SECOND_CHILDREN 3

static char *program;
static int my_set, parents;

static ct_list set_list(int set)
{
    static const int size[] = {0, FIRST_CHILDREN, SECOND_CHILDREN};
    int n = set ? size[set] : parents;
    ct_list list = ct_list_new(n);

    for (int i = 0; i < n; i++)
        list.id[list.n++] = 100 * set + i;
    return list;
}

/* ---- groups ---- */

static void expect_compare(MPI_Group a, MPI_Group b, int want, const char *what)
{
    int result;

    MPI_Group_compare(a, b, &result);
    CT_CHECK(result == want, "%s: compare gives %d, not %d", what, result, want);
}

/* Set operations over two tables; `merged` is local then remote. */
static void check_set_operations(MPI_Group local, MPI_Group remote, MPI_Group merged)
{
    MPI_Group made, other;

    MPI_Group_union(local, remote, &made);
    expect_compare(made, merged, MPI_IDENT, "union of local and remote");
    MPI_Group_free(&made);
    MPI_Group_union(remote, local, &made);
    expect_compare(made, merged, MPI_SIMILAR, "union of remote and local");
    MPI_Group_difference(made, local, &other);
    expect_compare(other, remote, MPI_IDENT, "difference");
    MPI_Group_free(&other);
    MPI_Group_intersection(merged, remote, &other);
    expect_compare(other, remote, MPI_IDENT, "intersection");
    MPI_Group_free(&other);
    MPI_Group_free(&made);
    MPI_Group_intersection(local, remote, &made);
    CT_CHECK(made == MPI_GROUP_EMPTY, "local and remote have members in common");
    expect_compare(local, remote, MPI_UNEQUAL, "local and remote");
}

static void check_translate(MPI_Group from, MPI_Group to, const ct_list *a, const ct_list *b)
{
    ct_list in = ct_list_range(a->n);
    int *out = ct_ints(a->n);

    MPI_Group_translate_ranks(from, a->n, in.id, to, out);
    for (int i = 0; i < a->n; i++)
        CT_CHECK(out[i] == ct_find(b, a->id[i]), "translate: rank %d becomes %d, not %d", i, out[i],
                 ct_find(b, a->id[i]));
    ct_list_free(&in);
    free(out);
}

/* `merged` has the members `want`: this side's first if we are the low one. */
static void check_groups(MPI_Comm inter, MPI_Comm merged, const ct_list *mine,
                         const ct_list *theirs, const ct_list *want)
{
    MPI_Group local, remote, both;

    MPI_Comm_group(inter, &local);
    MPI_Comm_remote_group(inter, &remote);
    MPI_Comm_group(merged, &both);
    if (want->id[0] == mine->id[0])
        check_set_operations(local, remote, both);
    else
        check_set_operations(remote, local, both);
    check_translate(local, both, mine, want);
    check_translate(remote, both, theirs, want);
    check_translate(both, remote, want, theirs);
    check_translate(both, local, want, mine);
    check_translate(remote, local, theirs, mine);
    MPI_Group_free(&local);
    MPI_Group_free(&remote);
    MPI_Group_free(&both);
}

/* ---- communicators ---- */

/* Patterns over several tables: create, and split with the order reversed. */
static void check_derived(MPI_Comm comm, const ct_list *members, const char *what)
{
    int rank;
    MPI_Comm child;
    MPI_Group all, group;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_group(comm, &all);
    for (int kind = 0; kind < CT_PATTERNS; kind++) {
        ct_rng rng = ct_rng_of(members, kind);
        ct_list positions = ct_pattern_list(kind, &rng, members->n);
        ct_list want = ct_pick(members, &positions);
        MPI_Group_incl(all, positions.n, positions.id, &group);
        check_translate(group, all, &want, members);
        check_translate(all, group, members, &want);
        MPI_Comm_create(comm, group, &child);
        if (child != MPI_COMM_NULL) {
            ct_check_messages(child, &want, what);
            MPI_Comm_free(&child);
        }
        MPI_Group_free(&group);
        ct_list_free(&want);
        ct_list_free(&positions);
    }
    MPI_Group_free(&all);

    ct_list back = ct_list_new(members->n);
    for (int i = members->n - 1; i >= 0; i--)
        back.id[back.n++] = members->id[i];
    MPI_Comm_split(comm, 0, -rank, &child);
    ct_check_messages(child, &back, what);
    MPI_Comm_free(&child);
    ct_list_free(&back);
}

/* An intercommunicator of evens and odds of a communicator over several tables. */
static void check_parity(MPI_Comm comm, const ct_list *members, const char *what)
{
    int rank;
    MPI_Comm local, inter, merged;
    ct_list side[2] = {ct_list_new(members->n), ct_list_new(members->n)};

    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < members->n; i++)
        side[i % 2].id[side[i % 2].n++] = members->id[i];
    int me = rank % 2;
    MPI_Comm_split(comm, me, rank, &local);
    MPI_Intercomm_create(local, 0, comm, !me, 4, &inter);
    ct_check_all_pairs(inter, &side[!me], what);
    MPI_Intercomm_merge(inter, me == 0, &merged); /* odds first */
    ct_list want = ct_join(&side[1], &side[0]);
    ct_check_messages(merged, &want, what);
    check_groups(inter, merged, &side[me], &side[!me], &want);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
    ct_list_free(&want);
    ct_list_free(&side[0]);
    ct_list_free(&side[1]);
}

/* Everything that can be asked of two sides; returns them merged, the side of `low` first. */
static MPI_Comm check_sides(MPI_Comm inter, const ct_list *mine, const ct_list *theirs, int low,
                            ct_list *members)
{
    MPI_Comm merged = MPI_COMM_NULL, copy;

    ct_check_all_pairs(inter, theirs, "spawned");
    MPI_Comm_dup(inter, &copy);
    ct_check_all_pairs(copy, theirs, "dup of spawned");
    MPI_Comm_free(&copy);
    for (int first = 1; first >= 0; first--) { /* the other side first, then as asked */
        int high = first ? low : !low;
        ct_list want = high ? ct_join(theirs, mine) : ct_join(mine, theirs);
        MPI_Intercomm_merge(inter, high, &merged);
        ct_check_messages(merged, &want, "merged");
        check_groups(inter, merged, mine, theirs, &want);
        if (first) {
            MPI_Comm_free(&merged);
            ct_list_free(&want);
        } else {
            check_derived(merged, &want, "of merged");
            *members = want;
        }
    }
    return merged;
}

/* ---- sets meeting each other ---- */

static MPI_Comm spawn(MPI_Comm from, int set, int n)
{
    char set_arg[32], parents_arg[32], *args[3] = {set_arg, parents_arg, NULL};
    int codes[8];
    MPI_Comm inter;

    snprintf(set_arg, sizeof(set_arg), "-set=%d", set);
    snprintf(parents_arg, sizeof(parents_arg), "-parents=%d", parents);
    MPI_Comm_spawn(program, args, n, MPI_INFO_NULL, 0, from, &inter, codes);
    for (int i = 0; i < n; i++)
        CT_CHECK(codes[i] == MPI_SUCCESS, "spawn of %d of set %d", i, set);
    return inter;
}

/* Sets 1 and 2 by a port, whose name goes over the communicator of all. */
static void check_connect(MPI_Comm all, const ct_list *members, const ct_list *mine)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter, merged;
    ct_list theirs = set_list(3 - my_set), both;
    int leader = ct_find(members, 100);

    if (ct_me == 100)
        MPI_Open_port(MPI_INFO_NULL, port);
    if (ct_me == 100)
        MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, ct_find(members, 200), 6, all);
    if (ct_me == 200)
        MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, leader, 6, all, MPI_STATUS_IGNORE);
    if (my_set == 1)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    else
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    merged = check_sides(inter, mine, &theirs, my_set == 2, &both);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&inter);
    if (ct_me == 100)
        MPI_Close_port(port);
    ct_list_free(&both);
    ct_list_free(&theirs);
}

/* All three sets in one communicator; adds up everybody's errors. */
static void check_together(MPI_Comm all, const ct_list *members, const ct_list *mine)
{
    int errs;

    check_parity(all, members, "evens and odds of all");
    if (my_set > 0)
        check_connect(all, members, mine);
    ct_check_messages(all, members, "all");
    MPI_Allreduce(&ct_errs, &errs, 1, MPI_INT, MPI_SUM, all);
    if (ct_me == 0)
        ct_errs = errs;
}

/* Sets 0 and 1: merge, spawn set 2 together, meet it. */
static void first_two_sets(MPI_Comm inter)
{
    ct_list mine = set_list(my_set), theirs = set_list(!my_set), two, three;
    ct_list last = set_list(2);
    MPI_Comm merged = check_sides(inter, &mine, &theirs, my_set == 1, &two);

    check_parity(merged, &two, "evens and odds of two sets");
    MPI_Comm second = spawn(merged, 2, SECOND_CHILDREN);
    MPI_Comm all = check_sides(second, &two, &last, 0, &three);
    check_together(all, &three, &mine);
    MPI_Comm_free(&all);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&second);
    MPI_Comm_disconnect(&inter);
    ct_list_free(&mine);
    ct_list_free(&theirs);
    ct_list_free(&last);
    ct_list_free(&two);
    ct_list_free(&three);
}

/* Set 2: its parents are the other two sets, children first. */
static void third_set(MPI_Comm inter)
{
    ct_list mine = set_list(2), zero = set_list(0), one = set_list(1), three;
    ct_list two = ct_join(&one, &zero);
    MPI_Comm all = check_sides(inter, &mine, &two, 1, &three);

    check_together(all, &three, &mine);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&inter);
    ct_list_free(&mine);
    ct_list_free(&zero);
    ct_list_free(&one);
    ct_list_free(&two);
    ct_list_free(&three);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm parent;

    MTest_Init(&argc, &argv);
    program = argv[0];
    MTestArgList *args = MTestArgListCreate(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &parents);
    my_set = MTestArgListGetInt_with_default(args, "set", 0);
    parents = MTestArgListGetInt_with_default(args, "parents", parents);
    int rounds = MTestArgListGetInt_with_default(args, "rounds", 2);
    MTestArgListDestroy(args);
    ct_me = 100 * my_set + rank;

    MPI_Comm_get_parent(&parent);
    if (my_set == 2)
        third_set(parent);
    else if (my_set == 1)
        first_two_sets(parent);
    for (int round = 0; my_set == 0 && round < rounds; round++)
        first_two_sets(spawn(MPI_COMM_WORLD, 1, FIRST_CHILDREN));

    if (my_set > 0) { /* the verdict is the parents' */
        MPI_Finalize();
        return 0;
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
