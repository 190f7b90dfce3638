/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_parts.h"

/*
 * Ids that blocks give back at the end of the ids.
 *
 * A search that finds no free id makes another pass.  In that pass a member also shows the last id
 * of each block whose communicator has only members that take part in the search.  If the id is
 * chosen, all these members shorten the block by it.
 *
 * The id is then in the block at all members.  A member that took it made a duplicate without a
 * message.  MPI lets each duplicate wait for all members.  So in a correct program the others make
 * theirs before they call the search's creation, too, if every process makes one creation at a
 * time.  This does not hold with threads, or if MPI_Comm_idup was ever called: such a process
 * allows no such pass (ctxid_call_t.contains).
 *
 * If the collective fails at one member alone, the member does not know whether the blocks whose
 * ids it showed are shorter now.  It marks them as in doubt.
 */

/* The communicator whose block ends with this id, if all its members are in the search.  NULL for
 * none. */
static MPIR_Comm *lender_of(const ctxid_store_t *store, const MPIR_Ctxid_t *creation, uint32_t id)
{
    void *owner = MPIR_cid_owner(store->calm, id);
    uint32_t number = MPIR_ctxid_note_number(owner);
    MPIR_Comm *lender;
    ctxid_kept_t block;

    if (MPIR_ctxid_note_kind(owner) != CTXID_NOTE_BLOCK || number >= CTXID_BLOCK_CLAIMED)
        return NULL;
    lender = MPIR_ctxid_owner_of(store, number);
    block = MPIR_ctxid_kept(lender);
    if ((uint32_t) block.next + block.left != id + 1)
        return NULL;
    return creation->contains(creation->members, lender) ? lender : NULL;
}

static bool is_intact(const MPIR_Comm *lender)
{
    return !lender->revoked && !MPIR_ctxid_kept(lender).in_doubt;
}

/* The lender of the first such id from *id on, which becomes *id.  NULL if there is none below
 * `end`. */
static MPIR_Comm *next_lender(const ctxid_store_t *store, const MPIR_Ctxid_t *creation,
                              uint32_t *id, uint32_t end)
{
    for (; *id < end; ++*id) {
        MPIR_Comm *lender;

        *id = MPIR_cid_next_used(store->calm, *id);
        lender = *id < end ? lender_of(store, creation, *id) : NULL;
        if (lender != NULL)
            return lender;
    }
    return NULL;
}

void MPIR_ctxid_return_show(const ctxid_store_t *store, const MPIR_Ctxid_t *creation,
                            uint32_t first, uint32_t n, uint32_t mask[])
{
    MPIR_Comm *lender;

    for (uint32_t id = first; (lender = next_lender(store, creation, &id, first + n)); id++)
        if (is_intact(lender))
            mask[(id - first) / 32] |= 1u << ((id - first) % 32);
}

/* The others have shortened the block, so this member does, too.  That holds if it has learned
 * since that the communicator is revoked.  It also holds if the block is in doubt here, and this
 * member takes no part in the new communicator. */
void MPIR_ctxid_return_take(ctxid_store_t *store, const MPIR_Ctxid_t *creation, uint32_t prefix)
{
    MPIR_Comm *lender = prefix < store->calm_limit ? lender_of(store, creation, prefix) : NULL;

    if (lender != NULL)
        MPIR_ctxid_block_shorten(store, lender);
}

void MPIR_ctxid_return_doubt(ctxid_store_t *store, const MPIR_Ctxid_t *creation)
{
    uint32_t id, n, end;
    MPIR_Comm *lender;

    MPIR_ctxid_window_of(store, creation, &id, &n);
    end = MPL_MIN(id + n, store->calm_limit);
    for (; (lender = next_lender(store, creation, &id, end)); id++)
        MPIR_ctxid_block_mark_doubt(lender);
}
