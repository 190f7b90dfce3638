/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Large payloads of maps lie once on a node.  Communicators of a random order, equal on all
 * processes, answer as a plain array does; processes find each other's payloads; and nothing is
 * left when the communicators are gone.  Groups that differ between the processes are right, too.
 *
 * With -expect the maps have payloads above MPIR_CVAR_CMAP_SHARED_BYTES, so they must be shared.
 * With -private none may be.  Otherwise both are right.  In an MPI without the variables the
 * answers alone are tested.
 */
#include "cmaptest_mpit.h"

enum figure { BLOCKS, BYTES, FOUND, FIGURES };

static const char *const name[FIGURES] = {"cmap_shared_blocks", "cmap_shared_bytes",
                                          "cmap_shared_found"};
static ct_pvar figure[FIGURES];
static int known, expect, private_only;
static int world_size, world_rank;

static long long look(enum figure which) { return known ? ct_pvar_read(&figure[which]) : 0; }

/* The same on all processes with the same seed. */
static void shuffle(int *order, unsigned seed)
{
    for (int i = 0; i < world_size; i++)
        order[i] = i;
    for (int i = world_size - 1; i > 0; i--) {
        seed = seed * 1664525u + 1013904223u;
        int j = (int) ((seed >> 8) % (unsigned) (i + 1)), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

static void check_group(MPI_Group group, const int *order, const char *what)
{
    MPI_Group world;
    int wrong = 0;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < world_size; i++) {
            int there, back;

            MPI_Group_translate_ranks(group, 1, &i, world, &there);
            MPI_Group_translate_ranks(world, 1, &order[i], group, &back);
            wrong += there != order[i] || back != i;
        }
    }
    CT_CHECK(wrong == 0, "%s: %d translations are wrong", what, wrong);
    MPI_Group_free(&world);
}

static MPI_Group group_of(const int *order)
{
    MPI_Group world, group;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, world_size, order, &group);
    MPI_Group_free(&world);
    return group;
}

static int sum_on_node(int mine)
{
    MPI_Comm node;
    int sum = 0, size;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &size);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, node);
    MPI_Comm_free(&node);
    return size > 1 ? sum : -1;
}

static void check_equal_orders(int *order, unsigned seed)
{
    const long long blocks = look(BLOCKS), bytes = look(BYTES), found = look(FOUND);
    MPI_Group group;
    MPI_Comm comm;
    int ring;

    shuffle(order, seed);
    group = group_of(order);
    MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
    check_group(group, order, "an order of all");
    MPI_Allreduce(&world_rank, &ring, 1, MPI_INT, MPI_SUM, comm);
    CT_CHECK(ring == world_size * (world_size - 1) / 2, "the sum of ranks is %d", ring);
    CT_CHECK(!private_only || look(BLOCKS) == 0, "%lld payloads are shared", look(BLOCKS));
    const int finds = sum_on_node((int) (look(FOUND) - found));
    if (known && expect && finds >= 0) {
        CT_CHECK(look(BLOCKS) > blocks && look(BYTES) > bytes, "the payload is private");
        CT_CHECK(finds > 0, "no process found the payload of another one");
    }
    MPI_Group_free(&group);
    MPI_Comm_free(&comm);
    CT_CHECK(look(BLOCKS) == blocks && look(BYTES) == bytes,
             "%lld payloads with %lld bytes are left", look(BLOCKS) - blocks, look(BYTES) - bytes);
}

/* More of them at once than a process offers to others. */
static void check_different_orders(int *order)
{
    enum { MANY = 40 };
    const long long blocks = look(BLOCKS);
    MPI_Group group[MANY];

    for (int g = 0; g < MANY; g++) {
        shuffle(order, (unsigned) (1000 * world_rank + g));
        group[g] = group_of(order);
    }
    for (int g = 0; g < MANY; g++) {
        shuffle(order, (unsigned) (1000 * world_rank + g));
        check_group(group[g], order, "an order of one process");
        MPI_Group_free(&group[g]);
    }
    CT_CHECK(look(BLOCKS) == blocks, "%lld payloads are left", look(BLOCKS) - blocks);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    expect = argc > 1 && !strcmp(argv[1], "-expect");
    private_only = argc > 1 && !strcmp(argv[1], "-private");
    int *order = malloc(world_size * sizeof(int));

    ct_mpit_begin();
    known = ct_pvar_find(name[BLOCKS], &figure[BLOCKS]);
    for (int k = BYTES; k < FIGURES && known; k++)
        CT_CHECK(ct_pvar_find(name[k], &figure[k]), "there is no %s", name[k]);
    for (unsigned seed = 1; seed <= 10; seed++)
        check_equal_orders(order, seed);
    check_different_orders(order);
    for (int k = 0; k < FIGURES && known; k++)
        ct_pvar_close(&figure[k]);
    ct_mpit_end();
    free(order);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
