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
 * Memory, time and messages grow with the runs of dead (agree_set.h), not with the members: the
 * tree is implicit, and a member keeps only who has sent to it.
 *
 * The caller needs a perfect detector of deaths: each death is told to each living member at some
 * time, and nobody is said to be dead who lives.  It delivers messages of a sender in order, and no
 * message of a member after it has told its death.  The result must be kept, and messages and
 * deaths told, for as long as another member may be without it: until it contributes to the next
 * agreement of the same members.
 *
 * Members that share memory may do without messages (agree_lines.h): MPIR_agree_share.
 *
 * A member that finds no memory fails.  It is then as one that contributes too late: no other one
 * has a wrong result, but the others may wait for it.
 */
#ifndef AGREE_H_INCLUDED
#define AGREE_H_INCLUDED

#include "agree_set.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As it is sent. */
typedef struct {
    uint64_t offer[2];
    uint32_t flag;
    uint32_t has_result; /* it is the result of the agreement */
    uint32_t dead;       /* runs of the members known to be dead, which come first */
    uint32_t acked;      /* runs of those of them that all have acknowledged */
    agree_run_t runs[];
} agree_value_t;

typedef struct agree agree_t;

typedef struct {
    /* A message of MPIR_agree_value_bytes to a member; false: the caller has failed for good. */
    bool (*send)(void *context, int member, const agree_value_t *value);
    /* Must be associative, commutative, and idempotent. */
    void (*fold)(uint64_t all[2], const uint64_t offer[2]);
    void *context;
} agree_calls_t;

static inline agree_set_t MPIR_agree_dead(const agree_value_t *value)
{
    agree_set_t set = {value->runs, value->dead};

    return set;
}

static inline agree_set_t MPIR_agree_acked(const agree_value_t *value)
{
    agree_set_t set = {value->runs + value->dead, value->acked};

    return set;
}

static inline size_t MPIR_agree_value_bytes(const agree_value_t *value)
{
    return sizeof(*value) + ((size_t) value->dead + value->acked) * sizeof(agree_run_t);
}

/* NULL without memory.  Messages and deaths may be told before the member contributes.  `degree`,
 * the same for all members: children of each in the tree, 1 at least. */
agree_t *MPIR_agree_create(int members, int me, int degree, const agree_calls_t *calls);
void MPIR_agree_free(agree_t *agree); /* NULL is fine */

/* Before it contributes: there are no messages, and MPIR_agree_poll finds the result.  All members
 * do the same with the same memory (agree_lines.h), of which this is the agreement of this number.
 * REQUIRES members <= AGREE_LINES_MOST */
void MPIR_agree_share(agree_t *agree, void *memory, uint32_t number);
/* After it has contributed; nothing happens where messages decide. */
void MPIR_agree_poll(agree_t *agree);

/* Once.  REQUIRES: those that are acknowledged have been told as dead. */
void MPIR_agree_contribute(agree_t *agree, uint32_t flag, const uint64_t offer[2],
                           agree_set_t acked);
void MPIR_agree_message(agree_t *agree, int from, const agree_value_t *value);
/* May name some again. */
void MPIR_agree_deaths(agree_t *agree, agree_set_t dead);

/* Those that were told. */
agree_set_t MPIR_agree_told(const agree_t *agree);
/* What it has folded so far, or the result. */
const agree_value_t *MPIR_agree_value(const agree_t *agree);
/* NULL: there is none yet. */
const agree_value_t *MPIR_agree_result(const agree_t *agree);
/* A member whose message this one waits for; its parent has a lower number, and its children have
 * higher ones.  -1: it waits for nobody's. */
int MPIR_agree_awaited(const agree_t *agree);
/* There was no memory, or a message could not be sent: there may never be a result. */
bool MPIR_agree_has_failed(const agree_t *agree);

#ifdef __cplusplus
}
#endif

#endif /* AGREE_H_INCLUDED */
