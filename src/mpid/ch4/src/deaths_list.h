/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CH4_DEATHS_LIST_H_INCLUDED
#define CH4_DEATHS_LIST_H_INCLUDED

#include "deaths.h"

/* Who is dead, as far as this process has seen, and what ends with that. */

/* Memory for it; false without. */
bool MPIDIG_deaths_prepare(void);
/* A process of the world is dead.  REQUIRES MPIDIG_deaths_prepare */
void MPIDIG_deaths_put(uint32_t index);

bool MPIDIG_deaths_has_member(MPIR_Comm *comm, uint32_t index);

/* What the network has begun it ends, by an error of its own. */
void MPIDIG_deaths_end_receive(MPIR_Request *req, int error);

MPL_STATIC_INLINE_PREFIX uint32_t MPIDIG_deaths_peer(const MPIR_Request *req)
{
    return MPIDI_REQUEST(req, peer) & ~MPIDIG_DEATHS_COLLECTIVE;
}

#endif /* CH4_DEATHS_LIST_H_INCLUDED */
