/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Many communicators: some thousand made and freed one after the other, then up to a thousand alive
 * at once (rows, columns, strides, reversals of a grid of ranks), messages through some of them.
 * With our performance variables at hand, the maps' memory has to be back where it was at the end,
 * and equal communicators must not cost a map each.
 *
 * Arguments: -cycles=N (made and freed, default 2000)  -live=N (alive at once, default 1000)
 */
#include "cmaptest_mpit.h"

enum shape { ROW, COLUMN, PARITY, BACKWARD, SHAPES };

static int world_size, width;

static const char *const total_name[3] = {"cmap_maps", "cmap_bytes", "cmap_array_bytes"};
static ct_pvar total[3];
static int have_totals;

static void read_totals(long long value[3])
{
    for (int k = 0; have_totals && k < 3; k++)
        value[k] = ct_pvar_read(&total[k]);
}

static int color_of(int shape, int id)
{
    switch (shape) {
        case ROW: return id / width;
        case COLUMN: return id % width;
        case PARITY: return id % 2;
        default: return 0;
    }
}

static MPI_Comm make(int shape, ct_list *want)
{
    MPI_Comm comm;
    int back = shape == BACKWARD;

    *want = ct_list_new(world_size);
    for (int i = 0; i < world_size; i++) {
        int id = back ? world_size - 1 - i : i;
        if (color_of(shape, id) == color_of(shape, ct_me))
            want->id[want->n++] = id;
    }
    MPI_Comm_split(MPI_COMM_WORLD, color_of(shape, ct_me), back ? -ct_me : ct_me, &comm);
    return comm;
}

/* One after the other; now and then a look at what was made. */
static void in_turn(int cycles)
{
    ct_rng rng = {99};

    for (int i = 0; i < cycles; i++) {
        ct_list want;
        MPI_Comm copy, comm = make(ct_below(&rng, SHAPES), &want);
        if (i % 4 == 0) {
            MPI_Comm_dup(comm, &copy);
            MPI_Comm_free(&comm);
            comm = copy;
        }
        if (i % 64 == 0)
            ct_check_comm(comm, &want, "in turn");
        MPI_Comm_free(&comm);
        ct_list_free(&want);
    }
}

/* The maps of n communicators of so few shapes: a handful, whatever n is.  A communicator has its
 * own map, those of the processes of its node and of the nodes' roots, and the two by which
 * their ranks are found; and each may be a composite that counts as itself and two parts. */
static void check_sharing(const long long start[3], int live)
{
    long long now[3] = {0, 0, 0};

    read_totals(now);
    long long added = now[0] - start[0];
    CT_CHECK(added <= 5 * 3 * SHAPES, "%d communicators of %d shapes hold %lld maps", live, SHAPES,
             added);
}

static void alive_at_once(int live, const long long start[3])
{
    MPI_Comm *comm = ct_alloc(live, sizeof(MPI_Comm));
    ct_list *want = ct_alloc(live, sizeof(ct_list));
    ct_rng rng = {3};

    for (int i = 0; i < live; i++)
        comm[i] = make(i % SHAPES, &want[i]);
    if (have_totals)
        check_sharing(start, live);
    for (int k = 0; live && k < 12; k++) {
        int i = ct_below(&rng, live);
        i -= i % SHAPES - k % SHAPES; /* every shape in turn */
        ct_check_comm(comm[i < live ? i : 0], &want[i < live ? i : 0], "alive");
    }
    for (int i = 0; i < live; i++) {
        int k = i % 2 ? live - 1 - i / 2 : i / 2; /* from both ends */
        MPI_Comm_free(&comm[k]);
        ct_list_free(&want[k]);
    }
    free(comm);
    free(want);
}

static void find_totals(void)
{
    have_totals = 1;
    for (int k = 0; k < 3; k++)
        have_totals = have_totals && ct_pvar_find(total_name[k], &total[k]);
    if (!have_totals)
        MTestPrintfMsg(1, "no cmap variables here: memory is not looked at\n");
}

int main(int argc, char **argv)
{
    long long start[3] = {0, 0, 0}, end[3] = {0, 0, 0};

    MTest_Init(&argc, &argv);
    ct_mpit_begin();
    MTestArgList *args = MTestArgListCreate(argc, argv);
    int cycles = MTestArgListGetInt_with_default(args, "cycles", 2000);
    int live = MTestArgListGetInt_with_default(args, "live", 1000);
    MTestArgListDestroy(args);

    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    for (width = 1; width * width < world_size; width++)
        ;
    find_totals();

    /* a first round, for what is built once and stays: the world's group, inverses */
    in_turn(8);
    alive_at_once(2 * SHAPES, start);
    read_totals(start);
    in_turn(cycles);
    alive_at_once(live, start);
    read_totals(end);
    for (int k = 0; have_totals && k < 3; k++)
        CT_CHECK(start[k] == end[k], "%s was %lld and is %lld", total_name[k], start[k], end[k]);

    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
