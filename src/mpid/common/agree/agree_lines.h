/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * An agreement of members that share memory, without messages (agree.h has the other one).
 *
 * Each member has two lines: its value, and a result that it proposes.  A member looks for the
 * values of all others but those that it knows to be dead.  When they are there it folds them and
 * proposes the fold.  Then it decides: by compare-and-swap it sets the word that says which
 * agreement is over, and whose proposal is the result.
 *
 * Why all have the same result.  For each agreement one compare-and-swap succeeds, and what it
 * names is complete.  A member changes its value when it has the result, and its proposal when all
 * living members have put their values for the next agreement: then they have the result, too.  Who
 * reads a value while it changes may propose anything, as his compare-and-swap will fail.
 *
 * A member may be killed at any moment: each of the others goes on alone.  Nobody who has the
 * result has to answer anybody.
 *
 * The caller needs a detector of deaths as agree.h says.
 */
#ifndef AGREE_LINES_H_INCLUDED
#define AGREE_LINES_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { AGREE_LINES_MOST = 64 /* members: a set is a word */ };

typedef struct {
    uint64_t offer[2];
    uint64_t dead, acked; /* bit m: member m */
    uint32_t flag;
} agree_bits_t;

/* One agreement of a member.  All zeros but `memory`, which all share, and what else is not 0. */
typedef struct {
    void *memory; /* zeros before the first agreement, at a multiple of 64 */
    int members, me;
    uint32_t number; /* 1 for the first agreement, then one more for each */
    int awaited;     /* the values of those below it are there, or they are dead */
} agree_lines_t;

size_t MPIR_agree_lines_bytes(int members);

/* Once, after the result of the agreement before this one. */
void MPIR_agree_lines_put(const agree_lines_t *lines, const agree_bits_t *value);
/* Has the agreement a result?  If nothing is missing this member decides.  `dead`: those that it
 * knows.  `fold`: as in agree_calls_t.  REQUIRES MPIR_agree_lines_put. */
bool MPIR_agree_lines_poll(agree_lines_t *lines, uint64_t dead,
                           void (*fold)(uint64_t all[2], const uint64_t offer[2]),
                           agree_bits_t *result);

#ifdef __cplusplus
}
#endif

#endif /* AGREE_LINES_H_INCLUDED */
