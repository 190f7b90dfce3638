/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CH4_DEATHS_LIST_H_INCLUDED
#define CH4_DEATHS_LIST_H_INCLUDED

#include "deaths.h"

/* Who is dead, as far as this process has seen, and what ends with that. */

/* The process has died.  False without memory.  REQUIRES MPIDIU_THREAD_DYNPROC_MUTEX */
bool MPIDIG_deaths_put(uint32_t index);

/* Is the process with this number in the list a member?  REQUIRES number < MPIR_Deaths_seen */
bool MPIDIG_deaths_has_member(MPIR_Comm *comm, uint32_t number);

/* What the network has begun it ends, by an error of its own. */
void MPIDIG_deaths_end_receive(MPIR_Request *req, int error);

MPL_STATIC_INLINE_PREFIX uint32_t MPIDIG_deaths_peer(const MPIR_Request *req)
{
    return MPIDI_REQUEST(req, peer) & ~MPIDIG_DEATHS_COLLECTIVE;
}

#endif /* CH4_DEATHS_LIST_H_INCLUDED */
