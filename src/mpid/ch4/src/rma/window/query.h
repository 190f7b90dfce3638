/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef RMA_WINDOW_QUERY_H_INCLUDED
#define RMA_WINDOW_QUERY_H_INCLUDED

/* MPI_Win_shared_query for a window of MPI_Win_allocate or MPI_Win_create. The process reaches its
 * own memory, and that of MPI_Win_allocate on its node. Other memory has no bytes, and no address.
 */
int MPIDIG_win_query(MPIR_Win *win, int rank, MPI_Aint *size, int *disp_unit, void **base);

#endif /* RMA_WINDOW_QUERY_H_INCLUDED */
