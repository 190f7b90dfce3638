/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Comm_split by descriptions over several nodes of consecutive ranks.  A communicator's first
 * split makes no node communicators; from the second one on the first processes of the nodes
 * exchange, in one step if the nodes are few.  Splits of one node, and of nodes in turns, make
 * none.  The order of the members is right in each.
 *
 * Arguments: -made=0 (no split makes node communicators), -direct (few nodes)
 */
#include "cmaptest_mpit.h"

enum { SPLITS = 4 };

static ct_pvar node_comms, direct;
static int size;

/* Two colours, backwards */
static void split_once(MPI_Comm parent)
{
    MPI_Comm made;
    int rank, members, expected = (size - ct_me % 2 + 1) / 2;

    MPI_Comm_split(parent, ct_me % 2, -ct_me, &made);
    MPI_Comm_rank(made, &rank);
    MPI_Comm_size(made, &members);
    CT_CHECK(members == expected && rank == expected - 1 - ct_me / 2, "rank %d of %d, not %d of %d",
             rank, members, expected - 1 - ct_me / 2, expected);
    MPI_Comm_free(&made);
}

/* How many processes have counted more. */
static int count_risen(ct_pvar *var, long long before)
{
    int risen = ct_pvar_read(var) > before, all;

    MPI_Allreduce(&risen, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static void check(MPI_Comm parent, int makes, int is_direct)
{
    for (int i = 0; i < SPLITS; i++) {
        long long before = ct_pvar_read(&node_comms), steps = ct_pvar_read(&direct);
        int made, stepped;

        split_once(parent);
        stepped = ct_pvar_read(&direct) > steps;
        MPI_Allreduce(MPI_IN_PLACE, &stepped, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        made = count_risen(&node_comms, before);
        CT_CHECK(made == (makes && i == 1 ? size : 0),
                 "split %d made node communicators on %d of %d", i, made, size);
        CT_CHECK((stepped > 0) == (is_direct && i > 0), "split %d: %d exchanged in one step", i,
                 stepped);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    int made = 1, is_direct = 0;

    MTest_Init(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        made = strcmp(argv[i], "-made=0") ? made : 0;
        is_direct = is_direct || !strcmp(argv[i], "-direct");
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    /* what the test itself needs comes first */
    MPI_Allreduce(MPI_IN_PLACE, &(int){0}, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    ct_mpit_begin();
    if (ct_pvar_find("comm_node_comms", &node_comms) && ct_pvar_find("aggr_direct", &direct))
        check(parent, made, is_direct);
    ct_mpit_end();
    MPI_Comm_free(&parent);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
