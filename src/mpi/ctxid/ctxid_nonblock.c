/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_store.h"

/* Agreement in a schedule: MPI_Comm_idup.  The offer is made when the call is, so that all members number the creations of
 * a communicator alike; the rest are callbacks between the collectives of the schedule. */

typedef struct {
    MPIR_Ctxid_t creation;
    MPIR_Comm *newcomm;
    MPIR_Comm *inter;           /* the intercommunicator that is duplicated, or NULL */
    MPIR_Sched_t schedule;
    MPIR_Context_id_t own, remote;
    uint32_t offer[CTXID_OFFER_WORDS];
    uint32_t *masks;
} pending_t;

static void drop(pending_t * pending)
{
    MPL_free(pending->masks);
    MPL_free(pending);
}

static int give_up(pending_t * pending, int mpi_errno)
{
    MPIR_Ctxid_abandon(&pending->creation);
    MPIR_Comm_discard(pending->newcomm);
    drop(pending);
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

/* Of words that are in `pending`, in place; and then a call, which looks at the result. */
static int schedule_reduction(pending_t * pending, uint32_t words[], int n, MPI_Op op,
                              MPIR_Sched_cb_t * call)
{
    int mpi_errno = MPI_SUCCESS;

    mpi_errno = MPIR_Iallreduce_intra_sched_auto(MPI_IN_PLACE, words, n, MPI_UINT32_T, op,
                                                 pending->creation.parent, pending->schedule);
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
    drop(pending);
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
                                             pending->creation.parent, s);
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

static int show_masks(MPIR_Comm * comm, int tag, void *state);

static int go_on(pending_t * pending, ctxid_outcome_t outcome, uint32_t prefix)
{
    int mpi_errno = MPI_SUCCESS;

    if (outcome == CTXID_TRY_MASKS) {
        mpi_errno = schedule_call(pending, show_masks);
    } else if (outcome == CTXID_DECIDED) {
        pending->own = pending->remote = ctxid_of_prefix(prefix);
        mpi_errno = schedule_end(pending);
    } else {
        mpi_errno = ctxid_error(outcome);
    }
    return (mpi_errno == MPI_SUCCESS) ? mpi_errno : give_up(pending, mpi_errno);
}

static int masks_are_known(MPIR_Comm * comm, int tag, void *state)
{
    pending_t *pending = state;
    uint32_t prefix;
    ctxid_outcome_t outcome = ctxid_settle_masks(&pending->creation, pending->masks, &prefix);

    return go_on(pending, outcome, prefix);
}

/* A step of its own: in the meantime other creations may have finished. */
static int show_masks(MPIR_Comm * comm, int tag, void *state)
{
    int mpi_errno = MPI_SUCCESS;
    pending_t *pending = state;
    int n = ctxid_mask_words(&pending->creation);
    void *masks = MPL_realloc(pending->masks, n * sizeof(uint32_t), MPL_MEM_COMM);

    MPIR_ERR_CHKANDJUMP(!masks, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    pending->masks = masks;
    ctxid_show_masks(&pending->creation, pending->masks);
    mpi_errno = schedule_reduction(pending, pending->masks, n, MPI_BAND, masks_are_known);
    MPIR_ERR_CHECK(mpi_errno);

  fn_exit:
    return mpi_errno;
  fn_fail:
    mpi_errno = give_up(pending, mpi_errno);
    goto fn_exit;
}

static int offers_are_known(MPIR_Comm * comm, int tag, void *state)
{
    pending_t *pending = state;
    uint64_t all = ctxid_from_words(pending->offer);
    uint32_t prefix;
    ctxid_outcome_t outcome = ctxid_settle(&pending->creation, all, all, &prefix);

    return go_on(pending, outcome, prefix);
}

/* Blocking creations have the tag MPI_TAG_UB: pending ones on the same communicator come after them, in their order. */
static uint32_t order_tag(int schedule_tag)
{
    return (uint32_t) MPIR_Process.attrs.tag_ub + (uint32_t) schedule_tag;
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
    pending->newcomm = newcomm;
    pending->inter = inter;
    mpi_errno = MPIR_Sched_next_tag(whole, &tag);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = MPIR_Sched_create(&pending->schedule, MPIR_SCHED_KIND_GENERALIZED);
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_Sched_set_tag(pending->schedule, tag);

    ctxid_to_words(ctxid_offer(&pending->creation, comm, order_tag(tag), ctxid_next_call(comm),
                               true), pending->offer);
    mpi_errno = schedule_reduction(pending, pending->offer, CTXID_OFFER_WORDS, MPI_MAX,
                                   offers_are_known);
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = MPIR_Sched_start(pending->schedule, whole, req);
    if (mpi_errno != MPI_SUCCESS) {
        MPIR_Ctxid_abandon(&pending->creation);
        MPIR_ERR_POP(mpi_errno);
    }
    MPIR_CHKPMEM_COMMIT();

  fn_exit:
    return mpi_errno;
  fn_fail:
    MPIR_CHKPMEM_REAP();
    goto fn_exit;
}
