/* SPDX-License-Identifier: BSD-3-Clause */

#include "process.h"

#include "mpiimpl.h"
/* after what it needs */
#include "ctxid_parts.h"

#include <stdlib.h>

struct process {
    ctxid_store_t store;
};

struct creation {
    MPIR_Ctxid_t state; /* the first, for contains() */
    uint64_t members;
};

struct communicator {
    MPIR_Comm comm;
};

/* ---- memory ---- */

static void *(*allocate)(size_t) = malloc;
static void (*deallocate)(void *) = free;

void process_set_allocator(void *(*new_allocate)(size_t), void (*new_deallocate)(void *))
{
    allocate = new_allocate ? new_allocate : malloc;
    deallocate = new_deallocate ? new_deallocate : free;
    MPIR_cid_set_allocator(new_allocate, new_deallocate);
}

/* Its size is in front of a block. */
void *process_realloc(void *block, size_t bytes)
{
    size_t *old = block ? (size_t *) block - 1 : NULL, *made = allocate(sizeof(size_t) + bytes);

    if (made == NULL)
        return NULL;
    *made = bytes;
    if (old != NULL) {
        memcpy(made + 1, block, MPL_MIN(*old, bytes));
        deallocate(old);
    }
    return made + 1;
}

void process_free(void *block)
{
    if (block != NULL)
        deallocate((size_t *) block - 1);
}

process_t *process_create(int table, uint32_t limit)
{
    process_t *process = calloc(1, sizeof(*process));

    assert(process != NULL);
    pthread_mutex_init(&process->store.mutex, NULL);
    if (MPIR_ctxid_open(&process->store, (cid_kind) table, limit, 1) != MPI_SUCCESS)
        abort();
    return process;
}

void process_destroy(process_t *process)
{
    MPIR_ctxid_close(&process->store);
    pthread_mutex_destroy(&process->store.mutex);
    free(process);
}

static ctxid_figures_t figures_of(process_t *process)
{
    ctxid_figures_t figures;

    MPIR_ctxid_get_figures(&process->store, &figures);
    return figures;
}

uint32_t process_end(process_t *process) { return (uint32_t) figures_of(process).end; }

uint32_t process_used(process_t *process) { return (uint32_t) figures_of(process).used; }

uint32_t process_reserved(process_t *process)
{
    uint32_t burned = 0;

    for (uint32_t id = MPIR_cid_next_used(process->store.calm, 0); id < process->store.calm_limit;
         id = MPIR_cid_next_used(process->store.calm, id + 1))
        burned += MPIR_cid_owner(process->store.calm, id) ==
                  MPIR_ctxid_note(CTXID_NOTE_BLOCK, CTXID_BLOCK_BURNED);
    return (uint32_t) figures_of(process).reserved - burned;
}

communicator_t *communicator_commit(process_t *process, uint32_t prefix, bool inter)
{
    communicator_t *made = calloc(1, sizeof(*made));

    assert(made != NULL);
    made->comm.context_id = made->comm.recvcontext_id = prefix << MPIR_CONTEXT_PREFIX_SHIFT;
    made->comm.comm_kind = inter ? MPIR_COMM_KIND__INTERCOMM : MPIR_COMM_KIND__INTRACOMM;
    MPIR_ctxid_commit(&process->store, &made->comm);
    return made;
}

void communicator_renew(process_t *process, communicator_t *comm)
{
    MPIR_ctxid_forget(&process->store, &comm->comm);
    comm->comm.ctxid_calls = 0;
}

void communicator_free(process_t *process, communicator_t *comm)
{
    MPIR_ctxid_forget(&process->store, &comm->comm);
    MPIR_ctxid_free(&process->store, comm->comm.recvcontext_id);
    free(comm);
}

bool communicator_is_found(process_t *process, communicator_t *comm, uint32_t prefix)
{
    return MPIR_ctxid_owner_of(&process->store, prefix) == &comm->comm;
}

bool process_uses(process_t *process, uint32_t prefix)
{
    void *owner = MPIR_ctxid_owner_of(&process->store, prefix);
    ctxid_note_t kind = MPIR_ctxid_note_kind(owner);

    return owner != NULL && (kind == CTXID_NOTE_NONE || kind == CTXID_NOTE_PENDING ||
                             owner == MPIR_ctxid_note(CTXID_NOTE_BLOCK, CTXID_BLOCK_BURNED));
}

void process_set_most_blocked(process_t *process, uint32_t most)
{
    process->store.most_blocked = most;
}

void communicator_set_members(communicator_t *comm, uint64_t members)
{
    comm->comm.members = members;
}

static bool contains(const MPIR_Ctxid_t *creation, const MPIR_Comm *part)
{
    return (part->members & ~((const creation_t *) creation)->members) == 0;
}

void communicator_revoke(communicator_t *comm) { comm->comm.ended = 1; }

int duplicate_take(process_t *process, communicator_t *parent, uint32_t *prefix)
{
    return (int) MPIR_ctxid_block_take(&process->store, &parent->comm, prefix);
}

void duplicate_take_rest(process_t *process, communicator_t *parent, uint32_t *first, uint32_t *n)
{
    MPIR_ctxid_block_take_rest(&process->store, &parent->comm, first, n);
}

void duplicate_burn(process_t *process, uint32_t prefix)
{
    MPIR_ctxid_block_burn(&process->store, prefix);
}

bool creation_lacks(const creation_t *creation, uint32_t prefix)
{
    const MPIR_Ctxid_t *state = &creation->state;
    void *owner = MPIR_ctxid_owner_of(state->store, prefix);
    uint32_t lent = 0;

    if (!state->takes_part)
        return false;
    if (MPIR_ctxid_note_kind(owner) != CTXID_NOTE_BLOCK)
        return MPIR_ctxid_note_kind(owner) == CTXID_NOTE_PENDING ||
               (owner != NULL && MPIR_ctxid_note_kind(owner) == CTXID_NOTE_NONE);
    if (state->returns)
        MPIR_ctxid_return_show(state->store, state, prefix, 1, &lent);
    return lent == 0 && MPIR_ctxid_note_number(owner) != CTXID_BLOCK_CLAIMED;
}

uint32_t communicator_cursor(const communicator_t *comm) { return comm->comm.ctxid_cursor; }

void process_give_back(process_t *process, uint32_t prefix)
{
    MPIR_ctxid_free(&process->store, prefix << MPIR_CONTEXT_PREFIX_SHIFT);
}

creation_t *creation_begin(process_t *process, communicator_t *parent, uint32_t tag, bool whole,
                           uint64_t one_at_a_time_of, bool takes_part, uint32_t most_ids,
                           offer_t *offer)
{
    creation_t *creation = malloc(sizeof(*creation));
    ctxid_offer_t made;

    assert(creation != NULL);
    creation->members = one_at_a_time_of;
    creation->state = (MPIR_Ctxid_t){
        .store = &process->store,
        .parent = &parent->comm,
        .takes_part = takes_part,
        .whole = whole,
        .order = (uint64_t) parent->comm.context_id << 32 | tag,
        .number = whole ? ++parent->comm.ctxid_calls : 0,
        .ids = most_ids ? MPIR_ctxid_block_size(&process->store, &parent->comm, most_ids) : 0,
        .contains = one_at_a_time_of ? contains : NULL};
    made = MPIR_ctxid_make_offer(&creation->state);
    *offer = (offer_t){made.packed, made.number};
    return creation;
}

uint64_t offer_refusal(uint64_t packed) { return MPIR_Ctxid_refusal(packed); }

static int step_of(const creation_t *creation, uint32_t *prefix)
{
    *prefix = creation->state.prefix;
    switch (creation->state.state) {
        case CTXID_QUEUED: return STEP_SEARCH;
        case CTXID_DECIDED: return STEP_DECIDED;
        case CTXID_EXHAUSTED: return STEP_EXHAUSTED;
        case CTXID_FAILED: return STEP_REFUSED;
        case CTXID_NO_MEMORY: return STEP_NO_MEMORY;
        default: abort();
    }
}

int creation_settle(creation_t *creation, uint64_t own, offer_t all, uint32_t *prefix)
{
    MPIR_ctxid_settle(&creation->state, own, (ctxid_offer_t){all.packed, all.number});
    return step_of(creation, prefix);
}

_Static_assert(sizeof(ctxid_window_t) == WINDOW_SIZE * sizeof(uint32_t), "WINDOW_SIZE");

void creation_show(creation_t *creation, uint32_t window[WINDOW_SIZE])
{
    MPIR_ctxid_show_window(&creation->state, (ctxid_window_t *) window);
}

int creation_settle_window(creation_t *creation, const uint32_t window[WINDOW_SIZE],
                           uint32_t *prefix)
{
    MPIR_ctxid_settle_window(&creation->state, (const ctxid_window_t *) window);
    return step_of(creation, prefix);
}

void fold_windows(uint32_t all[WINDOW_SIZE], const uint32_t window[WINDOW_SIZE])
{
    MPIR_ctxid_fold_window((ctxid_window_t *) all, (const ctxid_window_t *) window);
}

void creation_abandon(creation_t *creation) { MPIR_Ctxid_abandon(&creation->state); }

void creation_destroy(creation_t *creation) { free(creation); }

uint64_t fold_packed(uint64_t a, uint64_t b)
{
    MPIR_Ctxid_fold(&a, b);
    return a;
}

offer_t fold_offers(offer_t a, offer_t b)
{
    ctxid_offer_t x = {a.packed, a.number}, y = {b.packed, b.number};

    MPIR_ctxid_fold_offer(&x, &y);
    return (offer_t){x.packed, x.number};
}
