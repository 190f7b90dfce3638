/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_tvars.h"

unsigned long long MPIR_Coll_calls;

void MPIR_Coll_count_init(void)
{
    MPIR_Pvar_register(MPI_T_PVAR_CLASS_COUNTER, "coll_calls", &MPIR_Coll_calls, NULL, "COLLECTIVE",
                       "blocking collective operations, those that MPI makes itself included");
}
