/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_report.h"
#include "mpir_ctxid_group.h"
#include "ctxid_agree.h"
#include "../ctxid_holders.h"

/* Blocking agreement, in the place of MPICH's contextid.c. */

/* How offers and windows are reduced: by the folds of ctxid_store.h.  An element of a user's type
 * is never cut in pieces.  For small data and a user's operation MPICH chooses recursive
 * doubling. */
typedef struct {
    MPI_Datatype type;
    MPI_Op op;
} reduction_t;

static reduction_t offers, windows;

#define EXCHANGE_TAG 31568 /* of two groups */

static void fold_offers(void *in, void *inout, int *n, MPI_Datatype *type MPL_UNUSED)
{
    for (int i = 0; i < *n; i++)
        MPIR_ctxid_fold_offer((ctxid_offer_t *) inout + i, (const ctxid_offer_t *) in + i);
}

static void fold_windows(void *in, void *inout, int *n, MPI_Datatype *type MPL_UNUSED)
{
    for (int i = 0; i < *n; i++)
        MPIR_ctxid_fold_window((ctxid_window_t *) inout + i, (const ctxid_window_t *) in + i);
}

static int free_reduction(void *made)
{
    reduction_t *reduction = made;
    MPIR_Op *op;

    MPIR_Op_get_ptr(reduction->op, op);
    MPIR_Op_free_impl(op);
    MPIR_Type_free_impl(&reduction->type);
    return MPI_SUCCESS;
}

static int make_reduction(MPI_User_function *fold, size_t bytes, reduction_t *reduction)
{
    MPIR_Op *op;

    MPIR_TRY(MPIR_Op_create_impl(fold, 1, &op));
    reduction->op = op->handle;
    MPIR_TRY(MPIR_Type_contiguous_impl((int) (bytes / 4), MPI_UINT32_T, &reduction->type));
    MPIR_TRY(MPIR_Type_commit_impl(&reduction->type));
    MPIR_Add_finalize(free_reduction, reduction, MPIR_FINALIZE_CALLBACK_PRIO - 1);

    return MPI_SUCCESS;
}

int MPIR_Ctxid_init_reductions(void)
{
    MPIR_Map_report_phase("communicators");
    MPIR_TRY(make_reduction(fold_offers, sizeof(ctxid_offer_t), &offers));
    return make_reduction(fold_windows, sizeof(ctxid_window_t), &windows);
}

/* ---- reductions ------------------------------------------------------------------------------ */

static void fold_numbers(uint64_t all[2], const uint64_t one[2])
{
    MPIR_ctxid_fold_offer((ctxid_offer_t *) all, (const ctxid_offer_t *) one);
}

/* Without messages, if all members are on one node and aggregates allow it. */
static bool reduce_on_node(const MPIR_Ctxid_t *creation, ctxid_offer_t *offer, int *mpi_errno)
{
    MPL_COMPILE_TIME_ASSERT(sizeof(*offer) == 2 * sizeof(uint64_t));
    return MPIR_Aggr_do_group(creation->parent, creation->group->map, creation->tag,
                              (uint64_t *) offer, fold_numbers, mpi_errno);
}

static bool is_between_groups(const MPIR_Ctxid_t *creation)
{
    return creation->parent->comm_kind == MPIR_COMM_KIND__INTERCOMM;
}

/* Between two groups there are at least two. */
static int number_of_members(const MPIR_Ctxid_t *creation)
{
    const MPIR_Comm *comm = creation->parent;

    if (is_between_groups(creation))
        return comm->local_size + comm->remote_size;
    return creation->group ? creation->group->size : comm->local_size;
}

/* If a leader fails, it continues and marks its message as erroneous. */
static int fold_remote(MPIR_Comm *inter, void *data, MPI_Datatype type, MPI_Op op,
                       MPIR_Errflag_t *errflag)
{
    ctxid_window_t remote; /* no element is larger */
    int mpi_errno = MPIC_Sendrecv(data, 1, type, 0, EXCHANGE_TAG, &remote, 1, type, 0, EXCHANGE_TAG,
                                  inter, MPI_STATUS_IGNORE, errflag);

    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = MPIR_Reduce_local(&remote, data, 1, type, op);
    if (mpi_errno != MPI_SUCCESS)
        *errflag = MPIR_ERR_OTHER;
    return mpi_errno;
}

/* Over both groups of an intercommunicator, which MPI does not have.  REQUIRES: the local
 * communicator exists. */
static int reduce_between(MPIR_Comm *inter, void *data, MPI_Datatype type, MPI_Op op,
                          MPIR_Errflag_t *errflag)
{
    int mpi_errno = MPI_SUCCESS, result;

    mpi_errno = MPIR_Allreduce(MPI_IN_PLACE, data, 1, type, op, inter->local_comm, errflag);
    if (mpi_errno != MPI_SUCCESS)
        *errflag = MPIR_ERR_OTHER;
    if (inter->rank == 0) {
        result = fold_remote(inter, data, type, op, errflag);
        mpi_errno = mpi_errno ? mpi_errno : result;
    }
    result = MPIR_Bcast(data, 1, type, 0, inter->local_comm, errflag);
    return mpi_errno ? mpi_errno : result;
}

static int reduce(const MPIR_Ctxid_t *creation, void *data, const reduction_t *by)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Comm *comm = creation->parent;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;

    if (MPIR_Others->count(number_of_members(creation)) == 1)
        return mpi_errno;
    if (creation->group && by == &offers && reduce_on_node(creation, data, &mpi_errno))
        return mpi_errno;
    if (is_between_groups(creation))
        mpi_errno = reduce_between(comm, data, by->type, by->op, &errflag);
    else if (creation->group != NULL)
        mpi_errno =
            MPII_Allreduce_group(MPI_IN_PLACE, data, 1, by->type, by->op, comm, creation->group,
                                 creation->tag | MPIR_TAG_COLL_BIT, &errflag);
    else
        mpi_errno = MPIR_Allreduce(MPI_IN_PLACE, data, 1, by->type, by->op, comm, &errflag);
    MPIR_ERR_COLL_CHKRETURN(mpi_errno, errflag);

    return mpi_errno;
}

/* ---- what follows from offers and windows ---------------------------------------------------- */

/* The string of an error stack has 512 bytes for all its lines. */
enum { MOST_HOLDERS = 3, HOLDERS_TEXT = 160 };

static int error_of_exhausted_ids(void)
{
    int mpi_errno = MPI_SUCCESS;
    char lines[HOLDERS_TEXT];
    ctxid_figures_t figures;

    MPIR_ctxid_get_figures(MPIR_ctxid_own_store(), &figures);
    MPIR_ctxid_holders_text(MOST_HOLDERS, lines, sizeof(lines));
    MPIR_ERR_SETANDSTMT4(mpi_errno, MPI_ERR_OTHER, ;
                         , "**ctxid_exhausted", "**ctxid_exhausted %d %d %d %s", (int) figures.used,
                         (int) figures.limit, (int) figures.reserved,
                         lines[0] ? lines : "unknown lines");
    return mpi_errno;
}

int MPIR_ctxid_error(ctxid_state_t why)
{
    int mpi_errno = MPI_SUCCESS;

    if (why == CTXID_NO_MEMORY) {
        MPIR_ERR_SET(mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    } else if (why == CTXID_FAILED) {
        MPIR_ERR_SET(mpi_errno, MPI_ERR_OTHER, "**ctxid_refused");
    } else {
        mpi_errno = error_of_exhausted_ids();
    }
    return mpi_errno;
}

/* Other creations of this process may have to end first: those of other threads, and pending
 * ones, which the progress engine advances. */
int MPIR_ctxid_let_others_go_on(void)
{
    int mpi_errno = MPID_Progress_test(NULL);

    MPID_THREAD_CS_YIELD(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    MPL_thread_yield();
    return mpi_errno;
}

/* One step of the search. */
static int exchange_window(MPIR_Ctxid_t *creation)
{
    ctxid_window_t window;

    MPIR_ctxid_show_window(creation, &window);
    MPIR_TRY(reduce(creation, &window, &windows));
    MPIR_ctxid_settle_window(creation, &window);
    MPIR_ctxid_spare_unused(); /* a block may have given an id back */
    return creation->state == CTXID_QUEUED ? MPIR_ctxid_let_others_go_on() : MPI_SUCCESS;
}

MPIR_Context_id_t MPIR_ctxid_of_prefix(uint32_t prefix)
{
    return (prefix == MPIR_CTXID_NONE) ? MPIR_INVALID_CONTEXT_ID
                                       : (MPIR_Context_id_t) prefix << MPIR_CONTEXT_PREFIX_SHIFT;
}

/* Some callers give back an id that is not 0 also after an error. */
static int conclude(MPIR_Ctxid_t *creation, MPIR_Context_id_t *id)
{
    int mpi_errno = MPI_SUCCESS;

    *id = 0;
    while (mpi_errno == MPI_SUCCESS && creation->state == CTXID_QUEUED)
        mpi_errno = exchange_window(creation);
    if (mpi_errno != MPI_SUCCESS)
        MPIR_Ctxid_abandon(creation);
    else if (creation->state != CTXID_DECIDED)
        mpi_errno = MPIR_ctxid_error(creation->state);
    MPIR_ERR_CHKRETURN(mpi_errno);
    *id = MPIR_ctxid_of_prefix(creation->prefix);

    return mpi_errno;
}

/* From all offers to the id. */
static int decide(MPIR_Ctxid_t *creation, uint64_t own, ctxid_offer_t all, MPIR_Context_id_t *id)
{
    MPIR_ctxid_settle(creation, own, all);
    return conclude(creation, id);
}

/* ---- which creation -------------------------------------------------------------------------- */

static bool was_any_pending; /* ever */

void MPIR_ctxid_expect_pending(void) { __atomic_store_n(&was_any_pending, true, __ATOMIC_RELAXED); }

static bool makes_one_at_a_time(void)
{
    return !MPIR_IS_THREADED && !__atomic_load_n(&was_any_pending, __ATOMIC_RELAXED);
}

/* Without a map of both groups, for which there may be no memory. */
static bool groups_contain(const MPIR_Comm *inter, const MPIR_Comm *part)
{
    const cmap_t *map = MPIR_Comm_map(part, MPIR_MAP_LOCAL),
                 *local = MPIR_Comm_map(inter, MPIR_MAP_LOCAL),
                 *remote = MPIR_Comm_map(inter, MPIR_MAP_REMOTE);
    uint32_t rank = 0, n = MPIR_cmap_size(map);

    while (rank < n && (MPIR_cmap_rank(local, MPIR_cmap_select(map, rank)) != CMAP_NONE ||
                        MPIR_cmap_rank(remote, MPIR_cmap_select(map, rank)) != CMAP_NONE))
        rank++;
    return rank == n;
}

static bool contains(const MPIR_Ctxid_t *creation, const MPIR_Comm *part)
{
    const MPIR_Comm *parent = creation->parent;
    const cmap_t *all =
        creation->group ? creation->group->map : MPIR_Comm_map(parent, MPIR_MAP_LOCAL);
    int yes;

    if (is_between_groups(creation))
        return groups_contain(parent, part);
    if (parent == part && !creation->group)
        return true;
    return MPIR_cmap_is_subset(MPIR_Comm_map(part, MPIR_MAP_LOCAL), all, &yes, NULL) == CMAP_OK &&
           yes;
}

/* The low group's first process, by its number in the world; 0 if a process is of another world,
 * where the numbers differ. */
static uint32_t first_of_low_group(MPIR_Comm *inter)
{
    const cmap_t *local = MPIR_Comm_map(inter, MPIR_MAP_LOCAL),
                 *remote = MPIR_Comm_map(inter, MPIR_MAP_REMOTE);
    uint32_t world_size = (uint32_t) MPIR_Process.size;

    if (MPIR_cmap_max(local) >= world_size || MPIR_cmap_max(remote) >= world_size)
        return 0;
    return MPIR_cmap_select(inter->is_low_group ? local : remote, 0);
}

static uint64_t order_of(MPIR_Context_id_t parent, uint32_t tag)
{
    return (uint64_t) parent << 32 | tag;
}

/* MPI_Intercomm_merge: both groups name the parent by the low group's id, with a mark that no
 * communicator has.  Another low group may have the same id for its own intercommunicator, and
 * one process may be in the high group of both.  So the tag is the first process of the low
 * group, which has this id only once. */
static uint64_t order_of_merge(MPIR_Comm *inter)
{
    MPIR_Context_id_t low = inter->is_low_group ? inter->recvcontext_id : inter->context_id;

    return order_of(MPIR_CONTEXT_SET_FIELD(SUBCOMM, low, 3), first_of_low_group(inter));
}

/* Blocking creations have the tag MPI_TAG_UB + 1, which no MPI_Comm_create_group has: the order of
 * two creations with equal tags would not be defined.  Pending ones on the same communicator come
 * after them, in the order of their tags. */
uint64_t MPIR_ctxid_order_of_pending(const MPIR_Comm *parent, int tag)
{
    return order_of(parent->context_id, (uint32_t) MPIR_Process.attrs.tag_ub + 1 + (uint32_t) tag);
}

/* Up to MPI_TAG_UB: without the mark that MPICH adds to the tag of a collective. */
static uint32_t users_tag(int tag) { return (uint32_t) tag & ~(uint32_t) MPIR_TAG_COLL_BIT; }

static MPIR_Ctxid_t creation_of(MPIR_Comm *parent, MPIR_Group *group, int tag, bool takes_part)
{
    MPIR_Ctxid_t creation = {.store = MPIR_ctxid_own_store(),
                             .parent = parent,
                             .group = group,
                             .tag = tag,
                             .takes_part = takes_part,
                             .contains = makes_one_at_a_time() ? contains : NULL};

    if (is_between_groups(&creation)) {
        creation.order = order_of_merge(parent);
    } else if (group != NULL) {
        creation.order = order_of(parent->context_id, users_tag(tag));
    } else { /* all members of the parent call it, in the same order */
        creation.order = MPIR_ctxid_order_of_pending(parent, 0);
        creation.whole = true;
        creation.number = ++parent->ctxid_calls;
    }
    return creation;
}

/* ---- calls ----------------------------------------------------------------------------------- */

void MPIR_Ctxid_begin(MPIR_Ctxid_t *creation, MPIR_Comm *parent, int takes_part, uint64_t *offer)
{
    *creation = creation_of(parent, NULL, 0, takes_part != 0);
    *offer = MPIR_ctxid_make_offer(creation).packed;
}

int MPIR_Ctxid_decide(MPIR_Ctxid_t *creation, uint64_t own, uint64_t all, MPIR_Context_id_t *id)
{
    return decide(creation, own, (ctxid_offer_t){.packed = all, .number = creation->number}, id);
}

void MPIR_Ctxid_begin_group(MPIR_Ctxid_t *creation, MPIR_Comm *parent, MPIR_Group *group, int tag,
                            uint64_t offer[2])
{
    ctxid_offer_t own;

    *creation = creation_of(parent, group, tag, true);
    own = MPIR_ctxid_make_offer(creation);
    memcpy(offer, &own, sizeof(own));
}

void MPIR_Ctxid_fold_group(uint64_t all[2], const uint64_t offer[2]) { fold_numbers(all, offer); }

int MPIR_Ctxid_decide_group(MPIR_Ctxid_t *creation, const uint64_t all[2], bool searches,
                            MPIR_Context_id_t *id)
{
    ctxid_offer_t offers_of_all;

    memcpy(&offers_of_all, all, sizeof(offers_of_all));
    MPIR_ctxid_settle(creation, offers_of_all.packed, offers_of_all);
    if (searches || creation->state != CTXID_QUEUED)
        return conclude(creation, id);
    *id = 0;
    MPIR_Ctxid_abandon(creation);
    return MPI_SUCCESS;
}

/* From the offer to the id. */
static int agree(MPIR_Ctxid_t *creation, bool refuses, MPIR_Context_id_t *id)
{
    ctxid_offer_t all = MPIR_ctxid_make_offer(creation);
    int mpi_errno = MPI_SUCCESS;

    if (refuses)
        all.packed = MPIR_Ctxid_refusal(all.packed);
    mpi_errno = reduce(creation, &all, &offers);
    if (mpi_errno != MPI_SUCCESS)
        MPIR_Ctxid_abandon(creation);
    MPIR_ERR_CHKRETURN(mpi_errno);
    return decide(creation, all.packed, all, id);
}

void MPIR_ctxid_refuse_among(MPIR_Comm *comm, MPIR_Group *group, int tag)
{
    MPIR_Ctxid_t creation = creation_of(comm, group, tag, false);
    MPIR_Context_id_t none;

    (void) agree(&creation, true, &none);
}

int MPIR_Get_contextid_sparse_group(MPIR_Comm *comm_ptr, MPIR_Group *group_ptr, int tag,
                                    MPIR_Context_id_t *context_id, int ignore_id)
{
    MPIR_Ctxid_t creation =
        creation_of(comm_ptr, group_ptr, tag, !ignore_id || MPIR_Others->holds_all_ids);

    return agree(&creation, false, context_id);
}

int MPIR_Get_contextid_sparse(MPIR_Comm *comm_ptr, MPIR_Context_id_t *context_id, int ignore_id)
{
    return MPIR_Get_contextid_sparse_group(comm_ptr, NULL, 0, context_id, ignore_id);
}

int MPIR_Ctxid_get_merged(MPIR_Comm *inter, int refusal, MPIR_Context_id_t *id)
{
    if (refusal == MPI_SUCCESS)
        return MPIR_Get_contextid_sparse(inter, id, false);
    MPIR_ctxid_refuse_among(inter, NULL, 0);
    return refusal;
}

/* ---- duplicates ------------------------------------------------------------------------------ */

bool MPIR_Ctxid_has_blocks(const MPIR_Comm *comm)
{
    return comm->comm_kind == MPIR_COMM_KIND__INTRACOMM && MPIR_CVAR_CTXID_BLOCK > 1;
}

/* One whose copy could fail without an agreement that tells the others */
static bool has_copied_attribute(const MPIR_Comm *comm)
{
    const MPIR_Attribute *at = comm->attributes;

    while (at && at->keyval->copyfn.user_function == NULL)
        at = at->next;
    return at != NULL;
}

uint32_t MPIR_ctxid_ids_to_ask(MPIR_Comm *parent)
{
    uint32_t n =
        MPIR_ctxid_block_size(MPIR_ctxid_own_store(), parent, (uint32_t) MPIR_CVAR_CTXID_BLOCK);

    return n > 1 && !has_copied_attribute(parent) && MPIR_ctxid_spare_make(n - 1) ? n : 1;
}

int MPIR_Ctxid_get_duplicate(MPIR_Comm *parent, MPIR_Context_id_t *id)
{
    MPIR_Ctxid_t creation = creation_of(parent, NULL, 0, true);
    int mpi_errno;

    creation.ids = MPIR_ctxid_ids_to_ask(parent);
    mpi_errno = agree(&creation, false, id);
    MPIR_ctxid_spare_settle(creation.ids - 1);
    return mpi_errno;
}
