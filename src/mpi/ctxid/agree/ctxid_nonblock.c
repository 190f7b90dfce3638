/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_agree.h"
#include "ctxid_pending.h"
#include "../ctxid_spare.h"
#include "mpir_duplicate.h"

/* The steps of MPI_Comm_idup, which agrees on a context id while the caller continues.  The first
 * step is a barrier: an offer that waited for late members would withhold the token from other
 * creations until they arrive.
 *
 * Where blocks are used, a pending duplicate waits for those before it on the same communicator,
 * which may bring the block that its id is from.  All members then see the same block. */

/* This process makes no communicator of the id, which the others have or will take. */
static void break_duplicate(ctxid_pending_t *pending)
{
    MPIR_Context_id_t id = pending->own;

    pending->own = MPIR_INVALID_CONTEXT_ID;
    MPIR_Comm_duplicates_broken(pending->parent, id, 1);
}

/* This process failed alone in a collective, so it does not know whether the others wait for it now
 * or have the next ids.  They learn of it in both cases.  Returns the error. */
static int end_doubt(MPIR_Comm *parent)
{
    int mpi_errno = MPIR_Comm_revoke_parent(parent);

    if (mpi_errno == MPI_SUCCESS)
        MPIR_ERR_SET(mpi_errno, MPIX_ERR_REVOKED, "**revoked");
    return mpi_errno;
}

static void commit(ctxid_pending_t *pending)
{
    MPIR_Context_id_t remote = pending->rounds.mine.remote.id;
    int mpi_errno = pending->why_none;

    if (mpi_errno == MPI_SUCCESS && remote == MPIR_INVALID_CONTEXT_ID)
        mpi_errno = MPIR_ctxid_error(CTXID_FAILED);
    if (mpi_errno == MPI_SUCCESS) {
        pending->newcomm->recvcontext_id = pending->own;
        pending->newcomm->context_id = remote;
        mpi_errno = MPIR_Comm_commit(pending->newcomm);
        if (mpi_errno != MPI_SUCCESS && MPIR_ctxid_has_blocks(pending->parent))
            break_duplicate(pending);
        if (mpi_errno == MPI_SUCCESS)
            MPIR_ctxid_holders_set(MPIR_CONTEXT_READ_FIELD(PREFIX, pending->own), pending->holder);
    }
    MPIR_ctxid_pending_finish(pending, mpi_errno);
}

static void fold_remote(ctxid_message_t *mine, const ctxid_message_t *theirs)
{
    if (theirs->remote.is_known)
        mine->remote = theirs->remote;
}

static void exchange(ctxid_pending_t *pending, MPIR_Comm *comm, size_t bytes, ctxid_fold_fn fold,
                     void (*then)(ctxid_pending_t *))
{
    MPIR_ctxid_rounds_start(&pending->rounds, comm, bytes, fold);
    pending->then = then;
}

/* If its own group has no id, the root tells the group that there is none. */
static void tell_group(ctxid_pending_t *pending)
{
    ctxid_message_t *mine = &pending->rounds.mine;

    if (pending->own == MPIR_INVALID_CONTEXT_ID)
        mine->remote.id = MPIR_INVALID_CONTEXT_ID;
    exchange(pending, pending->parent->local_comm, sizeof(mine->remote), fold_remote, commit);
}

/* The roots of both groups of an intercommunicator exchange their ids, and tell their groups. */
static void exchange_ids(ctxid_pending_t *pending)
{
    ctxid_message_t *mine = &pending->rounds.mine;
    bool is_root = (pending->parent->rank == 0);

    mine->remote.id = pending->own;
    mine->remote.is_known = is_root;
    if (is_root)
        exchange(pending, pending->parent, sizeof(mine->remote), fold_remote, tell_group);
    else
        tell_group(pending);
}

static void show_window(ctxid_pending_t *pending);

/* Between windows the progress engine gets control back: other creations of this process may
 * have to end. */
static void go_on(ctxid_pending_t *pending, ctxid_outcome_t outcome, uint32_t prefix)
{
    if (outcome == CTXID_SEARCH) {
        pending->then = show_window;
        pending->rounds.rests = true;
        return;
    }
    pending->is_offered = false;
    pending->own = pending->rounds.mine.remote.id = MPIR_ctxid_of_prefix(prefix);
    if (outcome != CTXID_DECIDED)
        pending->why_none = MPIR_ctxid_error(outcome);
    if (pending->parent->comm_kind == MPIR_COMM_KIND__INTERCOMM)
        exchange_ids(pending);
    else
        commit(pending);
}

static void fold_windows(ctxid_message_t *mine, const ctxid_message_t *theirs)
{
    MPIR_ctxid_fold_window(&mine->window, &theirs->window);
}

static void window_is_known(ctxid_pending_t *pending)
{
    uint32_t prefix;
    ctxid_outcome_t outcome =
        MPIR_ctxid_settle_window(&pending->creation, &pending->rounds.mine.window, &prefix);

    go_on(pending, outcome, prefix);
}

static void show_window(ctxid_pending_t *pending)
{
    MPIR_ctxid_show_window(&pending->creation, &pending->rounds.mine.window);
    exchange(pending, pending->rounds.comm, sizeof(ctxid_window_t), fold_windows, window_is_known);
}

static void fold_offers(ctxid_message_t *mine, const ctxid_message_t *theirs)
{
    MPIR_ctxid_fold_offer(&mine->offer, &theirs->offer);
}

static void offers_are_known(ctxid_pending_t *pending)
{
    ctxid_offer_t all = pending->rounds.mine.offer;
    uint32_t prefix;
    ctxid_outcome_t outcome = MPIR_ctxid_settle(&pending->creation, all.packed, all, &prefix);

    MPIR_ctxid_pending_end_asking(pending);
    go_on(pending, outcome, prefix);
}

/* Blocking creations have the tag MPI_TAG_UB + 1.  Pending ones on the same communicator come
 * after them, in the order of their tags. */
static void make_offer(ctxid_pending_t *pending)
{
    ctxid_rounds_t *rounds = &pending->rounds;
    ctxid_call_t call = {.whole = true,
                         .tag = (uint32_t) MPIR_Process.attrs.tag_ub + 1 + (uint32_t) rounds->tag};
    ctxid_offer_t *offer = &rounds->mine.offer;

    if (MPIR_ctxid_has_blocks(pending->parent) && pending->newcomm) {
        call.ids = MPIR_ctxid_ids_to_ask(pending->parent);
        pending->spares = call.ids - 1;
    }
    *offer = MPIR_ctxid_make_offer(MPIR_ctxid_own_store(), &pending->creation, rounds->comm, call,
                                   pending->newcomm != NULL);
    pending->is_offered = true;
    if (pending->newcomm == NULL)
        offer->packed = MPIR_Ctxid_refusal(offer->packed);
    exchange(pending, rounds->comm, sizeof(*offer), fold_offers, offers_are_known);
}

static void meet(ctxid_pending_t *pending)
{
    MPIR_Comm *comm = pending->parent;
    int mpi_errno;

    if (comm->comm_kind == MPIR_COMM_KIND__INTERCOMM) {
        mpi_errno = MPIR_ctxid_need_local_comm(comm);
        if (mpi_errno != MPI_SUCCESS) {
            pending->rounds.mpi_errno =
                MPIR_ctxid_rounds_try_again(&pending->rounds, mpi_errno) ? MPI_SUCCESS : mpi_errno;
            return;
        }
        comm = comm->local_comm;
    }
    exchange(pending, comm, 0, NULL, make_offer);
}

static void use_id(ctxid_pending_t *pending, uint32_t prefix)
{
    MPIR_ctxid_spare_unused();
    pending->own = pending->rounds.mine.remote.id = MPIR_ctxid_of_prefix(prefix);
    if (pending->newcomm) {
        commit(pending);
    } else {
        break_duplicate(pending);
        MPIR_ctxid_pending_finish(pending, MPIR_ctxid_error(CTXID_FAILED));
    }
}

static void take_or_meet(ctxid_pending_t *pending)
{
    ctxid_block_t result;
    uint32_t prefix;

    pending->rounds.rests = MPIR_ctxid_pending_is_behind(pending->parent, pending);
    if (pending->rounds.rests)
        return;
    result = MPIR_ctxid_block_take(MPIR_ctxid_own_store(), pending->parent, &prefix);
    if (result == CTXID_BLOCK_EMPTY) {
        meet(pending);
    } else if (result == CTXID_BLOCK_ID) {
        use_id(pending, prefix);
    } else if (result == CTXID_BLOCK_DOUBT) {
        MPIR_ctxid_pending_finish(pending, end_doubt(pending->parent));
        MPIR_ctxid_spare_trim();
    }
}

static void pending_begin(ctxid_pending_t *pending)
{
    if (MPIR_ctxid_has_blocks(pending->parent))
        take_or_meet(pending);
    else
        meet(pending);
}

int MPIR_Ctxid_take_duplicate(MPIR_Comm *parent, MPIR_Context_id_t *id)
{
    int mpi_errno = MPI_SUCCESS;
    ctxid_block_t result;
    uint32_t prefix;

    while (MPIR_ctxid_pending_is_behind(parent, NULL))
        MPIR_ctxid_let_others_go_on();
    result = MPIR_ctxid_block_take(MPIR_ctxid_own_store(), parent, &prefix);
    *id = 0;
    if (result == CTXID_BLOCK_DOUBT) {
        mpi_errno = end_doubt(parent);
        *id = MPIR_INVALID_CONTEXT_ID;
    } else if (result == CTXID_BLOCK_ID) {
        *id = MPIR_ctxid_of_prefix(prefix);
    }
    if (result != CTXID_BLOCK_EMPTY)
        MPIR_ctxid_spare_unused();
    return mpi_errno;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static MPIR_Request *new_request(MPIR_Comm *parent)
{
    MPIR_Request *request =
        MPIR_ctxid_has_request() ? MPIR_Request_create(MPIR_REQUEST_KIND__COLL) : NULL;

    if (request != NULL) {
        MPIR_Comm_add_ref(parent);
        request->comm = parent;
        /* the caller's reference, and the one that is given back on completion */
        MPIR_Request_add_ref(request);
    }
    return request;
}

int MPIR_Ctxid_get_nonblock(MPIR_Comm *parent, MPIR_Comm *newcomm, MPIR_Request **req)
{
    int mpi_errno = MPI_SUCCESS;
    int tag;
    ctxid_pending_t *pending;

    /* if a later step fails, the parent's members still have the same next tag */
    mpi_errno = MPIR_Sched_next_tag(parent, &tag);
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_ctxid_expect_pending();
    pending = MPIR_ctxid_pending_new(parent, tag, pending_begin);
    *req = pending->request = new_request(parent);
    if (*req != NULL) {
        pending->newcomm = newcomm;
        pending->holder = MPIR_ctxid_holder_here();
        /* the block that it brings may come too late to be ended by the revocation */
        pending->if_revoked = MPIR_Ctxid_end_duplicates;
    }
    MPIR_ctxid_pending_start(pending);
    MPIR_ERR_CHKANDJUMP(!*req, mpi_errno, MPI_ERR_NO_MEM, "**nomem");

fn_exit:
    return mpi_errno;
fn_fail:
    MPIR_Comm_discard(newcomm);
    goto fn_exit;
}

/* The others may have made duplicates of the block that are still to come here. */
static void break_rest(ctxid_pending_t *pending)
{
    uint32_t first, n;

    pending->rounds.rests =
        !MPIR_ctxid_block_take_rest(MPIR_ctxid_own_store(), pending->parent, &first, &n);
    if (pending->rounds.rests)
        return;
    MPIR_Comm_duplicates_broken(pending->parent, MPIR_ctxid_of_prefix(first), n);
    MPIR_ctxid_pending_finish(pending, MPI_SUCCESS);
    MPIR_ctxid_spare_trim();
}

void MPIR_Ctxid_end_duplicates(MPIR_Comm *parent)
{
    if (MPIR_ctxid_has_blocks(parent) && MPIR_ctxid_block_has_next(MPIR_ctxid_own_store(), parent))
        MPIR_ctxid_pending_append(MPIR_ctxid_pending_new(parent, 0, break_rest));
}

void MPIR_Ctxid_refuse_nonblock(MPIR_Comm *parent)
{
    int tag;

    MPIR_ctxid_expect_pending();
    if (MPIR_Sched_next_tag(parent, &tag) == MPI_SUCCESS)
        MPIR_ctxid_pending_start(MPIR_ctxid_pending_new(parent, tag, pending_begin));
}
