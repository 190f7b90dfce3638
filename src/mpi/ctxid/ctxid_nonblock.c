/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_store.h"

/* Agreement in a schedule: MPI_Comm_idup.  After a barrier, that is, when all members have called it: an offer that waits for
 * late members would keep the token from other creations for so long.  What follows are callbacks between the collectives of
 * the schedule. */

typedef struct {
    MPIR_Ctxid_t creation;
    MPIR_Comm *comm;            /* whose members agree */
    MPIR_Comm *newcomm;
    MPIR_Comm *inter;           /* the intercommunicator that is duplicated, or NULL */
    MPIR_Sched_t schedule;
    MPIR_Context_id_t own, remote;
    ctxid_call_t call;
    bool is_offered, has_paused;
    ctxid_ballot_t ballot;
    ctxid_window_t window;
} pending_t;

static int give_up(pending_t * pending, int mpi_errno)
{
    if (pending->is_offered)
        MPIR_Ctxid_abandon(&pending->creation);
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

    mpi_errno = MPIR_Iallreduce_intra_sched_auto(MPI_IN_PLACE, data, 1, by->type, by->op,
                                                 pending->comm, pending->schedule);
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_SCHED_BARRIER(pending->schedule);
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

    if (pending->inter != NULL) {
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
    } else if (outcome == CTXID_DECIDED) {
        pending->own = pending->remote = ctxid_of_prefix(prefix);
        mpi_errno = schedule_end(pending);
    } else {
        mpi_errno = ctxid_error(outcome);
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
    if (pending->comm->local_size == 1) {
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

    pending->ballot = ctxid_offer(&pending->creation, pending->comm, pending->call, true);
    pending->is_offered = true;
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

static int schedule_start(pending_t * pending)
{
    int mpi_errno = MPI_SUCCESS;

    mpi_errno = MPIR_Ibarrier_intra_sched_auto(pending->comm, pending->schedule);
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_SCHED_BARRIER(pending->schedule);
    mpi_errno = schedule_call(pending, make_offer);
    MPIR_ERR_CHECK(mpi_errno);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

int MPIR_Ctxid_get_nonblock(MPIR_Comm * comm, MPIR_Comm * inter, MPIR_Comm * newcomm,
                            MPIR_Request ** req)
{
    int mpi_errno = MPI_SUCCESS;
    int tag;
    MPIR_Comm *whole = inter ? inter : comm;
    pending_t *pending = NULL;
    MPIR_CHKPMEM_DECL(1);

    MPIR_CHKPMEM_CALLOC(pending, pending_t *, sizeof(pending_t), mpi_errno, "pending context id",
                        MPL_MEM_COMM);
    pending->comm = comm;
    pending->newcomm = newcomm;
    pending->inter = inter;
    mpi_errno = MPIR_Sched_next_tag(whole, &tag);
    MPIR_ERR_CHECK(mpi_errno);
    pending->call = pending_call(tag);
    mpi_errno = MPIR_Sched_create(&pending->schedule, MPIR_SCHED_KIND_GENERALIZED);
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_Sched_set_tag(pending->schedule, tag);
    mpi_errno = schedule_start(pending);
    MPIR_ERR_CHECK(mpi_errno);
    /* from here on `pending` belongs to the schedule, which may have ended already */
    MPIR_CHKPMEM_COMMIT();
    mpi_errno = MPIR_Sched_start(pending->schedule, whole, req);
    MPIR_ERR_CHECK(mpi_errno);

  fn_exit:
    return mpi_errno;
  fn_fail:
    MPIR_CHKPMEM_REAP();
    goto fn_exit;
}
