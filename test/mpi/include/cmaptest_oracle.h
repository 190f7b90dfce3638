/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The oracle of our tests: lists of members, repeatable random numbers, patterns of ranks, and the
 * count of failed checks.  No MPI call but MPI_Abort: what is right is computed without asking MPI.
 */
#ifndef CMAPTEST_ORACLE_H_INCLUDED
#define CMAPTEST_ORACLE_H_INCLUDED

#include "mpi.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- failures ---- */

#define CT_MAX_MESSAGES 10

static int ct_errs;    /* failed checks of this process, for MTest_Finalize */
static int ct_me = -1; /* who this process is, in the words of the oracle */

static inline void ct_fail(const char *format, ...)
{
    va_list args;

    if (ct_errs++ >= CT_MAX_MESSAGES)
        return;
    va_start(args, format);
    printf("[%d] ", ct_me);
    vprintf(format, args);
    printf("\n");
    fflush(stdout);
    va_end(args);
}

#define CT_CHECK(cond, ...) \
    do { \
        if (!(cond)) \
            ct_fail(__VA_ARGS__); \
    } while (0)

static inline void *ct_alloc(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);

    if (!p) {
        fprintf(stderr, "[%d] no memory for %lu bytes\n", ct_me, (unsigned long) (n * size));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return p;
}

static inline int *ct_ints(int n) { return ct_alloc(n, sizeof(int)); }

/* ---- repeatable random numbers (splitmix64) ---- */

typedef struct ct_rng {
    uint64_t state;
} ct_rng;

static inline uint32_t ct_random(ct_rng *rng)
{
    uint64_t z = (rng->state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t) ((z ^ (z >> 31)) >> 32);
}

/* 0 .. n-1, for n > 0 */
static inline int ct_below(ct_rng *rng, int n) { return (int) (ct_random(rng) % (uint32_t) n); }

static inline void ct_shuffle(ct_rng *rng, int *a, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int j = ct_below(rng, i + 1);
        int t = a[i];
        a[i] = a[j];
        a[j] = t;
    }
}

/* ---- lists: the oracle ---- */

typedef struct ct_list {
    int n;
    int *id;
} ct_list;

static inline ct_list ct_list_new(int room)
{
    ct_list list = {0, ct_ints(room)};
    return list;
}

static inline void ct_list_free(ct_list *list)
{
    free(list->id);
    list->id = NULL;
    list->n = 0;
}

static inline ct_list ct_list_range(int n)
{
    ct_list list = ct_list_new(n);

    for (int i = 0; i < n; i++)
        list.id[list.n++] = i;
    return list;
}

static inline ct_list ct_list_copy(const ct_list *from)
{
    ct_list list = ct_list_new(from->n);

    list.n = from->n;
    memcpy(list.id, from->id, from->n * sizeof(int));
    return list;
}

/* Rank of a member, or MPI_UNDEFINED. */
static inline int ct_find(const ct_list *list, int id)
{
    for (int i = 0; i < list->n; i++)
        if (list->id[i] == id)
            return i;
    return MPI_UNDEFINED;
}

/* The members at the given positions. */
static inline ct_list ct_pick(const ct_list *from, const ct_list *positions)
{
    ct_list list = ct_list_new(positions->n);

    for (int i = 0; i < positions->n; i++)
        list.id[list.n++] = from->id[positions->id[i]];
    return list;
}

/* The members whose position is not named. */
static inline ct_list ct_drop(const ct_list *from, const ct_list *positions)
{
    ct_list list = ct_list_new(from->n);

    for (int i = 0; i < from->n; i++)
        if (ct_find(positions, i) == MPI_UNDEFINED)
            list.id[list.n++] = from->id[i];
    return list;
}

static inline ct_list ct_join(const ct_list *a, const ct_list *b)
{
    ct_list list = ct_list_new(a->n + b->n);

    list.n = a->n + b->n;
    memcpy(list.id, a->id, a->n * sizeof(int));
    memcpy(list.id + a->n, b->id, b->n * sizeof(int));
    return list;
}

/* A generator every member of a communicator seeds alike, from its members and a salt. */
static inline ct_rng ct_rng_of(const ct_list *list, int salt)
{
    ct_rng rng = {0x243f6a8885a308d3u + (uint64_t) salt};

    for (int i = 0; i < list->n; i++) {
        rng.state ^= (uint64_t) list->id[i] << 17;
        ct_random(&rng);
    }
    return rng;
}

/* ---- patterns ---- */

enum ct_pattern {
    CT_ALL,
    CT_REVERSED,
    CT_EVENS,
    CT_ODDS,
    CT_THIRDS,
    CT_STRIDE_DOWN,
    CT_BLOCKS,
    CT_TRANSPOSE,
    CT_ROTATED,
    CT_RANGES_DOWN,
    CT_SUBSET,
    CT_SHUFFLED,
    CT_SHUFFLED_SUBSET,
    CT_FIRST,
    CT_LAST,
    CT_FACE,
    CT_ZIGZAG,
    CT_PATTERNS
};

static inline const char *ct_pattern_name(int kind)
{
    static const char *name[CT_PATTERNS] = {
        "all",       "reversed", "evens",       "odds",   "thirds",   "stride down",     "blocks",
        "transpose", "rotated",  "ranges down", "subset", "shuffled", "shuffled subset", "first",
        "last",      "face",     "zigzag"};
    return name[kind];
}

static inline int ct_in_pattern(int kind, ct_rng *rng, int i)
{
    switch (kind) {
        case CT_EVENS: return i % 2 == 0;
        case CT_ODDS: return i % 2 == 1;
        case CT_THIRDS: return i % 3 == 1;
        case CT_BLOCKS: return i % 5 < 2;
        case CT_FACE: /* of a hypercube: one address bit set, one clear */
            return (i & 2) && !(i & 8);
        case CT_SUBSET:
        case CT_SHUFFLED_SUBSET: return ct_random(rng) % 2 == 0;
        default: return 1;
    }
}

/* The columns of the matrix with the most square shape that fits, one after the other. */
static inline void ct_transpose(int n, ct_list *list)
{
    int rows = 1;

    while ((rows + 1) * (rows + 1) <= n)
        rows++;
    int columns = n / rows;
    for (int c = 0; c < columns; c++)
        for (int r = 0; r < rows; r++)
            list->id[list->n++] = r * columns + c;
}

/* Positions out of 0 .. n-1, at least one, for n > 0. */
static inline ct_list ct_pattern_list(int kind, ct_rng *rng, int n)
{
    ct_list list = ct_list_new(n);
    int cut = ct_below(rng, n);

    switch (kind) {
        case CT_REVERSED:
            for (int i = n - 1; i >= 0; i--)
                list.id[list.n++] = i;
            break;
        case CT_STRIDE_DOWN:
            for (int i = n - 1; i >= 0; i -= 2)
                list.id[list.n++] = i;
            break;
        case CT_TRANSPOSE: ct_transpose(n, &list); break;
        case CT_ROTATED:
            for (int i = 0; i < n; i++)
                list.id[list.n++] = (i + cut) % n;
            break;
        case CT_RANGES_DOWN: /* ascending ranges of four, the last one first */
            for (int start = (n - 1) / 4 * 4; start >= 0; start -= 4)
                for (int i = start; i < start + 4 && i < n; i++)
                    list.id[list.n++] = i;
            break;
        case CT_ZIGZAG:
            for (int i = 0; i < n; i++)
                list.id[list.n++] = i % 2 ? n - 1 - i / 2 : i / 2;
            break;
        case CT_FIRST: list.id[list.n++] = 0; break;
        case CT_LAST: list.id[list.n++] = n - 1; break;
        default:
            for (int i = 0; i < n; i++)
                if (ct_in_pattern(kind, rng, i))
                    list.id[list.n++] = i;
    }
    if (kind == CT_SHUFFLED || kind == CT_SHUFFLED_SUBSET)
        ct_shuffle(rng, list.id, list.n);
    if (list.n == 0)
        list.id[list.n++] = cut;
    return list;
}

#endif /* CMAPTEST_ORACLE_H_INCLUDED */
