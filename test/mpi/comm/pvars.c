/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The maps' performance variables: cmap_maps, MPIR_cmap_bytes, MPIR_cmap_array_bytes (levels) and
 * cmap_builds_<representation> (counters).  They exist, they move when maps come and go, and they
 * stand still when maps are shared.  In an MPI without them there is nothing to test.
 */
#include "cmaptest_mpit.h"

enum total { MAPS, BYTES, ARRAY_BYTES, TOTALS };

static const char *const total_name[TOTALS] = {"cmap_maps", "cmap_bytes", "cmap_array_bytes"};

#define MAX_REPS 32

static ct_pvar total[TOTALS], builds[MAX_REPS];
static int world_size, reps;

typedef struct sample {
    long long total[TOTALS];
    long long built[MAX_REPS];
    long long all_built;
} sample;

static sample look(void)
{
    sample s = {.all_built = 0};

    for (int k = 0; k < TOTALS; k++)
        s.total[k] = ct_pvar_read(&total[k]);
    for (int k = 0; k < reps; k++) {
        s.built[k] = ct_pvar_read(&builds[k]);
        s.all_built += s.built[k];
    }
    return s;
}

static void find_builds(void)
{
    char name[MAX_REPS][64];

    reps = ct_pvar_names("cmap_builds_", name, MAX_REPS);
    CT_CHECK(reps >= 7, "only %d representations", reps);
    CT_CHECK(reps > 0 && !strcmp(name[0], "cmap_builds_affine"), "affine is not the first");
    for (int k = 0; k < reps; k++) {
        CT_CHECK(ct_pvar_find(name[k], &builds[k]), "%s is not found again", name[k]);
        CT_CHECK(builds[k].class_ == MPI_T_PVAR_CLASS_COUNTER, "%s: wrong class", name[k]);
    }
}

static int find_all(void)
{
    if (!ct_pvar_find(total_name[MAPS], &total[MAPS]))
        return 0;
    for (int k = BYTES; k < TOTALS; k++)
        CT_CHECK(ct_pvar_find(total_name[k], &total[k]), "there is no %s", total_name[k]);
    for (int k = 0; k < TOTALS; k++)
        CT_CHECK(total[k].class_ == MPI_T_PVAR_CLASS_LEVEL, "%s: wrong class", total_name[k]);
    find_builds();
    return ct_errs == 0;
}

static void expect_same_totals(const sample *a, const sample *b, const char *what)
{
    for (int k = 0; k < TOTALS; k++)
        CT_CHECK(a->total[k] == b->total[k], "%s: %s goes from %lld to %lld", what, total_name[k],
                 a->total[k], b->total[k]);
}

/* The world is one map at least, and a map is counted with its header. */
static void check_start(void)
{
    sample s = look();

    CT_CHECK(s.total[MAPS] >= 1, "no map at all");
    CT_CHECK(s.total[BYTES] >= s.total[MAPS] * 16, "%lld maps in %lld bytes", s.total[MAPS],
             s.total[BYTES]);
    CT_CHECK(s.total[ARRAY_BYTES] >= 4 * world_size, "plain arrays would take %lld bytes",
             s.total[ARRAY_BYTES]);
}

/* A group nobody has yet costs a map, a second one like it nothing; freeing both brings all back.
 */
static void check_group_of(const ct_list *ranks, const char *what)
{
    MPI_Group world, one, two;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    sample before = look();
    MPI_Group_incl(world, ranks->n, ranks->id, &one);
    sample first = look();
    MPI_Group_incl(world, ranks->n, ranks->id, &two);
    sample second = look();
    CT_CHECK(first.total[MAPS] > before.total[MAPS], "%s: %lld maps more", what,
             first.total[MAPS] - before.total[MAPS]);
    CT_CHECK(first.total[BYTES] > before.total[BYTES], "%s: no bytes", what);
    CT_CHECK(first.total[ARRAY_BYTES] >= before.total[ARRAY_BYTES] + 4 * ranks->n,
             "%s: an array of %lld bytes", what,
             first.total[ARRAY_BYTES] - before.total[ARRAY_BYTES]);
    CT_CHECK(first.all_built > before.all_built, "%s: no build counted", what);
    expect_same_totals(&first, &second, what);
    MPI_Group_free(&one);
    MPI_Group_free(&two);
    sample after = look();
    expect_same_totals(&before, &after, what);
    MPI_Group_free(&world);
}

static void check_sharing(MPI_Comm parent, const char *what)
{
    MPI_Comm copy;
    MPI_Group group;

    /* what a first use builds stays: an inverse, and the parts of nodes for its collectives */
    MPI_Comm_group(parent, &group);
    MPI_Group_free(&group);
    MPI_Comm_dup(parent, &copy);
    MPI_Comm_free(&copy);
    sample before = look();
    MPI_Comm_dup(parent, &copy);
    MPI_Comm_group(copy, &group);
    sample shared = look();
    expect_same_totals(&before, &shared, what);
    MPI_Group_free(&group);
    MPI_Comm_free(&copy);
    sample after = look();
    expect_same_totals(&before, &after, what);
}

/* From the environment: MPI_T gives a string variable's default, whatever it was set to. */
static int is_set(const char *cvar, const char *usual)
{
    const char *value = getenv(cvar);

    return value && strcmp(value, usual);
}

/* With the default strategy, and beyond a handful of members, a stride is affine and a random list
 * is not. */
static void check_representation(const ct_list *ranks, int affine, const char *what)
{
    MPI_Group world, group;

    if (ranks->n <= 16 || is_set("MPIR_CVAR_CMAP_REPRESENTATION", "any") ||
        is_set("MPIR_CVAR_CMAP_STRATEGY", "hybrid"))
        return;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    sample before = look();
    MPI_Group_incl(world, ranks->n, ranks->id, &group);
    sample after = look();
    CT_CHECK((after.built[0] > before.built[0]) == affine, "%s: affine builds go from %lld to %lld",
             what, before.built[0], after.built[0]);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

static void check_patterns(void)
{
    static const struct {
        int kind, affine;
    } tried[] = {{CT_REVERSED, 1}, {CT_STRIDE_DOWN, 1}, {CT_TRANSPOSE, 1}, {CT_SHUFFLED, 0}};

    for (int k = 0; k < 4; k++) {
        ct_rng rng = {31};
        ct_list ranks = ct_pattern_list(tried[k].kind, &rng, world_size);
        check_group_of(&ranks, ct_pattern_name(tried[k].kind));
        check_representation(&ranks, tried[k].affine, ct_pattern_name(tried[k].kind));
        ct_list_free(&ranks);
    }
}

static void check_all(void)
{
    MPI_Comm back;

    check_start();
    check_sharing(MPI_COMM_WORLD, "dup of the world");
    MPI_Comm_split(MPI_COMM_WORLD, 0, world_size - ct_me, &back);
    check_sharing(back, "dup of the reversed world");
    MPI_Comm_free(&back);
    if (world_size >= 6) /* smaller ones may coincide with maps that live already */
        check_patterns();
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    ct_mpit_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    if (find_all())
        check_all();
    else
        MTestPrintfMsg(1, "skipped: no cmap variables in this MPI\n");
    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
