/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_parts.h"

/* The ids of communicators, and figures about them. */

/* ---- the store ------------------------------------------------------------------------------- */

/* At most this part of the ids is in blocks: others may need them and not reach all whose they
 * are. */
#define BLOCKED_PART 64u

static void destroy_tables(ctxid_store_t *store)
{
    MPIR_cid_table_destroy(store->calm);
    MPIR_cid_table_destroy(store->busy);
    MPL_free(store->freed.links);
    store->calm = store->busy = NULL;
    store->freed = (ctxid_freed_t){.links = NULL};
    store->ahead = 0;
}

void MPIR_ctxid_close(ctxid_store_t *store)
{
    CTXID_LOCKED(&store->mutex);
    destroy_tables(store);
}

/* The predefined communicators have their ids before they exist, and even if they never exist: a
 * session makes them late. */
static bool claim_predefined(ctxid_store_t *store, uint32_t n)
{
    for (uint32_t id = 0; id < n; id++) {
        if (MPIR_cid_claim(store->calm, id, MPIR_ctxid_note(CTXID_NOTE_PENDING, 0)) != CID_OK)
            return false;
    }
    store->used = store->peak = store->fresh = n;
    return true;
}

int MPIR_ctxid_open(ctxid_store_t *store, cid_kind kind, uint32_t limit, uint32_t predefined)
{
    size_t first = offsetof(ctxid_store_t, calm); /* behind the mutex */
    CTXID_LOCKED(&store->mutex);

    memset((char *) store + first, 0, sizeof(*store) - first);
    store->held_probe = MPIR_CTXID_NONE;
    store->busy_limit = limit / 4;
    store->calm_limit = limit - store->busy_limit;
    store->most_blocked = limit / BLOCKED_PART;
    store->calm = MPIR_cid_table_create(kind, store->calm_limit);
    store->busy = MPIR_cid_table_create(kind, store->busy_limit);
    if (store->calm && store->busy && claim_predefined(store, predefined))
        return MPI_SUCCESS;
    destroy_tables(store);
    return MPI_ERR_NO_MEM;
}

/* ---- communicators --------------------------------------------------------------------------- */

/* The cursor of the communicator that gets this id; a duplicate from a block has none. */
static uint32_t cursor_in(const void *owner)
{
    uint32_t number = MPIR_ctxid_note_number(owner);

    return number == CTXID_BLOCK_MADE ? 0 : number;
}

bool MPIR_ctxid_commit(ctxid_store_t *store, MPIR_Comm *comm)
{
    uint32_t prefix = MPIR_ctxid_prefix_of(comm), id;
    cid_table_t *table;
    void *owner;

    if (store->calm == NULL || MPIR_ctxid_is_derived(comm->recvcontext_id))
        return false;
    CTXID_LOCKED(MPIR_ctxid_mutex_if_threaded(store));
    table = MPIR_ctxid_table_of(store, prefix, &id);
    owner = MPIR_cid_owner(table, id);
    MPIR_Assert(MPIR_ctxid_note_kind(owner) == CTXID_NOTE_PENDING);
    if (comm->comm_kind == MPIR_COMM_KIND__INTRACOMM) {
        comm->ctxid_block = 0;
        comm->ctxid_cursor = cursor_in(owner);
    } else {
        MPIR_ctxid_drop_reservation(store, prefix, cursor_in(owner));
    }
    MPIR_cid_replace(table, id, comm);
    return true;
}

bool MPIR_ctxid_forget(ctxid_store_t *store, MPIR_Comm *comm)
{
    if (store->calm == NULL)
        return false;
    CTXID_LOCKED(&store->mutex);
    MPIR_ctxid_drop_reservation(store, MPIR_ctxid_prefix_of(comm), comm->ctxid_cursor);
    comm->ctxid_cursor = 0;
    return MPIR_ctxid_block_drop(store, comm);
}

/* An intercommunicator and its local communicator have the same id: the intercommunicator gives
 * it back. */
void MPIR_ctxid_free(ctxid_store_t *store, MPIR_Context_id_t context_id)
{
    uint32_t prefix = MPIR_CONTEXT_READ_FIELD(PREFIX, context_id), id;
    cid_table_t *table;
    void *owner;

    if (MPIR_ctxid_is_derived(context_id) || store->calm == NULL)
        return;
    CTXID_LOCKED(MPIR_ctxid_mutex_if_threaded(store));
    table = MPIR_ctxid_table_of(store, prefix, &id);
    owner = MPIR_cid_release(table, id);
    MPIR_Assert(owner != NULL);
    if (MPIR_ctxid_note_kind(owner) == CTXID_NOTE_PENDING)
        MPIR_ctxid_drop_reservation(store, prefix, cursor_in(owner));
    if (table == store->calm) {
        store->used--;
        MPIR_ctxid_joins_order(store, id, false);
    }
}

/* ---- figures --------------------------------------------------------------------------------- */

/* The first id in use from *prefix on, without reserved ones; false if there is none. */
static bool find_used(ctxid_store_t *store, uint32_t *prefix, void **owner)
{
    uint32_t id;
    CTXID_LOCKED(&store->mutex);

    for (; *prefix < store->calm_limit + store->busy_limit; *prefix += (*owner != NULL)) {
        cid_table_t *table = MPIR_ctxid_table_of(store, *prefix, &id);
        uint32_t first = *prefix - id;

        id = MPIR_cid_next_used(table, id);
        *prefix = first + id;
        *owner = MPIR_cid_owner(table, id);
        if (*owner != NULL && MPIR_ctxid_note_kind(*owner) != CTXID_NOTE_RESERVED &&
            MPIR_ctxid_note_kind(*owner) != CTXID_NOTE_BLOCK)
            return true;
    }
    return false;
}

/* `visit` may call MPI: the store is not locked meanwhile. */
void MPIR_ctxid_visit(ctxid_store_t *store, void (*visit)(uint32_t prefix, MPIR_Comm *comm))
{
    void *owner;

    for (uint32_t prefix = 0; find_used(store, &prefix, &owner); prefix++)
        visit(prefix, MPIR_ctxid_note_kind(owner) == CTXID_NOTE_NONE ? owner : NULL);
}

void MPIR_ctxid_get_figures(ctxid_store_t *store, ctxid_figures_t *figures)
{
    cid_figures_t calm, busy;
    CTXID_LOCKED(&store->mutex);

    memset(figures, 0, sizeof(*figures));
    if (store->calm == NULL)
        return;
    MPIR_cid_figures(store->calm, &calm);
    MPIR_cid_figures(store->busy, &busy);
    figures->reserved = store->reserved + store->blocked;
    figures->used = calm.used + busy.used - figures->reserved;
    figures->silent = store->silent;
    figures->limit = store->calm_limit + store->busy_limit;
    figures->allocated = calm.allocated + busy.allocated;
    figures->end = busy.end ? store->calm_limit + busy.end : calm.end;
    figures->bytes = calm.bytes + busy.bytes + store->freed.capacity * sizeof(*store->freed.links);
}
