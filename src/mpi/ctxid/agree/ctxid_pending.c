/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_agree.h"
#include "ctxid_pending.h"
#include "../ctxid_spare.h"

/* Several creations may have to refuse before the other members arrive. */
#define RESERVED 32

static struct {
    /* of the list and the reserve; no thread holds it while it communicates */
    pthread_mutex_t mutex;
    ctxid_pending_t *first;
    bool is_moved; /* by a thread, which alone removes elements */
    ctxid_pending_t reserve[RESERVED];
    bool has_hook;
    int hook;
} all = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* ---- memory ---------------------------------------------------------------------------------- */

static ctxid_pending_t *reserved(void)
{
    ctxid_pending_t *found = NULL;

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

/* The loop ends: a creation of the reserve needs no memory of this process to end. */
ctxid_pending_t *MPIR_ctxid_pending_new(MPIR_Comm *parent, int tag,
                                        void (*first)(ctxid_pending_t *))
{
    ctxid_pending_t *pending = MPL_calloc(1, sizeof(*pending), MPL_MEM_COMM);

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

static void free_pending(ctxid_pending_t *pending)
{
    if (!pending->is_used) {
        MPL_free(pending);
        return;
    }
    pthread_mutex_lock(&all.mutex);
    pending->is_used = false;
    pthread_mutex_unlock(&all.mutex);
}

/* ---- steps ----------------------------------------------------------------------------------- */

void MPIR_ctxid_pending_end_asking(ctxid_pending_t *pending)
{
    MPIR_ctxid_spare_settle(pending->spares);
    pending->spares = 0;
}

void MPIR_ctxid_pending_finish(ctxid_pending_t *pending, int mpi_errno)
{
    pending->is_done = true;
    pending->mpi_errno = mpi_errno;
    if (mpi_errno == MPI_SUCCESS)
        return;
    if (pending->is_offered)
        MPIR_ctxid_abandon(&pending->creation);
    MPIR_ctxid_pending_end_asking(pending);
    if (pending->own != MPIR_INVALID_CONTEXT_ID)
        MPIR_Ctxid_free(pending->own);
    if (pending->newcomm)
        MPIR_Comm_discard(pending->newcomm);
}

static void go_as_far_as_possible(ctxid_pending_t *pending)
{
    pending->rounds.rests = false;
    while (!pending->is_done && !pending->rounds.rests) {
        if (MPIR_ctxid_rounds_are_left(&pending->rounds))
            MPIR_ctxid_rounds_go_on(&pending->rounds);
        else if (pending->rounds.mpi_errno)
            MPIR_ctxid_pending_finish(pending, pending->rounds.mpi_errno);
        else
            pending->then(pending);
    }
}

static void conclude(ctxid_pending_t *pending)
{
    if (pending->parent->revoked && pending->if_revoked)
        pending->if_revoked(pending->parent);
    if (pending->request) {
        pending->request->status.MPI_ERROR = pending->mpi_errno;
        MPIR_Request_complete(pending->request);
    }
    MPIR_Comm_release(pending->parent);
    free_pending(pending);
}

/* ---- the list, and the hook of the progress engine ------------------------------------------- */

static ctxid_pending_t *at(ctxid_pending_t **place)
{
    ctxid_pending_t *pending;

    pthread_mutex_lock(&all.mutex);
    pending = *place;
    pthread_mutex_unlock(&all.mutex);
    return pending;
}

/* A blocking duplicate asks first whether there is any, without the lock: its own thread has
 * begun those before it. */
bool MPIR_ctxid_pending_is_behind(const MPIR_Comm *parent, const ctxid_pending_t *pending)
{
    ctxid_pending_t *before;

    if (__atomic_load_n(&all.first, __ATOMIC_RELAXED) == NULL)
        return false;
    pthread_mutex_lock(&all.mutex);
    for (before = all.first; before && before != pending && before->parent != parent;
         before = before->next)
        ;
    pthread_mutex_unlock(&all.mutex);
    return before != NULL && before != pending;
}

/* Atomic stores, as others look at the first one without the lock. */
static void take_out(ctxid_pending_t **place)
{
    pthread_mutex_lock(&all.mutex);
    __atomic_store_n(place, (*place)->next, __ATOMIC_RELAXED);
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
    ctxid_pending_t **place = &all.first, *pending;

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
    ctxid_pending_t *pending;

    pthread_mutex_lock(&all.mutex);
    for (pending = all.first; pending && pending->request; pending = pending->next)
        ;
    pthread_mutex_unlock(&all.mutex);
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

void MPIR_ctxid_pending_append(ctxid_pending_t *pending)
{
    ctxid_pending_t **place = &all.first;

    pthread_mutex_lock(&all.mutex);
    while (*place)
        place = &(*place)->next;
    __atomic_store_n(place, pending, __ATOMIC_RELAXED);
    need_hook();
    MPIR_Progress_hook_activate(all.hook);
    pthread_mutex_unlock(&all.mutex);
}

/* No other thread knows of it before it is in the list. */
void MPIR_ctxid_pending_start(ctxid_pending_t *pending)
{
    go_as_far_as_possible(pending);
    if (pending->is_done)
        conclude(pending);
    else
        MPIR_ctxid_pending_append(pending);
}
