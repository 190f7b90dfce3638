/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_store.h"

#include <pthread.h>

/* Words of busy ids in the first masks */
#define WINDOW_WORDS 32
/* The first word of masks says who shows them. */
#define OWNER_WORD 0
#define ALL_OWN 1u
/* A probe falls among this many busy ids at least, and among 16 for each creation of its parent so far: few enough for a
 * small table, many enough for the first one to be free. */
#define LEAST_SPREAD 1024u

static struct {
    cid_table_t *calm, *busy;
    uint32_t calm_limit, busy_limit;
    uint32_t reserved;          /* calm ids that are cursors */
    bool token_taken;
    uint32_t held_probe;        /* busy id of the offer that has the token, not in the table; or MPIR_CTXID_NONE */
    const MPIR_Ctxid_t *shown;  /* whose masks are on their way, or NULL */
    MPIR_Ctxid_t *queue;        /* creations that need masks, the lowest order first */
} store;

/* None of MPICH's own: these may be empty, and MPI_T reads beside MPI calls at any granularity, before MPI_Init and after
 * MPI_Finalize. */
static pthread_mutex_t store_mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock_store(void)
{
    pthread_mutex_lock(&store_mutex);
}

static void unlock_store(void)
{
    pthread_mutex_unlock(&store_mutex);
}

static void destroy_tables(void)
{
    cid_table_destroy(store.calm);
    cid_table_destroy(store.busy);
    store.calm = store.busy = NULL;
}

void ctxid_close(void)
{
    lock_store();
    destroy_tables();
    unlock_store();
}

/* ---- owners ------------------------------------------------------------------------------------------------------
 * The owner of an id is its communicator or, told apart by the low bits, a note: */

typedef enum {
    NOTE_NONE = 0,              /* a communicator */
    NOTE_PENDING = 1,           /* decided, not committed; number: the cursor that it will have */
    NOTE_RESERVED = 2,          /* some communicator's cursor; number: the id of that */
    NOTE_PROBE = 3              /* claimed by an offer */
} note_kind;

static void *note(note_kind kind, uint32_t number)
{
    return (void *) (((uintptr_t) number << 2) | kind);
}

static note_kind kind_of(const void *owner)
{
    return (note_kind) ((uintptr_t) owner & 3);
}

static uint32_t number_of(const void *owner)
{
    return (uint32_t) ((uintptr_t) owner >> 2);
}

/* The predefined communicators have their ids before they exist, and also when they never do: sessions make them late. */
static bool claim_predefined(uint32_t n)
{
    for (uint32_t id = 0; id < n; id++) {
        if (cid_claim(store.calm, id, note(NOTE_PENDING, 0)) != CID_OK)
            return false;
    }
    return true;
}

static int make_tables(cid_kind kind, uint32_t limit, uint32_t predefined)
{
    memset(&store, 0, sizeof(store));
    store.busy_limit = limit / 4;
    store.calm_limit = limit - store.busy_limit;
    store.held_probe = MPIR_CTXID_NONE;
    store.calm = cid_table_create(kind, store.calm_limit);
    store.busy = cid_table_create(kind, store.busy_limit);
    if (store.calm && store.busy && claim_predefined(predefined))
        return MPI_SUCCESS;
    destroy_tables();
    return MPI_ERR_NO_MEM;
}

int ctxid_open(cid_kind kind, uint32_t limit, uint32_t predefined)
{
    int mpi_errno;

    lock_store();
    mpi_errno = make_tables(kind, limit, predefined);
    unlock_store();
    return mpi_errno;
}

static cid_table_t *table_of(uint32_t prefix, uint32_t * id)
{
    *id = (prefix < store.calm_limit) ? prefix : prefix - store.calm_limit;
    return (prefix < store.calm_limit) ? store.calm : store.busy;
}

static void *owner_of(uint32_t prefix)
{
    uint32_t id;
    cid_table_t *table = table_of(prefix, &id);

    return cid_owner(table, id);
}

static bool has_reserved(uint32_t prefix, uint32_t cursor)
{
    return cursor != 0 && owner_of(cursor) == note(NOTE_RESERVED, prefix);
}

static void drop_reservation(uint32_t prefix, uint32_t cursor)
{
    if (has_reserved(prefix, cursor)) {
        cid_release(store.calm, cursor);
        store.reserved--;
    }
}

/* A reservation is a hint: where it fails, this process will object to the cursor. */
static void reserve(uint32_t prefix, uint32_t cursor)
{
    if (cursor != 0 && cid_claim(store.calm, cursor, note(NOTE_RESERVED, prefix)) == CID_OK)
        store.reserved++;
}

static uint32_t prefix_of(const MPIR_Comm * comm)
{
    return MPIR_CONTEXT_READ_FIELD(PREFIX, comm->recvcontext_id);
}

/* ---- offer ------------------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= UINT64_C(0xff51afd7ed558ccd);
    x ^= x >> 33;
    x *= UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ (x >> 33);
}

static void choose_probe(MPIR_Ctxid_t * creation, uint32_t call)
{
    uint64_t hash = mix(creation->order ^ ((uint64_t) call * UINT64_C(0x9e3779b97f4a7c15)));
    uint64_t spread = MPL_MAX((uint64_t) LEAST_SPREAD, 16 * (uint64_t) call);
    uint32_t windows = store.busy_limit / (32 * WINDOW_WORDS);

    creation->claimed = MPIR_CTXID_NONE;
    creation->probe = MPIR_CTXID_NONE;
    creation->window = 0;
    if (store.busy_limit == 0)
        return;
    creation->probe = (uint32_t) (hash % MPL_MIN(spread, (uint64_t) store.busy_limit));
    if (windows > 0)
        creation->window = (uint32_t) ((hash >> 32) % windows) * 32 * WINDOW_WORDS;
}

static uint32_t words_for(uint32_t ids)
{
    return (ids + 31) / 32;
}

static uint32_t window_words(void)
{
    return MPL_MIN(WINDOW_WORDS, words_for(store.busy_limit));
}

/* Who shows masks must be able to take any id in them: no claims of these meanwhile. */
static bool is_shown(uint32_t busy_id)
{
    return store.shown != NULL &&
        (store.shown->shows_all || busy_id - store.shown->window < 32 * window_words());
}

/* Who has the token needs its probe only if another member does not have it, which is rare: that one is noted beside the
 * table, which saves a claim and a release for each creation. */
static bool claim_probe(MPIR_Ctxid_t * creation)
{
    uint32_t probe = creation->probe;

    if (probe == MPIR_CTXID_NONE || is_shown(probe) || probe == store.held_probe)
        return false;
    if (creation->has_token) {
        if (cid_owner(store.busy, probe) != NULL)
            return false;
        store.held_probe = probe;
    } else if (cid_claim(store.busy, probe, note(NOTE_PROBE, 0)) != CID_OK) {
        return false;
    }
    creation->claimed = probe;
    return true;
}

static void drop_probe(MPIR_Ctxid_t * creation)
{
    if (creation->claimed == MPIR_CTXID_NONE)
        return;
    if (creation->claimed == store.held_probe)
        store.held_probe = MPIR_CTXID_NONE;
    else
        cid_release(store.busy, creation->claimed);
    creation->claimed = MPIR_CTXID_NONE;
}

static void take_token(MPIR_Ctxid_t * creation)
{
    if (!creation->has_token && !store.token_taken)
        creation->has_token = store.token_taken = true;
}

static void give_token(MPIR_Ctxid_t * creation)
{
    if (creation->has_token)
        creation->has_token = store.token_taken = false;
}

/* Is there memory for the id that comes next?  As long as the others can be told that there is none. */
static bool has_room(uint32_t id)
{
    cid_figures_t figures;

    cid_figures(store.calm, &figures);
    if (id < figures.allocated || id >= store.calm_limit)
        return true;
    if (cid_claim(store.calm, id, note(NOTE_PROBE, 0)) != CID_OK)
        return false;
    cid_release(store.calm, id);
    return true;
}

/* Who takes no part in the new communicator objects to nothing, but no cursor may move while it is busy. */
static void fill_offer(MPIR_Ctxid_t * creation, ctxid_offer_t * offer)
{
    uint32_t free_ids[2];

    offer->busy = !creation->has_token;
    if (!creation->takes_part)
        return;
    offer->cursor_taken = !has_reserved(prefix_of(creation->parent), creation->cursor);
    offer->probe_taken = !claim_probe(creation);
    cid_survey(store.calm, 1, &offer->end, free_ids);
    offer->free1 = free_ids[0];
    offer->free2 = free_ids[1];
    creation->is_short = creation->has_token && !has_room(offer->end);
    offer->failed = creation->is_short;
}

uint64_t ctxid_offer(MPIR_Ctxid_t * creation, MPIR_Comm * parent, uint32_t tag, uint32_t call,
                     bool takes_part)
{
    ctxid_offer_t offer = { 0 };

    memset(creation, 0, sizeof(*creation));
    creation->parent = parent;
    creation->takes_part = takes_part;
    creation->order = ((uint64_t) parent->context_id << 32) | tag;
    creation->keeps_cursor = (call > 0);

    lock_store();
    if (creation->keeps_cursor)
        creation->cursor = parent->ctxid_cursor;
    choose_probe(creation, call);
    take_token(creation);
    fill_offer(creation, &offer);
    unlock_store();
    return ctxid_pack(&offer);
}

/* ---- decision ---------------------------------------------------------------------------------------------------- */

/* Ids below the highest end are worth a cursor: where there is no hole, the end itself is the next id.  Members must agree
 * on it, whatever their colour: only what is the same for all members of the parent counts. */
static uint32_t as_cursor(const MPIR_Ctxid_t * creation, uint32_t candidate, uint32_t masked)
{
    ctxid_offer_t all = ctxid_unpack(creation->folded);
    bool is_hole = candidate < all.end && candidate < store.calm_limit;

    return (is_hole && candidate != creation->cursor && candidate != masked) ? candidate : 0;
}

static void move_parents_cursor(MPIR_Ctxid_t * creation, uint32_t cursor)
{
    uint32_t parent = prefix_of(creation->parent);

    drop_reservation(parent, creation->cursor);
    creation->parent->ctxid_cursor = cursor;
    reserve(parent, cursor);
}

/* After a calm decision: the same new cursors on all members, here reserved where they are free.  `prefix` is this
 * process's, MPIR_CTXID_NONE for none; `masked` the one that all found in masks. */
static void move_cursors(MPIR_Ctxid_t * creation, uint32_t prefix, uint32_t masked)
{
    ctxid_offer_t all = ctxid_unpack(creation->folded);
    uint32_t childs = as_cursor(creation, all.free2, masked), id;
    cid_table_t *table;

    if (creation->keeps_cursor)
        move_parents_cursor(creation, as_cursor(creation, all.free1, masked));
    if (prefix == MPIR_CTXID_NONE || childs == 0)
        return;
    table = table_of(prefix, &id);
    reserve(prefix, childs);
    cid_replace(table, id, note(NOTE_PENDING, childs));
}

/* Claims the id agreed on, which may be somebody's cursor. */
static ctxid_outcome_t take(uint32_t prefix)
{
    uint32_t id;
    cid_table_t *table = table_of(prefix, &id);
    void *owner = cid_owner(table, id);
    cid_status status;

    if (owner != NULL) {
        MPIR_Assert(kind_of(owner) == NOTE_RESERVED || kind_of(owner) == NOTE_PROBE);
        if (kind_of(owner) == NOTE_RESERVED)
            store.reserved--;
        status = cid_replace(table, id, note(NOTE_PENDING, 0));
    } else {
        status = cid_claim(table, id, note(NOTE_PENDING, 0));
    }
    return (status == CID_OK) ? CTXID_DECIDED : CTXID_NO_MEMORY;
}

static ctxid_outcome_t settle_calm(MPIR_Ctxid_t * creation, ctxid_offer_t own, ctxid_offer_t all,
                                   uint32_t * prefix)
{
    uint32_t chosen = own.cursor_taken ? own.end : creation->cursor;

    drop_probe(creation);
    if (all.cursor_taken && all.end >= store.calm_limit) {
        creation->shows_all = true;
        return CTXID_TRY_MASKS;
    }
    if (creation->takes_part && take(chosen) != CTXID_DECIDED)
        return CTXID_NO_MEMORY;
    move_cursors(creation, creation->takes_part ? chosen : MPIR_CTXID_NONE, MPIR_CTXID_NONE);
    *prefix = chosen;
    return CTXID_DECIDED;
}

static ctxid_outcome_t settle_busy(MPIR_Ctxid_t * creation, ctxid_offer_t all, uint32_t * prefix)
{
    if (all.probe_taken) {
        drop_probe(creation);
        return CTXID_TRY_MASKS;
    }
    *prefix = store.calm_limit + creation->probe;
    if (creation->claimed == store.held_probe)
        drop_probe(creation);
    creation->claimed = MPIR_CTXID_NONE;
    return creation->takes_part ? take(*prefix) : CTXID_DECIDED;
}

static void enqueue(MPIR_Ctxid_t * creation)
{
    MPIR_Ctxid_t **place = &store.queue;

    while (*place && (*place)->order <= creation->order)
        place = &(*place)->next;
    creation->next = *place;
    *place = creation;
    creation->is_queued = true;
}

static void dequeue(MPIR_Ctxid_t * creation)
{
    MPIR_Ctxid_t **place = &store.queue;

    if (!creation->is_queued)
        return;
    while (*place != creation)
        place = &(*place)->next;
    *place = creation->next;
    creation->is_queued = false;
}

static void give_masks(MPIR_Ctxid_t * creation)
{
    if (store.shown == creation)
        store.shown = NULL;
}

static void finish(MPIR_Ctxid_t * creation)
{
    dequeue(creation);
    give_masks(creation);
    drop_probe(creation);
    give_token(creation);
}

ctxid_outcome_t ctxid_settle(MPIR_Ctxid_t * creation, uint64_t own, uint64_t all, uint32_t * prefix)
{
    ctxid_offer_t sum = ctxid_unpack(all);
    ctxid_outcome_t outcome;

    *prefix = MPIR_CTXID_NONE;
    lock_store();
    creation->folded = all;
    if (sum.failed)
        outcome = creation->is_short ? CTXID_NO_MEMORY : CTXID_FAILED;
    else
        outcome = sum.busy ? settle_busy(creation, sum, prefix) :
            settle_calm(creation, ctxid_unpack(own), sum, prefix);
    if (outcome != CTXID_TRY_MASKS)
        finish(creation);
    else if (creation->takes_part)
        enqueue(creation);
    unlock_store();
    if (!creation->takes_part)
        *prefix = MPIR_CTXID_NONE;
    return outcome;
}

void MPIR_Ctxid_abandon(MPIR_Ctxid_t * creation)
{
    lock_store();
    finish(creation);
    unlock_store();
}

/* ---- masks ------------------------------------------------------------------------------------------------------- */

/* All ids: the calm ones, from a new word on the busy ones. */
int ctxid_mask_words(const MPIR_Ctxid_t * creation)
{
    uint32_t words = creation->shows_all ? words_for(store.calm_limit) + words_for(store.busy_limit) :
        window_words();

    return (int) words + 1;
}

/* Reserved ids are free when there are no others. */
static void show_reserved(uint32_t mask[])
{
    for (uint32_t id = cid_next_used(store.calm, 0); id < store.calm_limit;
         id = cid_next_used(store.calm, id + 1)) {
        if (kind_of(cid_owner(store.calm, id)) == NOTE_RESERVED)
            mask[id / 32] |= 1u << (id % 32);
    }
}

/* The free ones of `words` * 32 busy ids. */
static void show_busy(uint32_t first, uint32_t words, uint32_t mask[])
{
    uint32_t held = store.held_probe - first;

    cid_free_mask(store.busy, first, words, mask);
    if (store.held_probe != MPIR_CTXID_NONE && store.held_probe >= first && held / 32 < words)
        mask[held / 32] &= ~(1u << (held % 32));
}

static void show_all(MPIR_Ctxid_t * creation, uint32_t mask[])
{
    take_token(creation);
    if (creation->has_token) {
        cid_free_mask(store.calm, 0, words_for(store.calm_limit), mask);
        show_reserved(mask);
    }
    show_busy(0, words_for(store.busy_limit), mask + words_for(store.calm_limit));
}

void ctxid_show_masks(MPIR_Ctxid_t * creation, uint32_t words[])
{
    size_t bytes = ctxid_mask_words(creation) * sizeof(uint32_t);

    if (!creation->takes_part) {
        memset(words, 0xff, bytes);
        return;
    }
    memset(words, 0, bytes);
    lock_store();
    if (store.shown == NULL && store.queue == creation) {
        store.shown = creation;
        words[OWNER_WORD] = ALL_OWN;
        if (creation->shows_all)
            show_all(creation, words + 1);
        else
            show_busy(creation->window, window_words(), words + 1);
    }
    unlock_store();
}

/* The id of the lowest bit, MPIR_CTXID_NONE without one. */
static uint32_t lowest_common(const MPIR_Ctxid_t * creation, const uint32_t words[])
{
    int n = ctxid_mask_words(creation) - 1;
    int i = 0;
    uint32_t bit, calm_words = words_for(store.calm_limit);

    while (i < n && words[1 + i] == 0)
        i++;
    if (i == n)
        return MPIR_CTXID_NONE;
    bit = 32 * (uint32_t) i + (uint32_t) __builtin_ctz(words[1 + i]);
    if (!creation->shows_all)
        return store.calm_limit + creation->window + bit;
    return ((uint32_t) i < calm_words) ? bit : store.calm_limit + bit - 32 * calm_words;
}

static ctxid_outcome_t settle_owned(MPIR_Ctxid_t * creation, const uint32_t words[],
                                    uint32_t * prefix)
{
    ctxid_outcome_t outcome = CTXID_DECIDED;
    ctxid_offer_t all = ctxid_unpack(creation->folded);

    *prefix = lowest_common(creation, words);
    if (*prefix == MPIR_CTXID_NONE) {
        bool exhausted = creation->shows_all;
        creation->shows_all = true;
        return exhausted ? CTXID_EXHAUSTED : CTXID_TRY_MASKS;
    }
    if (creation->takes_part)
        outcome = take(*prefix);
    /* The token was held from the offer on: nothing has moved since. */
    if (outcome == CTXID_DECIDED && !all.busy)
        move_cursors(creation, creation->takes_part ? *prefix : MPIR_CTXID_NONE, *prefix);
    return outcome;
}

ctxid_outcome_t ctxid_settle_masks(MPIR_Ctxid_t * creation, const uint32_t words[],
                                   uint32_t * prefix)
{
    ctxid_outcome_t outcome = CTXID_TRY_MASKS;

    *prefix = MPIR_CTXID_NONE;
    lock_store();
    if (words[OWNER_WORD] & ALL_OWN)
        outcome = settle_owned(creation, words, prefix);
    give_masks(creation);
    if (outcome != CTXID_TRY_MASKS)
        finish(creation);
    unlock_store();
    if (!creation->takes_part)
        *prefix = MPIR_CTXID_NONE;
    return outcome;
}

/* ---- communicators ----------------------------------------------------------------------------------------------- */

static bool is_derived(MPIR_Context_id_t id)
{
    return MPIR_CONTEXT_READ_FIELD(SUBCOMM, id) || MPIR_CONTEXT_READ_FIELD(IS_LOCALCOMM, id);
}

void MPIR_Ctxid_commit(MPIR_Comm * comm)
{
    uint32_t prefix = prefix_of(comm), id;
    cid_table_t *table;
    void *owner;

    if (!MPIR_Ctxid_is_highest() || is_derived(comm->recvcontext_id))
        return;
    lock_store();
    table = table_of(prefix, &id);
    owner = cid_owner(table, id);
    MPIR_Assert(kind_of(owner) == NOTE_PENDING);
    if (comm->comm_kind == MPIR_COMM_KIND__INTRACOMM)
        comm->ctxid_cursor = number_of(owner);
    else
        drop_reservation(prefix, number_of(owner));
    cid_replace(table, id, comm);
    unlock_store();
}

void MPIR_Ctxid_forget(MPIR_Comm * comm)
{
    if (!MPIR_Ctxid_is_highest())
        return;
    lock_store();
    drop_reservation(prefix_of(comm), comm->ctxid_cursor);
    comm->ctxid_cursor = 0;
    unlock_store();
}

/* In an intercommunicator and its local communicator the id is the same: the former gives it back. */
void MPIR_Ctxid_free(MPIR_Context_id_t context_id)
{
    uint32_t prefix = MPIR_CONTEXT_READ_FIELD(PREFIX, context_id), id;
    cid_table_t *table;
    void *owner;

    if (is_derived(context_id) || store.calm == NULL)
        return;
    lock_store();
    table = table_of(prefix, &id);
    owner = cid_release(table, id);
    if (kind_of(owner) == NOTE_PENDING)
        drop_reservation(prefix, number_of(owner));
    unlock_store();
    MPIR_Assert(owner != NULL);
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

/* The first id in use from *prefix on, reserved ones left out; false when there is none. */
static bool find_used(uint32_t * prefix, void **owner)
{
    uint32_t id;

    while (*prefix < store.calm_limit + store.busy_limit) {
        cid_table_t *table = table_of(*prefix, &id);
        uint32_t first = *prefix - id;
        id = cid_next_used(table, id);
        *prefix = first + id;
        *owner = cid_owner(table, id);
        if (*owner != NULL && kind_of(*owner) != NOTE_RESERVED)
            return true;
        *prefix += (*owner != NULL);
    }
    return false;
}

/* `visit` may call MPI: the store is not locked meanwhile. */
void ctxid_visit(void (*visit) (uint32_t prefix, MPIR_Comm * comm))
{
    for (uint32_t prefix = 0;; prefix++) {
        void *owner;
        bool found;

        lock_store();
        found = find_used(&prefix, &owner);
        unlock_store();
        if (!found)
            break;
        visit(prefix, kind_of(owner) == NOTE_NONE ? owner : NULL);
    }
}

static void read_figures(ctxid_figures_t * figures)
{
    cid_figures_t calm, busy;

    cid_figures(store.calm, &calm);
    cid_figures(store.busy, &busy);
    figures->reserved = store.reserved;
    figures->used = calm.used + busy.used - figures->reserved;
    figures->limit = store.calm_limit + store.busy_limit;
    figures->allocated = calm.allocated + busy.allocated;
    figures->end = busy.end ? store.calm_limit + busy.end : calm.end;
    figures->bytes = calm.bytes + busy.bytes;
}

void ctxid_get_figures(ctxid_figures_t * figures)
{
    memset(figures, 0, sizeof(*figures));
    lock_store();
    if (store.calm != NULL)
        read_figures(figures);
    unlock_store();
}
