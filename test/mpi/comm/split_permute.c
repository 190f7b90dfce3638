/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPIX_PERMUTE from some members and another color from others is an error of class MPI_ERR_ARG on
 * all of them, alike on both sides of an intercommunicator; nothing is left behind, and the parent
 * works.  Where all pass it, the child shares the set of its parent: an order with a formula costs
 * nothing, any other one the order, and the set lives on when the parent goes.  That shows where
 * there are ranks enough.
 */
#include "cmaptest_info.h"
#include "cmaptest_mpit.h"
#include "cmaptest_split.h"

#ifdef MPIX_PERMUTE

#define ENOUGH_RANKS 16
#define HEADER_BYTES 128

static void expect_error(MPI_Comm parent, int colour, const char *what)
{
    int error, class_, length;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Comm child;

    error = MPI_Comm_split(parent, colour, ct_me, &child);
    CT_CHECK(error != MPI_SUCCESS, "%s: no error", what);
    if (error == MPI_SUCCESS)
        return;
    MPI_Error_class(error, &class_);
    MPI_Error_string(error, text, &length);
    CT_CHECK(class_ == MPI_ERR_ARG, "%s: error class %d", what, class_);
    CT_CHECK(strstr(text, "MPIX_PERMUTE"), "%s: the text is %s", what, text);
    CT_CHECK(child == MPI_COMM_NULL, "%s: a communicator", what);
}

/* Everybody hears the same number. */
static void check_usable(MPI_Comm comm, const char *what)
{
    int inter, size, sum;
    MPI_Comm copy;

    MPI_Comm_test_inter(comm, &inter);
    if (inter)
        MPI_Comm_remote_size(comm, &size);
    else
        MPI_Comm_size(comm, &size);
    int one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    CT_CHECK(sum == size, "%s: %d of %d answer afterwards", what, sum, size);
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_free(&copy);
}

static void check_intra(MPI_Comm comm, int times)
{
    int size, rank;

    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < times; i++) {
        int odd_one = i % size;
        expect_error(comm, rank == odd_one ? 0 : MPIX_PERMUTE, "one with a color");
        expect_error(comm, rank == odd_one ? MPI_UNDEFINED : MPIX_PERMUTE, "one stays out");
        if (size > 2)
            expect_error(comm, rank == odd_one ? MPIX_PERMUTE : rank, "one wants to permute");
    }
    check_usable(comm, "intracommunicator");
}

static void check_inter(MPI_Comm inter, int which, int times)
{
    int rank;

    MPI_Comm_rank(inter, &rank);
    for (int i = 0; i < times; i++) {
        expect_error(inter, which ? MPIX_PERMUTE : 1, "one side permutes");
        expect_error(inter, which ? MPIX_PERMUTE : MPI_UNDEFINED, "the other side stays out");
        expect_error(inter, which && rank == 0 ? 0 : MPIX_PERMUTE, "one of a side has a color");
    }
    check_usable(inter, "intercommunicator");
}

static ct_pvar maps, bytes;
/* at most so many more: where there are several nodes, ranks in another order are on other nodes */
static int node_maps;

static int bits_for(int n)
{
    int bits = 0;

    while ((1 << bits) < n)
        bits++;
    return bits;
}

/* All ranks but four, which leaves no formula. */
static ct_list some_of_the_world(int size)
{
    ct_list members = ct_list_new(size);

    for (int i = 0; i < size; i++) {
        if (i != 2 && i != 4 && i != 9 && i != 14)
            members.id[members.n++] = i;
    }
    return members;
}

/* How the child must be held; NULL when that is left to the strategy. */
static const char *expected(int keys, int n, int size)
{
    if (!strcmp(ct_setting("MPIR_CVAR_CMAP_REPRESENTATION", "any"), "pperm"))
        return "pperm";
    if (ct_is_forced() || strcmp(ct_usual_strategy(), "space"))
        return NULL;
    if (keys == CT_KEY_REVERSED)
        return "sub";
    return bits_for(n) < bits_for(size) ? "pperm" : NULL;
}

static void check_child(MPI_Comm parent, int keys, const ct_list *members, int size)
{
    int rank, n = members->n, *key = ct_ints(n), *colour = ct_ints(n);
    ct_rng rng = ct_rng_of(members, keys);
    MPI_Comm child;
    const char *what = ct_keys_name(keys);

    ct_fill_keys(keys, &rng, key, n);
    ct_fill_colours(CT_COLOUR_ALL, &rng, colour, n);
    ct_list want = ct_split(members, colour, key, colour[0]);
    MPI_Comm_rank(parent, &rank);

    /* The parent's first two splits also make the parts of nodes that its collectives use. */
    for (int i = 0; i < 2; i++) {
        MPI_Comm_split(parent, MPIX_PERMUTE, rank, &child);
        MPI_Comm_free(&child);
    }
    long long maps_before = ct_pvar_read(&maps), bytes_before = ct_pvar_read(&bytes);
    MPI_Comm_split(parent, MPIX_PERMUTE, key[rank], &child);
    long long more_maps = ct_pvar_read(&maps) - maps_before;
    long long more_bytes = ct_pvar_read(&bytes) - bytes_before;

    const char *held = expected(keys, n, size);
    if (held) {
        int order = (n * bits_for(n) + 7) / 8 + 8;
        long long most = HEADER_BYTES + (strcmp(held, "pperm") ? 0 : order);
        most += node_maps * (HEADER_BYTES + order);
        ct_expect_hint(child, "cmap_representation", held, what);
        CT_CHECK(more_maps >= 1 && more_maps <= 1 + node_maps, "%s: %lld more maps", what,
                 more_maps);
        CT_CHECK(more_bytes <= most, "%s: %lld more bytes, not %lld", what, more_bytes, most);
    }
    MPI_Comm_free(&parent);
    ct_check_comm(child, &want, what);
    MPI_Comm_free(&child);
    ct_list_free(&want);
    free(key);
    free(colour);
}

static void check_sharing(int size)
{
    static const int keys[] = {CT_KEY_REVERSED, CT_KEY_PERMUTATION, CT_KEY_NEARLY};
    ct_list members = some_of_the_world(size);

    node_maps = !ct_is_one_node(MPI_COMM_WORLD) ? 3 : 0;
    ct_mpit_begin();
    if (ct_pvar_find("cmap_maps", &maps) && ct_pvar_find("cmap_bytes", &bytes)) {
        long long before = ct_pvar_read(&maps);
        for (int i = 0; i < 3; i++) {
            MPI_Comm parent = ct_comm_of(&members);
            if (parent != MPI_COMM_NULL)
                check_child(parent, keys[i], &members, size);
        }
        CT_CHECK(ct_pvar_read(&maps) == before, "%lld maps, not %lld as before",
                 ct_pvar_read(&maps), before);
        ct_pvar_close(&maps);
        ct_pvar_close(&bytes);
    }
    ct_mpit_end();
    ct_list_free(&members);
}

static void check_all(void)
{
    int size;
    MPI_Comm world, side, inter;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    int times = size <= 4 ? 1100 : 20; /* few ids (MPIR_CVAR_CTXID_LIMIT) would not last */
    check_intra(world, times);

    MPI_Comm_split(MPI_COMM_WORLD, ct_me % 2, ct_me, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, 1 - ct_me % 2, 9, &inter);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    check_inter(inter, ct_me % 2, times);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&side);
    MPI_Comm_free(&world);
    if (size >= ENOUGH_RANKS)
        check_sharing(size);
}

#else

static void check_all(void) { MTestPrintfMsg(1, "skipped: no MPIX_PERMUTE here\n"); }

#endif

int main(int argc, char **argv)
{
    int size;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1)
        check_all();
    else
        ct_fail("needs 2 processes at least");
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
