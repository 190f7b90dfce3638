/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Comm_split of several parents by many patterns of colours and keys, against a stable sort of
 * the test's own; MPIX_PERMUTE where there is one.  Equal splits with keys in order add no map.
 *
 * Arguments: -rounds=N random ones (default 20)
 */
#include "cmaptest_split.h"
#include "cmaptest_mpit.h"

static int rounds = 20;

static void check_split(MPI_Comm parent, const ct_list *members, const int *colour, const int *key,
                        const char *what)
{
    int rank;
    MPI_Comm child;

    MPI_Comm_rank(parent, &rank);
    ct_list want = ct_split(members, colour, key, colour[rank]);
    MPI_Comm_split(parent, colour[rank], key[rank], &child);
    CT_CHECK((child == MPI_COMM_NULL) == (want.n == 0), "%s: a communicator, or none, is wrong",
             what);
    if (child != MPI_COMM_NULL) {
        ct_check_comm(child, &want, what);
        MPI_Comm_free(&child);
    }
    ct_list_free(&want);
}

static void check_patterns(MPI_Comm parent, const ct_list *members, const char *name)
{
    int n = members->n, *colour = ct_ints(n), *key = ct_ints(n);
    char what[160];
    ct_rng rng = ct_rng_of(members, 1);

    for (int c = 0; c < CT_COLOURS; c++) {
        for (int k = 0; k < CT_KEYS; k++) {
            ct_fill_colours(c, &rng, colour, n);
            ct_fill_keys(k, &rng, key, n);
            snprintf(what, sizeof(what), "split of %s, colours %s, keys %s", name,
                     ct_colours_name(c), ct_keys_name(k));
            check_split(parent, members, colour, key, what);
        }
    }
    for (int round = 0; round < rounds; round++) {
        ct_fill_colours(CT_COLOUR_RANDOM, &rng, colour, n);
        ct_fill_keys(round % 2 ? CT_KEY_ANY : CT_KEY_FEW, &rng, key, n);
        snprintf(what, sizeof(what), "split of %s, random round %d", name, round);
        check_split(parent, members, colour, key, what);
    }
    free(colour);
    free(key);
}

#ifdef MPIX_PERMUTE
static void check_permute(MPI_Comm parent, const ct_list *members, const char *name)
{
    int n = members->n, *colour = ct_ints(n), *key = ct_ints(n), relation;
    char what[160];
    ct_rng rng = ct_rng_of(members, 2);
    MPI_Comm child;

    for (int k = 0; k < CT_KEYS; k++) {
        for (int i = 0; i < n; i++)
            colour[i] = MPIX_PERMUTE;
        ct_fill_keys(k, &rng, key, n);
        snprintf(what, sizeof(what), "permutation of %s, keys %s", name, ct_keys_name(k));
        check_split(parent, members, colour, key, what);
    }
    MPI_Comm_split(parent, MPIX_PERMUTE, 0, &child);
    MPI_Comm_compare(parent, child, &relation);
    CT_CHECK(relation == MPI_CONGRUENT, "permutation of %s by equal keys is not the same", name);
    MPI_Comm_free(&child);
    free(colour);
    free(key);
}
#else
#define check_permute(parent_, members_, name_)
#endif

/* All of the same colour in the same order: a reference to the parent's map, no other one. */
static void check_sharing(MPI_Comm parent, const char *name)
{
    int rank;
    ct_pvar maps;
    MPI_Comm child;

    if (!ct_pvar_find("cmap_maps", &maps))
        return;
    MPI_Comm_rank(parent, &rank);
    long long before = ct_pvar_read(&maps);
    MPI_Comm_split(parent, 5, rank, &child);
    long long after = ct_pvar_read(&maps);
    CT_CHECK(after == before, "equal split of %s: %lld maps, %lld before", name, after, before);
    MPI_Comm_free(&child);
    ct_pvar_close(&maps);
}

static void check_parent(int pattern)
{
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ct_rng rng = {42 + (uint64_t) pattern};
    ct_list members = ct_pattern_list(pattern, &rng, size);
    MPI_Comm parent = ct_comm_of(&members);
    if (parent != MPI_COMM_NULL) {
        check_patterns(parent, &members, ct_pattern_name(pattern));
        check_permute(parent, &members, ct_pattern_name(pattern));
        check_sharing(parent, ct_pattern_name(pattern));
        MPI_Comm_free(&parent);
    }
    ct_list_free(&members);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static const int parents[] = {CT_ALL, CT_REVERSED, CT_SHUFFLED, CT_SHUFFLED_SUBSET, CT_FIRST};

    MTest_Init(&argc, &argv);
    ct_mpit_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    for (int i = 1; i < argc; i++)
        sscanf(argv[i], "-rounds=%d", &rounds);
    for (size_t i = 0; i < sizeof(parents) / sizeof(parents[0]); i++)
        check_parent(parents[i]);
    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
