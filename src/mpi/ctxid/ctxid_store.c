/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_store.h"
#include "ctxid_freed.h"

#include <pthread.h>

/* A probe falls among this many busy ids at least, and among 16 for each creation of its parent so far: few enough for a
 * small table, many enough for the first one to be free. */
#define LEAST_SPREAD 1024u
/* An offer that waits for a late member withholds ids from the searches of others, in which that member may be.  Its process must have
 * as many busy ids left for them, and a quarter of all; else it withholds nothing, and the creation is searched for. */
#define LEAST_LEFT 16u
/* Creations in which not all of a parent's members take part are counted for the last parents and tags. */
#define PARTIAL_COUNTERS 64u

static struct {
    cid_table_t *calm, *busy;
    uint32_t calm_limit, busy_limit;
    uint32_t used;              /* calm ids of communicators */
    uint32_t peak;              /* the most that were used at once */
    uint32_t reserved;          /* calm ids that are cursors */
    uint32_t fresh;             /* from here on no calm id was ever used or reserved */
    ctxid_freed_t freed;        /* calm ids */
    const MPIR_Ctxid_t *token;  /* the creation that has it, or NULL */
    uint32_t promised;          /* while it has made an offer: calm ids from here on may be its own, */
    uint32_t promised_free;     /* and this one, or 0 */
    uint32_t probes;            /* claimed by offers */
    uint32_t held_probe;        /* the one of the offer that has the token, not in the table; or MPIR_CTXID_NONE */
    const MPIR_Ctxid_t *shown;  /* whose window is on its way, or NULL */
    MPIR_Ctxid_t *queue;        /* creations that search, those with the fewest passes first, then the lowest order */
    struct partial {
        uint64_t order;
        uint32_t number;
    } partial[PARTIAL_COUNTERS];
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
    ctxid_freed_destroy(&store.freed);
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
    store.used = store.peak = store.fresh = n;
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

static uint32_t prefix_of(const MPIR_Comm * comm)
{
    return MPIR_CONTEXT_READ_FIELD(PREFIX, comm->recvcontext_id);
}

/* ---- the order of calm ids ---------------------------------------------------------------------------------------- */

/* A process uses new ids up to this one, and then those that were freed longest ago. */
static uint32_t bound(void)
{
    return MPL_MIN(2 * store.peak, store.calm_limit);
}

/* Ids that were freed while there was no room for them in the list */
static void list_freed(uint32_t from, uint32_t to)
{
    for (uint32_t id = cid_next_free(store.calm, from); id < to;
         id = cid_next_free(store.calm, id + 1))
        ctxid_freed_append(&store.freed, id);
}

/* Without memory for the list, the ids beyond it are used again only when the highest ones are free. */
static void raise_peak(void)
{
    uint32_t capacity = store.freed.capacity;

    store.peak = MPL_MAX(store.peak, store.used);
    if (bound() > capacity && ctxid_freed_make_room(&store.freed, bound()))
        list_freed(capacity, MPL_MIN(store.freed.capacity, store.fresh));
}

/* A calm id is not free any more.  Those that it passes over may come next. */
static void leaves_order(uint32_t id)
{
    ctxid_freed_remove(&store.freed, id);
    while (store.fresh <= id)
        ctxid_freed_append(&store.freed, store.fresh++);
    ctxid_freed_remove(&store.freed, id);
}

static void drop_reservation(uint32_t prefix, uint32_t cursor)
{
    if (!has_reserved(prefix, cursor))
        return;
    cid_release(store.calm, cursor);
    store.reserved--;
    ctxid_freed_prepend(&store.freed, cursor);
}

/* A reservation is a hint: where it fails, this process will object to the cursor. */
static void reserve(uint32_t prefix, uint32_t cursor)
{
    if (cursor == 0 || cid_claim(store.calm, cursor, note(NOTE_RESERVED, prefix)) != CID_OK)
        return;
    store.reserved++;
    leaves_order(cursor);
}

/* Nobody has reserved anything any more; its communicators will object to their cursors. */
static void drop_reservations(void)
{
    for (uint32_t id = cid_next_used(store.calm, 0); store.reserved > 0;
         id = cid_next_used(store.calm, id + 1)) {
        if (kind_of(cid_owner(store.calm, id)) == NOTE_RESERVED)
            drop_reservation(number_of(cid_owner(store.calm, id)), id);
    }
}

/* After a failure of this process alone: the others may have agreed on another cursor for the parent. */
static void lose_cursor(MPIR_Ctxid_t * creation)
{
    if (!creation->keeps_cursor)
        return;
    drop_reservation(prefix_of(creation->parent), creation->parent->ctxid_cursor);
    creation->parent->ctxid_cursor = 0;
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

/* Of this order; what another one counted in its place is forgotten. */
static uint32_t *partial_counter(const MPIR_Ctxid_t * creation)
{
    struct partial *counter = &store.partial[mix(creation->order) % PARTIAL_COUNTERS];

    if (counter->order != creation->order)
        *counter = (struct partial) {.order = creation->order };
    return &counter->number;
}

static uint32_t probe_of(const MPIR_Ctxid_t * creation, uint32_t number)
{
    uint64_t hash = mix(creation->order ^ (number * UINT64_C(0x9e3779b97f4a7c15)));
    uint64_t spread = MPL_MAX((uint64_t) LEAST_SPREAD, 16 * (uint64_t) number);

    return (uint32_t) (hash % MPL_MIN(spread, (uint64_t) store.busy_limit));
}

/* The window that the search of a creation is at: `n` ids from `first` on, all calm or all busy. */
static void window_of(const MPIR_Ctxid_t * creation, uint32_t * first, uint32_t * n)
{
    uint32_t limit = store.calm_limit + store.busy_limit, end;

    *first = (creation->start + creation->offset) % limit;
    end = (*first < store.calm_limit) ? store.calm_limit : limit;
    *n = MPL_MIN(MPL_MIN(32 * CTXID_WINDOW_WORDS, end - *first), limit - creation->offset);
}

/* Who shows ids must be able to take any of them: no claims of these meanwhile. */
static bool is_shown(uint32_t busy_id)
{
    uint32_t first, n;

    if (store.shown == NULL)
        return false;
    window_of(store.shown, &first, &n);
    return store.calm_limit + busy_id - first < n;
}

/* Who has the token needs its probe only if another member does not have it, which is rare: that one is noted beside the
 * table, which saves a claim and a release for each creation. */
static bool claim_probe(MPIR_Ctxid_t * creation)
{
    uint32_t probe = creation->probe;

    if (is_shown(probe) || probe == store.held_probe)
        return false;
    if (store.token == creation) {
        if (cid_owner(store.busy, probe) != NULL)
            return false;
        store.held_probe = probe;
    } else if (cid_claim(store.busy, probe, note(NOTE_PROBE, 0)) != CID_OK) {
        return false;
    }
    creation->claimed = probe;
    store.probes++;
    return true;
}

/* The probe is its communicator's now, or free. */
static void end_probe(MPIR_Ctxid_t * creation, bool is_free)
{
    if (creation->claimed == MPIR_CTXID_NONE)
        return;
    if (creation->claimed == store.held_probe)
        store.held_probe = MPIR_CTXID_NONE;
    else if (is_free)
        cid_release(store.busy, creation->claimed);
    creation->claimed = MPIR_CTXID_NONE;
    store.probes--;
}

/* Until it makes an offer nothing is promised. */
static bool take_token(const MPIR_Ctxid_t * creation)
{
    if (store.token != NULL)
        return false;
    store.token = creation;
    store.promised = store.calm_limit;
    store.promised_free = 0;
    return true;
}

static void give_token(const MPIR_Ctxid_t * creation)
{
    if (store.token == creation)
        store.token = NULL;
}

static bool is_scarce(void)
{
    cid_figures_t busy;

    cid_figures(store.busy, &busy);
    return store.busy_limit - busy.used < LEAST_LEFT + store.busy_limit / 4;
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

static uint32_t next_end(void)
{
    return (store.fresh < bound()) ? store.fresh : cid_end(store.calm);
}

static void find_freed(uint32_t ids[2])
{
    ids[0] = ids[1] = 0;
    if (store.fresh >= bound())
        ctxid_freed_oldest(&store.freed, ids);
}

/* Where somebody searches, the token is left for that.  Who takes no part in the new communicator objects to nothing, but no cursor
 * may move while it is busy. */
static void fill_offer(MPIR_Ctxid_t * creation, ctxid_offer_t * offer)
{
    uint32_t freed[2];

    offer->scarce = is_scarce();
    if (store.queue == NULL && !offer->scarce)
        take_token(creation);
    offer->busy = (store.token != creation);
    if (!creation->takes_part)
        return;
    offer->cursor_taken = !has_reserved(prefix_of(creation->parent), creation->cursor);
    offer->probe_taken = offer->scarce || !claim_probe(creation);
    offer->end = next_end();
    find_freed(freed);
    offer->free1 = freed[0];
    offer->free2 = freed[1];
    if (offer->busy)
        return;
    store.promised = offer->end;
    store.promised_free = offer->free1;
    creation->is_short = !has_room(MPL_MAX(offer->end, offer->free1));
    offer->failed = creation->is_short;
}

static ctxid_offer_t make_offer(MPIR_Ctxid_t * creation)
{
    ctxid_offer_t offer = { 0 };

    if (creation->keeps_cursor)
        creation->cursor = creation->parent->ctxid_cursor;
    else
        creation->number = ++*partial_counter(creation);
    creation->probe = probe_of(creation, creation->number);
    creation->claimed = MPIR_CTXID_NONE;
    fill_offer(creation, &offer);
    return offer;
}

ctxid_ballot_t ctxid_offer(MPIR_Ctxid_t * creation, MPIR_Comm * parent, ctxid_call_t call,
                           bool takes_part)
{
    ctxid_offer_t offer;

    memset(creation, 0, sizeof(*creation));
    creation->parent = parent;
    creation->takes_part = takes_part;
    creation->order = ((uint64_t) (call.parent ? call.parent : parent->context_id) << 32) | call.tag;
    creation->number = call.number;
    creation->keeps_cursor = call.whole;
    lock_store();
    offer = make_offer(creation);
    unlock_store();
    return (ctxid_ballot_t) {.offer = ctxid_pack(&offer),.number = creation->number };
}

/* ---- decision ---------------------------------------------------------------------------------------------------- */

static void move_parents_cursor(MPIR_Ctxid_t * creation, uint32_t cursor)
{
    uint32_t parent = prefix_of(creation->parent);

    drop_reservation(parent, creation->parent->ctxid_cursor);
    creation->parent->ctxid_cursor = cursor;
    reserve(parent, cursor);
}

/* When all members have the token: the same new cursors, the parent's and the child's, on all of them, and here reserved
 * where they are free.  `prefix` is this process's, MPIR_CTXID_NONE for none. */
static void move_cursors(MPIR_Ctxid_t * creation, uint32_t prefix, const uint32_t cursors[2])
{
    uint32_t id;
    cid_table_t *table;

    if (creation->keeps_cursor)
        move_parents_cursor(creation, cursors[0]);
    if (prefix == MPIR_CTXID_NONE || cursors[1] == 0)
        return;
    table = table_of(prefix, &id);
    reserve(prefix, cursors[1]);
    cid_replace(table, id, note(NOTE_PENDING, cursors[1]));
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
    if (status != CID_OK)
        return CTXID_NO_MEMORY;
    if (table == store.calm) {
        store.used++;
        leaves_order(id);
        raise_peak();
    }
    return CTXID_DECIDED;
}

/* When members differ in which id was freed longest ago, they agree on ids for the next time.  The end is taken now. */
static void choose_cursors(ctxid_offer_t all, uint32_t cursors[2])
{
    cursors[0] = cursors[1] = 0;
    if (!all.differ)
        return;
    cursors[0] = (all.free1 == all.end) ? all.free2 : all.free1;
    if (all.free2 != all.end && all.free2 != cursors[0])
        cursors[1] = all.free2;
}

/* The parent's cursor, or the id that all freed longest ago, or the end. */
static uint32_t choose(const MPIR_Ctxid_t * creation, ctxid_offer_t own)
{
    if (!own.cursor_taken)
        return creation->cursor;
    return (own.free1 == 0 || own.differ) ? own.end : own.free1;
}

static ctxid_outcome_t settle_calm(MPIR_Ctxid_t * creation, ctxid_offer_t own, ctxid_offer_t all,
                                   uint32_t * prefix)
{
    uint32_t chosen = choose(creation, own), cursors[2];

    if (choose(creation, all) >= store.calm_limit) {
        creation->start = all.free1;
        return CTXID_SEARCH;
    }
    if (creation->takes_part && take(chosen) != CTXID_DECIDED)
        return CTXID_NO_MEMORY;
    *prefix = creation->takes_part ? chosen : MPIR_CTXID_NONE;
    choose_cursors(all, cursors);
    move_cursors(creation, *prefix, cursors);
    return CTXID_DECIDED;
}

static ctxid_outcome_t settle_busy(MPIR_Ctxid_t * creation, ctxid_offer_t all, uint32_t number,
                                   uint32_t * prefix)
{
    if (all.scarce) {
        creation->start = all.free1 ? all.free1 : all.end;
        return CTXID_SEARCH;
    }
    if (all.probe_taken) {
        creation->start = store.calm_limit + probe_of(creation, number);
        return CTXID_SEARCH;
    }
    if (!creation->takes_part)
        return CTXID_DECIDED;
    *prefix = store.calm_limit + creation->probe;
    end_probe(creation, false);
    return take(*prefix);
}

/* The same on all members of two creations: both numbers follow from what they exchanged. */
static bool goes_first(const MPIR_Ctxid_t * one, const MPIR_Ctxid_t * other)
{
    if (one->passes != other->passes)
        return one->passes < other->passes;
    return one->order <= other->order;
}

static void enqueue(MPIR_Ctxid_t * creation)
{
    MPIR_Ctxid_t **place = &store.queue;

    while (*place && goes_first(*place, creation))
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

/* Between two exchanges nothing is held. */
static void release_all(MPIR_Ctxid_t * creation)
{
    if (store.shown == creation)
        store.shown = NULL;
    end_probe(creation, true);
    give_token(creation);
}

static ctxid_outcome_t settle(MPIR_Ctxid_t * creation, ctxid_offer_t own, ctxid_offer_t all,
                              uint32_t number, uint32_t * prefix)
{
    ctxid_outcome_t outcome;

    if (all.failed)
        return creation->is_short ? CTXID_NO_MEMORY : CTXID_FAILED;
    if (!creation->keeps_cursor)
        *partial_counter(creation) = MPL_MAX(*partial_counter(creation), number);
    outcome = all.busy ? settle_busy(creation, all, number, prefix) :
        settle_calm(creation, own, all, prefix);
    if (outcome == CTXID_SEARCH)
        enqueue(creation);
    else if (outcome == CTXID_NO_MEMORY)
        lose_cursor(creation);
    return outcome;
}

ctxid_outcome_t ctxid_settle(MPIR_Ctxid_t * creation, uint64_t own, ctxid_ballot_t all,
                             uint32_t * prefix)
{
    ctxid_outcome_t outcome;

    *prefix = MPIR_CTXID_NONE;
    lock_store();
    outcome = settle(creation, ctxid_unpack(own), ctxid_unpack(all.offer), (uint32_t) all.number,
                     prefix);
    release_all(creation);
    unlock_store();
    if (outcome != CTXID_DECIDED)
        *prefix = MPIR_CTXID_NONE;
    return outcome;
}

void MPIR_Ctxid_abandon(MPIR_Ctxid_t * creation)
{
    lock_store();
    dequeue(creation);
    release_all(creation);
    lose_cursor(creation);
    unlock_store();
}

/* ---- search ------------------------------------------------------------------------------------------------------ */

enum {
    SHOWN = 1,                  /* this window is shown */
    HAS_TOKEN = 2,
    WITHHELD_NOTHING = 4        /* all free ids of this window are in it */
};

/* The lowest free id that is not below `prefix`, the limit when there is none. */
static uint32_t next_free(uint32_t prefix)
{
    uint32_t id = store.calm_limit;

    if (prefix < store.calm_limit)
        id = cid_next_free(store.calm, prefix);
    if (id < store.calm_limit)
        return id;
    return store.calm_limit +
        cid_next_free(store.busy, prefix > store.calm_limit ? prefix - store.calm_limit : 0);
}

/* How far the search may go on from here: to the next free id, or to its end. */
static uint32_t next_offset(const MPIR_Ctxid_t * creation)
{
    uint32_t limit = store.calm_limit + store.busy_limit;
    uint32_t first, n, prefix, id;

    window_of(creation, &first, &n);
    prefix = creation->start + creation->offset + n;
    if (prefix < limit) {
        id = next_free(prefix);
        if (id < limit)
            return id - creation->start;
        prefix = limit;
    }
    id = next_free(prefix - limit);
    return (id < creation->start) ? id + limit - creation->start : limit;
}

static void show_ids(const cid_table_t * table, uint32_t first, uint32_t n, uint32_t mask[])
{
    cid_free_mask(table, first, (n + 31) / 32, mask);
    if (n % 32)
        mask[n / 32] &= (1u << (n % 32)) - 1;
}

static void hide(uint32_t id, uint32_t first, uint32_t n, uint32_t mask[])
{
    if (id >= first && id - first < n)
        mask[(id - first) / 32] &= ~(1u << ((id - first) % 32));
}

/* Beside an offer that has the token only ids which cannot become its own; its cursor is reserved. */
static void show_calm(const MPIR_Ctxid_t * creation, uint32_t first, uint32_t n, uint32_t mask[])
{
    uint32_t end = (store.token == creation) ? store.calm_limit : store.promised;

    if (first < end)
        show_ids(store.calm, first, MPL_MIN(n, end - first), mask);
    if (store.token != creation && store.promised_free != 0)
        hide(store.promised_free, first, n, mask);
}

static void show_busy(uint32_t first, uint32_t n, uint32_t mask[])
{
    show_ids(store.busy, first, n, mask);
    hide(store.held_probe, first, n, mask);
}

static void show(MPIR_Ctxid_t * creation, ctxid_window_t * window)
{
    bool has_token = take_token(creation);
    uint32_t first, n;

    window_of(creation, &first, &n);
    if (has_token && creation->takes_part && creation->passes > 0)
        drop_reservations();
    window->next = creation->takes_part ? next_offset(creation) : creation->offset + n;
    window->flags = SHOWN | (has_token ? HAS_TOKEN : 0);
    if (!creation->takes_part)
        memset(window->free, 0xff, sizeof(window->free));
    else if (first < store.calm_limit)
        show_calm(creation, first, n, window->free);
    else
        show_busy(first - store.calm_limit, n, window->free);
    if (has_token && (!creation->takes_part || (store.reserved == 0 && store.probes == 0)))
        window->flags |= WITHHELD_NOTHING;
}

void ctxid_show_window(MPIR_Ctxid_t * creation, ctxid_window_t * window)
{
    memset(window, 0, sizeof(*window));
    lock_store();
    if (store.shown == NULL && store.queue == creation) {
        store.shown = creation;
        show(creation, window);
    }
    unlock_store();
}

/* The lowest id of the window whose bit is not below *bit, which is then the next bit; MPIR_CTXID_NONE without one. */
static uint32_t next_common(const ctxid_window_t * window, uint32_t first, uint32_t * bit)
{
    while (*bit < 32 * CTXID_WINDOW_WORDS) {
        uint32_t rest = window->free[*bit / 32] >> (*bit % 32);

        if (rest != 0) {
            *bit += (uint32_t) __builtin_ctz(rest) + 1;
            return first + *bit - 1;
        }
        *bit = (*bit / 32 + 1) * 32;
    }
    return MPIR_CTXID_NONE;
}

/* Ids are withheld for an offer whose other members may be in the search that comes next: that has its turn. */
static void begin_pass(MPIR_Ctxid_t * creation)
{
    dequeue(creation);
    creation->withheld = false;
    creation->offset = 0;
    creation->passes++;
    enqueue(creation);
}

/* None in this window. */
static ctxid_outcome_t go_on(MPIR_Ctxid_t * creation, const ctxid_window_t * window)
{
    if (!(window->flags & WITHHELD_NOTHING))
        creation->withheld = true;
    creation->offset = window->next;
    if (creation->offset < store.calm_limit + store.busy_limit)
        return CTXID_SEARCH;
    if (!creation->withheld)
        return CTXID_EXHAUSTED;
    begin_pass(creation);
    return CTXID_SEARCH;
}

static ctxid_outcome_t settle_shown(MPIR_Ctxid_t * creation, const ctxid_window_t * window,
                                    uint32_t * prefix)
{
    uint32_t first, n, bit = 0, chosen, cursors[2] = { 0, 0 };

    window_of(creation, &first, &n);
    chosen = next_common(window, first, &bit);
    if (chosen == MPIR_CTXID_NONE)
        return go_on(creation, window);
    if (creation->takes_part && take(chosen) != CTXID_DECIDED) {
        lose_cursor(creation);
        return CTXID_NO_MEMORY;
    }
    *prefix = creation->takes_part ? chosen : MPIR_CTXID_NONE;
    if (!(window->flags & HAS_TOKEN))
        return CTXID_DECIDED;
    for (int i = 0; i < 2 && first < store.calm_limit; i++) {
        uint32_t id = next_common(window, first, &bit);
        cursors[i] = (id == MPIR_CTXID_NONE) ? 0 : id;
    }
    move_cursors(creation, *prefix, cursors);
    return CTXID_DECIDED;
}

ctxid_outcome_t ctxid_settle_window(MPIR_Ctxid_t * creation, const ctxid_window_t * window,
                                    uint32_t * prefix)
{
    ctxid_outcome_t outcome = CTXID_SEARCH;

    *prefix = MPIR_CTXID_NONE;
    lock_store();
    if (window->flags & SHOWN)
        outcome = settle_shown(creation, window, prefix);
    else if (creation->offset > 0)
        creation->withheld = true;      /* in the meantime ids may be free that were shown in use */
    release_all(creation);
    if (outcome != CTXID_SEARCH)
        dequeue(creation);
    unlock_store();
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

    if (store.calm == NULL || is_derived(comm->recvcontext_id))
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
    if (store.calm == NULL)
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
    if (table == store.calm) {
        store.used--;
        ctxid_freed_append(&store.freed, id);
    }
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
    figures->bytes = calm.bytes + busy.bytes + ctxid_freed_bytes(&store.freed);
}

void ctxid_get_figures(ctxid_figures_t * figures)
{
    memset(figures, 0, sizeof(*figures));
    lock_store();
    if (store.calm != NULL)
        read_figures(figures);
    unlock_store();
}
