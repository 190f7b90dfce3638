/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef GUARDIAN_H_INCLUDED
#define GUARDIAN_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A process that outlives the proxy, and then kills what the proxy's ranks have left.
 *
 * The system ends a rank when its parent, the proxy, ends (PR_SET_PDEATHSIG).  If the rank is a
 * script, the programs that it started run on.  They are in the rank's process group: the guardian
 * kills that group.
 *
 * It learns of the proxy's end from a socket, whose other end only the proxy has.  Where a proxy
 * has to ask for its life (beats.h), the guardian also kills at the end of a lease: the proxy
 * itself may be stopped then.
 */

/* Starts the guardian, if there is none.  Without a process or a descriptor for it, nothing is
 * guarded.  Before the first rank starts. */
void HYDU_guardian_start(void);

/* The process group `rank` ends with the proxy.  Nothing without a guardian. */
void HYDU_guardian_add(pid_t rank);

/* At this time of CLOCK_MONOTONIC, in ns, the guardian kills the proxy, too, unless a later time
 * comes before.  False: there is no guardian.  In any thread. */
bool HYDU_guardian_set_lease(uint64_t end);

/* The proxy ends in order: what ranks have left in the background runs on.  Until then the guardian
 * is a child of the proxy, which must not wait for all its children. */
void HYDU_guardian_stop(void);

#endif /* GUARDIAN_H_INCLUDED */
