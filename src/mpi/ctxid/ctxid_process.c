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

/* Looks at each member of `part`: for searches when ids are short. */
bool ctxid_is_part(const MPIR_Comm * part, const MPIR_Comm * whole)
{
    const cmap_t *members = part->map, *all = whole->map;
    uint32_t n = cmap_size(members), i = 0;

    if (members == all || n > cmap_size(all))
        return members == all;
    while (i < n && cmap_rank(all, cmap_select(members, i)) != CMAP_NONE)
        i++;
    return i == n;
}
