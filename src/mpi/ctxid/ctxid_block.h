/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What a communicator keeps of its block of context ids, and what the files of a store call of
 * ctxid_block.c, which tells how blocks work.  A communicator without a block pays for tests of one
 * word, which are inline.
 *
 * REQUIRES for each function: the caller holds the store's mutex.
 */
#ifndef CTXID_BLOCK_H_INCLUDED
#define CTXID_BLOCK_H_INCLUDED

#include "ctxid_notes.h"

enum { CTXID_NEXT_BITS = MPIR_CONTEXT_PREFIX_WIDTH, CTXID_LEFT_BITS = 9, CTXID_STAGE_BITS = 3 };

/* MPIR_Comm.ctxid_block */
typedef struct {
    uint32_t next : CTXID_NEXT_BITS;   /* the id of the next duplicate, or if none is left, where
                                         * the next block may begin */
    uint32_t left : CTXID_LEFT_BITS;   /* ids of the block */
    uint32_t stage : CTXID_STAGE_BITS; /* the next block has 4 ^ stage ids */
    uint32_t in_doubt : 1;             /* see CTXID_BLOCK_DOUBT */
    uint32_t differed : 1; /* members claimed different blocks; `next` is for all of them */
} ctxid_kept_t;

static inline ctxid_kept_t MPIR_ctxid_kept(const MPIR_Comm *comm)
{
    ctxid_kept_t kept;

    MPL_COMPILE_TIME_ASSERT(sizeof(kept) == sizeof(comm->ctxid_block));
    memcpy(&kept, &comm->ctxid_block, sizeof(kept));
    return kept;
}

static inline void MPIR_ctxid_keep(MPIR_Comm *comm, ctxid_kept_t kept)
{
    memcpy(&comm->ctxid_block, &kept, sizeof(kept));
}

/* Does the communicator have ids to give back, or has it asked for some?  For one that goes the
 * mutex is not needed: no other thread creates from it. */
static inline bool MPIR_ctxid_block_begun(const MPIR_Comm *comm)
{
    ctxid_kept_t kept = MPIR_ctxid_kept(comm);

    return kept.left > 0 || kept.stage > 0 || kept.in_doubt;
}

/* ---- claims of a creation -------------------------------------------------------------------- */

/* Claims `n` > 1 successive ids for the creation, which has the token.  Where there is no memory,
 * or no such ids are free, or others have too many of them, it claims none. */
void MPIR_ctxid_block_claim(ctxid_store_t *store, MPIR_Ctxid_t *creation, uint32_t n);

/* How the claim is told to the others; 0 for none. */
static inline uint32_t MPIR_ctxid_block_of(const MPIR_Ctxid_t *creation)
{
    MPL_COMPILE_TIME_ASSERT(CTXID_NEXT_BITS + CTXID_LEFT_BITS <= 32);
    return creation->block_ids << CTXID_NEXT_BITS | creation->block;
}

/* All members have claimed the same block: it is the parent's now.  Returns its first id, for the
 * child.  It needs no memory. */
uint32_t MPIR_ctxid_block_grant(ctxid_store_t *store, MPIR_Ctxid_t *creation);
/* REQUIRES: the creation has claimed a block. */
void MPIR_ctxid_block_unclaim(ctxid_store_t *store, MPIR_Ctxid_t *creation);

/* The block is not needed: gives the claim back, if there is one. */
static inline void MPIR_ctxid_block_release(ctxid_store_t *store, MPIR_Ctxid_t *creation)
{
    if (creation->block_ids > 0)
        MPIR_ctxid_block_unclaim(store, creation);
}

/* The collective failed at this process, which does not know whether the block was granted. */
void MPIR_ctxid_block_lose(ctxid_store_t *store, MPIR_Ctxid_t *creation);
/* REQUIRES: the creation is that of a duplicate. */
void MPIR_ctxid_block_ask_more(MPIR_Ctxid_t *creation, uint32_t claims, uint32_t end);

/* The agreement gave an id: the next one for a duplicate asks for more.  `claims` and `end`: the
 * largest of all members.  If the claims differ, all members look from the largest one on next.  If
 * they then differ again, or no member has found any, all look from the end on, where every id is
 * free.  `end` is 0 if the members could not look, as other creations were under way. */
static inline void MPIR_ctxid_block_grow(MPIR_Ctxid_t *creation, uint32_t claims, uint32_t end)
{
    if (creation->is_duplicate)
        MPIR_ctxid_block_ask_more(creation, claims, end);
}

/* ---- the parent's block ---------------------------------------------------------------------- */

/* The communicator goes: gives the ids back.  False if there were none. */
bool MPIR_ctxid_block_drop(ctxid_store_t *store, MPIR_Comm *parent);

/* The last id of the block is free again.  REQUIRES: a block that is not empty. */
void MPIR_ctxid_block_shorten(ctxid_store_t *store, MPIR_Comm *parent);
/* This process does not know what is left of the block at the others. */
static inline void MPIR_ctxid_block_mark_doubt(MPIR_Comm *parent)
{
    ctxid_kept_t block = MPIR_ctxid_kept(parent);

    block.in_doubt = 1;
    MPIR_ctxid_keep(parent, block);
}

/* ---- the id of a duplicate ------------------------------------------------------------------- */

/* Starts what the communicator keeps.  Returns its cursor, from the note of its id. */
static inline uint32_t MPIR_ctxid_block_commit(MPIR_Comm *comm, const void *owner)
{
    MPIR_ctxid_keep(comm, (ctxid_kept_t){0});
    return owner == MPIR_ctxid_note(CTXID_NOTE_PENDING, CTXID_BLOCK_MADE)
               ? 0
               : MPIR_ctxid_note_number(owner);
}

#endif /* CTXID_BLOCK_H_INCLUDED */
