/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_parts.h"

/* The states of a creation (mpir_ctxid.h).  What it holds during a collective: the token, a probe,
 * a block, its window of ids, memory; and the cursor of its parent. */

/* ---- the queue of those that search ---------------------------------------------------------- */

/* All members of two creations get the same answer: they agreed on both numbers. */
static bool goes_first(const MPIR_Ctxid_t *one, const MPIR_Ctxid_t *other)
{
    if (one->passes != other->passes)
        return one->passes < other->passes;
    return one->order <= other->order;
}

static void enqueue(ctxid_store_t *store, MPIR_Ctxid_t *creation)
{
    MPIR_Ctxid_t **place = &store->queue;

    while (*place && goes_first(*place, creation))
        place = &(*place)->next;
    creation->next = *place;
    *place = creation;
}

static void dequeue(ctxid_store_t *store, MPIR_Ctxid_t *creation)
{
    MPIR_Ctxid_t **place = &store->queue;

    while (*place != creation)
        place = &(*place)->next;
    *place = creation->next;
}

/* ---- the token and the probe ----------------------------------------------------------------- */

bool MPIR_ctxid_take_token(ctxid_store_t *store, const MPIR_Ctxid_t *creation)
{
    if (store->token != NULL)
        return false;
    store->token = creation;
    store->promised = store->calm_limit;
    store->promised_free = 0;
    return true;
}

/* A creation that shows ids must be able to take any of them, so no offer may claim one of these
 * meanwhile. */
static bool is_shown(const ctxid_store_t *store, uint32_t busy_id)
{
    uint32_t first, n;

    if (store->shown == NULL)
        return false;
    MPIR_ctxid_window_of(store, store->shown, &first, &n);
    return store->calm_limit + busy_id - first < n;
}

/* The creation with the token needs its probe only if another member lacks the token, which is
 * rare.  Its probe is therefore noted beside the table, which saves a claim and a release for
 * each creation.  Before the first time it has no memory for the probe, which is among the first
 * thousand ids: that would cost every process 8 kB.  The members search then. */
bool MPIR_ctxid_claim_probe(ctxid_store_t *store, MPIR_Ctxid_t *creation)
{
    uint32_t probe = creation->probe;

    if (is_shown(store, probe) || probe == store->held_probe)
        return false;
    if (store->token == creation) {
        if (!store->was_busy || MPIR_cid_owner(store->busy, probe) != NULL ||
            MPIR_ctxid_hold(store, creation, store->busy, probe + 1) <= probe)
            return false;
        store->held_probe = probe;
    } else if (MPIR_cid_claim(store->busy, probe, MPIR_ctxid_note(CTXID_NOTE_PROBE, 0)) != CID_OK) {
        return false;
    }
    creation->claimed = probe;
    store->probes++;
    return true;
}

void MPIR_ctxid_end_probe(ctxid_store_t *store, MPIR_Ctxid_t *creation, bool is_free)
{
    if (creation->claimed == MPIR_CTXID_NONE)
        return;
    if (creation->claimed == store->held_probe)
        store->held_probe = MPIR_CTXID_NONE;
    else if (is_free)
        MPIR_cid_release(store->busy, creation->claimed);
    creation->claimed = MPIR_CTXID_NONE;
    store->probes--;
}

/* ---- memory ---------------------------------------------------------------------------------- */

uint32_t MPIR_ctxid_hold(ctxid_store_t *store, MPIR_Ctxid_t *creation, cid_table_t *table,
                         uint32_t end)
{
    bool *holds = (table == store->calm) ? &creation->holds_calm : &creation->holds_busy;

    MPIR_Assert(!*holds);
    *holds = true;
    return MPIR_cid_hold(table, end);
}

static void let_go(cid_table_t *table, bool *holds)
{
    if (*holds)
        MPIR_cid_let_go(table);
    *holds = false;
}

/* ---- states ---------------------------------------------------------------------------------- */

#define TO(state) (1u << CTXID_##state)

static const uint16_t next_states[CTXID_STATES] = {
    [CTXID_NEW] = TO(OFFERED),
    [CTXID_OFFERED] = TO(QUEUED) | TO(DECIDED) | TO(FAILED) | TO(NO_MEMORY) | TO(LOST),
    [CTXID_QUEUED] = TO(QUEUED) | TO(SHOWN) | TO(LOST),
    [CTXID_SHOWN] =
        TO(QUEUED) | TO(DECIDED) | TO(EXHAUSTED) | TO(FAILED) | TO(NO_MEMORY) | TO(LOST)};

static bool is_queued(ctxid_state_t state) { return state == CTXID_QUEUED || state == CTXID_SHOWN; }

/* Between two exchanges a creation holds nothing. */
static void release_claims(ctxid_store_t *store, MPIR_Ctxid_t *creation)
{
    if (store->shown == creation)
        store->shown = NULL;
    MPIR_ctxid_end_probe(store, creation, true);
    MPIR_ctxid_block_release(store, creation);
    let_go(store->calm, &creation->holds_calm);
    let_go(store->busy, &creation->holds_busy);
    if (store->token == creation)
        store->token = NULL;
}

/* A creation that stays in the queue gets a new place, as its passes may have become more. */
void MPIR_ctxid_enter(MPIR_Ctxid_t *creation, ctxid_state_t next)
{
    ctxid_store_t *store = creation->store;

    MPIR_Assertp(next_states[creation->state] >> next & 1);
    if (next == CTXID_SHOWN) {
        store->shown = creation;
    } else if (next != CTXID_OFFERED) {
        release_claims(store, creation);
        if (is_queued(creation->state))
            dequeue(store, creation);
        if (next == CTXID_QUEUED)
            enqueue(store, creation);
    }
    creation->state = next;
}

void MPIR_ctxid_choose(MPIR_Ctxid_t *creation, uint32_t prefix)
{
    if (!creation->takes_part)
        return;
    MPIR_ctxid_take(creation->store, prefix);
    creation->prefix = prefix;
}

/* ---- the cursor ------------------------------------------------------------------------------ */

static void move_parents_cursor(ctxid_store_t *store, MPIR_Comm *parent, uint32_t cursor)
{
    uint32_t prefix = MPIR_ctxid_prefix_of(parent);

    MPIR_ctxid_drop_reservation(store, prefix, parent->ctxid_cursor);
    parent->ctxid_cursor = cursor;
    MPIR_ctxid_reserve(store, prefix, cursor);
}

void MPIR_ctxid_move_cursors(ctxid_store_t *store, MPIR_Ctxid_t *creation,
                             const uint32_t cursors[2])
{
    uint32_t id;
    cid_table_t *table;

    if (creation->whole)
        move_parents_cursor(store, creation->parent, cursors[0]);
    if (creation->prefix == MPIR_CTXID_NONE || cursors[1] == 0)
        return;
    table = MPIR_ctxid_table_of(store, creation->prefix, &id);
    MPIR_ctxid_reserve(store, creation->prefix, cursors[1]);
    MPIR_cid_replace(table, id, MPIR_ctxid_note(CTXID_NOTE_PENDING, cursors[1]));
}

/* ---- the end --------------------------------------------------------------------------------- */

/* After a failure of this process alone the others may have agreed on another cursor for the
 * parent. */
void MPIR_Ctxid_abandon(MPIR_Ctxid_t *creation)
{
    ctxid_store_t *store = creation->store;
    CTXID_LOCKED(&store->mutex);

    if (creation->returns && creation->state == CTXID_SHOWN)
        MPIR_ctxid_return_doubt(store, creation);
    MPIR_ctxid_block_lose(store, creation);
    MPIR_ctxid_enter(creation, CTXID_LOST);
    if (creation->whole)
        move_parents_cursor(store, creation->parent, 0);
}
