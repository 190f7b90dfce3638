/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"

/* The predefined pairs. Fortran's have two values of one type. */
static const struct {
    MPI_Datatype value_type, index_type, pair_type;
} pairs[] = {
    {MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},
    {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
    {MPI_LONG, MPI_INT, MPI_LONG_INT},
    {MPI_SHORT, MPI_INT, MPI_SHORT_INT},
    {MPI_INT, MPI_INT, MPI_2INT},
    {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
    {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER},
    {MPI_REAL, MPI_REAL, MPI_2REAL},
    {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION}
};

int MPIR_Type_get_value_index_impl(MPI_Datatype value_type, MPI_Datatype index_type,
                                   MPI_Datatype * pair_type)
{
    /* types that this build does not have are MPI_DATATYPE_NULL, as are their pairs */
    *pair_type = MPI_DATATYPE_NULL;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (pairs[i].value_type == value_type && pairs[i].index_type == index_type)
            *pair_type = pairs[i].pair_type;
    }
    return MPI_SUCCESS;
}
