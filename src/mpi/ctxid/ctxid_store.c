/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_reserved.h"

/* The ids of communicators, and figures about them. */

/* ---- the store ------------------------------------------------------------------------------- */

static void destroy_tables(ctxid_store_t *store)
{
    MPIR_cid_table_destroy(store->calm);
    MPIR_cid_table_destroy(store->busy);
    store->calm = store->busy = NULL;
    store->ahead = 0;
    MPIR_ctxid_freed_destroy(&store->freed);
}

void MPIR_ctxid_close(ctxid_store_t *store)
{
    pthread_mutex_lock(&store->mutex);
    destroy_tables(store);
    pthread_mutex_unlock(&store->mutex);
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

/* All but the mutex */
static void reset(ctxid_store_t *store)
{
    size_t first = offsetof(ctxid_store_t, calm);

    memset((char *) store + first, 0, sizeof(*store) - first);
    store->held_probe = MPIR_CTXID_NONE;
}

static int make_tables(ctxid_store_t *store, cid_kind kind, uint32_t limit, uint32_t predefined)
{
    reset(store);
    store->busy_limit = limit / 4;
    store->calm_limit = limit - store->busy_limit;
    store->most_blocked = limit / CTXID_BLOCKED_PART;
    store->calm = MPIR_cid_table_create(kind, store->calm_limit);
    store->busy = MPIR_cid_table_create(kind, store->busy_limit);
    if (store->calm && store->busy && claim_predefined(store, predefined))
        return MPI_SUCCESS;
    destroy_tables(store);
    return MPI_ERR_NO_MEM;
}

int MPIR_ctxid_open(ctxid_store_t *store, cid_kind kind, uint32_t limit, uint32_t predefined)
{
    int mpi_errno;

    pthread_mutex_lock(&store->mutex);
    mpi_errno = make_tables(store, kind, limit, predefined);
    pthread_mutex_unlock(&store->mutex);
    return mpi_errno;
}

/* ---- communicators --------------------------------------------------------------------------- */

bool MPIR_ctxid_commit(ctxid_store_t *store, MPIR_Comm *comm)
{
    uint32_t prefix = MPIR_ctxid_prefix_of(comm), id;
    cid_table_t *table;
    void *owner;
    bool is_locked;

    if (store->calm == NULL || MPIR_ctxid_is_derived(comm->recvcontext_id))
        return false;
    is_locked = MPIR_ctxid_enter(store);
    table = MPIR_ctxid_table_of(store, prefix, &id);
    owner = MPIR_cid_owner(table, id);
    MPIR_Assert(MPIR_ctxid_note_kind(owner) == CTXID_NOTE_PENDING);
    if (comm->comm_kind == MPIR_COMM_KIND__INTRACOMM)
        comm->ctxid_cursor = MPIR_ctxid_block_commit(comm, owner);
    else
        MPIR_ctxid_drop_reservation(store, prefix, MPIR_ctxid_note_number(owner));
    MPIR_cid_replace(table, id, comm);
    MPIR_ctxid_leave(store, is_locked);
    return true;
}

bool MPIR_ctxid_forget(ctxid_store_t *store, MPIR_Comm *comm)
{
    bool had_block;

    if (store->calm == NULL)
        return false;
    pthread_mutex_lock(&store->mutex);
    MPIR_ctxid_drop_reservation(store, MPIR_ctxid_prefix_of(comm), comm->ctxid_cursor);
    comm->ctxid_cursor = 0;
    had_block = MPIR_ctxid_block_drop(store, comm);
    pthread_mutex_unlock(&store->mutex);
    return had_block;
}

/* An intercommunicator and its local communicator have the same id: the intercommunicator gives
 * it back. */
void MPIR_ctxid_free(ctxid_store_t *store, MPIR_Context_id_t context_id)
{
    uint32_t prefix = MPIR_CONTEXT_READ_FIELD(PREFIX, context_id), id;
    cid_table_t *table;
    void *owner;
    bool is_locked;

    if (MPIR_ctxid_is_derived(context_id) || store->calm == NULL)
        return;
    is_locked = MPIR_ctxid_enter(store);
    table = MPIR_ctxid_table_of(store, prefix, &id);
    owner = MPIR_cid_release(table, id);
    if (MPIR_ctxid_note_kind(owner) == CTXID_NOTE_PENDING)
        MPIR_ctxid_drop_reservation(store, prefix, MPIR_ctxid_note_number(owner));
    if (table == store->calm) {
        store->used--;
        MPIR_ctxid_freed_append(&store->freed, id);
    }
    MPIR_ctxid_leave(store, is_locked);
    MPIR_Assert(owner != NULL);
}

/* ---- figures --------------------------------------------------------------------------------- */

/* The first id in use from *prefix on, without reserved ones; false if there is none. */
static bool find_used(const ctxid_store_t *store, uint32_t *prefix, void **owner)
{
    uint32_t id;

    while (*prefix < store->calm_limit + store->busy_limit) {
        cid_table_t *table = MPIR_ctxid_table_of(store, *prefix, &id);
        uint32_t first = *prefix - id;

        id = MPIR_cid_next_used(table, id);
        *prefix = first + id;
        *owner = MPIR_cid_owner(table, id);
        if (*owner != NULL && MPIR_ctxid_note_kind(*owner) != CTXID_NOTE_RESERVED &&
            MPIR_ctxid_note_kind(*owner) != CTXID_NOTE_BLOCK)
            return true;
        *prefix += (*owner != NULL);
    }
    return false;
}

/* `visit` may call MPI: the store is not locked meanwhile. */
void MPIR_ctxid_visit(ctxid_store_t *store, void (*visit)(uint32_t prefix, MPIR_Comm *comm))
{
    for (uint32_t prefix = 0;; prefix++) {
        void *owner;
        bool found;

        pthread_mutex_lock(&store->mutex);
        found = find_used(store, &prefix, &owner);
        pthread_mutex_unlock(&store->mutex);
        if (!found)
            break;
        visit(prefix, MPIR_ctxid_note_kind(owner) == CTXID_NOTE_NONE ? owner : NULL);
    }
}

static void read_figures(const ctxid_store_t *store, ctxid_figures_t *figures)
{
    cid_figures_t calm, busy;

    MPIR_cid_figures(store->calm, &calm);
    MPIR_cid_figures(store->busy, &busy);
    figures->reserved = store->reserved + store->blocked;
    figures->used = calm.used + busy.used - figures->reserved;
    figures->silent = store->silent;
    figures->limit = store->calm_limit + store->busy_limit;
    figures->allocated = calm.allocated + busy.allocated;
    figures->end = busy.end ? store->calm_limit + busy.end : calm.end;
    figures->bytes = calm.bytes + busy.bytes + MPIR_ctxid_freed_bytes(&store->freed);
}

void MPIR_ctxid_get_figures(ctxid_store_t *store, ctxid_figures_t *figures)
{
    memset(figures, 0, sizeof(*figures));
    pthread_mutex_lock(&store->mutex);
    if (store->calm != NULL)
        read_figures(store, figures);
    pthread_mutex_unlock(&store->mutex);
}
