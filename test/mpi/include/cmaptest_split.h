/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Colours and keys for tests of MPI_Comm_split, the same on all processes, and what must come out
 * of them.
 */
#ifndef CMAPTEST_SPLIT_H_INCLUDED
#define CMAPTEST_SPLIT_H_INCLUDED

#include "cmaptest.h"

#include <limits.h>

enum ct_keys {
    CT_KEY_RANK,
    CT_KEY_EQUAL,
    CT_KEY_REVERSED,
    CT_KEY_PAIRS,       /* descending with ties */
    CT_KEY_ROTATED,     /* consecutive numbers, the least one negative */
    CT_KEY_PERMUTATION, /* of 0 .. n-1 */
    CT_KEY_NEARLY,      /* the same with one number twice */
    CT_KEY_EXTREMES,
    CT_KEY_FEW,
    CT_KEY_ANY,
    CT_KEYS
};

static inline const char *ct_keys_name(int kind)
{
    static const char *name[CT_KEYS] = {"rank",       "equal",       "reversed", "reversed pairs",
                                        "rotated",    "permutation", "nearly",   "extremes",
                                        "few values", "any"};
    return name[kind];
}

static inline int ct_key_of(int kind, ct_rng *rng, int i, int n)
{
    static const int extremes[5] = {INT_MAX, INT_MIN, 0, -1, INT_MIN + 1};

    switch (kind) {
        case CT_KEY_RANK: return 3 * i - 7;
        case CT_KEY_EQUAL: return -1;
        case CT_KEY_REVERSED: return -i;
        case CT_KEY_PAIRS: return (n - i) / 2;
        case CT_KEY_ROTATED: return (i + n / 3 + 1) % n - n / 2;
        case CT_KEY_EXTREMES: return extremes[i * 7 % 5];
        case CT_KEY_FEW: return ct_below(rng, 3) - 1;
        default: return (int) ct_random(rng);
    }
}

static inline void ct_fill_keys(int kind, ct_rng *rng, int *key, int n)
{
    for (int i = 0; i < n; i++)
        key[i] = ct_key_of(kind, rng, i, n);
    if (kind != CT_KEY_PERMUTATION && kind != CT_KEY_NEARLY)
        return;
    for (int i = 0; i < n; i++)
        key[i] = i;
    ct_shuffle(rng, key, n);
    if (kind == CT_KEY_NEARLY)
        key[n / 2] = key[0];
}

enum ct_colours {
    CT_COLOUR_ALL,
    CT_COLOUR_TWO,
    CT_COLOUR_HALVES,
    CT_COLOUR_BLOCKS,
    CT_COLOUR_OWN,
    CT_COLOUR_NOBODY,
    CT_COLOUR_SOME_OUT, /* the first one among them */
    CT_COLOUR_RANDOM,
    CT_COLOURS
};

static inline const char *ct_colours_name(int kind)
{
    static const char *name[CT_COLOURS] = {"all", "two",    "halves",   "blocks",
                                           "own", "nobody", "some out", "random"};
    return name[kind];
}

static inline int ct_colour_of(int kind, ct_rng *rng, int i, int n)
{
    switch (kind) {
        case CT_COLOUR_TWO: return i % 2;
        case CT_COLOUR_HALVES: return i < n / 2 ? INT_MAX : 0;
        case CT_COLOUR_BLOCKS: return i / 3 % 2;
        case CT_COLOUR_OWN: return i;
        case CT_COLOUR_NOBODY: return MPI_UNDEFINED;
        case CT_COLOUR_SOME_OUT: return i % 3 == 0 ? MPI_UNDEFINED : i % 3;
        case CT_COLOUR_RANDOM: return ct_below(rng, 4) - 1 < 0 ? MPI_UNDEFINED : ct_below(rng, 2);
        default: return 11;
    }
}

static inline void ct_fill_colours(int kind, ct_rng *rng, int *colour, int n)
{
    for (int i = 0; i < n; i++)
        colour[i] = ct_colour_of(kind, rng, i, n);
}

/* The members of a colour, by key and then by rank: sorted by insertion, which is stable. */
static inline ct_list ct_split(const ct_list *parent, const int *colour, const int *key, int which)
{
    ct_list ranks = ct_list_new(parent->n);

    for (int i = 0; i < parent->n; i++) {
        if (colour[i] != which || which == MPI_UNDEFINED)
            continue;
        int at = ranks.n++;
        for (; at > 0 && key[ranks.id[at - 1]] > key[i]; at--)
            ranks.id[at] = ranks.id[at - 1];
        ranks.id[at] = i;
    }
    ct_list members = ct_pick(parent, &ranks);
    ct_list_free(&ranks);
    return members;
}

/* A communicator of these members of the world, made without MPI_Comm_split. */
static inline MPI_Comm ct_comm_of(const ct_list *members)
{
    MPI_Group world, group;
    MPI_Comm comm;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, members->n, members->id, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return comm;
}

#endif /* CMAPTEST_SPLIT_H_INCLUDED */
