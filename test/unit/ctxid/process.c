/* SPDX-License-Identifier: BSD-3-Clause */

#include "process.h"

#include <stdlib.h>

/* The store is a static variable there: it is swapped here. */
#include "../../../src/mpi/ctxid/ctxid_freed.c"
#include "../../../src/mpi/ctxid/ctxid_store.c"

struct process {
    char state[sizeof(store)];
};

struct creation {
    process_t *process;
    MPIR_Ctxid_t state;
};

struct communicator {
    MPIR_Comm comm;
};

/* ---- memory ---- */

static void *(*allocate) (size_t) = malloc;
static void (*deallocate) (void *) = free;

void process_set_allocator(void *(*new_allocate) (size_t), void (*new_deallocate) (void *))
{
    allocate = new_allocate ? new_allocate : malloc;
    deallocate = new_deallocate ? new_deallocate : free;
    cid_set_allocator(new_allocate, new_deallocate);
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

static void enter(process_t * process)
{
    memcpy(&store, process->state, sizeof(store));
}

static void leave(process_t * process)
{
    memcpy(process->state, &store, sizeof(store));
}

process_t *process_create(int table, uint32_t limit)
{
    process_t *process = malloc(sizeof(*process));

    assert(process != NULL);
    if (ctxid_open((cid_kind) table, limit, 1) != MPI_SUCCESS)
        abort();
    leave(process);
    return process;
}

void process_destroy(process_t * process)
{
    enter(process);
    ctxid_close();
    free(process);
}

static ctxid_figures_t figures_of(process_t * process)
{
    ctxid_figures_t figures;

    enter(process);
    ctxid_get_figures(&figures);
    return figures;
}

uint32_t process_end(process_t * process)
{
    return (uint32_t) figures_of(process).end;
}

uint32_t process_used(process_t * process)
{
    return (uint32_t) figures_of(process).used;
}

uint32_t process_reserved(process_t * process)
{
    return (uint32_t) figures_of(process).reserved;
}

communicator_t *communicator_commit(process_t * process, uint32_t prefix, bool inter)
{
    communicator_t *made = calloc(1, sizeof(*made));

    assert(made != NULL);
    made->comm.context_id = made->comm.recvcontext_id = prefix << MPIR_CONTEXT_PREFIX_SHIFT;
    made->comm.comm_kind = inter ? MPIR_COMM_KIND__INTERCOMM : MPIR_COMM_KIND__INTRACOMM;
    enter(process);
    MPIR_Ctxid_commit(&made->comm);
    leave(process);
    return made;
}

void communicator_free(process_t * process, communicator_t * comm)
{
    enter(process);
    MPIR_Ctxid_forget(&comm->comm);
    MPIR_Ctxid_free(comm->comm.recvcontext_id);
    leave(process);
    free(comm);
}

bool communicator_is_found(process_t * process, communicator_t * comm, uint32_t prefix)
{
    enter(process);
    return owner_of(prefix) == &comm->comm;
}

bool process_uses(process_t * process, uint32_t prefix)
{
    void *owner;

    enter(process);
    owner = owner_of(prefix);
    return owner != NULL && (kind_of(owner) == NOTE_NONE || kind_of(owner) == NOTE_PENDING);
}

uint32_t communicator_cursor(const communicator_t * comm)
{
    return comm->comm.ctxid_cursor;
}

void process_give_back(process_t * process, uint32_t prefix)
{
    enter(process);
    MPIR_Ctxid_free(prefix << MPIR_CONTEXT_PREFIX_SHIFT);
    leave(process);
}

creation_t *creation_begin(process_t * process, communicator_t * parent, uint32_t tag, bool whole,
                           bool takes_part, ballot_t * ballot)
{
    creation_t *creation = malloc(sizeof(*creation));
    ctxid_call_t call = {.whole = whole,.tag = tag,
        .number = whole ? ++parent->comm.ctxid_calls : 0
    };
    ctxid_ballot_t made;

    assert(creation != NULL);
    creation->process = process;
    enter(process);
    made = ctxid_offer(&creation->state, &parent->comm, call, takes_part);
    leave(process);
    *ballot = (ballot_t) {made.offer, made.number};
    return creation;
}

uint64_t offer_refusal(uint64_t offer)
{
    return MPIR_Ctxid_refusal(offer);
}

int creation_settle(creation_t * creation, uint64_t own, ballot_t all, uint32_t * prefix)
{
    int outcome;

    enter(creation->process);
    outcome = (int) ctxid_settle(&creation->state, own, (ctxid_ballot_t) {all.offer, all.number},
                                 prefix);
    leave(creation->process);
    return outcome;
}

_Static_assert(sizeof(ctxid_window_t) == WINDOW_SIZE * sizeof(uint32_t), "WINDOW_SIZE");

void creation_show(creation_t * creation, uint32_t window[WINDOW_SIZE])
{
    enter(creation->process);
    ctxid_show_window(&creation->state, (ctxid_window_t *) window);
    leave(creation->process);
}

int creation_settle_window(creation_t * creation, const uint32_t window[WINDOW_SIZE],
                           uint32_t * prefix)
{
    int outcome;

    enter(creation->process);
    outcome = (int) ctxid_settle_window(&creation->state, (const ctxid_window_t *) window, prefix);
    leave(creation->process);
    return outcome;
}

void fold_windows(uint32_t all[WINDOW_SIZE], const uint32_t window[WINDOW_SIZE])
{
    ctxid_fold_window((ctxid_window_t *) all, (const ctxid_window_t *) window);
}

void creation_abandon(creation_t * creation)
{
    enter(creation->process);
    MPIR_Ctxid_abandon(&creation->state);
    leave(creation->process);
}

void creation_destroy(creation_t * creation)
{
    free(creation);
}

uint64_t fold_offers(uint64_t a, uint64_t b)
{
    MPIR_Ctxid_fold(&a, b);
    return a;
}

ballot_t fold_ballots(ballot_t a, ballot_t b)
{
    ctxid_ballot_t x = { a.offer, a.number };

    ctxid_fold_ballot(&x, &(ctxid_ballot_t) {
                      b.offer, b.number});
    return (ballot_t) {
    x.offer, x.number};
}
