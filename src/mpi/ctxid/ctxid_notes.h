/* SPDX-License-Identifier: BSD-3-Clause */

/* Who has a context id in the tables of a store. */
#ifndef CTXID_NOTES_H_INCLUDED
#define CTXID_NOTES_H_INCLUDED

#include "ctxid_store.h"

/* The owner of an id is its communicator, or a note; the low bits tell which: */

typedef enum {
    CTXID_NOTE_NONE = 0, /* a communicator */
    /* decided, not committed; number: the cursor that the communicator will have */
    CTXID_NOTE_PENDING = 1,
    CTXID_NOTE_RESERVED = 2, /* a communicator's cursor; number: the id of that communicator */
    CTXID_NOTE_PROBE = 3,    /* claimed by an offer */
    /* number: the communicator whose next duplicates have it, or one of those below */
    CTXID_NOTE_BLOCK = 4
} ctxid_note_t;

/* Numbers that are no ids */
enum {
    CTXID_BLOCK_CLAIMED = 1 << MPIR_CONTEXT_PREFIX_WIDTH, /* by an offer */
    CTXID_BLOCK_BURNED,                                   /* never used again */
    CTXID_BLOCK_MADE                                      /* decided without an agreement */
};

static inline void *MPIR_ctxid_note(ctxid_note_t kind, uint32_t number)
{
    return (void *) (((uintptr_t) number << 3) | kind);
}

static inline ctxid_note_t MPIR_ctxid_note_kind(const void *owner)
{
    return (ctxid_note_t) ((uintptr_t) owner & 7);
}

static inline uint32_t MPIR_ctxid_note_number(const void *owner)
{
    return (uint32_t) ((uintptr_t) owner >> 3);
}

static inline cid_table_t *MPIR_ctxid_table_of(const ctxid_store_t *store, uint32_t prefix,
                                               uint32_t *id)
{
    bool is_calm = (prefix < store->calm_limit);

    *id = is_calm ? prefix : prefix - store->calm_limit;
    return is_calm ? store->calm : store->busy;
}

static inline void *MPIR_ctxid_owner_of(const ctxid_store_t *store, uint32_t prefix)
{
    uint32_t id;
    cid_table_t *table = MPIR_ctxid_table_of(store, prefix, &id);

    return MPIR_cid_owner(table, id);
}

static inline uint32_t MPIR_ctxid_prefix_of(const MPIR_Comm *comm)
{
    return MPIR_CONTEXT_READ_FIELD(PREFIX, comm->recvcontext_id);
}

/* Is it another communicator's id, with a mark? */
static inline bool MPIR_ctxid_is_derived(MPIR_Context_id_t id)
{
    return MPIR_CONTEXT_READ_FIELD(SUBCOMM, id) || MPIR_CONTEXT_READ_FIELD(IS_LOCALCOMM, id);
}

#endif /* CTXID_NOTES_H_INCLUDED */
