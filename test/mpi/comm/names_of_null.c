/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_COMM_NULL, MPI_DATATYPE_NULL and MPI_WIN_NULL have names. Handles that lead nowhere have
 * none.
 */
#include "cmaptest.h"

static void check(int error, const char *got, int length, const char *want)
{
    CT_CHECK(error == MPI_SUCCESS && strcmp(got, want) == 0 && length == (int) strlen(want),
             "%s: error class %d, name %s, length %d", want, ct_class_of(error), got, length);
}

int main(int argc, char **argv)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = -1, error;

    MTest_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    error = MPI_Comm_get_name(MPI_COMM_NULL, name, &length);
    check(error, name, length, "MPI_COMM_NULL");
    error = MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length);
    check(error, name, length, "MPI_DATATYPE_NULL");
    error = MPI_Win_get_name(MPI_WIN_NULL, name, &length);
    check(error, name, length, "MPI_WIN_NULL");
    error = MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    check(error, name, length, "MPI_COMM_WORLD");
    CT_CHECK(ct_class_of(MPI_Comm_get_name(MPI_COMM_NULL, NULL, &length)) == MPI_ERR_ARG,
             "no memory for the name");
    CT_CHECK(ct_class_of(MPI_Comm_get_name((MPI_Comm) 0x55555555, name, &length)) == MPI_ERR_COMM,
             "a wrong communicator");
    CT_CHECK(ct_class_of(MPI_Type_get_name((MPI_Datatype) 0x55555555, name, &length)) ==
                 MPI_ERR_TYPE,
             "a wrong datatype");
    CT_CHECK(ct_class_of(MPI_Win_get_name((MPI_Win) 0x55555555, name, &length)) == MPI_ERR_WIN,
             "a wrong window");
    CT_CHECK(MPI_Comm_set_name(MPI_COMM_NULL, "name") != MPI_SUCCESS, "MPI_COMM_NULL is named");
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
