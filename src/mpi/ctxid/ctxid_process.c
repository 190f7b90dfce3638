/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_store.h"

/* The store of this process.  Its mutex is not one of MPICH's: those may be empty, while MPI_T
 * reads beside MPI calls at any granularity, before MPI_Init and after MPI_Finalize. */
static ctxid_store_t own = {.mutex = PTHREAD_MUTEX_INITIALIZER};

ctxid_store_t *MPIR_ctxid_own_store(void) { return &own; }
