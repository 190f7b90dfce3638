/* SPDX-License-Identifier: BSD-3-Clause */

#include "split_call.h"

/*
=== BEGIN_MPI_T_CVAR_INFO_BLOCK ===

cvars:
    - name        : MPIR_CVAR_SPLIT_DESCRIBED
      category    : COMMUNICATOR
      type        : int
      default     : 4096
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_DETAIL
      scope       : MPI_T_SCOPE_ALL_EQ
      description : >-
        Least number of ranks from which on MPI_Comm_split exchanges descriptions of colours and
        keys instead of a row for each rank; on one node, only if it is 1. 0 or less means never.

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

/* The intracommunicator of an intercommunicator's local side, or the parent itself. */
static int local_comm_of(MPIR_Comm *parent, MPIR_Comm **local)
{
    int mpi_errno = MPI_SUCCESS;

    *local = parent;
    if (parent->comm_kind == MPIR_COMM_KIND__INTERCOMM) {
        if (!parent->local_comm)
            mpi_errno = MPII_Setup_intercomm_localcomm(parent);
        *local = parent->local_comm;
    }
    return mpi_errno;
}

/* A small table is part of the call, so that a process without memory takes part in the collective.
 * The allocation is freed after the collective, for what the child takes if there is no other
 * memory. */
enum { LEAST_RESERVE = 1024, DESCRIBED_RESERVE = 512 };

static int alloc_reserve(split_side *side, size_t bytes)
{
    int mpi_errno = MPI_SUCCESS;

    side->owned = MPL_malloc(bytes, MPL_MEM_COMM);
    MPIR_ERR_CHKANDSTMT2(!side->owned, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem2",
                         "**nomem2 %d %s", (int) bytes, "rows of MPI_Comm_split");

    return mpi_errno;
}

static int alloc_side(const split_call *call, split_side *side, int size)
{
    int mpi_errno = alloc_reserve(side, MPL_MAX(size * sizeof(split_row), LEAST_RESERVE));

    side->size = size;
    side->view = MPIR_split_view_of(call->colour, MPIX_PERMUTE);
    side->table = size <= SPLIT_FEW ? side->few : side->owned;
    return mpi_errno;
}

static void keep_error(split_call *call, int mpi_errno)
{
    if (call->error == MPI_SUCCESS)
        call->error = mpi_errno;
}

/* The same on all members.  On one node rows are faster. */
static bool is_described(const MPIR_Comm *parent)
{
    int least = MPIR_CVAR_SPLIT_DESCRIBED;

    return least == 1 || (least > 1 && parent->local_size >= least && parent->node_count > 1);
}

/* Only reserves: one for the child, and what long descriptions may need. */
static int begin_described(split_call *call)
{
    int mpi_errno = MPI_SUCCESS;
    split_zones *zones = &call->scratch->zones;

    MPIR_split_zones_begin(zones, (uint32_t) call->parent->local_size);
    call->local.size = (uint32_t) call->parent->local_size;
    call->local.view = MPIR_split_view_of(call->colour, MPIX_PERMUTE);
    mpi_errno = alloc_reserve(&call->local, DESCRIBED_RESERVE);
    MPIR_ERR_CHKRETURN(mpi_errno);
    MPIR_ERR_CHKANDSTMT2(!MPIR_split_zones_reserve(zones), mpi_errno, MPI_ERR_NO_MEM,
                         return mpi_errno, "**nomem2", "**nomem2 %d %s",
                         (int) zones->ranks * COLOURS_ROW, "descriptions of MPI_Comm_split");

    return mpi_errno;
}

/* Allocations before the first collective.  A process without memory continues, and tells the
 * others in the collective. */
static void split_begin(split_call *call)
{
    if (call->colour != MPI_UNDEFINED)
        keep_error(call, MPIR_Comm_create(&call->child));
    call->is_described = is_described(call->parent);
    if (call->is_described)
        keep_error(call, begin_described(call));
    else
        keep_error(call, alloc_side(call, &call->local, call->parent->local_size));
    if (MPIR_split_is_inter(call))
        keep_error(call, alloc_side(call, &call->remote, call->parent->remote_size));
}

static void end(split_call *call)
{
    if (call->is_described)
        MPIR_split_zones_end(&call->scratch->zones);
    MPL_free(call->local.owned);
    MPL_free(call->remote.owned);
    MPIR_cmap_release(call->local.map);
    MPIR_cmap_release(call->remote.map);
    if (call->child)
        MPIR_Comm_discard(call->child);
    if (call->id != MPIR_INVALID_CONTEXT_ID)
        MPIR_Free_contextid(call->id);
}

/* On an intercommunicator the rows of the other side come. */
static int gather_rows(const void *row, void *table, int count, MPI_Datatype type, MPIR_Comm *comm,
                       MPIR_Errflag_t errflag)
{
    int mpi_errno = MPI_SUCCESS;

    mpi_errno =
        MPIR_Allgather(row, sizeof(split_row), MPI_BYTE, table, count, type, comm, &errflag);
    MPIR_ERR_CHKRETURN(mpi_errno);
    MPIR_ERR_CHKANDSTMT(errflag, mpi_errno, MPI_ERR_OTHER, return mpi_errno, "**ctxid_refused");

    return mpi_errno;
}

/* Without a table: all rows go to the same place.  What this process passes on is wrong, and
 * marked so. */
static int gather_nothing(const split_row *row, MPIR_Comm *comm)
{
    int mpi_errno = MPI_SUCCESS;
    MPI_Datatype bytes = MPI_DATATYPE_NULL, place = MPI_DATATYPE_NULL;
    split_row last;

    mpi_errno = MPIR_Type_contiguous_impl(sizeof(split_row), MPI_BYTE, &bytes);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = MPIR_Type_create_resized_impl(bytes, 0, 0, &place);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = MPIR_Type_commit_impl(&place);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = gather_rows(row, &last, 1, place, comm, MPIR_ERR_OTHER);
    MPIR_ERR_CHECK(mpi_errno);

fn_exit:
    if (place != MPI_DATATYPE_NULL)
        MPIR_Type_free_impl(&place);
    if (bytes != MPI_DATATYPE_NULL)
        MPIR_Type_free_impl(&bytes);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

static bool is_mixed(const split_side *side)
{
    return side->view.special_rows != 0 && side->view.special_rows != side->view.rows;
}

/* Looks at the rows of the local side; the offers of context ids are folded on the way. */
static void look_at_local(split_side *side, uint64_t *own_colour, uint64_t *all)
{
    *own_colour = *all = 0;
    for (uint32_t rank = 0; rank < side->size; rank++) {
        const split_row *row = &side->table[rank];
        MPIR_split_look(&side->view, row);
        MPIR_Ctxid_fold(all, row->offer);
        if (row->colour == side->view.colour)
            MPIR_Ctxid_fold(own_colour, row->offer);
    }
}

/* The ids of the colours, when all rows are known. */
static void decide(split_call *call, MPIR_Ctxid_t *ctxid, uint64_t own_colour, uint64_t all)
{
    MPIR_Context_id_t id = MPIR_INVALID_CONTEXT_ID;

    if (is_mixed(&call->local)) {
        MPIR_Ctxid_abandon(ctxid);
        return;
    }
    int mpi_errno = MPIR_Ctxid_decide(ctxid, own_colour, all, &id);
    if (mpi_errno == MPI_SUCCESS && call->colour != MPI_UNDEFINED)
        call->id = id;
    keep_error(call, mpi_errno);
}

int MPIR_split_exchange_rows(split_call *call, MPIR_Comm *local, MPIR_Ctxid_t *ctxid)
{
    int mpi_errno = MPI_SUCCESS;
    split_row row = {.colour = call->colour, .key = call->key};
    split_row *table = call->local.table;

    MPIR_Ctxid_begin(ctxid, local, call->colour != MPI_UNDEFINED, &row.offer);
    if (call->error != MPI_SUCCESS)
        row.offer = MPIR_Ctxid_refusal(row.offer);
    if (table) {
        table[call->parent->rank] = row;
        mpi_errno = gather_rows(MPI_IN_PLACE, table, sizeof(row), MPI_BYTE, local, MPIR_ERR_NONE);
    } else {
        mpi_errno = gather_nothing(&row, local);
    }
    if (!table || mpi_errno != MPI_SUCCESS)
        MPIR_Ctxid_abandon(ctxid);
    return mpi_errno;
}

static void gather_rows_of_local(split_call *call, MPIR_Comm *local)
{
    MPIR_Ctxid_t ctxid;
    uint64_t own_colour, all;
    int mpi_errno = MPIR_Others->get_rows(call, local, &ctxid);

    keep_error(call, mpi_errno);
    if (call->local.table == NULL || mpi_errno != MPI_SUCCESS)
        return;
    look_at_local(&call->local, &own_colour, &all);
    decide(call, &ctxid, own_colour, all);
}

static bool has_failed(const split_zones *zones)
{
    return (MPIR_colours_flags(zones->mine) & COLOURS_FAILED) != 0;
}

/* Orders the members of the own colour. */
static void arrange(split_call *call)
{
    const uint8_t *all = call->scratch->zones.mine;

    MPIR_colours_arrange(all, call->colour, (uint32_t) call->parent->rank, &call->scratch->order);
    call->local.view.members = call->scratch->order.members;
    call->local.view.special_rows = MPIR_colours_count(all, MPIX_PERMUTE);
}

/* The fold of the offers is that over all colours: ids that are free at all processes are free at
 * those of one colour. */
static void decide_described(split_call *call, MPIR_Ctxid_t *ctxid)
{
    uint64_t offer = MPIR_colours_offer(call->scratch->zones.mine);

    call->local.view.rows = call->local.size;
    if (has_failed(&call->scratch->zones))
        offer = MPIR_Ctxid_refusal(offer);
    decide(call, ctxid, offer, offer);
}

/* An agreement has begun, and each member makes an offer. */
static int describe_local(split_call *call, MPIR_Comm *local, uint64_t offer, bool by_nodes)
{
    split_leaf own = {.row = {.colour = call->colour, .key = call->key}, .offer = offer};

    if (call->error != MPI_SUCCESS) {
        own.flags = COLOURS_FAILED;
        own.offer = MPIR_Ctxid_refusal(offer);
    }
    MPIR_colours_leaf(call->scratch->zones.mine, own.row, own.offer, own.flags);
    MPIR_Coll_count(local);
    return by_nodes ? MPIR_split_merge_nodes(&call->scratch->zones, local, &own)
                    : MPIR_split_merge_blocks(&call->scratch->zones, local);
}

/* Exchange and decision. */
static int agree_described(split_call *call, MPIR_Comm *local, bool takes_part, bool by_nodes)
{
    MPIR_Ctxid_t ctxid;
    uint64_t offer;
    int mpi_errno;

    MPIR_Ctxid_begin(&ctxid, local, takes_part, &offer);
    mpi_errno = describe_local(call, local, offer, by_nodes);
    if (mpi_errno != MPI_SUCCESS) {
        MPIR_Ctxid_abandon(&ctxid);
        return mpi_errno;
    }
    if (!has_failed(&call->scratch->zones))
        arrange(call);
    decide_described(call, &ctxid);
    return MPI_SUCCESS;
}

static void gather_descriptions(split_call *call, MPIR_Comm *local)
{
    bool takes_part = (call->colour != MPI_UNDEFINED), by_nodes;
    int mpi_errno = MPIR_split_choose_nodes(local, &by_nodes);

    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = MPIR_Others->foresee(call, local, &takes_part);
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = agree_described(call, local, takes_part, by_nodes);
    keep_error(call, mpi_errno);
}

/* Gathers what the local side passes and agrees on a context id for each colour. */
static void gather_local(split_call *call)
{
    MPIR_Comm *local;
    int mpi_errno = local_comm_of(call->parent, &local);

    if (mpi_errno != MPI_SUCCESS)
        keep_error(call, mpi_errno);
    else if (call->is_described)
        gather_descriptions(call, local);
    else
        gather_rows_of_local(call, local);
}

/* The other side's id for the colour: MPIR_INVALID_CONTEXT_ID if one of its members has none. */
static void look_at_remote(split_call *call)
{
    split_side *side = &call->remote;
    bool have_ids = true;

    for (uint32_t rank = 0; rank < side->size; rank++) {
        const split_row *row = &side->table[rank];

        MPIR_split_look(&side->view, row);
        if (row->colour == call->colour) {
            have_ids = have_ids && row->id != MPIR_INVALID_CONTEXT_ID;
            call->remote_id = have_ids ? row->id : MPIR_INVALID_CONTEXT_ID;
        }
    }
}

/* A process without an id also takes part: the other side learns from it that there is none. */
static void gather_remote(split_call *call)
{
    split_row *table = call->remote.table;
    split_row row = {.colour = call->colour, .key = call->key, .id = call->id};
    int mpi_errno;

    if (!table) {
        keep_error(call, gather_nothing(&row, call->parent));
        return;
    }
    mpi_errno = gather_rows(&row, table, sizeof(row), MPI_BYTE, call->parent, MPIR_ERR_NONE);
    keep_error(call, mpi_errno);
    if (mpi_errno == MPI_SUCCESS)
        look_at_remote(call);
}

/* The same answer on all members of both sides. */
static int check_permute(const split_call *call)
{
    int mpi_errno = MPI_SUCCESS;
    uint32_t members = call->local.view.rows + call->remote.view.rows;
    uint32_t special = call->local.view.special_rows + call->remote.view.special_rows;

    if (special != 0 && special != members)
        MPIR_ERR_SET2(mpi_errno, MPI_ERR_ARG, "**splitpermute", "**splitpermute %d %d",
                      (int) special, (int) members);
    return mpi_errno;
}

static int check_remote_id(const split_call *call)
{
    int mpi_errno = MPI_SUCCESS;

    if (call->remote.view.members != 0 && call->remote_id == MPIR_INVALID_CONTEXT_ID)
        MPIR_ERR_SET1(mpi_errno, MPI_ERR_OTHER, "**splitnoid", "**splitnoid %d", call->colour);
    return mpi_errno;
}

/* A colour that the other side of an intercommunicator does not have gets no child. */
static bool has_child(const split_call *call)
{
    return call->colour != MPI_UNDEFINED &&
           (!MPIR_split_is_inter(call) || call->remote.view.members);
}

int MPIR_Comm_split_impl(MPIR_Comm *comm_ptr, int color, int key, MPIR_Comm **newcomm_ptr)
{
    return MPIR_Comm_split_unless(MPI_SUCCESS, comm_ptr, color, key, newcomm_ptr);
}

int MPIR_Comm_split_unless(int error, MPIR_Comm *comm_ptr, int color, int key,
                           MPIR_Comm **newcomm_ptr)
{
    int mpi_errno = MPI_SUCCESS;
    split_scratch scratch;
    split_call call = {.parent = comm_ptr,
                       .colour = color,
                       .key = key,
                       .error = error,
                       .id = MPIR_INVALID_CONTEXT_ID,
                       .remote_id = MPIR_INVALID_CONTEXT_ID,
                       .scratch = &scratch,
                       .local.few = scratch.local,
                       .remote.few = scratch.remote};

    *newcomm_ptr = NULL;
    split_begin(&call);
    gather_local(&call);
    if (MPIR_split_is_inter(&call))
        gather_remote(&call);

    mpi_errno = call.error;
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = check_permute(&call);
    MPIR_ERR_CHECK(mpi_errno);
    if (has_child(&call)) {
        mpi_errno = check_remote_id(&call);
        MPIR_ERR_CHECK(mpi_errno);
        mpi_errno = MPIR_split_make_child(&call, newcomm_ptr);
        MPIR_ERR_CHECK(mpi_errno);
    }

fn_exit:
    end(&call);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}
