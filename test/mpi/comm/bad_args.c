/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Wrong arguments of group and communicator functions, under MPI_ERRORS_RETURN: the error class is
 * the right one, and everything around stays usable.
 *
 * Stock MPICH 4.0 does not see a rank that is named twice in incl and excl, and create_group with a
 * group from outside crashes there: these two are only tried where our variables are.
 */
#include "cmaptest_mpit.h"

static int world_size, is_ours;
static MPI_Group world;

static void expect(int code, int want, const char *what)
{
    int class_ = MPI_SUCCESS;

    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class_);
    CT_CHECK(class_ == want, "%s: error class %d, not %d", what, class_, want);
}

static void world_still_works(const char *what)
{
    MPI_Comm copy;
    MPI_Group group;
    ct_list all = ct_list_range(world_size);

    MPI_Comm_group(MPI_COMM_WORLD, &group);
    ct_check_group(group, &all, world, what);
    MPI_Group_free(&group);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    ct_check_comm(copy, &all, what);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
    ct_list_free(&all);
}

static void bad_ranks(void)
{
    MPI_Group group;
    int twice[] = {1, 0, 1}, beyond[] = {0, world_size}, negative[] = {-1, 0};

    if (is_ours) {
        expect(MPI_Group_incl(world, 3, twice, &group), MPI_ERR_RANK, "incl, rank twice");
        expect(MPI_Group_excl(world, 3, twice, &group), MPI_ERR_RANK, "excl, rank twice");
    }
    expect(MPI_Group_incl(world, 2, beyond, &group), MPI_ERR_RANK, "incl, rank beyond");
    expect(MPI_Group_incl(world, 2, negative, &group), MPI_ERR_RANK, "incl, negative rank");
    expect(MPI_Group_excl(world, 2, beyond, &group), MPI_ERR_RANK, "excl, rank beyond");
    expect(MPI_Group_excl(world, 2, negative, &group), MPI_ERR_RANK, "excl, negative rank");
    expect(MPI_Group_incl(world, -1, twice, &group), MPI_ERR_ARG, "incl, negative count");
    expect(MPI_Group_incl(MPI_GROUP_NULL, 1, twice, &group), MPI_ERR_GROUP, "incl, no group");
}

static void bad_range(int first, int last, int stride, const char *what)
{
    MPI_Group group;
    int range[1][3] = {{first, last, stride}};

    expect(MPI_Group_range_incl(world, 1, range, &group), MPI_ERR_ARG, what);
    expect(MPI_Group_range_excl(world, 1, range, &group), MPI_ERR_ARG, what);
}

static void bad_ranges(void)
{
    MPI_Group group;
    int overlap[2][3] = {{0, 1, 1}, {world_size - 1, 0, -1}};

    bad_range(0, 1, 0, "range, stride 0");
    bad_range(1, 0, 1, "range, wrong direction");
    bad_range(0, 1, -1, "range, wrong direction down");
    bad_range(0, world_size, 1, "range, last beyond");
    bad_range(-1, 1, 1, "range, first negative");
    expect(MPI_Group_range_incl(world, 2, overlap, &group), MPI_ERR_ARG, "range_incl, overlap");
    expect(MPI_Group_range_excl(world, 2, overlap, &group), MPI_ERR_ARG, "range_excl, overlap");
}

static void bad_translations(void)
{
    int beyond[] = {0, world_size}, negative[] = {-20}, out[2];

    expect(MPI_Group_translate_ranks(world, 2, beyond, world, out), MPI_ERR_RANK,
           "translate, rank beyond");
    expect(MPI_Group_translate_ranks(world, 1, negative, world, out), MPI_ERR_RANK,
           "translate, negative rank");
    expect(MPI_Group_translate_ranks(world, 1, beyond, MPI_GROUP_NULL, out), MPI_ERR_GROUP,
           "translate, no group");
}

/* A group that is not part of the communicator it is used with.  Every process takes part, so that
 * nobody waits for a call that failed elsewhere. */
static void group_outside(int reversed)
{
    MPI_Comm half, child;
    ct_list mine = ct_list_new(world_size);
    int color = ct_me % 2;

    for (int i = 0; i < world_size; i++)
        if (i % 2 == color)
            mine.id[mine.n++] = i;
    if (reversed)
        for (int i = 0, n = mine.n; i < n; i++)
            mine.id[i] = 2 * (n - 1 - i) + color;
    MPI_Comm_split(MPI_COMM_WORLD, color, reversed ? -ct_me : ct_me, &half);
    MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    expect(MPI_Comm_create(half, world, &child), MPI_ERR_GROUP, "create, group not in comm");
    if (is_ours)
        expect(MPI_Comm_create_group(half, world, 1, &child), MPI_ERR_GROUP,
               "create_group, group not in comm");
    expect(MPI_Comm_create(half, MPI_GROUP_NULL, &child), MPI_ERR_GROUP, "create, no group");
    ct_check_comm(half, &mine, "half the world after failed creations");
    MPI_Comm_dup(half, &child);
    ct_check_comm(child, &mine, "its dup");
    MPI_Comm_free(&child);
    MPI_Comm_free(&half);
    ct_list_free(&mine);
}

static MPI_Comm between_halves(MPI_Group *side)
{
    MPI_Comm half, inter;

    MPI_Comm_split(MPI_COMM_WORLD, ct_me % 2, ct_me, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - ct_me % 2, 0, &inter);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    MPI_Comm_group(inter, side);
    MPI_Comm_free(&half);
    return inter;
}

/* One process alone gives a group that is not part of its side: it has that error, and the
 * others another one. */
static void group_outside_between(void)
{
    MPI_Group side;
    MPI_Comm inter = between_halves(&side), child;
    int is_wrong = ct_me == world_size - 1;

    expect(MPI_Comm_create(inter, is_wrong ? world : side, &child),
           is_wrong ? MPI_ERR_GROUP : MPI_ERR_OTHER, "create between groups, group not in comm");
    expect(MPI_Comm_create(inter, side, &child), MPI_SUCCESS, "create between groups after that");
    MPI_Comm_free(&child);
    MPI_Group_free(&side);
    MPI_Comm_free(&inter);
}

/* The lower side has nobody in it: no communicator on either side. */
static void group_of_nobody_between(void)
{
    MPI_Group side;
    MPI_Comm inter = between_halves(&side), child = MPI_COMM_WORLD;

    expect(MPI_Comm_create(inter, ct_me % 2 ? side : MPI_GROUP_EMPTY, &child), MPI_SUCCESS,
           "create between groups, nobody");
    CT_CHECK(child == MPI_COMM_NULL, "a communicator with nobody on one side");
    MPI_Group_free(&side);
    MPI_Comm_free(&inter);
}

int main(int argc, char **argv)
{
    ct_pvar maps;

    MTest_Init(&argc, &argv);
    ct_mpit_begin();
    is_ours = ct_pvar_find("cmap_maps", &maps);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    if (world_size < 2) {
        fprintf(stderr, "This test requires at least 2 processes\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int round = 0; round < 3; round++) {
        bad_ranks();
        bad_ranges();
        bad_translations();
        world_still_works("after bad group arguments");
        group_outside(round % 2);
        if (is_ours)
            group_outside_between();
        group_of_nobody_between();
        world_still_works("after failed creations");
    }
    MPI_Group_free(&world);
    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
