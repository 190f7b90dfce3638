/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "rma/window/query.h"

/* The memory of this rank, as a table row. The row is empty if the process cannot reach it. */
static MPIDIG_win_shared_info_t row_of(MPIR_Win *win, int rank, bool *is_reached)
{
    const MPIDIG_win_shared_info_t *table = MPIDIG_WIN(win, shared_table);
    MPIDIG_win_shared_info_t row = {0};
    int place = -1;

    *is_reached = true;
    if (rank == win->comm_ptr->rank) {
        row.size = win->size;
        row.disp_unit = win->disp_unit;
        row.shm_base_addr = win->base;
        return row;
    }
    if (table && win->comm_ptr->node_comm)
        place = MPIR_Get_intranode_rank(win->comm_ptr, rank);
    *is_reached = place >= 0;
    return *is_reached ? table[place] : row;
}

/* The memory of the lowest rank that has some. If the process cannot reach a lower rank, that one
 * may have some, and the row is empty. */
static MPIDIG_win_shared_info_t first_row(MPIR_Win *win)
{
    MPIDIG_win_shared_info_t row = {0};
    bool is_reached = true;

    for (int rank = 0; rank < win->comm_ptr->local_size && row.size == 0 && is_reached; rank++)
        row = row_of(win, rank, &is_reached);
    return row;
}

int MPIDIG_win_query(MPIR_Win *win, int rank, MPI_Aint *size, int *disp_unit, void **base)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_win_shared_info_t row;
    bool is_reached;

    MPIR_ERR_CHKANDSTMT(win->create_flavor == MPI_WIN_FLAVOR_DYNAMIC, mpi_errno, MPI_ERR_RMA_FLAVOR,
                        return mpi_errno, "**rmaflavor");
    row = rank == MPI_PROC_NULL ? first_row(win) : row_of(win, rank, &is_reached);
    *size = row.size;
    *disp_unit = row.disp_unit;
    *base = row.shm_base_addr;

    return mpi_errno;
}
