/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_ctxid_group.h"
#include "mpir_duplicate.h"
#include "ctxid_agree.h"
#include "ctxid_rounds.h"
#include "../ctxid_holders.h"

/*
 * Pending creations: MPI_Comm_idup agrees on a context id while the caller continues.  The progress
 * engine advances each creation step by step.  The first step is a barrier: an offer that waited
 * for late members would withhold the token from other creations until they arrive.
 *
 * Where blocks are used, a pending duplicate waits for those before it on the same communicator,
 * which may bring the block that its id is from.  All members then see the same block.
 */

typedef struct pending {
    struct pending *next;
    bool is_used; /* one of the reserve */
    MPIR_Comm *parent;
    /* NULL: this process cannot make its communicator, so no member can */
    MPIR_Comm *newcomm;
    ctxid_holder_t holder; /* the call that wants newcomm */
    MPIR_Request *request; /* the caller's; NULL without newcomm */
    MPIR_Ctxid_t creation;
    uint32_t spares; /* communicators for the block that the offer asks for */
    MPIR_Context_id_t own;
    int why_none;
    ctxid_rounds_t rounds;
    void (*then)(struct pending *); /* the step after these rounds */
    bool is_done;
    void (*if_revoked)(MPIR_Comm *parent); /* after the last step, or NULL */
    int mpi_errno;
} pending_t;

/* Several creations may have to refuse before the other members arrive. */
#define RESERVED 32

static struct {
    /* of the list and the reserve; no thread holds it while it communicates */
    pthread_mutex_t mutex;
    pending_t *first;
    bool is_moved; /* by a thread, which alone removes elements */
    pending_t reserve[RESERVED];
    bool has_hook;
    int hook;
} all = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* ---- memory ---------------------------------------------------------------------------------- */

static pending_t *reserved(void)
{
    CTXID_LOCKED(&all.mutex);
    for (pending_t *at = all.reserve; at < all.reserve + RESERVED; at++) {
        if (!at->is_used) {
            *at = (pending_t){.is_used = true};
            return at;
        }
    }
    return NULL;
}

/* Never NULL.  The loop ends: a creation of the reserve needs no memory of this process to end. */
static pending_t *new_pending(MPIR_Comm *parent, int tag, void (*first)(pending_t *))
{
    pending_t *pending = MPL_calloc(1, sizeof(*pending), MPL_MEM_COMM);

    while (pending == NULL) {
        pending = reserved();
        if (pending == NULL)
            MPIR_ctxid_let_others_go_on();
    }
    pending->parent = parent;
    MPIR_Comm_add_ref(parent);
    pending->rounds.tag = tag;
    pending->own = MPIR_INVALID_CONTEXT_ID;
    pending->then = first;
    return pending;
}

static void free_pending(pending_t *pending)
{
    if (!pending->is_used) {
        MPL_free(pending);
        return;
    }
    CTXID_LOCKED(&all.mutex);
    pending->is_used = false;
}

/* ---- progress -------------------------------------------------------------------------------- */

/* The agreement on a block is over. */
static void end_asking(pending_t *pending)
{
    MPIR_ctxid_spare_settle(pending->spares);
    pending->spares = 0;
}

/* The last step: on an error gives back id and communicator. */
static void pending_finish(pending_t *pending, int mpi_errno)
{
    pending->is_done = true;
    pending->mpi_errno = mpi_errno;
    if (mpi_errno == MPI_SUCCESS)
        return;
    if (MPIR_ctxid_is_under_way(&pending->creation))
        MPIR_Ctxid_abandon(&pending->creation);
    end_asking(pending);
    if (pending->own != MPIR_INVALID_CONTEXT_ID)
        MPIR_Free_contextid(pending->own);
    if (pending->newcomm)
        MPIR_Comm_discard(pending->newcomm);
}

static void go_as_far_as_possible(pending_t *pending)
{
    pending->rounds.rests = false;
    while (!pending->is_done && !pending->rounds.rests) {
        if (MPIR_ctxid_rounds_are_left(&pending->rounds))
            MPIR_ctxid_rounds_go_on(&pending->rounds);
        else if (pending->rounds.mpi_errno)
            pending_finish(pending, pending->rounds.mpi_errno);
        else
            pending->then(pending);
    }
}

static void conclude(pending_t *pending)
{
    if (pending->parent->ended && pending->if_revoked)
        pending->if_revoked(pending->parent);
    if (pending->request) {
        pending->request->status.MPI_ERROR = pending->mpi_errno;
        MPIR_Request_complete(pending->request);
    }
    MPIR_Comm_release(pending->parent);
    free_pending(pending);
}

/* ---- the list, and the hook of the progress engine ------------------------------------------- */

static pending_t *at(pending_t **place)
{
    CTXID_LOCKED(&all.mutex);
    return *place;
}

/* Is there a pending creation on `parent` before this one, or if this is NULL, any?
 * A blocking duplicate asks first whether there is any, without the lock: its own thread has
 * begun those before it. */
static bool is_behind(const MPIR_Comm *parent, const pending_t *pending)
{
    pending_t *before;

    if (__atomic_load_n(&all.first, __ATOMIC_RELAXED) == NULL)
        return false;
    CTXID_LOCKED(&all.mutex);
    for (before = all.first; before && before != pending && before->parent != parent;
         before = before->next)
        ;
    return before != NULL && before != pending;
}

/* Atomic stores, as others look at the first one without the lock. */
static void take_out(pending_t **place)
{
    CTXID_LOCKED(&all.mutex);
    __atomic_store_n(place, (*place)->next, __ATOMIC_RELAXED);
}

static bool begin_moving(void)
{
    bool others_do;
    CTXID_LOCKED(&all.mutex);

    others_do = all.is_moved;
    all.is_moved = true;
    return !others_do;
}

static void end_moving(void)
{
    CTXID_LOCKED(&all.mutex);
    all.is_moved = false;
    if (all.first == NULL)
        MPIR_Progress_hook_deactivate(all.hook);
}

static int move_all(int *made_progress)
{
    pending_t **place = &all.first, *pending;

    if (!begin_moving())
        return MPI_SUCCESS;
    while ((pending = at(place)) != NULL) {
        go_as_far_as_possible(pending);
        if (!pending->is_done) {
            place = &pending->next;
            continue;
        }
        take_out(place);
        conclude(pending);
        *made_progress = TRUE;
    }
    end_moving();
    return MPI_SUCCESS;
}

static bool has_refusals(void)
{
    pending_t *pending;
    CTXID_LOCKED(&all.mutex);

    for (pending = all.first; pending && pending->request; pending = pending->next)
        ;
    return pending != NULL;
}

/* Other members wait for a refusal, although no request of this process does. */
static int end_refusals(void *unused MPL_UNUSED)
{
    while (has_refusals())
        MPIR_ctxid_let_others_go_on();
    return MPI_SUCCESS;
}

static int remove_hook(void *unused MPL_UNUSED)
{
    all.has_hook = false;
    return MPIR_Progress_hook_deregister(all.hook);
}

/* Registered with the first pending creation.  MPICH has room for four hooks, and uses two. */
static void need_hook(void)
{
    int mpi_errno;

    if (all.has_hook)
        return;
    mpi_errno = MPIR_Progress_hook_register(move_all, &all.hook);
    MPIR_Assertp(mpi_errno == MPI_SUCCESS);
    all.has_hook = true;
    MPIR_Add_finalize(end_refusals, NULL, MPIR_FINALIZE_CALLBACK_PRIO + 1);
    MPIR_Add_finalize(remove_hook, NULL, MPIR_FINALIZE_CALLBACK_PRIO - 1);
}

/* Leaves all of it to the progress engine. */
static void pending_append(pending_t *pending)
{
    pending_t **place = &all.first;
    CTXID_LOCKED(&all.mutex);

    while (*place)
        place = &(*place)->next;
    __atomic_store_n(place, pending, __ATOMIC_RELAXED);
    need_hook();
    MPIR_Progress_hook_activate(all.hook);
}

/* Advances it as far as it goes.  The progress engine does the rest, completes the request and
 * frees it.  No other thread knows of it before it is in the list. */
static void pending_start(pending_t *pending)
{
    go_as_far_as_possible(pending);
    if (pending->is_done)
        conclude(pending);
    else
        pending_append(pending);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/*
 *   begin              takes the next id of the parent's block, and ends; if there is none,
 *   meet               waits for all members
 *   make_offer, offers_are_known
 *   show_window, window_is_known       as often as the search needs them
 *   exchange_ids, tell_group           between the groups of an intercommunicator
 *   commit
 */

/* This process makes no communicator of the id, which the others have or will take. */
static void break_duplicate(pending_t *pending)
{
    MPIR_Context_id_t id = pending->own;

    pending->own = MPIR_INVALID_CONTEXT_ID;
    MPIR_Comm_duplicates_broken(pending->parent, id, 1);
}

/* This process failed alone in a collective, so it does not know whether the others wait for it now
 * or have the next ids.  They learn of it in both cases.  Returns the error. */
static int end_doubt(MPIR_Comm *parent)
{
    int mpi_errno = parent->ended ? MPI_SUCCESS : MPIR_Comm_revoke_parent(parent);

    return mpi_errno == MPI_SUCCESS ? MPIR_Comm_end_error(parent) : mpi_errno;
}

static void commit(pending_t *pending)
{
    MPIR_Context_id_t remote = pending->rounds.mine.remote.id;
    int mpi_errno = pending->why_none;

    if (mpi_errno == MPI_SUCCESS && remote == MPIR_INVALID_CONTEXT_ID)
        mpi_errno = MPIR_ctxid_error(CTXID_FAILED);
    if (mpi_errno == MPI_SUCCESS) {
        pending->newcomm->recvcontext_id = pending->own;
        pending->newcomm->context_id = remote;
        mpi_errno = MPIR_Comm_commit(pending->newcomm);
        if (mpi_errno != MPI_SUCCESS && MPIR_Ctxid_has_blocks(pending->parent))
            break_duplicate(pending);
        if (mpi_errno == MPI_SUCCESS)
            MPIR_ctxid_holders_set(MPIR_CONTEXT_READ_FIELD(PREFIX, pending->own), pending->holder);
    }
    pending_finish(pending, mpi_errno);
}

static void fold_remote(ctxid_message_t *mine, const ctxid_message_t *theirs)
{
    if (theirs->remote.is_known)
        mine->remote = theirs->remote;
}

static void pending_exchange(pending_t *pending, MPIR_Comm *comm, size_t bytes, ctxid_fold_fn fold,
                             void (*then)(pending_t *))
{
    MPIR_ctxid_rounds_start(&pending->rounds, comm, bytes, fold);
    pending->then = then;
}

/* If its own group has no id, the root tells the group that there is none. */
static void tell_group(pending_t *pending)
{
    ctxid_message_t *mine = &pending->rounds.mine;

    if (pending->own == MPIR_INVALID_CONTEXT_ID)
        mine->remote.id = MPIR_INVALID_CONTEXT_ID;
    pending_exchange(pending, pending->parent->local_comm, sizeof(mine->remote), fold_remote,
                     commit);
}

/* The roots of both groups of an intercommunicator exchange their ids, and tell their groups. */
static void exchange_ids(pending_t *pending)
{
    ctxid_message_t *mine = &pending->rounds.mine;
    bool is_root = (pending->parent->rank == 0);

    mine->remote.id = pending->own;
    mine->remote.is_known = is_root;
    if (is_root)
        pending_exchange(pending, pending->parent, sizeof(mine->remote), fold_remote, tell_group);
    else
        tell_group(pending);
}

static void show_window(pending_t *pending);

/* Between windows the progress engine gets control back: other creations of this process may
 * have to end. */
static void go_on(pending_t *pending)
{
    ctxid_state_t state = pending->creation.state;

    if (state == CTXID_QUEUED) {
        pending->then = show_window;
        pending->rounds.rests = true;
        return;
    }
    pending->own = pending->rounds.mine.remote.id = MPIR_ctxid_of_prefix(pending->creation.prefix);
    if (state != CTXID_DECIDED)
        pending->why_none = MPIR_ctxid_error(state);
    if (pending->parent->comm_kind == MPIR_COMM_KIND__INTERCOMM)
        exchange_ids(pending);
    else
        commit(pending);
}

static void fold_windows(ctxid_message_t *mine, const ctxid_message_t *theirs)
{
    MPIR_ctxid_fold_window(&mine->window, &theirs->window);
}

static void window_is_known(pending_t *pending)
{
    MPIR_ctxid_settle_window(&pending->creation, &pending->rounds.mine.window);
    go_on(pending);
}

static void show_window(pending_t *pending)
{
    MPIR_ctxid_show_window(&pending->creation, &pending->rounds.mine.window);
    pending_exchange(pending, pending->rounds.comm, sizeof(ctxid_window_t), fold_windows,
                     window_is_known);
}

static void fold_offers(ctxid_message_t *mine, const ctxid_message_t *theirs)
{
    MPIR_ctxid_fold_offer(&mine->offer, &theirs->offer);
}

static void offers_are_known(pending_t *pending)
{
    ctxid_offer_t all = pending->rounds.mine.offer;

    MPIR_ctxid_settle(&pending->creation, all.packed, all);
    end_asking(pending);
    go_on(pending);
}

static void make_offer(pending_t *pending)
{
    ctxid_rounds_t *rounds = &pending->rounds;
    ctxid_offer_t *offer = &rounds->mine.offer;

    pending->creation =
        (MPIR_Ctxid_t){.store = MPIR_ctxid_own_store(),
                       .parent = rounds->comm,
                       .takes_part = pending->newcomm != NULL,
                       .whole = true,
                       .order = MPIR_ctxid_order_of_pending(rounds->comm, rounds->tag)};
    if (MPIR_Ctxid_has_blocks(pending->parent) && pending->newcomm) {
        pending->creation.ids = MPIR_ctxid_ids_to_ask(pending->parent);
        pending->spares = pending->creation.ids - 1;
    }
    *offer = MPIR_ctxid_make_offer(&pending->creation);
    if (pending->newcomm == NULL)
        offer->packed = MPIR_Ctxid_refusal(offer->packed);
    pending_exchange(pending, rounds->comm, sizeof(*offer), fold_offers, offers_are_known);
}

static void meet(pending_t *pending)
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
    pending_exchange(pending, comm, 0, NULL, make_offer);
}

static void use_id(pending_t *pending, uint32_t prefix)
{
    MPIR_ctxid_spare_unused();
    pending->own = pending->rounds.mine.remote.id = MPIR_ctxid_of_prefix(prefix);
    if (pending->newcomm) {
        commit(pending);
    } else {
        break_duplicate(pending);
        pending_finish(pending, MPIR_ctxid_error(CTXID_FAILED));
    }
}

static void begin(pending_t *pending)
{
    MPIR_Comm *parent = pending->parent;
    ctxid_block_t result = CTXID_BLOCK_EMPTY;
    uint32_t prefix;

    if (MPIR_Ctxid_has_blocks(parent)) {
        pending->rounds.rests = is_behind(parent, pending);
        if (pending->rounds.rests)
            return;
        result = MPIR_ctxid_block_take(MPIR_ctxid_own_store(), parent, &prefix);
    }
    if (result == CTXID_BLOCK_EMPTY) {
        meet(pending);
    } else if (result == CTXID_BLOCK_ID) {
        use_id(pending, prefix);
    } else {
        pending_finish(pending, end_doubt(parent));
        MPIR_ctxid_spare_trim();
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

int MPIR_Ctxid_take_duplicate(MPIR_Comm *parent, MPIR_Context_id_t *id)
{
    int mpi_errno = MPI_SUCCESS;
    ctxid_block_t result;
    uint32_t prefix;

    while (is_behind(parent, NULL))
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

/* Sets the context ids of `newcomm` and commits it.  If there is no id, or on an error, it discards
 * `newcomm`. */
int MPIR_Get_contextid_nonblock(MPIR_Comm *parent, MPIR_Comm *newcomm, MPIR_Request **req)
{
    int mpi_errno = MPI_SUCCESS;
    int tag;
    pending_t *pending;

    /* if a later step fails, the parent's members still have the same next tag */
    mpi_errno = MPIR_Sched_next_tag(parent, &tag);
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_ctxid_expect_pending();
    pending = new_pending(parent, tag, begin);
    *req = pending->request = new_request(parent);
    if (*req != NULL) {
        pending->newcomm = newcomm;
        pending->holder = MPIR_ctxid_holder_here();
        /* the block that it brings may come too late to be ended by the revocation */
        pending->if_revoked = MPIR_Ctxid_end_duplicates;
    }
    pending_start(pending);
    MPIR_ERR_CHKANDJUMP(!*req, mpi_errno, MPI_ERR_NO_MEM, "**nomem");

fn_exit:
    return mpi_errno;
fn_fail:
    MPIR_Comm_discard(newcomm);
    goto fn_exit;
}

int MPIR_Get_intercomm_contextid_nonblock(MPIR_Comm *parent, MPIR_Comm *newcomm, MPIR_Request **req)
{
    return MPIR_Get_contextid_nonblock(parent, newcomm, req);
}

/* The others may have made duplicates of the block that are still to come here. */
static void break_rest(pending_t *pending)
{
    uint32_t first, n;

    pending->rounds.rests =
        !MPIR_ctxid_block_take_rest(MPIR_ctxid_own_store(), pending->parent, &first, &n);
    if (pending->rounds.rests)
        return;
    MPIR_Comm_duplicates_broken(pending->parent, MPIR_ctxid_of_prefix(first), n);
    pending_finish(pending, MPI_SUCCESS);
    MPIR_ctxid_spare_trim();
}

void MPIR_Ctxid_end_duplicates(MPIR_Comm *parent)
{
    if (MPIR_Ctxid_has_blocks(parent) && MPIR_ctxid_block_has_next(MPIR_ctxid_own_store(), parent))
        pending_append(new_pending(parent, 0, break_rest));
}

void MPIR_Ctxid_refuse_nonblock(MPIR_Comm *parent)
{
    int tag;

    MPIR_ctxid_expect_pending();
    if (MPIR_Sched_next_tag(parent, &tag) == MPI_SUCCESS)
        pending_start(new_pending(parent, tag, begin));
}
