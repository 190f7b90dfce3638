/* SPDX-License-Identifier: BSD-3-Clause */

/* The other processes, as a process that runs alone simulates them (solo_world.c). */
#ifndef SOLO_WORLD_H_INCLUDED
#define SOLO_WORLD_H_INCLUDED

#include "../comm/split/split_call.h"
#include "solo_scenario.h"

/* How the others call MPI_Comm_split: a scenario on each line, or NULL.  The last scenario is
 * used again. */
void MPIR_Solo_take_scenarios(const char *lines);

/* Entries of the table in mpir_others.h.  The rows follow from the next scenario, or from the
 * call under way. */
int MPIR_Solo_get_rows(split_call *call, MPIR_Comm *local, MPIR_Ctxid_t *ctxid);
int MPIR_Solo_foresee(const split_call *call, MPIR_Comm *local, bool *takes_part);
int MPIR_Solo_swap_blocks(split_zones *zones, MPIR_Comm *comm, int to, const split_block *from);
/* The group of the remote leader in the last split of the peer communicator's processes: O(ranks)
 * time, which counts as supply, and memory for an order that is not the one of the ranks. */
int MPIR_Solo_remote_group(MPIR_Comm *local, MPIR_Comm *peer, int remote_leader, cmap_t **remote,
                           int *is_low_group);

/* The time since MPIR_Solo_now() went to what other processes do, and is no time of this process
 * (solo_supply.c).  Registers its MPI_T variable. */
void MPIR_Solo_supply_init(void);
unsigned long long MPIR_Solo_now(void);
void MPIR_Solo_count_supply(unsigned long long since);

/* What the others send instead of rows (solo_blocks.c).  Registers its MPI_T variable. */
void MPIR_Solo_blocks_init(void);
/* The calls of all ranks in the split under way; they stay until the next one.  *takes_part: does
 * any rank take part?  Then this process holds the id for it. */
int MPIR_Solo_foresee_calls(const split_call *call, MPIR_Comm *local, const solo_call **all,
                            bool *takes_part);

#endif /* SOLO_WORLD_H_INCLUDED */
