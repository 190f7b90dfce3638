/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Scenarios: how the ranks of a communicator of n processes call MPI_Comm_split.
 *
 *   rows                   the ranks are a grid, row by row, as near to a square as n allows; a
 *                          colour for each row
 *   columns                the same, a colour for each column
 *   planes                 a grid of three dimensions, a colour for each plane of the last two
 *   even_odd               colour rank % 2
 *   reversed               all in one, in reversed order
 *   random_permutation S   all in one, in an order that follows from the number S
 *   random_colours K S     one of K colours each, which follow from the number S
 *   same                   all in one, in their order
 *   transposed             all in one, the grid column by column
 *   halving                the lower and the upper half
 *   file F                 line r of F has colour and key of rank r
 *
 * The key is the rank where nothing else is said.  There is no MPI in this file: mpirank1 uses it,
 * too.
 */
#ifndef SOLO_SCENARIO_H_INCLUDED
#define SOLO_SCENARIO_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>

#define SOLO_SCENARIOS \
    "rows, columns, planes, even_odd, reversed, random_permutation SEED, random_colours K SEED, " \
    "same, transposed, halving"

/* The job's name with the process manager: under no other one does the library behave as if it
 * were alone. */
#define SOLO_JOB "mpirank1"

#define SOLO_UNDEFINED -32766 /* MPI_UNDEFINED */

typedef struct solo_call {
    int colour, key;
} solo_call;

typedef struct solo_scenario {
    int kind;
    uint64_t seed;
    int colours;
    char file[1024];
} solo_scenario;

/* False for a text that is no scenario. */
bool MPIR_Solo_scenario_parse(const char *text, solo_scenario *scenario);

/* Fills calls[n].  NULL, or what is wrong. */
const char *MPIR_Solo_scenario_calls(const solo_scenario *scenario, int n, solo_call *calls);

#endif /* SOLO_SCENARIO_H_INCLUDED */
