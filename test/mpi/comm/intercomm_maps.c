/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Intercommunicators whose two sides have maps of different kinds: their groups and messages,
 * what dup, create and split make of them, the order merge gives, and an intercommunicator inside
 * a merged communicator.  Sides that have members in common are refused on both.
 *
 * Arguments: -rounds=N (default 2)
 */
#include "cmaptest_inter.h"

enum plan {
    PARITY,
    HALVES_DOWN,
    HALVES_SWAPPED,
    RANDOM_HALVES,
    ONE_AND_REST,
    THIRDS,
    BLOCKS,
    PLANS
};

static const char *plan_name[PLANS] = {"evens and odds",         "low half and high half reversed",
                                       "both halves reversed",   "random lists",
                                       "one against the rest",   "two thirds",
                                       "blocks against the rest"};

static int world_size;

/* ---- who is where ---- */

static int plan_side(int plan, ct_rng *rng, int i, int n)
{
    switch (plan) {
        case PARITY: return i % 2;
        case HALVES_DOWN:
        case HALVES_SWAPPED: return plan == HALVES_DOWN ? i >= n / 2 : i < n / 2;
        case RANDOM_HALVES: return ct_below(rng, 2);
        case ONE_AND_REST: return i != n / 2;
        case THIRDS: return i % 3 == 2 ? -1 : i % 3;
        default: return i % 5 >= 2;
    }
}

static void reverse(ct_list *list)
{
    for (int i = 0, j = list->n - 1; i < j; i++, j--) {
        int t = list->id[i];
        list->id[i] = list->id[j];
        list->id[j] = t;
    }
}

/* Splits `from`, at least two processes, in two lists, neither of them empty. */
static ct_sides make_sides(int plan, const ct_list *from, ct_rng *rng)
{
    ct_sides s = {{ct_list_new(from->n), ct_list_new(from->n)}, -1};

    for (int i = 0; i < from->n; i++) {
        int side = from->n <= 2 ? i : plan_side(plan, rng, i, from->n);
        if (plan == RANDOM_HALVES && i < 2)
            side = i;
        if (side >= 0)
            s.list[side].id[s.list[side].n++] = from->id[i];
    }
    if (plan == RANDOM_HALVES) {
        ct_shuffle(rng, s.list[0].id, s.list[0].n);
        ct_shuffle(rng, s.list[1].id, s.list[1].n);
    }
    if (plan == HALVES_DOWN || plan == HALVES_SWAPPED || plan == BLOCKS)
        reverse(&s.list[1]);
    if (plan == HALVES_SWAPPED)
        reverse(&s.list[0]);
    for (int k = 0; k < 2; k++)
        if (ct_find(&s.list[k], ct_me) != MPI_UNDEFINED)
            s.mine = k;
    return s;
}

/* ---- checks ---- */

/* Each side's last rank hears from all of the other side, in any order. */
static void check_any_source(MPI_Comm inter, const ct_list *mine, const ct_list *theirs,
                             const char *what)
{
    int got;
    MPI_Request request;
    MPI_Status status;

    MPI_Isend(&ct_me, 1, MPI_INT, theirs->n - 1, 2, inter, &request);
    for (int i = 0; mine->id[mine->n - 1] == ct_me && i < theirs->n; i++) {
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 2, inter, &status);
        CT_CHECK(ct_find(theirs, got) == status.MPI_SOURCE, "%s: %d came from remote rank %d", what,
                 got, status.MPI_SOURCE);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void check_inter(MPI_Comm inter, const ct_list *mine, const ct_list *theirs,
                        const char *what)
{
    int size, remote_size, rank, is_inter, *all = ct_ints(theirs->n);

    MPI_Comm_size(inter, &size);
    MPI_Comm_remote_size(inter, &remote_size);
    MPI_Comm_rank(inter, &rank);
    MPI_Comm_test_inter(inter, &is_inter);
    if (!is_inter || size != mine->n || remote_size != theirs->n || rank != ct_find(mine, ct_me)) {
        printf("[%d] %s: rank %d of %d against %d, not %d of %d against %d\n", ct_me, what, rank,
               size, remote_size, ct_find(mine, ct_me), mine->n, theirs->n);
        fflush(stdout);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    ct_check_comm_group(inter, mine, what);
    ct_check_remote_group(inter, theirs, what);
    ct_check_all_pairs(inter, theirs, what);
    check_any_source(inter, mine, theirs, what);
    MPI_Allgather(&ct_me, 1, MPI_INT, all, 1, MPI_INT, inter);
    CT_CHECK(!memcmp(all, theirs->id, theirs->n * sizeof(int)), "%s: allgather", what);
    free(all);
}

/* ---- what can be made of an intercommunicator ---- */

static void try_dup(MPI_Comm inter, const ct_sides *s)
{
    MPI_Comm copy;
    int result;

    MPI_Comm_dup(inter, &copy);
    MPI_Comm_compare(inter, copy, &result);
    CT_CHECK(result == MPI_CONGRUENT, "dup: compare gives %d, not MPI_CONGRUENT", result);
    check_inter(copy, &s->list[s->mine], &s->list[!s->mine], "dup");
    MPI_Comm_free(&copy);
}

/* A pattern of either side, in either's own order. */
static void try_create(MPI_Comm inter, const ct_sides *s, ct_rng *rng)
{
    MPI_Comm child;
    MPI_Group all, group;
    ct_list want[2], positions[2];

    for (int k = 0; k < 2; k++) {
        positions[k] = ct_pattern_list(ct_below(rng, CT_PATTERNS), rng, s->list[k].n);
        want[k] = ct_pick(&s->list[k], &positions[k]);
    }
    MPI_Comm_group(inter, &all);
    MPI_Group_incl(all, positions[s->mine].n, positions[s->mine].id, &group);
    MPI_Comm_create(inter, group, &child);
    int in = ct_find(&want[s->mine], ct_me) != MPI_UNDEFINED;
    CT_CHECK((child != MPI_COMM_NULL) == in, "create: in or out?");
    if (child != MPI_COMM_NULL) {
        check_inter(child, &want[s->mine], &want[!s->mine], "create");
        MPI_Comm_free(&child);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    for (int k = 0; k < 2; k++) {
        ct_list_free(&want[k]);
        ct_list_free(&positions[k]);
    }
}

/* Three colors, keys that turn the order round. */
static void try_split(MPI_Comm inter, const ct_sides *s, ct_rng *rng)
{
    MPI_Comm child;
    ct_list want[2];
    int *color = ct_ints(world_size);

    for (int i = 0; i < world_size; i++)
        color[i] = ct_below(rng, 3);
    /* MPICH 4.0 takes the context id that rank 0 of either side got, which is none when that
     * process is in no new communicator: give these two the same color */
    color[s->list[0].id[0]] = color[s->list[1].id[0]];
    for (int k = 0; k < 2; k++) {
        want[k] = ct_list_new(s->list[k].n);
        for (int i = s->list[k].n - 1; i >= 0; i--)
            if (color[s->list[k].id[i]] == color[ct_me])
                want[k].id[want[k].n++] = s->list[k].id[i];
    }
    MPI_Comm_split(inter, color[ct_me], -ct_find(&s->list[s->mine], ct_me), &child);
    /* one side without a process of this color: no intercommunicator */
    CT_CHECK((child != MPI_COMM_NULL) == (want[!s->mine].n > 0), "split: there or not?");
    if (child != MPI_COMM_NULL) {
        check_inter(child, &want[s->mine], &want[!s->mine], "split");
        MPI_Comm_free(&child);
    }
    ct_list_free(&want[0]);
    ct_list_free(&want[1]);
    free(color);
}

static void try_inside_merged(MPI_Comm merged, const ct_list *members, int salt)
{
    /* its own generator: those on neither side do not draw along to the end */
    ct_rng rng = ct_rng_of(members, salt);
    ct_sides inner = make_sides(ct_below(&rng, PLANS), members, &rng);
    MPI_Comm inter = ct_connect_sides(merged, members, &inner, &rng);

    if (inter != MPI_COMM_NULL) {
        check_inter(inter, &inner.list[inner.mine], &inner.list[!inner.mine], "inside merged");
        try_create(inter, &inner, &rng);
        MPI_Comm_free(&inter);
    }
    ct_sides_free(&inner);
}

static void try_merge(MPI_Comm inter, const ct_sides *s, const int high[2], int salt)
{
    ct_list want;
    MPI_Comm merged = ct_merge_sides(inter, s, high, &want);

    ct_check_comm(merged, &want, "merge");
    if (high[0] != high[1])
        try_inside_merged(merged, &want, salt);
    MPI_Comm_free(&merged);
    ct_list_free(&want);
}

static void try_plan(int plan, int round)
{
    static const int high[4][2] = {{0, 1}, {1, 0}, {0, 0}, {1, 1}};
    ct_list all = ct_list_range(world_size);
    ct_rng rng = {77 + 1000 * round + plan};
    ct_sides s = make_sides(plan, &all, &rng);
    MPI_Comm inter = ct_connect_sides(MPI_COMM_WORLD, &all, &s, &rng);

    if (inter != MPI_COMM_NULL) {
        check_inter(inter, &s.list[s.mine], &s.list[!s.mine], plan_name[plan]);
        try_dup(inter, &s);
        try_create(inter, &s, &rng);
        try_split(inter, &s, &rng);
        for (int k = 0; k < 4; k++)
            try_merge(inter, &s, high[k], 10 * round + plan);
        MPI_Comm_free(&inter);
    }
    ct_sides_free(&s);
    ct_list_free(&all);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MTestArgList *args = MTestArgListCreate(argc, argv);
    int rounds = MTestArgListGetInt_with_default(args, "rounds", 2);
    MTestArgListDestroy(args);

    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    for (int round = 0; world_size > 1 && round < rounds; round++)
        for (int plan = 0; plan < PLANS; plan++)
            try_plan(plan, round);
    ct_list all = ct_list_range(world_size);
    ct_check_overlaps(MPI_COMM_WORLD, &all, 4 * rounds, "world");
    ct_list_free(&all);

    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
