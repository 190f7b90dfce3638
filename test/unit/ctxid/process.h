/* SPDX-License-Identifier: BSD-3-Clause */

/* One simulated process: a store of context ids and communicators. */
#ifndef CTXID_TEST_PROCESS_H_INCLUDED
#define CTXID_TEST_PROCESS_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct process process_t;
typedef struct creation creation_t;
typedef struct communicator communicator_t;

enum { STEP_DECIDED, STEP_SEARCH, STEP_EXHAUSTED, STEP_REFUSED, STEP_NO_MEMORY };
enum { WINDOW_SIZE = 130 }; /* words of 4 bytes */

typedef struct {
    uint64_t packed, number;
} offer_t;

/* For all processes and their tables; NULL restores malloc and free.  REQUIRES that none is
 * alive. */
void process_set_allocator(void *(*allocate)(size_t), void (*deallocate)(void *));

/* table: 0 array, 1 rbtree, 2 radix */
process_t *process_create(int table, uint32_t limit);
void process_destroy(process_t *process);
uint32_t process_end(process_t *process);
uint32_t process_used(process_t *process);
/* Without those that are burned. */
uint32_t process_reserved(process_t *process);
/* Is the id a communicator's, or decided for one, or burned? */
bool process_uses(process_t *process, uint32_t prefix);
/* At most so many ids are in blocks. */
void process_set_most_blocked(process_t *process, uint32_t most);

/* The communicator with that prefix, complete; `parent` of the first one of all is the prefix
 * itself, 0. */
communicator_t *communicator_commit(process_t *process, uint32_t prefix, bool inter);
/* As if another one with the same members had its place. */
void communicator_renew(process_t *process, communicator_t *comm);
void communicator_free(process_t *process, communicator_t *comm);
void communicator_revoke(communicator_t *comm);
bool communicator_is_found(process_t *process, communicator_t *comm, uint32_t prefix);
/* A bit for each process. */
void communicator_set_members(communicator_t *comm, uint64_t members);
uint32_t communicator_cursor(const communicator_t *comm);
/* An id that was decided, without a communicator after all. */
void process_give_back(process_t *process, uint32_t prefix);

enum { TAKE_EMPTY, TAKE_ID, TAKE_DOUBT };
int duplicate_take(process_t *process, communicator_t *parent, uint32_t *prefix);
void duplicate_take_rest(process_t *process, communicator_t *parent, uint32_t *first, uint32_t *n);
void duplicate_burn(process_t *process, uint32_t prefix);

/* whole: all members of the parent take part in the collectives.  one_at_a_time_of: the set of
 * those that take part, if the process makes one creation at a time; else 0.  most_ids: of a
 * duplicate, the largest block; else 0.  Returns the offer. */
creation_t *creation_begin(process_t *process, communicator_t *parent, uint32_t tag, bool whole,
                           uint64_t one_at_a_time_of, bool takes_part, uint32_t most_ids,
                           offer_t *offer);
/* Can the search not have this id of the process, as it is in use, or in another's block? */
bool creation_lacks(const creation_t *creation, uint32_t prefix);
/* The offer of a member that cannot make its communicator. */
uint64_t offer_refusal(uint64_t packed);
int creation_settle(creation_t *creation, uint64_t own, offer_t all, uint32_t *prefix);
void creation_show(creation_t *creation, uint32_t window[WINDOW_SIZE]);
int creation_settle_window(creation_t *creation, const uint32_t window[WINDOW_SIZE],
                           uint32_t *prefix);
void creation_abandon(creation_t *creation);
void creation_destroy(creation_t *creation);

/* as a split folds, and as a reduction does */
uint64_t fold_packed(uint64_t a, uint64_t b);
offer_t fold_offers(offer_t a, offer_t b);
void fold_windows(uint32_t all[WINDOW_SIZE], const uint32_t window[WINDOW_SIZE]);

#ifdef __cplusplus
}
#endif

#endif /* CTXID_TEST_PROCESS_H_INCLUDED */
