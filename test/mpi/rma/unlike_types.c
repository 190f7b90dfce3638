/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The data of an accumulate operation have one basic type at the origin and at the target. Others
 * are MPI_ERR_TYPE, also inside derived datatypes. Names of one representation are no error, and
 * neither are MPI_REPLACE and MPI_NO_OP, which leave the bits alone.
 */
#include "cmaptest.h"

static MPI_Win win;
static double memory[8];

static int class_of(int code)
{
    int class_ = MPI_SUCCESS;

    if (code)
        MPI_Error_class(code, &class_);
    return class_;
}

/* By all four functions: what they return, which is the same. */
static int accumulates(int n, MPI_Datatype origin, int m, MPI_Datatype target, MPI_Op op)
{
    static const double zeros[8];
    double results[8];
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int classes[4];

    classes[0] = class_of(MPI_Accumulate(zeros, n, origin, 0, 0, m, target, op, win));
    classes[1] = class_of(
        MPI_Get_accumulate(zeros, n, origin, results, m, target, 0, 0, m, target, op, win));
    classes[2] =
        class_of(MPI_Raccumulate(zeros, n, origin, 0, 0, m, target, op, win, &requests[0]));
    classes[3] = class_of(MPI_Rget_accumulate(zeros, n, origin, results, m, target, 0, 0, m, target,
                                              op, win, &requests[1]));
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Win_flush(0, win);
    for (int i = 1; i < 4; i++)
        CT_CHECK(classes[i] == classes[0], "function %d returns class %d, not %d", i, classes[i],
                 classes[0]);
    return classes[0];
}

static void numbers(void)
{
    CT_CHECK(accumulates(1, MPI_DOUBLE, 2, MPI_INT, MPI_SUM) == MPI_ERR_TYPE, "double into int");
    CT_CHECK(accumulates(1, MPI_LONG, 1, MPI_DOUBLE, MPI_MAX) == MPI_ERR_TYPE, "long into double");
    CT_CHECK(accumulates(2, MPI_INT, 1, MPI_LONG, MPI_SUM) == MPI_ERR_TYPE, "int into long");
    CT_CHECK(accumulates(1, MPI_DOUBLE, 1, MPI_DOUBLE, MPI_SUM) == MPI_SUCCESS, "double");
    CT_CHECK(accumulates(1, MPI_LONG, 1, MPI_AINT, MPI_SUM) == MPI_SUCCESS, "long into MPI_Aint");
    CT_CHECK(accumulates(1, MPI_INT, 1, MPI_INT32_T, MPI_BXOR) == MPI_SUCCESS, "int into int32_t");
    CT_CHECK(accumulates(0, MPI_INT, 0, MPI_DOUBLE, MPI_SUM) == MPI_SUCCESS, "nothing");
}

static void derived(void)
{
    MPI_Datatype ints, doubles;

    MPI_Type_vector(2, 1, 2, MPI_INT, &ints);
    MPI_Type_contiguous(1, MPI_DOUBLE, &doubles);
    MPI_Type_commit(&ints);
    MPI_Type_commit(&doubles);
    CT_CHECK(accumulates(1, ints, 1, doubles, MPI_SUM) == MPI_ERR_TYPE, "a vector of int");
    CT_CHECK(accumulates(1, MPI_DOUBLE, 1, ints, MPI_SUM) == MPI_ERR_TYPE, "into a vector of int");
    CT_CHECK(accumulates(1, ints, 2, MPI_INT, MPI_SUM) == MPI_SUCCESS, "a vector of int, and int");
    CT_CHECK(accumulates(1, doubles, 1, MPI_DOUBLE, MPI_PROD) == MPI_SUCCESS, "two of double");
    MPI_Type_free(&ints);
    MPI_Type_free(&doubles);
}

static void bits(void)
{
    CT_CHECK(accumulates(8, MPI_BYTE, 1, MPI_DOUBLE, MPI_REPLACE) == MPI_SUCCESS, "MPI_REPLACE");
    CT_CHECK(class_of(MPI_Get_accumulate(NULL, 0, MPI_BYTE, memory + 4, 1, MPI_DOUBLE, 0, 0, 1,
                                         MPI_DOUBLE, MPI_NO_OP, win)) == MPI_SUCCESS,
             "MPI_NO_OP");
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Win_create(memory, sizeof(memory), 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    numbers();
    derived();
    bits();
    MPI_Win_unlock(0, win);
    MPI_Win_free(&win);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
