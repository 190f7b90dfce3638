/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * An agreement of processes that may die in it.  It knows nothing of MPI.  (Herault and others,
 * "Practical scalable consensus for pseudo-synchronous distributed systems", 2015, call it an
 * early-returning agreement.)
 *
 * Each member contributes a value.  All living members come to the same result: the AND of the
 * flags, the fold of the offers (two numbers), the union of the members that somebody knew to be
 * dead, and the intersection of those whose death each has acknowledged.  Whether the value of a
 * member that dies meanwhile is part of it is open.
 *
 * Members form a tree: the parent of member r is (r - 1) / degree.  If that one is dead it is the
 * nearest living ancestor, and if all ancestors are dead the root, which is the lowest living
 * member.  A value goes UP to the parent when those of all children have come.  The root decides,
 * and the result goes DOWN.  Folding a value twice changes nothing.  So after a death those who
 * have lost their parent send to the next one, and nobody needs to know what the dead one had done.
 *
 * Why two living members never have different results.  A member that has sent its value up takes
 * a result from that parent alone, until the parent dies.  After that it hears the parent no more.
 * A member whose parent has died and that has a result sends it UP instead of its value.  A new
 * root waits for all members that have lost all ancestors.  So it hears of a result that one of
 * them, or of those below, has.
 *
 * The caller needs a perfect detector of deaths: each death is told to each living member at some
 * time, and nobody is said to be dead who lives.  It delivers messages of a sender in order, and no
 * message of a member after it has told its death.  The result must be kept, and messages and
 * deaths told, for as long as another member may be without it: until it contributes to the next
 * agreement of the same members.
 */
#ifndef AGREE_H_INCLUDED
#define AGREE_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The sets follow it: members known to be dead, then those acknowledged by all; a bit each. */
typedef struct {
    uint64_t offer[2];
    uint32_t flag;
    uint32_t has_result; /* it is the result of the agreement */
    uint64_t sets[];
} agree_value_t;

typedef struct agree agree_t;

typedef struct {
    /* A message of agree_value_bytes to a member; false: the caller has failed for good. */
    bool (*send)(void *context, int member, const agree_value_t *value);
    /* Must be associative, commutative, and idempotent. */
    void (*fold)(uint64_t all[2], const uint64_t offer[2]);
    void *context;
} agree_calls_t;

/* Words of one set. */
static inline int MPIR_agree_words(int members) { return (members + 63) / 64; }

static inline uint64_t *MPIR_agree_dead(agree_value_t *value) { return value->sets; }

static inline uint64_t *MPIR_agree_acked(agree_value_t *value, int members)
{
    return value->sets + MPIR_agree_words(members);
}

static inline bool MPIR_agree_has(const uint64_t *set, int member)
{
    return set[member / 64] >> (member % 64) & 1;
}

static inline void MPIR_agree_put(uint64_t *set, int member)
{
    set[member / 64] |= UINT64_C(1) << (member % 64);
}

static inline uint32_t MPIR_agree_value_bytes(int members)
{
    return (uint32_t) (sizeof(agree_value_t) +
                       2 * (uint32_t) MPIR_agree_words(members) * sizeof(uint64_t));
}

/* NULL without memory.  Messages and deaths may be told before the member contributes.  `degree`,
 * the same for all members: children of each in the tree, 1 at least. */
agree_t *MPIR_agree_create(int members, int me, int degree, const agree_calls_t *calls);
void MPIR_agree_free(agree_t *agree); /* NULL is fine */

/* Once.  `acked`: a set; NULL: empty. */
void MPIR_agree_contribute(agree_t *agree, uint32_t flag, const uint64_t offer[2],
                           const uint64_t *acked);
void MPIR_agree_message(agree_t *agree, int from, const agree_value_t *value);
void MPIR_agree_death(agree_t *agree, int member);

/* NULL: there is none yet. */
agree_value_t *MPIR_agree_result(agree_t *agree);
/* A message could not be sent: there may never be a result. */
bool MPIR_agree_has_failed(const agree_t *agree);

#ifdef __cplusplus
}
#endif

#endif /* AGREE_H_INCLUDED */
