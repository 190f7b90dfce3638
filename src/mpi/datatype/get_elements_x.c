/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * How many elements of predefined types a number of bytes is, and the reverse.  A datatype has both
 * for one copy; only the copy in which the bytes end is walked through.
 */
#include "mpir_type_blocks.h"
#include "datatype.h"

enum unit { BYTES, ELEMENTS };

static MPI_Count elements_of(MPI_Datatype type)
{
    return MPIR_Type_is_element(type) ? 1 : MPIR_Type_sum(type, elements_of);
}

/* The bytes or elements of one copy */
static MPI_Count measure(MPI_Datatype type, enum unit unit)
{
    MPI_Count size;

    if (unit == ELEMENTS)
        return elements_of(type);
    MPIR_Datatype_get_size_macro(type, size);
    return size;
}

/* What is left in one unit, and what it came to in the other */
struct exchange {
    enum unit from, to;
    MPI_Count left, result;
};

static int exchange_block(void *state, MPI_Aint disp ATTRIBUTE((unused)), MPI_Aint count,
                          MPI_Datatype part)
{
    struct exchange *x = state;
    MPI_Count each = measure(part, x->from), copies;

    if (each == 0)
        return 0;
    copies = MPL_MIN(count, x->left / each);
    x->left -= copies * each;
    if (copies > 0)
        x->result += copies * measure(part, x->to);
    if (copies == count)
        return 0;
    if (x->left > 0 && !MPIR_Type_is_element(part))
        MPIR_Type_blocks(part, NULL, exchange_block, x);
    return 1;
}

static MPI_Count units_exchange(MPI_Datatype type, enum unit from, enum unit to, MPI_Count *left)
{
    struct exchange x = {from, to, *left, 0};

    exchange_block(&x, 0, MPIR_AINT_MAX, type);
    *left = x.left;
    return x.result;
}

MPI_Count MPIR_Type_rest(MPI_Datatype type, MPI_Count bytes)
{
    units_exchange(type, BYTES, BYTES, &bytes);
    return bytes;
}

int MPIR_Get_elements_x_impl(MPI_Count *byte_count, MPI_Datatype datatype, MPI_Count *elements)
{
    *elements = units_exchange(datatype, BYTES, ELEMENTS, byte_count);
    if (*byte_count > 0)
        *elements = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

int MPIR_Status_set_elements_x_impl(MPI_Status *status, MPI_Datatype datatype, MPI_Count count)
{
    int mpi_errno = MPI_SUCCESS;
    MPI_Count bytes = units_exchange(datatype, ELEMENTS, BYTES, &count);

    MPIR_ERR_CHKANDSTMT1(count != 0, mpi_errno, MPI_ERR_ARG, return mpi_errno, "**arg", "**arg %s",
                         "count");
    MPIR_STATUS_SET_COUNT(*status, bytes);

    return mpi_errno;
}
