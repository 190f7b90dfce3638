/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Does an operation stay in the window?  Whoever knows the target's memory asks, before the
 * operation touches it: a peer and the process itself, an origin that has the target's key, and
 * the target of a message.  Windows of MPI_Win_create_dynamic have no range.
 */
#ifndef RMA_RANGE_H_INCLUDED
#define RMA_RANGE_H_INCLUDED

/* An error of class MPI_ERR_RMA_RANGE if not.  `size` and `unit` are of the rank's memory. */
int MPIDIG_rma_check_range(int rank, MPI_Aint size, MPI_Aint unit, MPI_Aint disp, MPI_Aint count,
                           MPI_Datatype type);
/* The same for this process. */
int MPIDIG_rma_check_own_range(MPIR_Win *win, MPI_Aint disp, MPI_Aint count, MPI_Datatype type);
/* Are so many elements at the address in this process's memory? */
bool MPIDIG_rma_is_inside(const MPIR_Win *win, const void *address, MPI_Aint count,
                          MPI_Datatype type);

/* The place of a displacement, relative to the window's begin.  One that no number holds is outside
 * of all windows. */
MPL_STATIC_INLINE_PREFIX MPI_Aint MPIDIG_rma_offset(const MPIR_Win *win, MPI_Aint disp)
{
    MPI_Aint offset;

    return __builtin_mul_overflow(disp, (MPI_Aint) win->disp_unit, &offset) ? (MPI_Aint) 1 << 62
                                                                            : offset;
}

#endif /* RMA_RANGE_H_INCLUDED */
