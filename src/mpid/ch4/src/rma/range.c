/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "rma/range.h"

/* The first byte and the byte after the last of so many elements at *first. */
static void find_ends(MPI_Aint count, MPI_Datatype type, __int128 *first, __int128 *end)
{
    MPI_Aint extent, lb, true_lb, true_extent;
    __int128 last;

    if (HANDLE_IS_BUILTIN(type)) {
        *end = *first + (__int128) count * MPIR_Datatype_get_basic_size(type);
        return;
    }
    MPIR_Type_get_extent_impl(type, &lb, &extent);
    MPIR_Type_get_true_extent_impl(type, &true_lb, &true_extent);
    *first += true_lb;
    last = *first + (__int128) (count - 1) * extent;
    *end = MPL_MAX(*first, last) + true_extent;
    *first = MPL_MIN(*first, last);
}

int MPIDIG_rma_check_range(int rank, MPI_Aint size, MPI_Aint unit, MPI_Aint disp, MPI_Aint count,
                           MPI_Datatype type)
{
    __int128 first = (__int128) disp * unit, end;

    find_ends(count, type, &first, &end);
    if (likely(first >= 0 && end <= size))
        return MPI_SUCCESS;
    return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, __LINE__,
                                MPI_ERR_RMA_RANGE, "**rmarange", "**rmarange %d %L %L %L", rank,
                                (long long) first, (long long) end, (long long) size);
}

static bool has_range(const MPIR_Win *win) { return win->create_flavor != MPI_WIN_FLAVOR_DYNAMIC; }

int MPIDIG_rma_check_own_range(MPIR_Win *win, MPI_Aint disp, MPI_Aint count, MPI_Datatype type)
{
    if (!has_range(win))
        return MPI_SUCCESS;
    return MPIDIG_rma_check_range(win->comm_ptr->rank, win->size, win->disp_unit, disp, count,
                                  type);
}

bool MPIDIG_rma_is_inside(const MPIR_Win *win, const void *address, MPI_Aint count,
                          MPI_Datatype type)
{
    __int128 first = (__int128) (uintptr_t) address - (uintptr_t) win->base, end;

    if (!has_range(win))
        return true;
    find_ends(count, type, &first, &end);
    return first >= 0 && end <= win->size;
}
