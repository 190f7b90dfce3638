/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DEATHS_H_INCLUDED
#define DEATHS_H_INCLUDED

#include "hydra.h"
#include "common.h"
#include <stdbool.h>
#include <stdint.h>

/*
 * mpiexec --enable-recovery: a rank that ends without MPI_Finalize is dead, and the others go on.
 *
 *   proxy      learns of it by waitpid, or by the rank's closed connection; writes job and rank
 *              into the memory that it shares with its ranks (mpir_deaths_page.h); says
 *              PROCESS_TERMINATED to mpiexec, with the rank and the process's number in the proxy
 *   mpiexec    says PROCESS_DIED to the other proxies, with the job, also to those of other jobs:
 *              of spawned processes and of their parents; a proxy that connects later hears of all
 *   proxies    write it into their memory
 *
 * A proxy that has ended, or that is silent (beats.h), cannot say so: mpiexec says PROCESS_DIED for
 * each of its ranks.
 *
 * Until all ranks of its node are through MPI_Init, they have memory to set up together, and a
 * death ends all.  If they were spawned, that is their own job: the proxy says LEFT_EARLY
 * (parent.h), and all of them are dead.  Otherwise everything ends: the proxy says
 * TERMINATED_EARLY, and UNFINISHED (absent.h).
 */

/* With PROCESS_DIED; the rank is in the header. */
typedef struct {
    struct HYD_pmcd_hdr hdr;
    uint64_t job; /* MPIR_Deaths_job of the key-value space's name */
} HYD_pmcd_death_t;

/* ---- in the proxy ---- */

/* Before the ranks are started: the memory, and a way to learn of each end at once. */
HYD_status HYD_pmcd_pmip_deaths_open(void);
/* What a rank needs to find the memory. */
HYD_status HYD_pmcd_pmip_deaths_env(struct HYD_env **env);
/* Its ranks may live until then (beats.h).  In any thread. */
void HYD_pmcd_pmip_deaths_lease(uint64_t end);
/* Process number i here has ended, or closed its connection.  True: the others go on.  Outside the
 * callbacks of file descriptors, or in that of its connection. */
bool HYD_pmcd_pmip_goes_on_without(int i);
/* An answer of mpiexec is for this connection: has its process died meanwhile? */
bool HYD_pmcd_pmip_is_gone(int fd);
/* The same, or its job ends early (parent.h). */
bool HYD_pmcd_pmip_others_go_on(int i);
/* mpiexec says PROCESS_DIED: the header is read, and the rest comes. */
HYD_status HYD_pmcd_pmip_hear_of_death(int fd, const struct HYD_pmcd_hdr *hdr);

/* ---- in mpiexec ---- */

/* A proxy says that one of its processes has died. */
void HYD_pmcd_died(struct HYD_proxy *proxy, const struct HYD_pmcd_hdr *hdr);
/* A proxy has got its processes to start: it is told who has died before. */
void HYD_pmcd_tell_of_earlier_deaths(const struct HYD_proxy *proxy);
/* A proxy has ended before its processes, or the connection to it, or cannot connect any more.
 * True: its processes are dead, or MPI_Comm_spawn has failed, and the job goes on. */
bool HYD_pmcd_goes_on_without(struct HYD_proxy *proxy);
/* Its processes that have not died. */
int HYD_pmcd_count_living(const struct HYD_proxy *proxy);
/* Do barriers wait for this proxy?  Not if all its processes are dead. */
bool HYD_pmcd_takes_part(const struct HYD_proxy *proxy);

#endif /* DEATHS_H_INCLUDED */
