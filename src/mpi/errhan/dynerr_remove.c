/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "dynerr.h"

/*
 * MPI_Remove_error_class, _code and _string. Unlike MPIX_Delete_error_class and _code they refuse
 * a class that has codes, and a class or code that has a string.
 */

static bool is_code(int errorcode) { return (errorcode & ERROR_GENERIC_MASK) != 0; }

int MPIR_Remove_error_class_impl(int errorclass)
{
    int mpi_errno = MPI_SUCCESS;
    MPII_Dynerr_t found;

    MPIR_ERR_CHKANDJUMP(!MPII_Dynerr_find_class(errorclass, &found), mpi_errno, MPI_ERR_ARG,
                        "**predeferrclass");
    MPIR_ERR_CHKANDJUMP(found.num_codes, mpi_errno, MPI_ERR_ARG, "**errclasscodes");
    MPIR_ERR_CHKANDJUMP(found.has_string, mpi_errno, MPI_ERR_ARG, "**errhasstring");
    mpi_errno = MPIR_Delete_error_class_impl(errorclass);

fn_fail:
    return mpi_errno;
}

int MPIR_Remove_error_code_impl(int errorcode)
{
    int mpi_errno = MPI_SUCCESS;
    MPII_Dynerr_t found;

    MPIR_ERR_CHKANDJUMP(!MPII_Dynerr_find_code(errorcode, &found), mpi_errno, MPI_ERR_ARG,
                        "**predeferrcode");
    MPIR_ERR_CHKANDJUMP(found.has_string, mpi_errno, MPI_ERR_ARG, "**errhasstring");
    mpi_errno = MPIR_Delete_error_code_impl(errorcode);

fn_fail:
    return mpi_errno;
}

int MPIR_Remove_error_string_impl(int errorcode)
{
    int mpi_errno = MPI_SUCCESS;
    MPII_Dynerr_t found;
    bool is_known = is_code(errorcode) ? MPII_Dynerr_find_code(errorcode, &found)
                                       : MPII_Dynerr_find_class(errorcode, &found);

    MPIR_ERR_CHKANDJUMP(!is_known, mpi_errno, MPI_ERR_ARG, "**predeferrcode");
    MPIR_ERR_CHKANDJUMP(!found.has_string, mpi_errno, MPI_ERR_ARG, "**errnostring");
    mpi_errno = MPIR_Delete_error_string_impl(errorcode);

fn_fail:
    return mpi_errno;
}
