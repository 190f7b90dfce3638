/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Windows of some processes: with MPIR_CVAR_PROGRESS_EVENTS=auto a process learns from each how it
 * reaches the members that it has not met.  They come in random order, some of them often, and all
 * of a window reach each other, also when others have come since.
 */
#include "mpitest.h"
#include "cmaptest.h"
#include <stdlib.h>

enum { WINDOWS = 24, MOST = 64 };

static int rank, size;
static MPI_Comm comms[WINDOWS];
static MPI_Win windows[WINDOWS];
static int places[WINDOWS][MOST];

/* The same on all processes. */
static int is_member(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 30 == 0;
}

static void make(int w)
{
    unsigned seed = (unsigned) w;
    int mine = 0;

    for (int i = 0; i < size; i++) {
        int is = is_member(&seed) || w == WINDOWS - 1;

        if (i == rank)
            mine = is;
    }
    MPI_Comm_split(MPI_COMM_WORLD, mine ? 0 : MPI_UNDEFINED, rank, &comms[w]);
    windows[w] = MPI_WIN_NULL;
    if (comms[w] != MPI_COMM_NULL)
        MPI_Win_create(places[w], sizeof(places[w]), sizeof(int), MPI_INFO_NULL, comms[w],
                       &windows[w]);
}

/* Each member writes into its place at all of them. */
static void use(int w, int round)
{
    int me, n, value;

    if (windows[w] == MPI_WIN_NULL)
        return;
    MPI_Comm_rank(comms[w], &me);
    MPI_Comm_size(comms[w], &n);
    value = 100 * round + me;
    MPI_Win_lock_all(0, windows[w]);
    for (int target = 0; target < n; target++)
        MPI_Put(&value, 1, MPI_INT, target, me, 1, MPI_INT, windows[w]);
    MPI_Win_unlock_all(windows[w]);
    MPI_Barrier(comms[w]);
    MPI_Win_lock(MPI_LOCK_SHARED, me, 0, windows[w]);
    for (int origin = 0; origin < n; origin++)
        CT_CHECK(places[w][origin] == 100 * round + origin, "the number of an origin is wrong");
    MPI_Win_unlock(me, windows[w]);
    MPI_Barrier(comms[w]);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > MOST)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int w = 0; w < WINDOWS; w++) {
        make(w);
        use(w, 1);
        use(w / 2, 2);
    }
    for (int w = 0; w < WINDOWS; w++) {
        use(w, 3);
        if (windows[w] != MPI_WIN_NULL)
            MPI_Win_free(&windows[w]);
        if (comms[w] != MPI_COMM_NULL)
            MPI_Comm_free(&comms[w]);
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
