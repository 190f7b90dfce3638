/* SPDX-License-Identifier: BSD-3-Clause */

#include "split_call.h"

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

static int make_local_map(split_call *call)
{
    int mpi_errno = MPI_SUCCESS;
    const cmap_t *parent_map = MPIR_Comm_map(call->parent, MPIR_MAP_LOCAL);

    if (call->is_described && call->scratch->order.form != COLOURS_TABLE)
        return make_map_of_grids(call, parent_map);
    if (call->is_described)
        fill_table(call);
    mpi_errno = make_map(&call->local, parent_map, call->parent->rank, &call->rank);

    return mpi_errno;
}

static int make_maps(split_call *call)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Comm *parent = call->parent;

    mpi_errno = make_local_map(call);
    MPIR_ERR_CHKRETURN(mpi_errno);
    if (MPIR_split_is_inter(call)) {
        mpi_errno = make_map(&call->remote, MPIR_Comm_map(parent, MPIR_MAP_REMOTE), 0, NULL);
        MPIR_ERR_CHKRETURN(mpi_errno);
    }

    return mpi_errno;
}

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

/* The tables are not needed any more. */
static int find_nodes(MPIR_Comm *child, split_call *call)
{
    free_table(&call->local);
    free_table(&call->remote);
    return MPIR_Copy_nodes(child, call->parent);
}

static int attach_maps(MPIR_Comm *child, split_call *call)
{
    int mpi_errno = MPI_SUCCESS;

    mpi_errno = MPIR_Comm_map_set(child, MPIR_MAP_LOCAL, call->local.map);
    MPIR_ERR_CHKRETURN(mpi_errno);
    if (MPIR_split_is_inter(call)) {
        mpi_errno = MPIR_Comm_map_set(child, MPIR_MAP_REMOTE, call->remote.map);
        MPIR_ERR_CHKRETURN(mpi_errno);
    }
    mpi_errno = find_nodes(child, call);

    return mpi_errno;
}

int MPIR_split_make_child(split_call *call, MPIR_Comm **child)
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
