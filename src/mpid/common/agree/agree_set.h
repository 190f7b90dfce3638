/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Sets of members as runs of consecutive numbers.  They take memory and time by the number of runs:
 * the dead of a world are few, and a host that dies is one run.
 *
 * A set is in order: its runs ascend, none is empty, and no two touch.  So equal sets have equal
 * runs.  Numbers are below 2^31.
 */
#ifndef AGREE_SET_H_INCLUDED
#define AGREE_SET_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint32_t first, length;
} agree_run_t;

typedef struct {
    const agree_run_t *runs;
    uint32_t n;
} agree_set_t;

/* As long as nobody has died the sets are empty, and nothing is called. */
bool MPIR_agree_set_search(agree_set_t set, uint32_t member);
bool MPIR_agree_set_search_all(agree_set_t part, agree_set_t whole);

static inline bool MPIR_agree_set_has(agree_set_t set, uint32_t member)
{
    return set.n > 0 && MPIR_agree_set_search(set, member);
}

static inline bool MPIR_agree_set_is_within(agree_set_t part, agree_set_t whole)
{
    return part.n == 0 || MPIR_agree_set_search_all(part, whole);
}

static inline bool MPIR_agree_set_is_equal(agree_set_t a, agree_set_t b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.runs, b.runs, a.n * sizeof(*a.runs)) == 0);
}

/* Answer how many runs they have written; `out` has room for a.n + b.n, and is none of theirs. */
uint32_t MPIR_agree_set_unite(agree_set_t a, agree_set_t b, agree_run_t *out);
uint32_t MPIR_agree_set_intersect(agree_set_t a, agree_set_t b, agree_run_t *out);
/* Makes a set of runs in any order, which may overlap, in their place; answers how many it has. */
uint32_t MPIR_agree_set_order(agree_run_t *runs, uint32_t n);

/* A set that grows.  All zeros: empty.  It is not copied. */
typedef struct {
    agree_run_t *runs;
    uint32_t n, room;
    agree_run_t few[4]; /* before it needs memory */
} agree_list_t;

static inline agree_set_t MPIR_agree_list_set(const agree_list_t *list)
{
    agree_set_t set = {list->runs, list->n};

    return set;
}

/* False without memory: the list is as it was. */
bool MPIR_agree_list_put(agree_list_t *list, uint32_t member);
bool MPIR_agree_list_unite(agree_list_t *list, agree_set_t set);
void MPIR_agree_list_free(agree_list_t *list);

#ifdef __cplusplus
}
#endif

#endif /* AGREE_SET_H_INCLUDED */
