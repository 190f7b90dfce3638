/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_deaths.h"
#include "aggr_comm.h"

/* Memory of the members of a communicator, some of whom may be dead. */

/* Leaves of the party those that live, as far as this process knows. */
static void leave_out_dead(const MPIR_Comm *comm, aggr_party_t *party)
{
    const int members = party->members;

    party->members = 0;
    for (int m = 0; m < members; m++) {
        if (!MPIR_Deaths_has((int) MPIR_cmap_select(comm->map, (uint32_t) m)))
            party->seats[party->members++] = party->seats[m];
    }
}

static uint64_t decide_block(const MPIR_Comm *comm, const aggr_hall_t *hall, unsigned attempt,
                             size_t bytes)
{
    aggr_offer_t offer = {.block = 0};
    aggr_party_t party;
    uint64_t meeting, mine = 0;

    MPIR_Aggr_describe(comm, &party);
    party.key = ~party.key; /* another meeting than that of the communicator's aggregates */
    meeting = MPIR_aggr_meeting(hall, &party);
    if (!meeting || MPIR_aggr_meeting_decided(hall, meeting, attempt, &offer))
        return offer.block;
    leave_out_dead(comm, &party);
    if (MPIR_aggr_meeting_is_complete(hall, &party))
        mine = MPIR_aggr_arena_reserve(hall->arena, bytes);
    offer.block = mine;
    if (!MPIR_aggr_meeting_decide(hall, meeting, attempt, &offer))
        MPIR_aggr_arena_release(hall->arena, mine, bytes);
    return offer.block;
}

void *MPIR_Aggr_shared_block(MPIR_Comm *comm, unsigned attempt, size_t bytes)
{
    const aggr_hall_t *hall = NULL;
    uint64_t block;

    if (MPIR_Aggr_compares(comm) && comm->local_size <= AGGR_PARTY && MPIR_Aggr_all_take_part())
        hall = MPIR_Aggr_hall(MPIR_Aggr_make_scratch());
    if (!hall)
        return NULL;
    block = decide_block(comm, hall, attempt, bytes);
    return block ? MPIR_aggr_arena_at(hall->arena, block) : NULL;
}

int MPIR_Aggr_turn(unsigned *turns) { return MPIR_aggr_give_way(MPIR_Aggr_waiting(), turns); }
