/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_agree.h"

#include <pthread.h>

/* Agreement while the caller goes on: MPI_Comm_idup.  After a barrier, that is, when all members have called it: an offer that
 * waits for late members would keep the token from other creations for so long.
 *
 * Barrier and folds are exchanges by dissemination (D. Hensgen, R. Finkel, U. Manber: Two Algorithms for Barrier Synchronization):
 * in each round a member sends all that it knows to the one at a distance, folds in what comes from the one at that distance before
 * it, and doubles the distance.  What is folded twice does no harm.
 *
 * A member that has no memory must not let the others wait: nothing of this needs memory of ours (there is a reserve for the
 * state), and a message for which MPICH has none is tried again in the next progress. */

typedef union {
    ctxid_ballot_t ballot;
    ctxid_window_t window;
    struct {
        bool is_known;
        MPIR_Context_id_t id;   /* MPIR_INVALID_CONTEXT_ID: the group has found none */
    } remote;
} message_t;

typedef struct pending {
    struct pending *next;
    bool is_used;               /* of the reserve */
    MPIR_Comm *parent;
    MPIR_Comm *newcomm;         /* NULL: this process cannot make its communicator, and lets nobody else */
    MPIR_Request *request;      /* the caller's; NULL without newcomm */
    int tag;
    MPIR_Ctxid_t creation;
    bool is_offered;            /* and not decided */
    MPIR_Context_id_t own;
    int why_none;

    void (*then) (struct pending *);    /* after the exchange */
    MPIR_Comm *comm;            /* whose members exchange */
    message_t mine, theirs;
    size_t bytes;
    void (*fold) (message_t * mine, const message_t * theirs);
    uint32_t distance, reach;
    MPIR_Request *recv, *send;  /* of this round, the latter posted last */
    int failures;               /* to post them */
    bool rests;                 /* until the next progress */
    bool is_done;
    int mpi_errno;
} pending_t;

/* How often a message is tried again that fails for other reasons than the lack of memory that MPICH knows of. */
#define MOST_FAILURES 1000

/* ---- exchange ---------------------------------------------------------------------------------------------------- */

/* Others that do not exist have the same. */
static void exchange(pending_t * pending, size_t bytes, void (*fold) (message_t *, const message_t *),
                     void (*then) (pending_t *))
{
    pending->bytes = bytes;
    pending->fold = fold;
    pending->then = then;
    pending->distance = 1;
    pending->reach = MPIR_Solo_on ? 1 : (uint32_t) pending->comm->local_size;
}

/* The member so many ranks on.  Between groups it is the roots that exchange. */
static int peer(const pending_t * pending, uint32_t on)
{
    const MPIR_Comm *comm = pending->comm;

    if (comm->comm_kind == MPIR_COMM_KIND__INTERCOMM)
        return 0;
    return (int) (((uint32_t) comm->rank + on) % (uint32_t) comm->local_size);
}

static bool has_request_in(int pool)
{
    MPIR_Object_alloc_t *requests = &MPIR_Request_mem[pool];
    void *request;

    MPID_THREAD_CS_ENTER(VCI, (*(MPID_Thread_mutex_t *) requests->lock));
    request = MPIR_Handle_obj_alloc_unsafe(requests, REQUEST_NUM_BLOCKS, REQUEST_NUM_INDICES);
    if (request != NULL)
        MPIR_Handle_obj_free_unsafe(requests, request, false);
    MPID_THREAD_CS_EXIT(VCI, (*(MPID_Thread_mutex_t *) requests->lock));
    return request != NULL;
}

/* Without one MPICH would end the job.  Which pool a message takes it from is the device's affair. */
static bool has_request(void)
{
    bool has = has_request_in(0);

    for (int pool = 1; pool < MPIR_REQUEST_NUM_POOLS && has; pool++)
        has = MPIR_Request_mem[pool].lock == NULL || has_request_in(pool);
    return has;
}

static int post_recv(pending_t * pending)
{
    MPIR_Request *request;
    int mpi_errno = MPIX_ERR_NOREQ;

    if (has_request())
        mpi_errno = MPIC_Irecv(&pending->theirs, (MPI_Aint) pending->bytes, MPI_BYTE,
                               peer(pending, (uint32_t) pending->comm->local_size - pending->distance),
                               pending->tag, pending->comm, &request);
    pending->recv = (mpi_errno == MPI_SUCCESS) ? request : NULL;
    return mpi_errno;
}

static int post_send(pending_t * pending)
{
    MPIR_Request *request;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    int mpi_errno = MPIX_ERR_NOREQ;

    if (has_request())
        mpi_errno = MPIC_Isend(&pending->mine, (MPI_Aint) pending->bytes, MPI_BYTE,
                               peer(pending, pending->distance), pending->tag, pending->comm, &request, &errflag);
    pending->send = (mpi_errno == MPI_SUCCESS) ? request : NULL;
    return mpi_errno;
}

static bool may_try_again(pending_t * pending, int mpi_errno)
{
    int why = MPIR_ERR_GET_CLASS(mpi_errno);

    pending->rests = (why == MPI_ERR_NO_MEM || why == MPIX_ERR_NOREQ || ++pending->failures < MOST_FAILURES);
    return pending->rests;
}

static void post_round(pending_t * pending)
{
    int mpi_errno = MPI_SUCCESS;

    if (pending->recv == NULL)
        mpi_errno = post_recv(pending);
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = post_send(pending);
    if (mpi_errno == MPI_SUCCESS || may_try_again(pending, mpi_errno))
        return;
    pending->mpi_errno = mpi_errno;
    if (pending->recv != NULL)
        MPID_Cancel_recv(pending->recv);
}

static void end_message(pending_t * pending, MPIR_Request ** request)
{
    if (*request == NULL)
        return;
    if (pending->mpi_errno == MPI_SUCCESS)
        pending->mpi_errno = (*request)->status.MPI_ERROR;
    MPIR_Request_free(*request);
    *request = NULL;
}

static void end_round(pending_t * pending)
{
    pending->rests = (pending->send && !MPIR_Request_is_complete(pending->send)) ||
        (pending->recv && !MPIR_Request_is_complete(pending->recv));
    if (pending->rests)
        return;
    end_message(pending, &pending->send);
    end_message(pending, &pending->recv);
    if (pending->fold && pending->mpi_errno == MPI_SUCCESS)
        pending->fold(&pending->mine, &pending->theirs);
    pending->distance *= 2;
    pending->failures = 0;
}

/* ---- what is exchanged ------------------------------------------------------------------------------------------- */

static void finish(pending_t * pending, int mpi_errno)
{
    pending->is_done = true;
    pending->mpi_errno = mpi_errno;
    if (mpi_errno == MPI_SUCCESS)
        return;
    if (pending->is_offered)
        MPIR_Ctxid_abandon(&pending->creation);
    if (pending->own != MPIR_INVALID_CONTEXT_ID)
        MPIR_Ctxid_free(pending->own);
    if (pending->newcomm)
        MPIR_Comm_discard(pending->newcomm);
}

static void commit(pending_t * pending)
{
    MPIR_Context_id_t remote = pending->mine.remote.id;
    int mpi_errno = pending->why_none;

    if (mpi_errno == MPI_SUCCESS && remote == MPIR_INVALID_CONTEXT_ID)
        mpi_errno = ctxid_error(CTXID_FAILED);
    if (mpi_errno == MPI_SUCCESS) {
        pending->newcomm->recvcontext_id = pending->own;
        pending->newcomm->context_id = remote;
        mpi_errno = MPIR_Comm_commit(pending->newcomm);
    }
    finish(pending, mpi_errno);
}

static void fold_remote(message_t * mine, const message_t * theirs)
{
    if (theirs->remote.is_known)
        mine->remote = theirs->remote;
}

/* A root without an id of its own group lets nobody go on. */
static void tell_group(pending_t * pending)
{
    pending->comm = pending->parent->local_comm;
    if (pending->own == MPIR_INVALID_CONTEXT_ID)
        pending->mine.remote.id = MPIR_INVALID_CONTEXT_ID;
    exchange(pending, sizeof(pending->mine.remote), fold_remote, commit);
}

/* The roots of both groups of an intercommunicator exchange their ids, and tell their groups. */
static void exchange_ids(pending_t * pending)
{
    bool is_root = (pending->parent->rank == 0);

    pending->mine.remote.id = pending->own;
    pending->mine.remote.is_known = is_root;
    if (is_root) {
        pending->comm = pending->parent;
        exchange(pending, sizeof(pending->mine.remote), fold_remote, tell_group);
        pending->reach = 2;
    } else {
        tell_group(pending);
    }
}

static void show_window(pending_t * pending);

/* Between windows the progress engine gets control back: other creations of this process may have to end. */
static void go_on(pending_t * pending, ctxid_outcome_t outcome, uint32_t prefix)
{
    if (outcome == CTXID_SEARCH) {
        pending->then = show_window;
        pending->rests = true;
        return;
    }
    pending->is_offered = false;
    pending->own = pending->mine.remote.id = ctxid_of_prefix(prefix);
    if (outcome != CTXID_DECIDED)
        pending->why_none = ctxid_error(outcome);
    if (pending->parent->comm_kind == MPIR_COMM_KIND__INTERCOMM && !MPIR_Solo_on)
        exchange_ids(pending);
    else
        commit(pending);
}

static void fold_windows(message_t * mine, const message_t * theirs)
{
    ctxid_fold_window(&mine->window, &theirs->window);
}

static void window_is_known(pending_t * pending)
{
    uint32_t prefix;
    ctxid_outcome_t outcome = ctxid_settle_window(&pending->creation, &pending->mine.window, &prefix);

    go_on(pending, outcome, prefix);
}

static void show_window(pending_t * pending)
{
    ctxid_show_window(&pending->creation, &pending->mine.window);
    exchange(pending, sizeof(ctxid_window_t), fold_windows, window_is_known);
}

static void fold_ballots(message_t * mine, const message_t * theirs)
{
    ctxid_fold_ballot(&mine->ballot, &theirs->ballot);
}

static void offers_are_known(pending_t * pending)
{
    ctxid_ballot_t all = pending->mine.ballot;
    uint32_t prefix;
    ctxid_outcome_t outcome = ctxid_settle(&pending->creation, all.offer, all, &prefix);

    go_on(pending, outcome, prefix);
}

/* Blocking creations have the tag MPI_TAG_UB + 1: pending ones on the same communicator come after them, in their order, which their
 * tags tell. */
static void make_offer(pending_t * pending)
{
    ctxid_call_t call = {.whole = true,.tag = (uint32_t) MPIR_Process.attrs.tag_ub + 1 + (uint32_t) pending->tag };
    ctxid_ballot_t *ballot = &pending->mine.ballot;

    *ballot = ctxid_offer(&pending->creation, pending->comm, call, pending->newcomm != NULL);
    pending->is_offered = true;
    if (pending->newcomm == NULL)
        ballot->offer = MPIR_Ctxid_refusal(ballot->offer);
    exchange(pending, sizeof(*ballot), fold_ballots, offers_are_known);
}

static void meet(pending_t * pending)
{
    int mpi_errno;

    pending->comm = pending->parent;
    if (pending->parent->comm_kind == MPIR_COMM_KIND__INTERCOMM) {
        mpi_errno = ctxid_need_local_comm(pending->parent);
        if (mpi_errno != MPI_SUCCESS) {
            pending->mpi_errno = may_try_again(pending, mpi_errno) ? MPI_SUCCESS : mpi_errno;
            return;
        }
        pending->comm = pending->parent->local_comm;
    }
    exchange(pending, 0, NULL, make_offer);
}

/* ---- progress ---------------------------------------------------------------------------------------------------- */

static void go_as_far_as_possible(pending_t * pending)
{
    pending->rests = false;
    while (!pending->is_done && !pending->rests) {
        if (pending->send || (pending->recv && pending->mpi_errno))
            end_round(pending);
        else if (pending->mpi_errno)
            finish(pending, pending->mpi_errno);
        else if (pending->distance < pending->reach)
            post_round(pending);
        else
            pending->then(pending);
    }
}

/* Several may have to refuse before the others come. */
#define RESERVED 32

static struct {
    pthread_mutex_t mutex;      /* of the list and the reserve; nobody has it while he communicates */
    pending_t *first;
    bool is_moved;              /* by a thread, which alone takes out */
    pending_t reserve[RESERVED];
    bool has_hook;
    int hook;
} all = {.mutex = PTHREAD_MUTEX_INITIALIZER };

static pending_t *reserved(void)
{
    pending_t *found = NULL;

    pthread_mutex_lock(&all.mutex);
    for (int i = 0; i < RESERVED && !found; i++) {
        if (!all.reserve[i].is_used)
            found = &all.reserve[i];
    }
    if (found) {
        memset(found, 0, sizeof(*found));
        found->is_used = true;
    }
    pthread_mutex_unlock(&all.mutex);
    return found;
}

/* In the end the reserve has some: what is pending there needs no memory of this process to end. */
static pending_t *new_pending(MPIR_Comm * parent, int tag)
{
    pending_t *pending = MPL_calloc(1, sizeof(*pending), MPL_MEM_COMM);

    while (pending == NULL) {
        pending = reserved();
        if (pending == NULL)
            ctxid_let_others_go_on();
    }
    pending->parent = parent;
    MPIR_Comm_add_ref(parent);
    pending->tag = tag;
    pending->own = MPIR_INVALID_CONTEXT_ID;
    pending->then = meet;
    return pending;
}

static void free_pending(pending_t * pending)
{
    if (!pending->is_used) {
        MPL_free(pending);
        return;
    }
    pthread_mutex_lock(&all.mutex);
    pending->is_used = false;
    pthread_mutex_unlock(&all.mutex);
}

static void conclude(pending_t * pending)
{
    if (pending->request) {
        pending->request->status.MPI_ERROR = pending->mpi_errno;
        MPIR_Request_complete(pending->request);
    }
    MPIR_Comm_release(pending->parent);
    free_pending(pending);
}

static pending_t *at(pending_t ** place)
{
    pending_t *pending;

    pthread_mutex_lock(&all.mutex);
    pending = *place;
    pthread_mutex_unlock(&all.mutex);
    return pending;
}

static void take_out(pending_t ** place)
{
    pthread_mutex_lock(&all.mutex);
    *place = (*place)->next;
    pthread_mutex_unlock(&all.mutex);
}

static bool begin_moving(void)
{
    bool others_do;

    pthread_mutex_lock(&all.mutex);
    others_do = all.is_moved;
    all.is_moved = true;
    pthread_mutex_unlock(&all.mutex);
    return !others_do;
}

static void end_moving(void)
{
    pthread_mutex_lock(&all.mutex);
    all.is_moved = false;
    if (all.first == NULL)
        MPIR_Progress_hook_deactivate(all.hook);
    pthread_mutex_unlock(&all.mutex);
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

    pthread_mutex_lock(&all.mutex);
    for (pending = all.first; pending && pending->request; pending = pending->next);
    pthread_mutex_unlock(&all.mutex);
    return pending != NULL;
}

/* The others wait for what nobody here waits for. */
static int end_refusals(void *unused)
{
    while (has_refusals())
        ctxid_let_others_go_on();
    return MPI_SUCCESS;
}

static int remove_hook(void *unused)
{
    all.has_hook = false;
    return MPIR_Progress_hook_deregister(all.hook);
}

/* At the first one.  MPICH has room for four; two are its own. */
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

static void append(pending_t * pending)
{
    pending_t **place = &all.first;

    pthread_mutex_lock(&all.mutex);
    while (*place)
        place = &(*place)->next;
    *place = pending;
    need_hook();
    MPIR_Progress_hook_activate(all.hook);
    pthread_mutex_unlock(&all.mutex);
}

/* Nobody else knows of it before it is in the list. */
static void start(pending_t * pending)
{
    go_as_far_as_possible(pending);
    if (pending->is_done)
        conclude(pending);
    else
        append(pending);
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static MPIR_Request *new_request(MPIR_Comm * parent)
{
    MPIR_Request *request = has_request()? MPIR_Request_create(MPIR_REQUEST_KIND__COLL) : NULL;

    if (request != NULL) {
        MPIR_Comm_add_ref(parent);
        request->comm = parent;
        MPIR_Request_add_ref(request);  /* the caller's, and the one that is given back on completion */
    }
    return request;
}

int MPIR_Ctxid_get_nonblock(MPIR_Comm * parent, MPIR_Comm * newcomm, MPIR_Request ** req)
{
    int mpi_errno = MPI_SUCCESS;
    int tag;
    pending_t *pending;

    /* what fails after this leaves the parent's members with the same next tag */
    mpi_errno = MPIR_Sched_next_tag(parent, &tag);
    MPIR_ERR_CHECK(mpi_errno);
    pending = new_pending(parent, tag);
    *req = pending->request = new_request(parent);
    if (*req != NULL)
        pending->newcomm = newcomm;
    start(pending);
    MPIR_ERR_CHKANDJUMP(!*req, mpi_errno, MPI_ERR_NO_MEM, "**nomem");

  fn_exit:
    return mpi_errno;
  fn_fail:
    MPIR_Comm_discard(newcomm);
    goto fn_exit;
}

void MPIR_Ctxid_refuse_nonblock(MPIR_Comm * parent)
{
    int tag;

    if (MPIR_Ctxid_is_highest() && MPIR_Sched_next_tag(parent, &tag) == MPI_SUCCESS)
        start(new_pending(parent, tag));
}
