/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Programs whose rounds are drawn by a seed, the same on all ranks, while ranks die at random
 * moments.  What they share: draws, complaints, and the end of a rank that hangs.
 */
#ifndef DRAWN_H_INCLUDED
#define DRAWN_H_INCLUDED

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static int me, size, round_now;
static unsigned seed, longest = 30000;
static const char *place = "the beginning";

static void hangs(int number)
{
    char text[128];

    (void) number;
    snprintf(text, sizeof(text), "rank %d, round %d, hangs in %s\n", me, round_now, place);
    (void) !write(STDOUT_FILENO, text, strlen(text));
    _exit(9);
}

static void fail(const char *what)
{
    printf("rank %d, round %d, %s: %s\n", me, round_now, place, what);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The same on all ranks. */
static unsigned draw(unsigned what, unsigned below)
{
    unsigned x = seed * 2654435761u ^ (unsigned) round_now * 40503u ^ what * 2246822519u;

    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    x *= 3266489917u;
    x ^= x >> 16;
    return x % below;
}

#endif /* DRAWN_H_INCLUDED */
