/* SPDX-License-Identifier: BSD-3-Clause */

#include "split.h"

/* The intracommunicator of an intercommunicator's local side, or the parent itself. */
static int local_comm_of(MPIR_Comm * parent, MPIR_Comm ** local)
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

static int alloc_side(const split_call * call, split_side * side, int size)
{
    int mpi_errno = MPI_SUCCESS;

    side->size = size;
    side->view = split_view_of(call->colour, MPIX_PERMUTE);
    side->table = MPL_malloc(size * sizeof(split_row), MPL_MEM_COMM);
    MPIR_ERR_CHKANDJUMP2(!side->table, mpi_errno, MPI_ERR_NO_MEM, "**nomem2", "**nomem2 %d %s",
                         (int) (size * sizeof(split_row)), "rows of MPI_Comm_split");

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* The tables of both sides, before the first collective: who has taken part in that one finds room for the rows of the
 * second one.  Who has no memory here returns with an error and takes part in neither, so that the others wait for it; and
 * what is made after the last one, the map and the communicator, may fail on one process and not on the others. */
static int begin(split_call * call)
{
    int mpi_errno = MPI_SUCCESS;

    mpi_errno = alloc_side(call, &call->local, call->parent->local_size);
    MPIR_ERR_CHECK(mpi_errno);
    if (split_is_inter(call)) {
        mpi_errno = alloc_side(call, &call->remote, call->parent->remote_size);
        MPIR_ERR_CHECK(mpi_errno);
    }

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

static void end(split_call * call)
{
    MPL_free(call->local.table);
    MPL_free(call->remote.table);
    cmap_release(call->local.map);
    cmap_release(call->remote.map);
    if (call->id != MPIR_INVALID_CONTEXT_ID)
        MPIR_Free_contextid(call->id);
}

/* On an intercommunicator the rows of the other side come. */
static int gather_rows(const void *row, split_row table[], MPIR_Comm * comm)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;

    mpi_errno = MPIR_Allgather(row, sizeof(split_row), MPI_BYTE, table, sizeof(split_row),
                               MPI_BYTE, comm, &errflag);
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_ERR_CHKANDJUMP(errflag, mpi_errno, MPI_ERR_OTHER, "**coll_fail");

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

static bool is_mixed(const split_side * side)
{
    return side->view.special_rows != 0 && side->view.special_rows != side->view.rows;
}

/* Looks at the rows of the local side; the offers of context ids are folded on the way. */
static void look_at_local(split_side * side, uint64_t * own_colour, uint64_t * all)
{
    *own_colour = *all = 0;
    for (uint32_t rank = 0; rank < side->size; rank++) {
        const split_row *row = &side->table[rank];
        split_look(&side->view, row);
        MPIR_Ctxid_fold(all, row->ticket);
        if (row->colour == side->view.colour)
            MPIR_Ctxid_fold(own_colour, row->ticket);
    }
}

/* Gathers the local side's rows and agrees on a context id for each colour.  When the agreement fails the gather has not:
 * that is *undecided. */
static int gather_local(split_call * call, int *undecided)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Comm *local;
    MPIR_Ctxid_t ctxid;
    uint64_t own_colour, all;
    split_row *own = &call->local.table[call->parent->rank];

    mpi_errno = local_comm_of(call->parent, &local);
    MPIR_ERR_CHECK(mpi_errno);

    own->colour = call->colour;
    own->key = call->key;
    MPIR_Ctxid_begin(&ctxid, local, call->colour != MPI_UNDEFINED, &own->ticket);
    mpi_errno = gather_rows(MPI_IN_PLACE, call->local.table, local);
    if (mpi_errno) {
        MPIR_Ctxid_abandon(&ctxid);
        goto fn_fail;
    }

    look_at_local(&call->local, &own_colour, &all);
    if (is_mixed(&call->local)) {
        MPIR_Ctxid_abandon(&ctxid);
    } else {
        MPIR_Context_id_t id = MPIR_INVALID_CONTEXT_ID;
        *undecided = MPIR_Ctxid_decide(&ctxid, own_colour, all, &id);
        if (!*undecided && call->colour != MPI_UNDEFINED)
            call->id = id;
    }

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* Also a process without an id takes part: the other side waits, and learns from it that there is none. */
static int gather_remote(split_call * call)
{
    int mpi_errno = MPI_SUCCESS;
    bool has_id = (call->id != MPIR_INVALID_CONTEXT_ID);
    split_row own = {.colour = call->colour,.key = call->key,
        .ticket = has_id ? (uint64_t) call->id + 1 : 0
    };

    mpi_errno = gather_rows(&own, call->remote.table, call->parent);
    MPIR_ERR_CHECK(mpi_errno);
    for (uint32_t rank = 0; rank < call->remote.size; rank++)
        split_look(&call->remote.view, &call->remote.table[rank]);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* The same answer on all members of both sides. */
static int check_permute(const split_call * call)
{
    int mpi_errno = MPI_SUCCESS;
    uint32_t members = call->local.view.rows + call->remote.view.rows;
    uint32_t special = call->local.view.special_rows + call->remote.view.special_rows;

    if (special != 0 && special != members)
        MPIR_ERR_SET2(mpi_errno, MPI_ERR_ARG, "**splitpermute", "**splitpermute %d %d",
                      (int) special, (int) members);
    return mpi_errno;
}

static int check_remote_id(const split_call * call)
{
    int mpi_errno = MPI_SUCCESS;

    if (call->remote.view.members != 0 && call->remote.view.least_ticket == 0)
        MPIR_ERR_SET1(mpi_errno, MPI_ERR_OTHER, "**splitnoid", "**splitnoid %d", call->colour);
    return mpi_errno;
}

/* A colour that the other side of an intercommunicator does not have gets no child. */
static bool has_child(const split_call * call)
{
    return call->colour != MPI_UNDEFINED && (!split_is_inter(call) || call->remote.view.members);
}

int MPIR_Comm_split_impl(MPIR_Comm * comm_ptr, int color, int key, MPIR_Comm ** newcomm_ptr)
{
    int mpi_errno = MPI_SUCCESS;
    int undecided = MPI_SUCCESS;
    split_call call = {.parent = comm_ptr,.colour = color,.key = key,
        .id = MPIR_INVALID_CONTEXT_ID
    };

    *newcomm_ptr = NULL;
    mpi_errno = begin(&call);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = gather_local(&call, &undecided);
    MPIR_ERR_CHECK(mpi_errno);
    if (split_is_inter(&call)) {
        mpi_errno = gather_remote(&call);
        MPIR_ERR_CHECK(mpi_errno);
    }

    mpi_errno = check_permute(&call);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = undecided;
    MPIR_ERR_CHECK(mpi_errno);
    if (has_child(&call)) {
        mpi_errno = check_remote_id(&call);
        MPIR_ERR_CHECK(mpi_errno);
        mpi_errno = split_make_child(&call, newcomm_ptr);
        MPIR_ERR_CHECK(mpi_errno);
    }

  fn_exit:
    end(&call);
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}
