/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_report.h"
#include "ctxid_agree.h"
#include "../ctxid_holders.h"
#include "../ctxid_spare.h"

/* Blocking agreement. */

/* The processes that take part in the collectives of a creation */
typedef struct {
    MPIR_Comm *comm;   /* an intercommunicator stands for both of its groups */
    MPIR_Group *group; /* NULL: all of comm */
    int tag;
} members_t;

/* How offers and windows are reduced: by the folds of ctxid_store.h.  An element of a user's type
 * is never cut in pieces.  For small data and a user's operation MPICH chooses recursive
 * doubling. */
typedef struct {
    MPI_Datatype type;
    MPI_Op op;
} reduction_t;

static reduction_t offers, windows;

static bool was_any_pending; /* ever */

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
    int mpi_errno = MPI_SUCCESS;
    MPIR_Op *op;

    mpi_errno = MPIR_Op_create_impl(fold, 1, &op);
    MPIR_ERR_CHKRETURN(mpi_errno);
    reduction->op = op->handle;
    mpi_errno = MPIR_Type_contiguous_impl((int) (bytes / 4), MPI_UINT32_T, &reduction->type);
    MPIR_ERR_CHKRETURN(mpi_errno);
    mpi_errno = MPIR_Type_commit_impl(&reduction->type);
    MPIR_ERR_CHKRETURN(mpi_errno);
    MPIR_Add_finalize(free_reduction, reduction, MPIR_FINALIZE_CALLBACK_PRIO - 1);

    return mpi_errno;
}

int MPIR_Ctxid_init_reductions(void)
{
    int mpi_errno = MPI_SUCCESS;

    MPIR_Map_report_phase("communicators");
    mpi_errno = make_reduction(fold_offers, sizeof(ctxid_offer_t), &offers);
    MPIR_ERR_CHKRETURN(mpi_errno);
    mpi_errno = make_reduction(fold_windows, sizeof(ctxid_window_t), &windows);

    return mpi_errno;
}

static void fold_numbers(uint64_t all[2], const uint64_t one[2])
{
    ctxid_offer_t sum = {all[0], all[1]}, offer = {one[0], one[1]};

    MPIR_ctxid_fold_offer(&sum, &offer);
    all[0] = sum.packed;
    all[1] = sum.number;
}

/* Without messages, if all members are on one node and aggregates allow it. */
static bool reduce_on_node(members_t members, ctxid_offer_t *offer, int *mpi_errno)
{
    uint64_t numbers[2] = {offer->packed, offer->number};

    if (!MPIR_Aggr_do_group(members.comm, members.group->map, members.tag, numbers, fold_numbers,
                            mpi_errno))
        return false;
    *offer = (ctxid_offer_t){numbers[0], numbers[1]};
    return true;
}

static bool is_between_groups(members_t members)
{
    return members.comm->comm_kind == MPIR_COMM_KIND__INTERCOMM;
}

/* Between two groups there are at least two. */
static int number_of(members_t members)
{
    if (is_between_groups(members))
        return members.comm->local_size + members.comm->remote_size;
    return members.group ? members.group->size : members.comm->local_size;
}

static int reduce(members_t members, void *data, const reduction_t *by)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;

    if (MPIR_Others->count(number_of(members)) == 1)
        return mpi_errno;
    if (members.group && by == &offers && reduce_on_node(members, data, &mpi_errno))
        return mpi_errno;
    if (is_between_groups(members))
        mpi_errno = MPIR_ctxid_reduce_between(members.comm, data, by->type, by->op, &errflag);
    else if (members.group != NULL)
        mpi_errno = MPII_Allreduce_group(MPI_IN_PLACE, data, 1, by->type, by->op, members.comm,
                                         members.group, members.tag | MPIR_TAG_COLL_BIT, &errflag);
    else
        mpi_errno = MPIR_Allreduce(MPI_IN_PLACE, data, 1, by->type, by->op, members.comm, &errflag);
    MPIR_ERR_CHKRETURN(mpi_errno);
    MPIR_ERR_CHKANDSTMT(errflag, mpi_errno, MPI_ERR_OTHER, return mpi_errno, "**coll_fail");

    return mpi_errno;
}

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

int MPIR_ctxid_error(ctxid_outcome_t outcome)
{
    int mpi_errno = MPI_SUCCESS;

    if (outcome == CTXID_NO_MEMORY) {
        MPIR_ERR_SET(mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    } else if (outcome == CTXID_FAILED) {
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
static int exchange_window(MPIR_Ctxid_t *creation, members_t members, ctxid_outcome_t *outcome,
                           uint32_t *prefix)
{
    int mpi_errno = MPI_SUCCESS;
    ctxid_window_t window;

    MPIR_ctxid_show_window(creation, &window);
    mpi_errno = reduce(members, &window, &windows);
    MPIR_ERR_CHKRETURN(mpi_errno);
    *outcome = MPIR_ctxid_settle_window(creation, &window, prefix);
    MPIR_ctxid_spare_unused(); /* a block may have given an id back */
    if (*outcome == CTXID_SEARCH)
        mpi_errno = MPIR_ctxid_let_others_go_on();

    return mpi_errno;
}

MPIR_Context_id_t MPIR_ctxid_of_prefix(uint32_t prefix)
{
    return (prefix == MPIR_CTXID_NONE) ? MPIR_INVALID_CONTEXT_ID
                                       : (MPIR_Context_id_t) prefix << MPIR_CONTEXT_PREFIX_SHIFT;
}

static int decide(MPIR_Ctxid_t *creation, members_t members, uint64_t own, ctxid_offer_t all,
                  MPIR_Context_id_t *id)
{
    int mpi_errno = MPI_SUCCESS;
    uint32_t prefix;
    ctxid_outcome_t outcome = MPIR_ctxid_settle(creation, own, all, &prefix);

    *id = 0; /* some callers give back the id also after an error */
    while (outcome == CTXID_SEARCH) {
        mpi_errno = exchange_window(creation, members, &outcome, &prefix);
        if (mpi_errno != MPI_SUCCESS) {
            MPIR_ctxid_abandon(creation);
            MPIR_ERR_RETURN(mpi_errno);
        }
    }
    if (outcome != CTXID_DECIDED) {
        mpi_errno = MPIR_ctxid_error(outcome);
        MPIR_ERR_RETURN(mpi_errno);
    }
    *id = MPIR_ctxid_of_prefix(prefix);

    return mpi_errno;
}

/* Up to MPI_TAG_UB: without the mark that MPICH adds to the tag of a collective. */
static uint32_t users_tag(int tag) { return (uint32_t) tag & ~(uint32_t) MPIR_TAG_COLL_BIT; }

/* No tag of MPI_Comm_create_group: the order of two creations with equal tags would not be
 * defined. */
static uint32_t blocking_tag(void) { return (uint32_t) MPIR_Process.attrs.tag_ub + 1; }

void MPIR_ctxid_expect_pending(void) { __atomic_store_n(&was_any_pending, true, __ATOMIC_RELAXED); }

static bool makes_one_at_a_time(void)
{
    return !MPIR_IS_THREADED && !__atomic_load_n(&was_any_pending, __ATOMIC_RELAXED);
}

static bool is_part(const MPIR_Comm *part, const cmap_t *whole)
{
    int yes;

    return MPIR_cmap_is_subset(MPIR_Comm_map(part, MPIR_MAP_LOCAL), whole, &yes, NULL) == CMAP_OK &&
           yes;
}

static bool comm_contains(const void *whole, const MPIR_Comm *part)
{
    return whole == part || is_part(part, MPIR_Comm_map((MPIR_Comm *) whole, MPIR_MAP_LOCAL));
}

static bool group_contains(const void *whole, const MPIR_Comm *part)
{
    return is_part(part, ((const MPIR_Group *) whole)->map);
}

/* Without a map of both groups, for which there may be no memory. */
static bool groups_contain(const void *whole, const MPIR_Comm *part)
{
    const cmap_t *map = MPIR_Comm_map(part, MPIR_MAP_LOCAL),
                 *local = MPIR_Comm_map((MPIR_Comm *) whole, MPIR_MAP_LOCAL),
                 *remote = MPIR_Comm_map((MPIR_Comm *) whole, MPIR_MAP_REMOTE);
    uint32_t rank = 0, n = MPIR_cmap_size(map);

    while (rank < n && (MPIR_cmap_rank(local, MPIR_cmap_select(map, rank)) != CMAP_NONE ||
                        MPIR_cmap_rank(remote, MPIR_cmap_select(map, rank)) != CMAP_NONE))
        rank++;
    return rank == n;
}

/* All members of the parent call it, in the same order. */
static ctxid_call_t whole_call(MPIR_Comm *parent)
{
    return (ctxid_call_t){.whole = true,
                          .tag = blocking_tag(),
                          .number = ++parent->ctxid_calls,
                          .contains = makes_one_at_a_time() ? comm_contains : NULL,
                          .members = parent};
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

/* MPI_Intercomm_merge: both groups name the parent by the low group's id, with a mark that no
 * communicator has.  Another low group may have the same id for its own intercommunicator, and
 * one process may be in the high group of both.  So the tag is the first process of the low
 * group, which has this id only once. */
static ctxid_call_t merging_call(MPIR_Comm *inter)
{
    MPIR_Context_id_t low = inter->is_low_group ? inter->recvcontext_id : inter->context_id;

    return (ctxid_call_t){.whole = false,
                          .tag = first_of_low_group(inter),
                          .contains = makes_one_at_a_time() ? groups_contain : NULL,
                          .members = inter,
                          .parent = MPIR_CONTEXT_SET_FIELD(SUBCOMM, low, 3)};
}

void MPIR_Ctxid_begin(MPIR_Ctxid_t *creation, MPIR_Comm *parent, int takes_part, uint64_t *offer)
{
    *offer = MPIR_ctxid_make_offer(MPIR_ctxid_own_store(), creation, parent, whole_call(parent),
                                   takes_part != 0)
                 .packed;
}

void MPIR_Ctxid_abandon(MPIR_Ctxid_t *creation) { MPIR_ctxid_abandon(creation); }

int MPIR_Ctxid_decide(MPIR_Ctxid_t *creation, uint64_t own, uint64_t all, MPIR_Context_id_t *id)
{
    members_t members = {.comm = creation->parent, .group = NULL};

    return decide(creation, members, own,
                  (ctxid_offer_t){.packed = all, .number = creation->number}, id);
}

static ctxid_call_t group_call(const MPIR_Group *group, int tag)
{
    return (ctxid_call_t){.whole = false,
                          .tag = users_tag(tag),
                          .contains = makes_one_at_a_time() ? group_contains : NULL,
                          .members = group};
}

static ctxid_offer_t offer_among(MPIR_Ctxid_t *creation, members_t members, bool takes_part)
{
    ctxid_call_t call;

    if (is_between_groups(members))
        call = merging_call(members.comm);
    else if (members.group == NULL)
        call = whole_call(members.comm);
    else
        call = group_call(members.group, members.tag);
    return MPIR_ctxid_make_offer(MPIR_ctxid_own_store(), creation, members.comm, call, takes_part);
}

/* Folds the offers of all members. */
static int exchange_offers(MPIR_Ctxid_t *creation, members_t members, ctxid_offer_t *offer)
{
    int mpi_errno = reduce(members, offer, &offers);

    if (mpi_errno != MPI_SUCCESS)
        MPIR_ctxid_abandon(creation);
    return mpi_errno;
}

void MPIR_ctxid_refuse_among(MPIR_Comm *comm, MPIR_Group *group, int tag)
{
    MPIR_Ctxid_t creation;
    members_t members = {.comm = comm, .group = group, .tag = tag};
    ctxid_offer_t offer;
    uint32_t prefix;

    offer = offer_among(&creation, members, false);
    offer.packed = MPIR_Ctxid_refusal(offer.packed);
    if (exchange_offers(&creation, members, &offer) == MPI_SUCCESS)
        MPIR_ctxid_settle(&creation, offer.packed, offer, &prefix);
}

int MPIR_Ctxid_get(MPIR_Comm *comm, MPIR_Group *group, int tag, int takes_part,
                   MPIR_Context_id_t *id)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Ctxid_t creation;
    members_t members = {.comm = comm, .group = group, .tag = tag};
    ctxid_offer_t all = offer_among(&creation, members, takes_part || MPIR_Others->holds_all_ids);

    mpi_errno = exchange_offers(&creation, members, &all);
    MPIR_ERR_CHKRETURN(mpi_errno);
    mpi_errno = decide(&creation, members, all.packed, all, id);

    return mpi_errno;
}

/* One whose copy could fail without an agreement that tells the others */
static bool has_copied_attribute(const MPIR_Comm *comm)
{
    const MPIR_Attribute *at = comm->attributes;

    while (at && at->keyval->copyfn.user_function == NULL)
        at = at->next;
    return at != NULL;
}

uint32_t MPIR_ctxid_ids_to_ask(const MPIR_Comm *parent)
{
    uint32_t n =
        MPIR_ctxid_block_size(MPIR_ctxid_own_store(), parent, (uint32_t) MPIR_CVAR_CTXID_BLOCK);

    return n > 1 && !has_copied_attribute(parent) && MPIR_ctxid_spare_make(n - 1) ? n : 1;
}

int MPIR_Ctxid_get_duplicate(MPIR_Comm *parent, MPIR_Context_id_t *id)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Ctxid_t creation;
    members_t members = {.comm = parent};
    ctxid_call_t call = whole_call(parent);
    ctxid_offer_t all;

    call.ids = MPIR_ctxid_ids_to_ask(parent);
    all = MPIR_ctxid_make_offer(MPIR_ctxid_own_store(), &creation, parent, call, true);
    mpi_errno = exchange_offers(&creation, members, &all);
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = decide(&creation, members, all.packed, all, id);
    MPIR_ctxid_spare_settle(call.ids - 1);
    return mpi_errno;
}

int MPIR_Ctxid_get_merged(MPIR_Comm *inter, int refusal, MPIR_Context_id_t *id)
{
    if (refusal == MPI_SUCCESS)
        return MPIR_Ctxid_get(inter, NULL, 0, true, id);
    MPIR_ctxid_refuse_among(inter, NULL, 0);
    return refusal;
}
