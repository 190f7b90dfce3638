/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * As store_then_load.c, with MPI_Put and MPI_Get: MPI_Win_flush keeps what the one stores before
 * what the other loads.
 */
#define COMPLETED_BY_FLUSH
#include "store_then_load.c"
