/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Type_get_value_index: the named pairs of C and Fortran, and MPI_DATATYPE_NULL for types
 * without a pair. Null types are errors.
 */
#include "cmaptest.h"

static MPI_Datatype pair_of(MPI_Datatype value, MPI_Datatype index)
{
    MPI_Datatype pair = MPI_BYTE;
    int err = MPI_Type_get_value_index(value, index, &pair);

    CT_CHECK(err == MPI_SUCCESS, "error %d", err);
    return pair;
}

static void check(MPI_Datatype value, MPI_Datatype index, MPI_Datatype expected)
{
    MPI_Datatype pair = pair_of(value, index);

    CT_CHECK(pair == expected, "pair 0x%x, not 0x%x", (unsigned) pair, (unsigned) expected);
}

static void check_null(MPI_Datatype value, MPI_Datatype index)
{
    MPI_Datatype pair;
    int err = MPI_Type_get_value_index(value, index, &pair), class = MPI_SUCCESS;

    if (err)
        MPI_Error_class(err, &class);
    CT_CHECK(class == MPI_ERR_TYPE, "class %d", class);
}

static void check_maxloc(void)
{
    struct {
        double value;
        int index;
    } in = {2.5, 0}, out = {0, 0};
    int size;

    MPI_Comm_rank(MPI_COMM_WORLD, &in.index);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    in.value += in.index;
    MPI_Allreduce(&in, &out, 1, pair_of(MPI_DOUBLE, MPI_INT), MPI_MAXLOC, MPI_COMM_WORLD);
    CT_CHECK(out.index == size - 1 && out.value == 1.5 + size, "%f at %d", out.value, out.index);
}

int main(int argc, char **argv)
{
    MPI_Datatype made;

    MTest_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check(MPI_FLOAT, MPI_INT, MPI_FLOAT_INT);
    check(MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT);
    check(MPI_LONG, MPI_INT, MPI_LONG_INT);
    check(MPI_SHORT, MPI_INT, MPI_SHORT_INT);
    check(MPI_INT, MPI_INT, MPI_2INT);
    check(MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT);
    check(MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER);
    check(MPI_REAL, MPI_REAL, MPI_2REAL);
    check(MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION);
    check(MPI_DOUBLE, MPI_LONG, MPI_DATATYPE_NULL);
    check(MPI_INT, MPI_DOUBLE, MPI_DATATYPE_NULL);
    MPI_Type_dup(MPI_DOUBLE, &made);
    check(made, MPI_INT, MPI_DATATYPE_NULL);
    MPI_Type_free(&made);
    check_null(MPI_DATATYPE_NULL, MPI_INT);
    check_null(MPI_INT, MPI_DATATYPE_NULL);
    check_maxloc();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
