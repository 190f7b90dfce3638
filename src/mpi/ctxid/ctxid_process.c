/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_store.h"

/* The store of this process.  Its mutex is not one of MPICH's: those may be empty, while MPI_T
 * reads beside MPI calls at any granularity, before MPI_Init and after MPI_Finalize. */
static ctxid_store_t own = {.mutex = PTHREAD_MUTEX_INITIALIZER };

ctxid_store_t *ctxid_own_store(void)
{
    return &own;
}

void MPIR_Ctxid_commit(MPIR_Comm * comm)
{
    ctxid_commit(&own, comm);
}

void MPIR_Ctxid_forget(MPIR_Comm * comm)
{
    ctxid_forget(&own, comm);
}

void MPIR_Ctxid_free(MPIR_Context_id_t id)
{
    ctxid_free(&own, id);
}
