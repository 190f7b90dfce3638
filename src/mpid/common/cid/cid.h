/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Context ids: tables  id -> owner  of one process.
 *
 * A table knows which context ids this process uses and by whom.  Which of its three kinds is used
 * changes time and space, not answers (Bosilca, Herault and Dongarra, "Trade-offs in context
 * identifier allocation in MPI", sections 3.3.1, 3.3.2 and 4.4).
 *
 *   kind    lookup            owners are in                                  elements allocated
 *   array   O(1)              one array, doubled as ids grow, made smaller   its length
 *                             when at most a quarter of it is below `end`
 *   rbtree  O(log used)       std::map, with the runs of used ids            used ones
 *   radix   O(1): 4 steps     4 levels of nodes with 256 elements, counted   256 for each lowest node
 *                             and freed when empty
 *
 * Conventions
 *  1. Ids are 0 .. limit - 1.  If an id may be "none", the value is the limit.
 *  2. Owners are the caller's; the table keeps pointers, never looks behind them, and none is NULL.
 *  3. Errors are a cid_status and leave the table as it was.  Nothing is thrown, nothing is
 *     printed.  Only MPIR_cid_claim, MPIR_cid_hold and MPIR_cid_table_create need memory.
 *  4. Threads.  No two calls on a table at the same time, unless neither changes it: the caller has
 *     a lock.
 *  5. Time.  O(log limit) for each function, amortised, unless its comment says otherwise; in
 *     particular for finding free ids, after releases in any order.
 */
#ifndef CID_H_INCLUDED
#define CID_H_INCLUDED

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define CID_NOEXCEPT noexcept
#else
#define CID_NOEXCEPT
#endif

typedef struct cid_table cid_table_t;

typedef enum cid_status {
    CID_OK = 0,
    CID_ERR_TAKEN,  /* the id has an owner */
    CID_ERR_FREE,   /* the id has none */
    CID_ERR_RANGE,  /* the id is the limit or above */
    CID_ERR_MEMORY, /* an allocation failed */
    CID_ERR_ARG     /* a NULL pointer, an unknown kind or name */
} cid_status;

typedef enum cid_kind { CID_ARRAY = 0, CID_RBTREE, CID_RADIX, CID_KIND_COUNT } cid_kind;

typedef struct cid_figures_t {
    uint32_t used;      /* ids with an owner */
    uint32_t allocated; /* elements an owner can be in; the density is used / allocated */
    uint32_t end;       /* highest used id + 1, 0 when none is */
    size_t bytes;       /* of memory, everything included that belongs to the table */
} cid_figures_t;

/* What a status says, in words. */
const char *MPIR_cid_strerror(cid_status status) CID_NOEXCEPT;
const char *
MPIR_cid_kind_name(cid_kind kind) CID_NOEXCEPT; /* "array", "rbtree", "radix"; "unknown" */
cid_status MPIR_cid_kind_from_name(const char *name,
                                   cid_kind *out) CID_NOEXCEPT; /* case-sensitive */

/* NULL: no memory, or an unknown kind.  `limit` may be anything. */
cid_table_t *MPIR_cid_table_create(cid_kind kind, uint32_t limit) CID_NOEXCEPT;
void MPIR_cid_table_destroy(cid_table_t *table) CID_NOEXCEPT; /* NULL is fine */
cid_kind MPIR_cid_table_kind(const cid_table_t *table) CID_NOEXCEPT;
uint32_t MPIR_cid_table_limit(const cid_table_t *table) CID_NOEXCEPT;

/* ---- one id ---------------------------------------------------------------------------------- */

/* Time for an array: O(highest id) when it must grow, amortised over the ids in between and the
 * operations before. */
cid_status MPIR_cid_claim(cid_table_t *table, uint32_t id, void *owner) CID_NOEXCEPT;
/* Memory for a claim of an id that the caller does not know yet.  After MPIR_cid_hold, one
 * MPIR_cid_claim_held of an id below the result needs no memory.  The result is at least `end`,
 * or less if there is no memory.  Each hold allows one such claim and ends with MPIR_cid_let_go.
 * Time of MPIR_cid_hold: as of MPIR_cid_claim for `end` - 1. */
uint32_t MPIR_cid_hold(cid_table_t *table, uint32_t end) CID_NOEXCEPT;
cid_status MPIR_cid_claim_held(cid_table_t *table, uint32_t id, void *owner) CID_NOEXCEPT;
void MPIR_cid_let_go(cid_table_t *table) CID_NOEXCEPT;
/* Another owner for a claimed id. */
cid_status MPIR_cid_replace(cid_table_t *table, uint32_t id, void *owner) CID_NOEXCEPT;
/* The owner it had; NULL when it was free or out of range. */
void *MPIR_cid_release(cid_table_t *table, uint32_t id) CID_NOEXCEPT;
/* The owner, NULL when free or out of range. */
void *MPIR_cid_owner(const cid_table_t *table, uint32_t id) CID_NOEXCEPT;

/* ---- many ids -------------------------------------------------------------------------------- */

uint32_t MPIR_cid_used(const cid_table_t *table) CID_NOEXCEPT; /* how many are */
/* highest used id + 1, 0 when none is */
uint32_t MPIR_cid_end(const cid_table_t *table) CID_NOEXCEPT;
/* The lowest free or used id that is not below `from`; the limit when there is none. */
uint32_t MPIR_cid_next_free(const cid_table_t *table, uint32_t from) CID_NOEXCEPT;
uint32_t MPIR_cid_next_used(const cid_table_t *table, uint32_t from) CID_NOEXCEPT;
/* Bit i of mask[w] is set when id  first + 32 w + i  is free; ids beyond the limit are not.
 * Time: O(words), for an rbtree O(log used + words + runs of used ids among these). */
void MPIR_cid_free_mask(const cid_table_t *table, uint32_t first, uint32_t words,
                        uint32_t mask[]) CID_NOEXCEPT;
void MPIR_cid_figures(const cid_table_t *table, cid_figures_t *out) CID_NOEXCEPT;

/* For tests: replaces malloc and free in all tables; NULL restores them.  REQUIRES that no table
 * is alive. */
void MPIR_cid_set_allocator(void *(*allocate)(size_t), void (*deallocate)(void *)) CID_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* CID_H_INCLUDED */
