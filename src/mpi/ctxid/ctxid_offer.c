/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_parts.h"

/* What a member offers, how offers are folded, and what follows from those of all members. */

/* ---- the bytes of an offer ------------------------------------------------------------------- */

/* The fields of a packed offer, or of packed offers folded: flags by OR, numbers by maximum */
typedef struct {
    uint64_t flags;
    uint32_t lack;         /* each member has memory for a calm id below room_of(lack) */
    uint32_t end;          /* highest calm id used + 1 */
    uint32_t free1, free2; /* calm ids freed longest ago, 0 for none */
} fields_t;

/* lack (4 bits, all of which are set if the member failed), flags (a bit each), end, free1, free2
 * (NUMBER_BITS each) */
enum { NUMBER_BITS = 18, LACK_SHIFT = 60 };

#define BUSY (UINT64_C(1) << 59)         /* a member had another creation under way */
#define CURSOR_TAKEN (UINT64_C(1) << 58) /* a member cannot use the parent's cursor */
#define PROBE_TAKEN (UINT64_C(1) << 57)  /* a member could not claim the probe */
/* Members that will be in the communicator have different free1. */
#define DIFFER (UINT64_C(1) << 56)
/* A member has too few ids left to withhold any: search. */
#define SCARCE (UINT64_C(1) << 55)
/* Members have claimed different blocks, or some have none. */
#define BLOCKS_DIFFER (UINT64_C(1) << 54)
#define FLAGS (BUSY | CURSOR_TAKEN | PROBE_TAKEN | DIFFER | SCARCE | BLOCKS_DIFFER)
/* A member cannot make the communicator: no member gets an id. */
#define FAILED 15u

/* Of lack 0: all ids */
static uint32_t room_of(uint32_t lack) { return (1u << NUMBER_BITS) >> lack; }

static uint64_t pack(fields_t fields)
{
    MPL_COMPILE_TIME_ASSERT(MPIR_CONTEXT_PREFIX_WIDTH <= NUMBER_BITS);
    return (uint64_t) fields.lack << LACK_SHIFT | fields.flags |
           (uint64_t) fields.end << (2 * NUMBER_BITS) | (uint64_t) fields.free1 << NUMBER_BITS |
           fields.free2;
}

static uint32_t number_at(uint64_t packed, int place)
{
    return (uint32_t) (packed >> place * NUMBER_BITS) & ((1u << NUMBER_BITS) - 1);
}

static fields_t unpack(uint64_t packed)
{
    return (fields_t){.lack = (uint32_t) (packed >> LACK_SHIFT),
                      .flags = packed & FLAGS,
                      .end = number_at(packed, 2),
                      .free1 = number_at(packed, 1),
                      .free2 = number_at(packed, 0)};
}

uint64_t MPIR_Ctxid_refusal(uint64_t packed) { return packed | (uint64_t) FAILED << LACK_SHIFT; }

void MPIR_Ctxid_fold(uint64_t *all, uint64_t packed)
{
    fields_t sum = unpack(*all), one = unpack(packed);

    if (packed == *all) /* mostly all processes use the same ids */
        return;
    sum.flags |= one.flags;
    /* a member that takes no part has no end: its free1 does not count */
    if (sum.end && one.end && sum.free1 != one.free1)
        sum.flags |= DIFFER;
    sum.lack = MPL_MAX(sum.lack, one.lack);
    sum.end = MPL_MAX(sum.end, one.end);
    sum.free1 = MPL_MAX(sum.free1, one.free1);
    sum.free2 = MPL_MAX(sum.free2, one.free2);
    *all = pack(sum);
}

/* Members with different numbers have different probes. */
void MPIR_ctxid_fold_offer(ctxid_offer_t *all, const ctxid_offer_t *offer)
{
    uint64_t block = all->number >> 32, other = offer->number >> 32;
    uint32_t number = (uint32_t) all->number, others = (uint32_t) offer->number;

    MPIR_Ctxid_fold(&all->packed, offer->packed);
    all->packed |= (number != others ? PROBE_TAKEN : 0) | (block != other ? BLOCKS_DIFFER : 0);
    all->number = MPL_MAX(block, other) << 32 | MPL_MAX(number, others);
}

/* ---- numbers and probes ---------------------------------------------------------------------- */

/* A probe is one of at least this many busy ids, and of 16 for each creation of its parent so far.
 * The table stays small, and the first probe is mostly free. */
#define LEAST_SPREAD 1024u

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= UINT64_C(0xff51afd7ed558ccd);
    x ^= x >> 33;
    x *= UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ (x >> 33);
}

/* What this process counted for the creation's order.  One counter may serve several orders: it
 * forgets the count of the previous one. */
static uint32_t *partial_counter(ctxid_store_t *store, const MPIR_Ctxid_t *creation)
{
    ctxid_partial_t *counter = &store->partial[mix(creation->order) % CTXID_PARTIAL_COUNTERS];

    if (counter->order != creation->order)
        *counter = (ctxid_partial_t){.order = creation->order};
    return &counter->number;
}

/* The busy id that follows from the order and the number. */
static uint32_t probe_of(const ctxid_store_t *store, const MPIR_Ctxid_t *creation, uint32_t number)
{
    uint64_t hash = mix(creation->order ^ (number * UINT64_C(0x9e3779b97f4a7c15)));
    uint64_t spread = MPL_MAX((uint64_t) LEAST_SPREAD, 16 * (uint64_t) number);

    return (uint32_t) (hash % MPL_MIN(spread, (uint64_t) store->busy_limit));
}

/* ---- an offer -------------------------------------------------------------------------------- */

/* An offer withholds ids from the searches of other creations.  If a late member of the offer takes
 * part in such a search, that search needs ids: this many busy ones, and a quarter of all.  With
 * fewer left, the process withholds nothing, and the creation searches. */
#define LEAST_LEFT 16u

static bool is_scarce(const ctxid_store_t *store)
{
    return store->busy_limit - MPIR_cid_used(store->busy) < LEAST_LEFT + store->busy_limit / 4;
}

/* How much less than all calm ids this process has memory for, and whether it is too little for the
 * ids that it proposes. */
static uint32_t hold(ctxid_store_t *store, MPIR_Ctxid_t *creation, const fields_t *fields)
{
    uint32_t end = MPL_MIN(MPL_MAX(fields->end, fields->free1) + 1, store->calm_limit), lack = 0;
    uint32_t room = MPIR_ctxid_hold(store, creation, store->calm, MPL_MAX(end, store->wanted + 1));

    store->wanted = 0;
    creation->is_short = room < end;
    if (creation->is_short)
        return FAILED;
    while (room < store->calm_limit && room_of(lack) > room)
        lack++;
    return lack;
}

/* Objections and proposals of a member of the new communicator */
static void propose(ctxid_store_t *store, MPIR_Ctxid_t *creation, fields_t *fields)
{
    uint32_t freed[2];

    if (!MPIR_ctxid_has_reserved(store, MPIR_ctxid_prefix_of(creation->parent), creation->cursor))
        fields->flags |= CURSOR_TAKEN;
    if (fields->flags & SCARCE || !MPIR_ctxid_claim_probe(store, creation))
        fields->flags |= PROBE_TAKEN;
    MPIR_ctxid_find_freed(store, freed);
    fields->end = MPIR_ctxid_next_end(store);
    fields->free1 = freed[0];
    fields->free2 = freed[1];
    if (fields->flags & BUSY)
        return;
    store->promised = fields->end;
    store->promised_free = fields->free1;
    fields->lack = hold(store, creation, fields);
    if (creation->ids > 1)
        MPIR_ctxid_block_claim(store, creation, creation->ids);
}

/* If a creation of this process searches, the token is left to the search.  A member that takes no
 * part in the new communicator objects to no id.  But while it is busy, no cursor may move. */
static fields_t make_fields(ctxid_store_t *store, MPIR_Ctxid_t *creation)
{
    fields_t fields = {.flags = is_scarce(store) ? SCARCE : 0};

    if (store->queue == NULL && !(fields.flags & SCARCE))
        MPIR_ctxid_take_token(store, creation);
    if (store->token != creation)
        fields.flags |= BUSY;
    if (creation->takes_part)
        propose(store, creation, &fields);
    return fields;
}

ctxid_offer_t MPIR_ctxid_make_offer(MPIR_Ctxid_t *creation)
{
    ctxid_store_t *store = creation->store;
    fields_t fields;
    CTXID_LOCKED(&store->mutex);

    MPIR_ctxid_enter(creation, CTXID_OFFERED);
    creation->prefix = creation->claimed = MPIR_CTXID_NONE;
    if (creation->whole)
        creation->cursor = creation->parent->ctxid_cursor;
    else
        creation->number = ++*partial_counter(store, creation);
    creation->probe = probe_of(store, creation, creation->number);
    fields = make_fields(store, creation);
    return (ctxid_offer_t){.packed = pack(fields),
                           .number =
                               (uint64_t) MPIR_ctxid_block_of(creation) << 32 | creation->number};
}

/* ---- what follows from the offers of all members --------------------------------------------- */

/* Every member of a new communicator reaches the same result. */

/* If members differ in which id was freed longest ago, they agree on ids for the next time.  The
 * end is taken now. */
static void choose_cursors(fields_t all, uint32_t cursors[2])
{
    cursors[0] = cursors[1] = 0;
    if (!(all.flags & DIFFER))
        return;
    cursors[0] = (all.free1 == all.end) ? all.free2 : all.free1;
    if (all.free2 != all.end && all.free2 != cursors[0])
        cursors[1] = all.free2;
}

/* The parent's cursor, or the id that all members freed longest ago, or the end. */
static uint32_t choose(const MPIR_Ctxid_t *creation, fields_t own)
{
    if (!(own.flags & CURSOR_TAKEN))
        return creation->cursor;
    return (own.free1 == 0 || own.flags & DIFFER) ? own.end : own.free1;
}

/* Is the id below the limit, and have all members memory for it? */
static bool is_possible(const ctxid_store_t *store, uint32_t id, fields_t all)
{
    return id < store->calm_limit && id < room_of(all.lack);
}

/* The next state.  If that is the search, it begins at creation->start. */
static ctxid_state_t settle_calm(ctxid_store_t *store, MPIR_Ctxid_t *creation, fields_t own,
                                 fields_t all)
{
    const uint32_t wanted = choose(creation, all);
    uint32_t cursors[2];

    if (creation->block_ids > 0 && !(all.flags & BLOCKS_DIFFER)) {
        creation->prefix = MPIR_ctxid_block_grant(store, creation);
        return CTXID_DECIDED;
    }
    MPIR_ctxid_block_release(store, creation); /* the id may be one of them */
    if (!is_possible(store, wanted, all)) {
        if (wanted < store->calm_limit) /* a shrink offers again, without a search */
            store->wanted = wanted;
        creation->start = all.end < store->calm_limit ? all.end : all.free1;
        return CTXID_QUEUED;
    }
    MPIR_ctxid_choose(creation, choose(creation, own));
    choose_cursors(all, cursors);
    MPIR_ctxid_move_cursors(store, creation, cursors);
    return CTXID_DECIDED;
}

static ctxid_state_t settle_busy(ctxid_store_t *store, MPIR_Ctxid_t *creation, fields_t all,
                                 uint32_t number)
{
    store->was_busy = true;
    if (all.flags & SCARCE) {
        creation->start = all.free1 ? all.free1 : all.end;
        return CTXID_QUEUED;
    }
    if (all.flags & PROBE_TAKEN) {
        creation->start = store->calm_limit + probe_of(store, creation, number);
        return CTXID_QUEUED;
    }
    MPIR_ctxid_end_probe(store, creation, false);
    MPIR_ctxid_choose(creation, store->calm_limit + creation->probe);
    return CTXID_DECIDED;
}

static ctxid_state_t settle(ctxid_store_t *store, MPIR_Ctxid_t *creation, fields_t own,
                            fields_t all, uint64_t numbers)
{
    uint32_t number = (uint32_t) numbers, *counter;
    ctxid_state_t next;

    if (all.lack == FAILED)
        return creation->is_short ? CTXID_NO_MEMORY : CTXID_FAILED;
    if (!creation->whole) {
        counter = partial_counter(store, creation);
        *counter = MPL_MAX(*counter, number);
    }
    next = all.flags & BUSY ? settle_busy(store, creation, all, number)
                            : settle_calm(store, creation, own, all);
    if (next != CTXID_QUEUED)
        MPIR_ctxid_block_grow(creation, (uint32_t) (numbers >> 32), all.flags & BUSY ? 0 : all.end);
    return next;
}

ctxid_state_t MPIR_ctxid_settle(MPIR_Ctxid_t *creation, uint64_t own, ctxid_offer_t all)
{
    ctxid_store_t *store = creation->store;
    CTXID_LOCKED(&store->mutex);

    MPIR_ctxid_enter(creation,
                     settle(store, creation, unpack(own), unpack(all.packed), all.number));
    return creation->state;
}
