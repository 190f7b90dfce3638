/* SPDX-License-Identifier: BSD-3-Clause */

#include "process.h"

#include <stdlib.h>

/* The store is a static variable there: it is swapped here. */
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

bool MPIR_Ctxid_is_highest(void)
{
    return true;
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
                           bool takes_part, uint64_t * offer)
{
    creation_t *creation = malloc(sizeof(*creation));
    uint32_t call = whole ? ++parent->comm.ctxid_calls : 0;

    assert(creation != NULL);
    creation->process = process;
    enter(process);
    *offer = ctxid_offer(&creation->state, &parent->comm, tag, call, takes_part);
    leave(process);
    return creation;
}

uint64_t offer_refusal(uint64_t offer)
{
    return MPIR_Ctxid_refusal(offer);
}

int creation_settle(creation_t * creation, uint64_t own, uint64_t all, uint32_t * prefix)
{
    int outcome;

    enter(creation->process);
    outcome = (int) ctxid_settle(&creation->state, own, all, prefix);
    leave(creation->process);
    return outcome;
}

int creation_mask_words(creation_t * creation)
{
    enter(creation->process);
    return ctxid_mask_words(&creation->state);
}

void creation_show_masks(creation_t * creation, uint32_t words[])
{
    enter(creation->process);
    ctxid_show_masks(&creation->state, words);
    leave(creation->process);
}

int creation_settle_masks(creation_t * creation, const uint32_t words[], uint32_t * prefix)
{
    int outcome;

    enter(creation->process);
    outcome = (int) ctxid_settle_masks(&creation->state, words, prefix);
    leave(creation->process);
    return outcome;
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

uint64_t fold_words(uint64_t a, uint64_t b)
{
    uint32_t x[CTXID_OFFER_WORDS], y[CTXID_OFFER_WORDS];

    ctxid_to_words(a, x);
    ctxid_to_words(b, y);
    for (int i = 0; i < CTXID_OFFER_WORDS; i++)
        x[i] = (uint32_t) MPL_MAX((int32_t) x[i], (int32_t) y[i]);   /* so does MPICH */
    return ctxid_from_words(x);
}
