/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Info hints of the maps: cmap_strategy and cmap_alpha change how the map of one communicator is
 * held, MPI_Comm_get_info reports what is in force, what is not valid is ignored, duplicates
 * inherit, and whatever changes, members, groups and messages stay what they were.
 *
 * From 9 ranks on, the representations under `time` and `space` must differ (unless one is
 * forced): smaller maps are plain lists in their header under any strategy.
 */
#include "cmaptest_mpit.h"
#include "cmaptest_info.h"

static int world_size;

static MPI_Comm random_order(ct_list *members)
{
    ct_rng rng = {20};
    MPI_Comm comm;

    *members = ct_list_range(world_size);
    ct_shuffle(&rng, members->id, members->n);
    MPI_Comm_split(MPI_COMM_WORLD, 0, ct_find(members, ct_me), &comm);
    return comm;
}

static void expect_usual(MPI_Comm comm, const char *what)
{
    const char *strategy = ct_usual_strategy();

    ct_expect_policy(comm, strategy, strcmp(strategy, "hybrid") ? "" : ct_usual_alpha(), what);
}

static void without_hints(void)
{
    char representation[MPI_MAX_INFO_VAL];
    MPI_Comm comm;
    ct_list members;

    expect_usual(MPI_COMM_WORLD, "the world");
    expect_usual(MPI_COMM_SELF, "self");
    comm = random_order(&members);
    expect_usual(comm, "no hints");
    ct_get_hint(comm, "cmap_representation", representation);
    CT_CHECK(representation[0], "no representation is reported");
    if (!ct_is_forced())
        ct_expect_hint(MPI_COMM_WORLD, "cmap_representation", "affine", "the world");
    MPI_Comm_free(&comm);
    ct_list_free(&members);
}

static void strategies(void)
{
    char fast[MPI_MAX_INFO_VAL], small[MPI_MAX_INFO_VAL];
    ct_list members;
    MPI_Comm comm = random_order(&members);

    for (int round = 0; round < 2; round++) {
        ct_set_hints(comm, (ct_hints){.strategy = "time"});
        ct_expect_policy(comm, "time", "", "time");
        ct_get_hint(comm, "cmap_representation", fast);
        ct_check_comm(comm, &members, "time");

        ct_set_hints(comm, (ct_hints){.strategy = "space"});
        ct_expect_policy(comm, "space", "", "space");
        ct_get_hint(comm, "cmap_representation", small);
        ct_check_comm(comm, &members, "space");

        ct_set_hints(comm, (ct_hints){.strategy = "hybrid", .alpha = "0.75"});
        ct_expect_policy(comm, "hybrid", "0.75", "hybrid");
        ct_check_comm(comm, &members, "hybrid");
    }
    if (world_size > 8 && !ct_is_forced())
        CT_CHECK(strcmp(fast, small), "%s under both strategies", fast);
    expect_usual(MPI_COMM_WORLD, "the world, beside a communicator with hints");
    MPI_Comm_free(&comm);
    ct_list_free(&members);
}

static void alphas(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    ct_set_hints(comm, (ct_hints){.strategy = "hybrid", .alpha = "1"});
    ct_expect_policy(comm, "hybrid", "1", "alpha with hybrid");
    ct_set_hints(comm, (ct_hints){.alpha = "0.1"});
    ct_expect_policy(comm, "hybrid", "0.1", "alpha under hybrid");
    ct_set_hints(comm, (ct_hints){.strategy = "hybrid"});
    ct_expect_policy(comm, "hybrid", "0.1", "hybrid again");
    ct_set_hints(comm, (ct_hints){.strategy = "time", .alpha = "0.5"});
    ct_expect_policy(comm, "time", "", "alpha with time");
    ct_set_hints(comm, (ct_hints){.alpha = "0.5"});
    ct_expect_policy(comm, "time", "", "alpha under time");
    ct_set_hints(comm, (ct_hints){.strategy = "hybrid"});
    ct_expect_policy(comm, "hybrid", ct_usual_alpha(), "hybrid after time");
    MPI_Comm_free(&comm);
}

/* Ignored, as MPI asks for, and not reported either. */
static void wrong_values(void)
{
    static const char *const alpha[] = {"1.5", "-0.1", "half", "0.5x", "nan", "0.5 0.5"};
    char before[MPI_MAX_INFO_VAL];
    ct_list members;
    MPI_Comm comm = random_order(&members);

    ct_set_hints(comm, (ct_hints){.strategy = "hybrid", .alpha = "0.5"});
    ct_get_hint(comm, "cmap_representation", before);
    ct_set_hints(comm, (ct_hints){.strategy = "fastest"});
    ct_expect_policy(comm, "hybrid", "0.5", "unknown strategy");
    for (int k = 0; k < 6; k++) {
        ct_set_hints(comm, (ct_hints){.alpha = alpha[k]});
        ct_expect_policy(comm, "hybrid", "0.5", alpha[k]);
    }
    ct_set_hints(comm, (ct_hints){.representation = strcmp(before, "array") ? "array" : "packed"});
    ct_expect_hint(comm, "cmap_representation", before, "read only");
    ct_set_hints(comm, (ct_hints){.strategy = "space", .alpha = "7"});
    ct_expect_policy(comm, "space", "", "strategy beside a wrong alpha");
    ct_check_comm(comm, &members, "wrong values");
    MPI_Comm_free(&comm);
    ct_list_free(&members);
}

static MPI_Comm duplicate(MPI_Comm comm, ct_hints hints, int at_once)
{
    MPI_Info info = ct_make_info(hints);
    MPI_Request request;
    MPI_Comm copy;

    if (at_once) {
        MPI_Comm_dup_with_info(comm, info, &copy);
    } else {
        MPI_Comm_idup_with_info(comm, info, &copy, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Info_free(&info);
    return copy;
}

static void duplicates(void)
{
    ct_list members;
    MPI_Comm copy, comm = random_order(&members);

    ct_set_hints(comm, (ct_hints){.strategy = "space"});
    MPI_Comm_dup(comm, &copy);
    ct_expect_policy(copy, "space", "", "dup inherits");
    ct_check_comm(copy, &members, "dup");
    MPI_Comm_free(&copy);
    for (int at_once = 0; at_once < 2; at_once++) {
        copy = duplicate(comm, (ct_hints){.strategy = "time"}, at_once);
        ct_expect_policy(copy, "time", "", "dup with info");
        ct_expect_policy(comm, "space", "", "the original of a dup with info");
        ct_check_comm(copy, &members, "dup with info");
        ct_set_hints(copy, (ct_hints){.strategy = "hybrid", .alpha = "0"});
        ct_expect_policy(copy, "hybrid", "0", "dup with info, changed");
        ct_expect_policy(comm, "space", "", "the original of a changed dup");
        MPI_Comm_free(&copy);
    }
    copy = duplicate(comm, (ct_hints){.strategy = "slow"}, 1);
    ct_expect_policy(copy, "space", "", "dup with an unknown strategy");
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
    ct_list_free(&members);
}

/* A group outlives the map of the communicator it was taken from, and that communicator. */
static void groups(void)
{
    MPI_Group before, after, world;
    MPI_Comm child;
    int result;
    ct_list members;
    MPI_Comm comm = random_order(&members);

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_group(comm, &before);
    ct_set_hints(comm, (ct_hints){.strategy = "time"});
    ct_set_hints(comm, (ct_hints){.strategy = "space"});
    MPI_Comm_group(comm, &after);
    MPI_Group_compare(before, after, &result);
    CT_CHECK(result == MPI_IDENT, "groups before and after: %d", result);
    MPI_Comm_create_group(comm, before, 3, &child);
    expect_usual(child, "create_group");
    ct_check_comm(child, &members, "create_group");
    MPI_Comm_free(&child);
    MPI_Comm_free(&comm);
    ct_check_group(before, &members, world, "group taken before");
    ct_check_group(after, &members, world, "group taken after");
    MPI_Group_free(&before);
    MPI_Group_free(&after);
    MPI_Group_free(&world);
    ct_list_free(&members);
}

/* Evens and odds, each in a random order of its own. */
static void intercommunicators(void)
{
    ct_rng rng = {8};
    ct_list all = ct_list_range(world_size), side[2];
    MPI_Comm local, inter;
    static const char *const strategy[] = {"time", "space", "hybrid"};

    for (int k = 0; k < 2; k++) {
        ct_list positions = ct_pattern_list(k ? CT_ODDS : CT_EVENS, &rng, world_size);
        side[k] = ct_pick(&all, &positions);
        ct_shuffle(&rng, side[k].id, side[k].n);
        ct_list_free(&positions);
    }
    const ct_list *mine = &side[ct_me % 2], *theirs = &side[!(ct_me % 2)];
    MPI_Comm_split(MPI_COMM_WORLD, ct_me % 2, ct_find(mine, ct_me), &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, theirs->id[0], 9, &inter);
    for (int k = 0; k < 3; k++) {
        ct_set_hints(inter, (ct_hints){.strategy = strategy[k], .alpha = "0.125"});
        ct_expect_policy(inter, strategy[k], k == 2 ? "0.125" : "", "intercommunicator");
        ct_check_comm_group(inter, mine, strategy[k]);
        ct_check_remote_group(inter, theirs, strategy[k]);
        ct_check_all_pairs(inter, theirs, strategy[k]);
    }
    expect_usual(local, "local communicator");
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
    ct_list_free(&side[0]);
    ct_list_free(&side[1]);
    ct_list_free(&all);
}

/* Every map that a hint made is gone with its communicator. */
static void all_of_it(void)
{
    ct_pvar maps;
    int have = ct_pvar_find("cmap_maps", &maps);
    long long before = 0;

    for (int round = 0; round < 2; round++) {
        without_hints();
        strategies();
        alphas();
        wrong_values();
        duplicates();
        groups();
        if (world_size > 1)
            intercommunicators();
        if (have && round == 0)
            before = ct_pvar_read(&maps);
    }
    if (have) {
        CT_CHECK(ct_pvar_read(&maps) == before, "%lld maps after a round that began with %lld",
                 ct_pvar_read(&maps), before);
        ct_pvar_close(&maps);
    }
}

int main(int argc, char **argv)
{
    char reported[MPI_MAX_INFO_VAL];

    MTest_Init(&argc, &argv);
    ct_mpit_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    ct_get_hint(MPI_COMM_WORLD, "cmap_strategy", reported);
    if (reported[0])
        all_of_it();
    else
        MTestPrintfMsg(1, "skipped: no hints for maps in this MPI\n");
    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
