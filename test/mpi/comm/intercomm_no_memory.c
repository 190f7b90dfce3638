/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Intercomm_create where one process has no memory during the call, a leader or not, and the
 * sides are irregular, so that large ones travel in several parts: disjoint sides are refused
 * everywhere, and connected when there is memory again; of sides that have members in common
 * everybody is told so, whoever has no memory.  Then the same for MPI_Comm_create of the connected
 * sides in another order.  On one node, where collective operations take none.
 */
#include "cmaptest_poor.h"
#include "cmaptest_inter.h"

/* Disjoint for common == 0. */
static void random_sides(const ct_list *all, int common, ct_rng *rng, ct_list list[2])
{
    int half = all->n / 2;

    if (common > 0) {
        ct_overlapping(all, common, rng, list);
        return;
    }
    ct_list mixed = ct_list_copy(all);
    ct_shuffle(rng, mixed.id, mixed.n);
    for (int k = 0; k < 2; k++) {
        list[k] = ct_list_new(all->n);
        list[k].n = k ? all->n - half : half;
        memcpy(list[k].id, mixed.id + k * half, list[k].n * sizeof(int));
    }
    ct_list_free(&mixed);
}

static void expect_class(int class, int common, int who, int k)
{
    if (common > 0)
        CT_CHECK(class == MPI_ERR_COMM, "%d in common, %d without memory: class %d on side %d",
                 common, who, class, k);
    else
        CT_CHECK(class == MPI_ERR_NO_MEM || class == MPI_ERR_OTHER,
                 "%d without memory: class %d on side %d", who, class, k);
}

/* Another order of a side's members, as ranks in it. */
static ct_list other_order(const ct_list *side)
{
    ct_list ranks = ct_list_range(side->n);
    ct_rng rng = ct_rng_of(side, 1);

    ct_shuffle(&rng, ranks.id, ranks.n);
    return ranks;
}

static int create(MPI_Comm inter, MPI_Group group, int has_memory, MPI_Comm *made)
{
    int class;

    ct_poor_begin(has_memory ? 0 : CT_ALL_FAIL);
    int result = MPI_Comm_create(inter, group, made);
    ct_poor_end();
    MPI_Error_class(result, &class);
    return class;
}

static void check_created(MPI_Comm inter, MPI_Group group, const ct_list *remote)
{
    MPI_Comm made;
    int class = create(inter, group, 1, &made);

    CT_CHECK(class == MPI_SUCCESS, "MPI_Comm_create with all the memory: class %d", class);
    if (class != MPI_SUCCESS)
        return;
    ct_check_remote_group(made, remote, "MPI_Comm_create");
    ct_check_all_pairs(made, remote, "MPI_Comm_create");
    MPI_Comm_free(&made);
}

/* `who` has no memory; before, all have, for what the first collective takes, and afterwards. */
static void check_create(MPI_Comm inter, const ct_list list[2], int k, int who)
{
    ct_list mine = other_order(&list[k]), theirs = other_order(&list[!k]),
            remote = ct_pick(&list[!k], &theirs);
    MPI_Group side, group;
    MPI_Comm made;

    MPI_Comm_group(inter, &side);
    MPI_Group_incl(side, mine.n, mine.id, &group);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    check_created(inter, group, &remote);
    expect_class(create(inter, group, ct_me != who, &made), 0, who, k);
    check_created(inter, group, &remote);
    MPI_Group_free(&side);
    MPI_Group_free(&group);
    ct_list_free(&mine);
    ct_list_free(&theirs);
    ct_list_free(&remote);
}

static void connect_again(const ct_list *all, const ct_list list[2], int k, int who, MPI_Comm local)
{
    MPI_Comm inter;
    int class = ct_connect_last(MPI_COMM_WORLD, all, list, k, local, &inter);

    CT_CHECK(class == MPI_SUCCESS, "with memory again: class %d on side %d", class, k);
    if (class == MPI_SUCCESS) {
        ct_check_remote_group(inter, &list[!k], "with memory again");
        ct_check_all_pairs(inter, &list[!k], "with memory again");
        check_create(inter, list, k, who);
        MPI_Comm_free(&inter);
    }
}

/* `who` has no memory. */
static void check_sides(const ct_list *all, const ct_list list[2], int common, int who)
{
    MPI_Comm local[2], inter;

    ct_local_comms(MPI_COMM_WORLD, list, "local", local);
    for (int k = 0; k < 2; k++) {
        if (local[k] == MPI_COMM_NULL)
            continue;
        ct_poor_begin(ct_me == who ? CT_ALL_FAIL : 0);
        int class = ct_connect_last(MPI_COMM_WORLD, all, list, k, local[k], &inter);
        int refused = ct_poor_end();
        CT_CHECK(ct_me != who || refused > 0, "%d did without memory", who);
        expect_class(class, common, who, k);
    }
    for (int k = 0; k < 2; k++) {
        if (local[k] == MPI_COMM_NULL)
            continue;
        ct_check_messages(local[k], &list[k], "after errors");
        if (common == 0)
            connect_again(all, list, k, who, local[k]);
        MPI_Comm_free(&local[k]);
    }
}

/* Both leaders and any other. */
static void check_common(const ct_list *all, int common, ct_rng *rng)
{
    ct_list list[2];

    random_sides(all, common, rng, list);
    check_sides(all, list, common, list[0].id[list[0].n - 1]);
    check_sides(all, list, common, list[1].id[list[1].n - 1]);
    check_sides(all, list, common, ct_below(rng, all->n));
    ct_list_free(&list[0]);
    ct_list_free(&list[1]);
}

/* A process that connects to another one without memory ends in UCX. */
static void connect_all_pairs(const ct_list *all)
{
    for (int d = 0; d < all->n; d++)
        ct_check_exchange(MPI_COMM_WORLD, all, (ct_me + d) % all->n, (ct_me + all->n - d) % all->n,
                          "all pairs");
}

static void check_all(int rounds)
{
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ct_list all = ct_list_range(size);
    ct_rng rng = ct_rng_of(&all, rounds);
    connect_all_pairs(&all);
    for (int round = 0; size > 1 && ct_is_one_node(MPI_COMM_WORLD) && round < rounds; round++) {
        check_common(&all, 0, &rng);
        check_common(&all, 1, &rng);
        check_common(&all, size - 1, &rng);
    }
    ct_list_free(&all);
}

/* Argument: -rounds=N (default 3) */
int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MTestArgList *args = MTestArgListCreate(argc, argv);
    int rounds = MTestArgListGetInt_with_default(args, "rounds", 3);
    MTestArgListDestroy(args);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    if (ct_can_be_poor())
        check_all(rounds);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
