/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_store.h"

/* Blocking agreement. */

/* Who makes the collectives of a creation */
typedef struct {
    MPIR_Comm *comm;
    MPIR_Group *group;          /* NULL: all of comm */
    int tag;
} members_t;

static int reduce(members_t members, uint32_t words[], int n, MPI_Op op)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;

    if ((members.group ? members.group->size : members.comm->local_size) == 1)
        goto fn_exit;
    if (members.group != NULL)
        mpi_errno = MPII_Allreduce_group(MPI_IN_PLACE, words, n, MPI_UINT32_T, op, members.comm,
                                         members.group, members.tag | MPIR_TAG_COLL_BIT, &errflag);
    else
        mpi_errno = MPIR_Allreduce(MPI_IN_PLACE, words, n, MPI_UINT32_T, op, members.comm, &errflag);
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_ERR_CHKANDJUMP(errflag, mpi_errno, MPI_ERR_OTHER, "**coll_fail");

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

int ctxid_error(ctxid_outcome_t outcome)
{
    int mpi_errno = MPI_SUCCESS;
    ctxid_figures_t figures;

    if (outcome == CTXID_NO_MEMORY) {
        MPIR_ERR_SET(mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    } else if (outcome == CTXID_FAILED) {
        MPIR_ERR_SET(mpi_errno, MPI_ERR_OTHER, "**ctxid_refused");
    } else {
        ctxid_get_figures(&figures);
        MPIR_ERR_SETANDSTMT3(mpi_errno, MPI_ERR_OTHER,;, "**ctxid_exhausted",
                             "**ctxid_exhausted %d %d %d", (int) figures.used, (int) figures.limit,
                             (int) (figures.limit - figures.used));
    }
    return mpi_errno;
}

static void let_others_go_on(void)
{
    MPID_THREAD_CS_YIELD(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    MPL_thread_yield();
}

static int exchange_masks(MPIR_Ctxid_t * creation, members_t members, ctxid_outcome_t * outcome,
                          uint32_t * prefix)
{
    int mpi_errno = MPI_SUCCESS;
    int n = ctxid_mask_words(creation);
    uint32_t *words;
    MPIR_CHKLMEM_DECL(1);

    MPIR_CHKLMEM_MALLOC(words, uint32_t *, n * sizeof(uint32_t), mpi_errno, "masks of context ids",
                        MPL_MEM_COMM);
    ctxid_show_masks(creation, words);
    mpi_errno = reduce(members, words, n, MPI_BAND);
    MPIR_ERR_CHECK(mpi_errno);
    *outcome = ctxid_settle_masks(creation, words, prefix);
    if (*outcome == CTXID_TRY_MASKS)
        let_others_go_on();

  fn_exit:
    MPIR_CHKLMEM_FREEALL();
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

MPIR_Context_id_t ctxid_of_prefix(uint32_t prefix)
{
    return (prefix == MPIR_CTXID_NONE) ? MPIR_INVALID_CONTEXT_ID :
        (MPIR_Context_id_t) prefix << MPIR_CONTEXT_PREFIX_SHIFT;
}

static int decide(MPIR_Ctxid_t * creation, members_t members, uint64_t own, uint64_t all,
                  MPIR_Context_id_t * id)
{
    int mpi_errno = MPI_SUCCESS;
    uint32_t prefix;
    ctxid_outcome_t outcome = ctxid_settle(creation, own, all, &prefix);

    *id = 0;                    /* for callers that give back what they got */
    while (outcome == CTXID_TRY_MASKS) {
        mpi_errno = exchange_masks(creation, members, &outcome, &prefix);
        if (mpi_errno != MPI_SUCCESS) {
            MPIR_Ctxid_abandon(creation);
            MPIR_ERR_POP(mpi_errno);
        }
    }
    if (outcome != CTXID_DECIDED) {
        mpi_errno = ctxid_error(outcome);
        MPIR_ERR_POP(mpi_errno);
    }
    *id = ctxid_of_prefix(prefix);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* The number of this creation among those in which all members of the parent take part; they call in the same order.  The
 * temporary communicator of MPI_Intercomm_merge has an id that is not its own: no cursor for it. */
uint32_t ctxid_next_call(MPIR_Comm * parent)
{
    if (MPIR_CONTEXT_READ_FIELD(SUBCOMM, parent->context_id))
        return 0;
    return ++parent->ctxid_calls;
}

static uint32_t blocking_tag(void)
{
    return (uint32_t) MPIR_Process.attrs.tag_ub;
}

void MPIR_Ctxid_begin(MPIR_Ctxid_t * creation, MPIR_Comm * parent, int takes_part, uint64_t * offer)
{
    if (MPIR_Ctxid_is_highest()) {
        *offer = ctxid_offer(creation, parent, blocking_tag(), ctxid_next_call(parent),
                             takes_part != 0);
    } else {
        *offer = 0;
        creation->parent = parent;
        creation->takes_part = (takes_part != 0);
    }
}

int MPIR_Ctxid_decide(MPIR_Ctxid_t * creation, uint64_t own, uint64_t all, MPIR_Context_id_t * id)
{
    members_t members = {.comm = creation->parent,.group = NULL };

    if (MPIR_Ctxid_is_highest())
        return decide(creation, members, own, all, id);
    if (ctxid_unpack(all).failed)
        return ctxid_error(CTXID_FAILED);
    return MPIR_Get_contextid_sparse(creation->parent, id, !creation->takes_part);
}

static uint64_t offer_among(MPIR_Ctxid_t * creation, members_t members, bool takes_part)
{
    bool whole = (members.group == NULL);

    return ctxid_offer(creation, members.comm, whole ? blocking_tag() : (uint32_t) members.tag,
                       whole ? ctxid_next_call(members.comm) : 0, takes_part);
}

/* Folds the offers of all members. */
static int exchange_offers(MPIR_Ctxid_t * creation, members_t members, uint64_t * offer)
{
    uint32_t words[CTXID_OFFER_WORDS];
    int mpi_errno;

    ctxid_to_words(*offer, words);
    mpi_errno = reduce(members, words, CTXID_OFFER_WORDS, MPI_MAX);
    *offer = ctxid_from_words(words);
    if (mpi_errno != MPI_SUCCESS)
        MPIR_Ctxid_abandon(creation);
    return mpi_errno;
}

void MPIR_Ctxid_refuse(MPIR_Comm * comm, MPIR_Group * group, int tag)
{
    MPIR_Ctxid_t creation;
    members_t members = {.comm = comm,.group = group,.tag = tag };
    uint64_t offer;

    if (!MPIR_Ctxid_is_highest())
        return;
    if (comm->comm_kind == MPIR_COMM_KIND__INTERCOMM) {
        ctxid_refuse_inter(comm);
        return;
    }
    offer = MPIR_Ctxid_refusal(offer_among(&creation, members, false));
    if (exchange_offers(&creation, members, &offer) == MPI_SUCCESS)
        MPIR_Ctxid_abandon(&creation);
}

int MPIR_Ctxid_get(MPIR_Comm * comm, MPIR_Group * group, int tag, int takes_part,
                   MPIR_Context_id_t * id)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Ctxid_t creation;
    members_t members = {.comm = comm,.group = group,.tag = tag };
    uint64_t all = offer_among(&creation, members, takes_part != 0);

    mpi_errno = exchange_offers(&creation, members, &all);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = decide(&creation, members, all, all, id);
    MPIR_ERR_CHECK(mpi_errno);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}
