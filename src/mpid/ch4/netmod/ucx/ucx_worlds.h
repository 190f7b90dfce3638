/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UCX_WORLDS_H_INCLUDED
#define UCX_WORLDS_H_INCLUDED

#include "ucx_impl.h"

/*
 * Worlds: the processes of other MPI_COMM_WORLDs that this process has been connected with.
 *
 * A process has a name among all worlds, its upid: the world, the rank there, and the card. Each
 * upid that arrives for the first time gets an entry in a new address-vector table. The first
 * message makes the endpoint, as in the own world.
 *
 * A table outlives the communicators that use it, so that jobs which connect again and again find
 * the same entries, indices and endpoints. UCX pairs the endpoints of two workers in the order in
 * which they are made, so that closing one and making another needs an agreement of both sides. A
 * table goes if no communicator uses it, and
 *   - no endpoint leads to its processes, after some seconds in which another thread may be about
 *     to use it, or
 *   - all of its processes have ended.
 * Where deaths are watched (deaths.h) a process that has died keeps its entry: communicators may
 * have it, and others may not know.
 * A process that ends tells those that it has an endpoint to. In MPI_Finalize all processes of its
 * world end, so one message speaks for the world. UCX notices if a process dies.
 *
 * With several VNIs endpoints stay until MPI_Finalize.
 *
 * Threads: MPIDIU_THREAD_DYNPROC_MUTEX protects the tables.
 */

typedef struct MPIDI_UCX_upid {
    uint64_t world; /* its last 16 bits tell the worlds of a job apart */
    uint32_t rank;
    uint32_t card_bytes; /* a multiple of 8 */
    char card[];
} MPIDI_UCX_upid_t;

#ifdef MPIR_WITHOUT_DYNAMIC
/* There is the own world alone. */
static inline int MPIDI_UCX_worlds_init(void) { return MPI_SUCCESS; }
static inline void MPIDI_UCX_worlds_forget(uint32_t index MPL_UNUSED) {}
static inline int MPIDI_UCX_worlds_connect(MPIDI_av_entry_t *av MPL_UNUSED, int vni_src MPL_UNUSED,
                                           int vni_dst MPL_UNUSED)
{
    return MPI_ERR_INTERN;
}
static inline unsigned long long MPIDI_UCX_worlds_endpoints(void) { return 0; }
#else

/* In MPI_Init, when the workers exist. */
int MPIDI_UCX_worlds_init(void);
/* The process with this index, beyond the world, has died. */
void MPIDI_UCX_worlds_forget(uint32_t index);
/* In MPI_Finalize: tells the others, and forgets them. REQUIRES: this world sends no more. */
int MPIDI_UCX_worlds_leave(void (*progress)(void));

uint64_t MPIDI_UCX_worlds_own(void); /* this world's name */
/* The upid of a process beyond the world, as long as its table lives. */
const MPIDI_UCX_upid_t *MPIDI_UCX_worlds_upid(int avtid, int lpid);
/* Entries of the n processes. REQUIRES: the caller holds the mutex; none is of the own world. */
int MPIDI_UCX_worlds_enter(int n, const char *const upids[], uint64_t gpids[]);

/* MPIDI_UCX_peer_connect for a process beyond the world. */
int MPIDI_UCX_worlds_connect(MPIDI_av_entry_t *av, int vni_src, int vni_dst);

unsigned long long MPIDI_UCX_worlds_endpoints(void);
#endif

#endif /* UCX_WORLDS_H_INCLUDED */
