/* SPDX-License-Identifier: BSD-3-Clause */

#include "split_call.h"

/* The steps of MPI_Comm_split, from the call to the child. */

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

/* ---- memory for the exchange ----------------------------------------------------------------- */

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
    bool has_zones = MPIR_split_zones_begin(zones, (uint32_t) call->parent->local_size);

    call->local.size = (uint32_t) call->parent->local_size;
    call->local.view = MPIR_split_view_of(call->colour, MPIX_PERMUTE);
    MPIR_TRY(alloc_reserve(&call->local, DESCRIBED_RESERVE));
    MPIR_ERR_CHKANDSTMT2(!has_zones, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem2",
                         "**nomem2 %d %s", (int) zones->ranks * COLOURS_ROW,
                         "descriptions of MPI_Comm_split");

    return mpi_errno;
}

/* Allocations before the first collective.  A process without memory continues, and tells the
 * others in the collective. */
static void begin(split_call *call)
{
    if (call->colour != MPI_UNDEFINED)
        MPIR_Err_keep_first(&call->error, MPIR_Comm_create(&call->child));
    call->is_described = is_described(call->parent);
    if (call->is_described)
        MPIR_Err_keep_first(&call->error, begin_described(call));
    else
        MPIR_Err_keep_first(&call->error, alloc_side(call, &call->local, call->parent->local_size));
    if (MPIR_split_is_inter(call))
        MPIR_Err_keep_first(&call->error,
                            alloc_side(call, &call->remote, call->parent->remote_size));
}

/* ---- whether there is a child ---------------------------------------------------------------- */

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

/* ---- the child's maps ------------------------------------------------------------------------ */

static void free_table(split_side *side)
{
    MPL_free(side->owned);
    side->owned = side->table = NULL;
}

/* What the ordering left is a quarter of the table, or less: the rest is a reserve, to be given up
 * when there is no memory for the map. */
static void give_up_rest(split_side *side, const split_plan *plan)
{
    split_row *smaller;

    if (side->table != side->owned) {
        MPL_free(side->owned);
        side->owned = NULL;
    } else if (!plan->bytes) {
        free_table(side);
    } else {
        smaller = MPL_realloc(side->owned, plan->bytes, MPL_MEM_COMM);
        if (smaller)
            side->owned = side->table = smaller;
    }
}

/* Orders the members of a side and makes their map.  `rank`: NULL, or where this process's rank
 * goes, which has `self` in the parent. */
static int make_map(split_side *side, const cmap_t *parent_map, int self, int *rank)
{
    int mpi_errno = MPI_SUCCESS;
    split_plan plan = MPIR_split_arrange(side->table, &side->view);

    if (rank)
        *rank = (int) MPIR_split_rank_of(side->table, &plan, (uint32_t) self);

    cmap_status status = MPIR_split_map(parent_map, side->table, &plan, &side->map);
    if (status == CMAP_ERR_NOMEM) {
        give_up_rest(side, &plan);
        status = MPIR_split_map(parent_map, side->table, &plan, &side->map);
    }
    if (status != CMAP_OK)
        mpi_errno = MPIR_Map_error(status, "split", (int) side->view.members);
    return mpi_errno;
}

/* The reserve is given up when there is no memory. */
static int make_map_of_grids(split_call *call, const cmap_t *parent_map)
{
    split_side *side = &call->local;
    const uint8_t *all = call->scratch->zones.mine;
    cmap_status status;

    status = MPIR_split_grids_map(parent_map, all, call->colour, &call->scratch->order, &side->map);
    call->rank = (int) call->scratch->order.rank;
    if (status == CMAP_ERR_NOMEM) {
        free_table(side);
        MPIR_split_zones_give_up(&call->scratch->zones);
        status =
            MPIR_split_grids_map(parent_map, all, call->colour, &call->scratch->order, &side->map);
    }
    return status == CMAP_OK ? MPI_SUCCESS
                             : MPIR_Map_error(status, "split", (int) call->scratch->order.members);
}

static void add_row(void *context, colours_row row)
{
    split_side *side = context;
    split_row *next = &side->table[side->view.rows];

    next->colour = row.colour;
    next->key = row.key;
    MPIR_split_look(&side->view, next);
}

/* Keys without a closed form are ordered as rows. */
static void fill_table(split_call *call)
{
    split_side *side = &call->local;
    split_zones *zones = &call->scratch->zones;

    side->table = side->size <= SPLIT_FEW ? side->few : MPIR_split_zones_lend(zones);
    side->view = MPIR_split_view_of(call->colour, MPIX_PERMUTE);
    MPIR_colours_decode(zones->mine, add_row, side);
}

static int make_maps(split_call *call)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Comm *parent = call->parent;
    const cmap_t *parent_map = MPIR_Comm_map(parent, MPIR_MAP_LOCAL);

    if (call->is_described && call->scratch->order.form == COLOURS_TABLE)
        fill_table(call);
    if (call->is_described && call->scratch->order.form != COLOURS_TABLE)
        mpi_errno = make_map_of_grids(call, parent_map);
    else
        mpi_errno = make_map(&call->local, parent_map, parent->rank, &call->rank);
    if (mpi_errno == MPI_SUCCESS && MPIR_split_is_inter(call))
        mpi_errno = make_map(&call->remote, MPIR_Comm_map(parent, MPIR_MAP_REMOTE), 0, NULL);
    return mpi_errno;
}

/* ---- the child ------------------------------------------------------------------------------- */

static void fill(MPIR_Comm *child, const split_call *call)
{
    bool inter = MPIR_split_is_inter(call);
    const split_view *remote = inter ? &call->remote.view : &call->local.view;

    child->comm_kind = call->parent->comm_kind;
    child->rank = call->rank;
    child->local_size = (int) call->local.view.members;
    child->remote_size = (int) remote->members;
    child->recvcontext_id = call->id;
    child->context_id = call->id;
    child->tainted = call->parent->tainted;
    child->local_comm = NULL;
    if (inter) {
        child->context_id = call->remote_id;
        child->is_low_group = call->parent->is_low_group;
    }
    MPIR_Comm_inherit_errhandler(child, call->parent);
}

static int attach_maps(MPIR_Comm *child, split_call *call)
{
    MPIR_TRY(MPIR_Comm_map_set(child, MPIR_MAP_LOCAL, call->local.map));
    if (MPIR_split_is_inter(call))
        MPIR_TRY(MPIR_Comm_map_set(child, MPIR_MAP_REMOTE, call->remote.map));
    free_table(&call->local);
    free_table(&call->remote);
    return MPIR_Copy_nodes(child, call->parent);
}

/* On success the id is the child's. */
static int make_child(split_call *call, MPIR_Comm **child)
{
    int mpi_errno = MPI_SUCCESS;

    MPIR_Reserve_enter();
    mpi_errno = make_maps(call);
    MPIR_ERR_CHECK(mpi_errno);
    fill(call->child, call);
    mpi_errno = attach_maps(call->child, call);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = MPIR_Comm_commit(call->child);
    MPIR_ERR_CHECK(mpi_errno);
    call->id = MPIR_INVALID_CONTEXT_ID;
    *child = call->child;
    call->child = NULL;

fn_exit:
    MPIR_Reserve_leave();
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

/* ---- the call -------------------------------------------------------------------------------- */

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
    begin(&call);
    MPIR_split_gather(&call);
    mpi_errno = call.error;
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = check_permute(&call);
    MPIR_ERR_CHECK(mpi_errno);
    if (has_child(&call)) {
        mpi_errno = check_remote_id(&call);
        MPIR_ERR_CHECK(mpi_errno);
        mpi_errno = make_child(&call, newcomm_ptr);
        MPIR_ERR_CHECK(mpi_errno);
    }

fn_exit:
    end(&call);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}
