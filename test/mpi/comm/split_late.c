/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Comm_split where one member comes late: each rank in turn, while the others are in the split
 * or in those that follow.  Nothing but the splits makes a process wait.  The first splits of a
 * communicator, and later ones, which may exchange by nodes; patterns with a closed form, without
 * one, and with MPI_UNDEFINED.  The order of each child is right.
 *
 * Argument: -late=MS (by default 20)
 */
#include <time.h>
#include "cmaptest.h"

enum { SPLITS = 4, COLOURS = 3 };

static int size;
static long late_ms = 20;

/* Consecutive numbers give unrelated ones. */
static int scatter(int rank, int round)
{
    unsigned x = (unsigned) (rank + 131 * round) * 2654435761u;

    return (int) ((x ^ x >> 15) * 2246822519u >> 8);
}

static int colour_of(int rank, int round)
{
    if (round % 3 == 0)
        return rank % 2;
    if (round % 3 == 1)
        return scatter(rank, round) % COLOURS;
    return rank % 4 == 3 ? MPI_UNDEFINED : rank * 2 / size;
}

static int key_of(int rank, int round)
{
    return round % 3 == 0 ? -rank : round % 3 == 1 ? scatter(rank, round) % size : 0;
}

static void sleep_ms(long ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&t, NULL);
}

static void check_child(MPI_Comm child, int round)
{
    int colour = colour_of(ct_me, round), key = key_of(ct_me, round);
    int members = 0, before = 0, got_size, got_rank;

    CT_CHECK((child == MPI_COMM_NULL) == (colour == MPI_UNDEFINED), "a child for no colour");
    if (child == MPI_COMM_NULL)
        return;
    for (int r = 0; r < size; r++) {
        int other = key_of(r, round);
        if (colour_of(r, round) != colour)
            continue;
        members++;
        before += other < key || (other == key && r < ct_me);
    }
    MPI_Comm_size(child, &got_size);
    MPI_Comm_rank(child, &got_rank);
    CT_CHECK(got_size == members && got_rank == before, "split %d: rank %d of %d, not %d of %d",
             round, got_rank, got_size, before, members);
}

/* The splits of one communicator, each with the late member of its own. */
static void split_some(MPI_Comm parent, int late)
{
    MPI_Comm child[SPLITS];

    for (int i = 0; i < SPLITS; i++) {
        int round = late * SPLITS + i;
        if (ct_me == (late + i) % size)
            sleep_ms(late_ms);
        MPI_Comm_split(parent, colour_of(ct_me, round), key_of(ct_me, round), &child[i]);
    }
    for (int i = 0; i < SPLITS; i++) {
        check_child(child[i], late * SPLITS + i);
        if (child[i] != MPI_COMM_NULL)
            MPI_Comm_free(&child[i]);
    }
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < argc; i++)
        sscanf(argv[i], "-late=%ld", &late_ms);
    for (int late = 0; late < size; late++) {
        MPI_Comm parent;
        MPI_Comm_dup(MPI_COMM_WORLD, &parent);
        split_some(parent, late);
        MPI_Comm_free(&parent);
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
