/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef GUARDIAN_H_INCLUDED
#define GUARDIAN_H_INCLUDED

#include <sys/types.h>

/*
 * A process that outlives the proxy, and then kills what the proxy's ranks have left.
 *
 * The system ends a rank when its parent, the proxy, ends (PR_SET_PDEATHSIG).  If the rank is a
 * script, the programs that it started run on.  They are in the rank's process group: the guardian
 * kills that group.
 *
 * It learns of the proxy's end from a socket, whose other end only the proxy has.
 */

/* Starts the guardian, if there is none.  Without a process or a descriptor for it, nothing is
 * guarded.  Before the first rank starts. */
void HYDU_guardian_start(void);

/* The process group `rank` ends with the proxy.  Nothing without a guardian. */
void HYDU_guardian_add(pid_t rank);

/* The proxy ends in order: what ranks have left in the background runs on.  Until then the guardian
 * is a child of the proxy, which must not wait for all its children. */
void HYDU_guardian_stop(void);

#endif /* GUARDIAN_H_INCLUDED */
