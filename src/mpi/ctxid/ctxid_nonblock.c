/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_agree.h"

/* Agreement in a schedule: MPI_Comm_idup.  After a barrier, that is, when all members have called it: an offer that waits for
 * late members would keep the token from other creations for so long.  What follows are callbacks between the collectives of
 * the schedule. */

typedef struct {
    MPIR_Ctxid_t creation;
    MPIR_Comm *comm;            /* whose members agree */
    MPIR_Comm *newcomm;         /* NULL: this process cannot make its communicator, and lets nobody else */
    MPIR_Comm *inter;           /* the intercommunicator that is duplicated, or NULL */
    MPIR_Sched_t schedule;
    MPIR_Context_id_t own, remote;      /* MPIR_INVALID_CONTEXT_ID: of a group that has found none */
    int why_none;
    ctxid_call_t call;
    bool is_offered, has_paused;
    ctxid_ballot_t ballot;
    ctxid_window_t window;
} pending_t;

static int give_up(pending_t * pending, int mpi_errno)
{
    if (pending->is_offered)
        MPIR_Ctxid_abandon(&pending->creation);
    if (pending->own != MPIR_INVALID_CONTEXT_ID)
        MPIR_Ctxid_free(pending->own);
    if (pending->newcomm)
        MPIR_Comm_discard(pending->newcomm);
    MPL_free(pending);
    return mpi_errno;
}

static int schedule_call(pending_t * pending, MPIR_Sched_cb_t * call)
{
    int mpi_errno = MPIR_Sched_cb(call, pending, pending->schedule);

    MPIR_ERR_CHECK(mpi_errno);
    MPIR_SCHED_BARRIER(pending->schedule);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* Of what is in `pending`, in place; and then a call, which looks at the result. */
static int schedule_reduction(pending_t * pending, void *data, const ctxid_reduction_t * by,
                              MPIR_Sched_cb_t * call)
{
    int mpi_errno = MPI_SUCCESS;

    /* others that do not exist offer the same */
    if (!MPIR_Solo_on) {
        mpi_errno = MPIR_Iallreduce_intra_sched_auto(MPI_IN_PLACE, data, 1, by->type, by->op,
                                                     pending->comm, pending->schedule);
        MPIR_ERR_CHECK(mpi_errno);
        MPIR_SCHED_BARRIER(pending->schedule);
    }
    mpi_errno = schedule_call(pending, call);
    MPIR_ERR_CHECK(mpi_errno);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

static int commit(MPIR_Comm * comm, int tag, void *state)
{
    pending_t *pending = state;
    int mpi_errno;

    if (pending->own == MPIR_INVALID_CONTEXT_ID)
        return give_up(pending, pending->why_none);
    if (pending->remote == MPIR_INVALID_CONTEXT_ID)
        return give_up(pending, ctxid_error(CTXID_FAILED));
    pending->newcomm->recvcontext_id = pending->own;
    pending->newcomm->context_id = pending->remote;
    mpi_errno = MPIR_Comm_commit(pending->newcomm);
    MPL_free(pending);
    return mpi_errno;
}

/* The roots of both groups of an intercommunicator exchange their ids. */
static int schedule_exchange(pending_t * pending)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Sched_t s = pending->schedule;

    if (pending->inter->rank == 0) {
        mpi_errno = MPIR_Sched_recv(&pending->remote, 1, MPIR_CONTEXT_ID_T_DATATYPE, 0,
                                    pending->inter, s);
        MPIR_ERR_CHECK(mpi_errno);
        mpi_errno = MPIR_Sched_send(&pending->own, 1, MPIR_CONTEXT_ID_T_DATATYPE, 0,
                                    pending->inter, s);
        MPIR_ERR_CHECK(mpi_errno);
        MPIR_SCHED_BARRIER(s);
    }
    mpi_errno = MPIR_Ibcast_intra_sched_auto(&pending->remote, 1, MPIR_CONTEXT_ID_T_DATATYPE, 0,
                                             pending->comm, s);
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_SCHED_BARRIER(s);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

static int schedule_end(pending_t * pending)
{
    int mpi_errno = MPI_SUCCESS;

    if (pending->inter != NULL && !MPIR_Solo_on) {
        mpi_errno = schedule_exchange(pending);
        MPIR_ERR_CHECK(mpi_errno);
    }
    mpi_errno = schedule_call(pending, commit);
    MPIR_ERR_CHECK(mpi_errno);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

static int show_window(MPIR_Comm * comm, int tag, void *state);

static int go_on(pending_t * pending, ctxid_outcome_t outcome, uint32_t prefix)
{
    int mpi_errno = MPI_SUCCESS;

    if (outcome == CTXID_SEARCH) {
        mpi_errno = schedule_call(pending, show_window);
    } else {
        pending->own = pending->remote = ctxid_of_prefix(prefix);
        if (outcome != CTXID_DECIDED)
            pending->why_none = ctxid_error(outcome);
        mpi_errno = schedule_end(pending);
    }
    return (mpi_errno == MPI_SUCCESS) ? mpi_errno : give_up(pending, mpi_errno);
}

static int window_is_known(MPIR_Comm * comm, int tag, void *state)
{
    pending_t *pending = state;
    uint32_t prefix;
    ctxid_outcome_t outcome = ctxid_settle_window(&pending->creation, &pending->window, &prefix);

    return go_on(pending, outcome, prefix);
}

/* First the progress engine gets control back: other creations of this process may have to end.  Without other members
 * there is nothing else that lets it have it, nor anything to schedule. */
static int show_window(MPIR_Comm * comm, int tag, void *state)
{
    pending_t *pending = state;
    uint32_t prefix;
    int mpi_errno;

    pending->has_paused = !pending->has_paused;
    if (pending->has_paused)
        return MPIR_SCHED_CB_AGAIN;
    ctxid_show_window(&pending->creation, &pending->window);
    if (pending->comm->local_size == 1 || MPIR_Solo_on) {
        ctxid_outcome_t outcome = ctxid_settle_window(&pending->creation, &pending->window, &prefix);
        return (outcome == CTXID_SEARCH) ? show_window(comm, tag, state) :
            go_on(pending, outcome, prefix);
    }
    mpi_errno = schedule_reduction(pending, &pending->window, ctxid_windows(), window_is_known);
    return (mpi_errno == MPI_SUCCESS) ? mpi_errno : give_up(pending, mpi_errno);
}

static int offers_are_known(MPIR_Comm * comm, int tag, void *state)
{
    pending_t *pending = state;
    uint32_t prefix;
    ctxid_outcome_t outcome = ctxid_settle(&pending->creation, pending->ballot.offer,
                                           pending->ballot, &prefix);

    return go_on(pending, outcome, prefix);
}

static int make_offer(MPIR_Comm * comm, int tag, void *state)
{
    pending_t *pending = state;
    int mpi_errno;

    pending->ballot = ctxid_offer(&pending->creation, pending->comm, pending->call, pending->newcomm != NULL);
    pending->is_offered = true;
    if (!pending->newcomm)
        pending->ballot.offer = MPIR_Ctxid_refusal(pending->ballot.offer);
    mpi_errno = schedule_reduction(pending, &pending->ballot, ctxid_ballots(), offers_are_known);
    return (mpi_errno == MPI_SUCCESS) ? mpi_errno : give_up(pending, mpi_errno);
}

/* Blocking creations have the tag MPI_TAG_UB: pending ones on the same communicator come after them, in their order.  The
 * schedule's tag is all that tells them apart. */
static ctxid_call_t pending_call(int schedule_tag)
{
    ctxid_call_t call = {.whole = true,.tag =
            (uint32_t) MPIR_Process.attrs.tag_ub + (uint32_t) schedule_tag
    };
    return call;
}

static int begin(MPIR_Comm * comm, int tag, void *state)
{
    int mpi_errno = MPI_SUCCESS;
    pending_t *pending = state;

    if (!MPIR_Solo_on) {
        mpi_errno = MPIR_Ibarrier_intra_sched_auto(pending->comm, pending->schedule);
        MPIR_ERR_CHECK(mpi_errno);
        MPIR_SCHED_BARRIER(pending->schedule);
    }
    mpi_errno = schedule_call(pending, make_offer);
    MPIR_ERR_CHECK(mpi_errno);

  fn_exit:
    return mpi_errno;
  fn_fail:
    mpi_errno = give_up(pending, mpi_errno);
    goto fn_exit;
}

/* From the start of the schedule on `pending` belongs to it, and may have ended already. */
static int start(pending_t * pending, MPIR_Comm * parent, int tag, MPIR_Request ** req)
{
    int mpi_errno = MPI_SUCCESS;

    mpi_errno = MPIR_Sched_create(&pending->schedule, MPIR_SCHED_KIND_GENERALIZED);
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_Sched_set_tag(pending->schedule, tag);
    mpi_errno = schedule_call(pending, begin);
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = MPIR_Sched_start(pending->schedule, parent, req);
    if (mpi_errno != MPI_SUCCESS) {
        MPIR_Sched_free(pending->schedule);
        MPIR_ERR_POP(mpi_errno);
    }

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

static int get(MPIR_Comm * parent, MPIR_Comm * newcomm, MPIR_Request ** req)
{
    int mpi_errno = MPI_SUCCESS;
    int tag;
    pending_t *pending = NULL;
    bool is_inter = parent->comm_kind == MPIR_COMM_KIND__INTERCOMM;
    MPIR_CHKPMEM_DECL(1);

    /* what fails after this leaves the parent's members with the same next tag */
    mpi_errno = MPIR_Sched_next_tag(parent, &tag);
    MPIR_ERR_CHECK(mpi_errno);
    if (is_inter) {
        mpi_errno = ctxid_need_local_comm(parent);
        MPIR_ERR_CHECK(mpi_errno);
    }
    MPIR_CHKPMEM_CALLOC(pending, pending_t *, sizeof(pending_t), mpi_errno, "pending context id",
                        MPL_MEM_COMM);
    pending->comm = is_inter ? parent->local_comm : parent;
    pending->inter = is_inter ? parent : NULL;
    pending->newcomm = newcomm;
    pending->own = pending->remote = MPIR_INVALID_CONTEXT_ID;
    pending->call = pending_call(tag);
    mpi_errno = start(pending, parent, tag, req);
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_CHKPMEM_COMMIT();

  fn_exit:
    return mpi_errno;
  fn_fail:
    MPIR_CHKPMEM_REAP();
    goto fn_exit;
}

int MPIR_Ctxid_get_nonblock(MPIR_Comm * parent, MPIR_Comm * newcomm, MPIR_Request ** req)
{
    int mpi_errno = get(parent, newcomm, req);

    if (mpi_errno != MPI_SUCCESS)
        MPIR_Comm_discard(newcomm);
    return mpi_errno;
}

void MPIR_Ctxid_refuse_nonblock(MPIR_Comm * parent)
{
    MPIR_Request *req;

    if (MPIR_Ctxid_is_highest() && get(parent, NULL, &req) == MPI_SUCCESS)
        MPIR_Request_free(req);
}
