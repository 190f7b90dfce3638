/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ABSENT_H_INCLUDED
#define ABSENT_H_INCLUDED

#include "hydra.h"
#include "common.h"
#include <stdbool.h>

/*
 * Processes that the others miss.
 *
 * One that ends without a word to the process manager comes to no barrier. As long as nobody waits
 * in one, this is no MPI program, or another one's turn. Once a process of the same job waits, it
 * waits for ever, so mpiexec ends the job. One that ends between MPI_Init and MPI_Finalize ends the
 * others on its host, and mpiexec has those on other hosts end, too. The messages are:
 *   NEVER_COMES       To mpiexec: a process has ended before MPI_Init.
 *   WAITS_IN_VAIN     To mpiexec: another one of the same proxy waits in a barrier. The barriers
 *                     of whole proxies mpiexec knows anyway.
 *   UNFINISHED        To mpiexec: a process has ended without MPI_Finalize. It tells the other
 *                     proxies of the same processes.
 */

/* In the proxy: says to mpiexec what has become of a process. */
HYD_status HYD_pmcd_pmip_tell(enum HYD_pmcd_cmd what, int rank, int pid, int *closed);

/* In the proxy: what follows holds without cleanup, too. */
void HYD_pmcd_pmip_misses_always(void);
/* In the proxy: its process number i has closed its connection. False: it has used it. */
bool HYD_pmcd_pmip_never_comes(int i);
/* In the proxy, before it starts processes: the end of one becomes an event of the demux engine. A
 * process may have closed all its descriptors long before. */
HYD_status HYD_pmcd_pmip_watch_processes(void);
/* In the proxy, behind a wait for events: has a process ended since the last question? Then what
 * it wrote before, and the end of its connection, have been seen. */
bool HYD_pmcd_pmip_has_one_ended(void);
/* In the proxy: one of its processes waits in a barrier. */
void HYD_pmcd_pmip_waits(void);

/* In the proxy: its process number i has closed its connection without saying that it is done.
 * That ends the others. */
void HYD_pmcd_pmip_ends_unfinished(int i);
/* In the proxy: that was on another host. */
void HYD_pmcd_pmip_ends_for_another(void);
/* In the proxy: was process number i, which ended so, killed for that reason? */
bool HYD_pmcd_pmip_is_killed_for_another(int i, int status);
/* When all processes of the proxy have ended: if the first one to end so says that all is well, its
 * status becomes 1. */
void HYD_pmcd_pmip_unfinished_fails(void);

/* In mpiexec: a proxy says one of the above. False: something else. */
bool HYD_pmcd_is_missed(struct HYD_proxy *proxy, const struct HYD_pmcd_hdr *hdr);
/* In mpiexec: a proxy's processes have all come to a barrier. */
void HYD_pmcd_proxy_waits(const struct HYD_pg *pg);

#endif /* ABSENT_H_INCLUDED */
