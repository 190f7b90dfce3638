/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_tvars.h"

unsigned long long MPIR_Coll_calls;

static void read_calls(void *address MPL_UNUSED, void *obj_handle MPL_UNUSED, int count MPL_UNUSED,
                       void *buffer)
{
    *(unsigned long long *) buffer = __atomic_load_n(&MPIR_Coll_calls, __ATOMIC_RELAXED);
}

void MPIR_Coll_count_init(void)
{
    MPIR_Pvar_register(MPI_T_PVAR_CLASS_COUNTER, "coll_calls", &MPIR_Coll_calls, read_calls,
                       "COLLECTIVE",
                       "blocking collective operations, those that MPI makes itself included");
}
