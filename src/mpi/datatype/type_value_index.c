/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpir_type_blocks.h"

int MPIR_Type_get_value_index_impl(MPI_Datatype value_type, MPI_Datatype index_type,
                                   MPI_Datatype *pair_type)
{
    *pair_type = MPIR_Type_pair_of(value_type, index_type);
    return MPI_SUCCESS;
}
