/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Comm_split of more ranks than fit a short description, where one process fails to allocate
 * once: the first allocation of the call, the second, and so on.  The call fails on all members or
 * on none, the victim's class is MPI_ERR_NO_MEM, no context id is lost, and parent and child work.
 * In a communicator larger than all before, an allocation that fails on all is the reserve for a
 * long description and the table of its rows, whether the split is going to need it or not.
 *
 * Victims are ranks with different parts in the exchange: the first and the last, which may be the
 * second of a pair, and those beside and between them.
 *
 * Arguments: -log (each step on stderr)
 */
#include "cmaptest_poor.h"

/* More ranks may have a description that takes memory: a reserve beside that of any split.  The
 * process keeps it for later splits. */
enum { MOST_SHORT = 64 };

static int with_log, size;

typedef struct pattern {
    const char *what;
    int colours;
    int (*key)(int rank);
} pattern;

/* Consecutive numbers give unrelated ones. */
static unsigned scatter(int rank)
{
    unsigned x = (unsigned) rank * 2654435761u;

    return (x ^ x >> 15) * 2246822519u >> 8;
}

static int rows(int rank) { return rank; }

static int anything(int rank) { return (int) scatter(rank); }

/* A short description: two digits whose steps do not nest. */
static int sum_of_digits(int rank) { return rank % 8 + rank / 8; }

static MPI_Comm returning_dup(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

static int colour_of(const pattern *by, int rank)
{
    if (by->key != anything)
        return 0;
    return (int) (scatter(rank + 1000) % (unsigned) by->colours);
}

/* How many allocations failed in all; *failed: on how many members the call did. */
static int fail_split(const pattern *by, MPI_Comm parent, int victim, int n, int *failed)
{
    MPI_Comm made = MPI_COMM_NULL;
    long long before = ct_ids_used();
    int colour = colour_of(by, ct_me), key = by->key(ct_me), result, refused;
    int is_member = parent != MPI_COMM_NULL;

    if (with_log && ct_me == victim)
        fprintf(stderr, "%s: victim %d, allocation %d\n", by->what, victim, n);
    ct_poor_begin(ct_me == victim ? n : 0);
    result = is_member ? MPI_Comm_split(parent, colour, key, &made) : MPI_SUCCESS;
    refused = ct_poor_end();
    ct_outcome all = ct_outcome_of(result, is_member, refused);
    CT_CHECK(all.failed == 0 || all.succeeded == 0,
             "%s, allocation %d of %d fails: an error on %d, none on %d", by->what, n, victim,
             all.failed, all.succeeded);
    CT_CHECK(all.failed == 0 || all.refused, "%s fails with all the memory", by->what);
    CT_CHECK(result == MPI_SUCCESS || made == MPI_COMM_NULL, "%s: an error and a communicator",
             by->what);
    ct_check_class(result, refused, by->what, victim, n);
    if (all.failed == 0 || all.succeeded == 0) {
        if (made != MPI_COMM_NULL)
            ct_check_works(made, by->what, victim, n);
        if (is_member)
            ct_check_sum(parent, by->what, victim, n);
    }
    ct_free_if_any(&made);
    CT_CHECK(ct_ids_used() == before, "%s, allocation %d of %d fails: %lld ids in use, not %lld",
             by->what, n, victim, ct_ids_used(), before);
    *failed = all.failed;
    return all.refused;
}

/* At least `reserves` allocations must fail on all. */
static void check_victim(const pattern *by, MPI_Comm parent, int victim, int reserves)
{
    enum { MOST = 100 };
    int failed, failures = 0, n = 1;

    while (n < MOST && fail_split(by, parent, victim, n, &failed)) {
        failures += failed > 0;
        n++;
    }
    CT_CHECK(n < MOST, "%s never ends with all the memory", by->what);
    CT_CHECK(failures >= reserves, "%s, victim %d: only %d of %d allocations fail on all", by->what,
             victim, failures, n - 1);
}

static const pattern patterns[] = {
    {"rows", 1, rows},
    {"three random colours", 3, anything},
    {"one colour in random order", 1, anything},
    {"keys that do not nest", 1, sum_of_digits},
};

enum { PATTERNS = sizeof(patterns) / sizeof(patterns[0]), VICTIMS = 6 };

/* Of a communicator of n ranks */
static int victim_of(int n, int i)
{
    const int victims[VICTIMS] = {0, 1, n / 2, n - 3, n - 2, n - 1};

    return victims[i];
}

/* The first ranks of the parent */
static MPI_Comm first_of(MPI_Comm parent, int ranks)
{
    MPI_Group all, first;
    MPI_Comm made;
    int range[1][3] = {{0, ranks - 1, 1}};

    MPI_Comm_group(parent, &all);
    MPI_Group_range_incl(all, 1, range, &first);
    MPI_Comm_create(parent, first, &made);
    if (made != MPI_COMM_NULL)
        MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    MPI_Group_free(&first);
    MPI_Group_free(&all);
    return made;
}

/* The pool of communicators has room for more. */
static void fill_pool(void)
{
    enum { MORE = 16 };
    MPI_Comm made[MORE];

    for (int i = 0; i < MORE; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &made[i]);
    for (int i = 0; i < MORE; i++)
        MPI_Comm_free(&made[i]);
}

/* Each communicator needs a larger reserve than any before: two ranks more make 16 bytes more. */
static void check_reserves(MPI_Comm all)
{
    for (int i = 0, n = MOST_SHORT + 1; n <= size; i++, n += 2) {
        MPI_Comm parent = first_of(all, n);
        check_victim(&patterns[i % PATTERNS], parent, victim_of(n, i), 2);
        ct_free_if_any(&parent);
    }
}

static void check_all(void)
{
    MPI_Comm parent = returning_dup(), warm;

    ct_connect_all();
    fill_pool();
    ct_mpit_begin();
    check_reserves(parent);
    MPI_Comm_split(parent, 0, 0, &warm);
    MPI_Comm_free(&warm);
    for (int p = 0; p < PATTERNS; p++)
        for (int v = 0; v < VICTIMS; v++)
            check_victim(&patterns[p], parent, victim_of(size, v), 1);
    ct_mpit_end();
    MPI_Comm_free(&parent);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < argc; i++)
        with_log = with_log || !strcmp(argv[i], "-log");
    if (size < 4)
        ct_fail("needs four processes at least");
    else if (ct_can_be_poor())
        check_all();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
