/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DEATHS_H_INCLUDED
#define DEATHS_H_INCLUDED

#include "hydra.h"
#include "common.h"
#include <stdbool.h>

/*
 * mpiexec --enable-recovery: a rank that ends without MPI_Finalize is dead, and the others go on.
 *
 *   proxy      learns of it by waitpid, or by the rank's closed connection; writes the rank into
 *              the memory that it shares with its ranks (mpir_deaths_page.h); says
 *              PROCESS_TERMINATED to mpiexec, with the rank and the process's number in the proxy
 *   mpiexec    says PROCESS_DIED to the other proxies of the job
 *   proxies    write it into their memory
 *
 * Until all ranks of its node are through MPI_Init a death ends the job: they have memory to set up
 * together.  The proxy says TERMINATED_EARLY, and UNFINISHED (absent.h), which ends the others.
 */

/* ---- in the proxy ---- */

/* Before the ranks are started: the memory, and a way to learn of each end at once. */
HYD_status HYD_pmcd_pmip_deaths_open(void);
/* What a rank needs to find the memory. */
HYD_status HYD_pmcd_pmip_deaths_env(struct HYD_env **env);
/* Process number i here has ended, or closed its connection.  True: the others go on.  Outside the
 * callbacks of file descriptors, or in that of its connection. */
bool HYD_pmcd_pmip_goes_on_without(int i);
/* mpiexec says that a rank of another proxy has died. */
void HYD_pmcd_pmip_note_death(int rank);

/* ---- in mpiexec ---- */

/* A proxy says that one of its processes has died. */
void HYD_pmcd_died(struct HYD_proxy *proxy, const struct HYD_pmcd_hdr *hdr);
/* A proxy has ended before its processes, or the connection to it.  True: its processes are dead,
 * and the job goes on. */
bool HYD_pmcd_goes_on_without(struct HYD_proxy *proxy);
/* Do barriers wait for this proxy?  Not if all its processes are dead. */
bool HYD_pmcd_takes_part(const struct HYD_proxy *proxy);

#endif /* DEATHS_H_INCLUDED */
