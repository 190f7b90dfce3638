/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Type_create_f90_real, _complex and _integer: MPI_ERR_ARG for a precision or a range that no
 * type of the Fortran compiler has; a type otherwise.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { TOO_MUCH = 100000 };

static void check_class(const char *what, int err)
{
    int class = MPI_SUCCESS;

    MPI_Error_class(err, &class);
    CT_CHECK(class == MPI_ERR_ARG, "%s: class %d, not %d", what, class, MPI_ERR_ARG);
}

static void check_refused(void)
{
    MPI_Datatype type;

    check_class("real, precision", MPI_Type_create_f90_real(TOO_MUCH, 5, &type));
    check_class("real, range", MPI_Type_create_f90_real(5, TOO_MUCH, &type));
    check_class("real, precision alone", MPI_Type_create_f90_real(TOO_MUCH, MPI_UNDEFINED, &type));
    check_class("real, range alone", MPI_Type_create_f90_real(MPI_UNDEFINED, TOO_MUCH, &type));
    check_class("complex, precision", MPI_Type_create_f90_complex(TOO_MUCH, 5, &type));
    check_class("complex, range", MPI_Type_create_f90_complex(5, TOO_MUCH, &type));
    check_class("integer", MPI_Type_create_f90_integer(TOO_MUCH, &type));
}

static void check_size(const char *what, int err, const MPI_Datatype *type, int least)
{
    int size = 0;

    if (err == MPI_SUCCESS)
        MPI_Type_size(*type, &size);
    CT_CHECK(err == MPI_SUCCESS && size >= least, "%s: code %d, size %d", what, err, size);
}

static void check_made(void)
{
    MPI_Datatype type = MPI_DATATYPE_NULL, real = MPI_DATATYPE_NULL;

    /* without Fortran there are no such types */
    MPI_Type_match_size(MPI_TYPECLASS_REAL, 4, &real);
    if (real == MPI_DATATYPE_NULL)
        return;
    check_size("real", MPI_Type_create_f90_real(6, 30, &type), &type, 4);
    check_size("real, precision alone", MPI_Type_create_f90_real(15, MPI_UNDEFINED, &type), &type,
               8);
    check_size("complex", MPI_Type_create_f90_complex(6, 30, &type), &type, 8);
    check_size("integer", MPI_Type_create_f90_integer(9, &type), &type, 4);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    check_refused();
    check_made();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
