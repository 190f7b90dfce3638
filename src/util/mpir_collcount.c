/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"

unsigned long long MPIR_Coll_calls;

static void read_calls(void *address, void *obj_handle, int count, void *buffer)
{
    *(unsigned long long *) buffer = __atomic_load_n(&MPIR_Coll_calls, __ATOMIC_RELAXED);
}

void MPIR_Coll_count_init(void)
{
    static const char name[] = "coll_calls";
    name2index_hash_t *entry;

    /* The tables of MPI_T may have outlived an earlier finalize, or not. */
    HASH_FIND_STR(pvar_hashs[MPI_T_PVAR_CLASS_COUNTER - MPIR_T_PVAR_CLASS_FIRST], name, entry);
    if (entry != NULL)
        return;
    MPIR_T_PVAR_REGISTER_impl(MPI_T_PVAR_CLASS_COUNTER, MPI_UNSIGNED_LONG_LONG, name,
                              &MPIR_Coll_calls, 1, NULL, MPI_T_VERBOSITY_USER_BASIC,
                              MPI_T_BIND_NO_OBJECT,
                              MPIR_T_PVAR_FLAG_READONLY | MPIR_T_PVAR_FLAG_CONTINUOUS, read_calls,
                              NULL, "COLLECTIVE",
                              "blocking collective operations, those that MPI makes itself included");
}
