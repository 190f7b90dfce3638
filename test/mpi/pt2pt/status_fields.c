/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Status_get_source, _tag, _error and MPI_Status_set_source, _tag, _error: they have the fields
 * that a receive sets, any value that a program gives, and leave the count and MPI_Test_cancelled
 * alone. They need no MPI_Init.
 */
#include "cmaptest.h"

static void check(MPI_Status *status, int source, int tag, int error)
{
    int s = -7, t = -7, e = -7;

    MPI_Status_get_source(status, &s);
    MPI_Status_get_tag(status, &t);
    MPI_Status_get_error(status, &e);
    CT_CHECK(s == source && t == tag && e == error, "source %d, tag %d, error %d", s, t, e);
    CT_CHECK(status->MPI_SOURCE == source && status->MPI_TAG == tag && status->MPI_ERROR == error,
             "the fields are %d, %d, %d", status->MPI_SOURCE, status->MPI_TAG, status->MPI_ERROR);
}

static void set(MPI_Status *status, int source, int tag, int error)
{
    MPI_Status_set_source(status, source);
    MPI_Status_set_tag(status, tag);
    MPI_Status_set_error(status, error);
    check(status, source, tag, error);
}

static void check_null(void)
{
    int err, class = MPI_SUCCESS;
    MPI_Status status;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    err = MPI_Status_get_source(&status, NULL);
    if (err)
        MPI_Error_class(err, &class);
    CT_CHECK(class == MPI_ERR_ARG, "no place for the source: class %d", class);
}

int main(int argc, char **argv)
{
    MPI_Status status = {0};
    int in = 3, out[2], count, cancelled;

    set(&status, 1, 2, MPI_ERR_TRUNCATE);
    MTest_Init(&argc, &argv);
    MPI_Sendrecv(&in, 1, MPI_INT, 0, 9, out, 2, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_SELF, &status);
    status.MPI_ERROR = MPI_SUCCESS;
    check(&status, 0, 9, MPI_SUCCESS);
    set(&status, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_ERR_OTHER);
    set(&status, MPI_PROC_NULL, 1 << 30, 77);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Test_cancelled(&status, &cancelled);
    CT_CHECK(count == 1 && !cancelled, "count %d, cancelled %d", count, cancelled);
    check_null();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
