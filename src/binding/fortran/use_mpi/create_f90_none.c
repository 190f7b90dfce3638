/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"

/*
 * A library without Fortran knows no type of Fortran. The procedures of C are there and say so.
 */

#if defined(HAVE_PRAGMA_WEAK)
#pragma weak MPI_Type_create_f90_integer = PMPI_Type_create_f90_integer
#pragma weak MPI_Type_create_f90_real = PMPI_Type_create_f90_real
#pragma weak MPI_Type_create_f90_complex = PMPI_Type_create_f90_complex
#elif defined(HAVE_PRAGMA_HP_SEC_DEF)
#pragma _HP_SECONDARY_DEF PMPI_Type_create_f90_integer MPI_Type_create_f90_integer
#pragma _HP_SECONDARY_DEF PMPI_Type_create_f90_real MPI_Type_create_f90_real
#pragma _HP_SECONDARY_DEF PMPI_Type_create_f90_complex MPI_Type_create_f90_complex
#elif defined(HAVE_PRAGMA_CRI_DUP)
#pragma _CRI duplicate MPI_Type_create_f90_integer as PMPI_Type_create_f90_integer
#pragma _CRI duplicate MPI_Type_create_f90_real as PMPI_Type_create_f90_real
#pragma _CRI duplicate MPI_Type_create_f90_complex as PMPI_Type_create_f90_complex
#elif defined(HAVE_WEAK_ATTRIBUTE)
int MPI_Type_create_f90_integer(int r, MPI_Datatype *newtype)
    __attribute__((weak, alias("PMPI_Type_create_f90_integer")));
int MPI_Type_create_f90_real(int p, int r, MPI_Datatype *newtype)
    __attribute__((weak, alias("PMPI_Type_create_f90_real")));
int MPI_Type_create_f90_complex(int p, int r, MPI_Datatype *newtype)
    __attribute__((weak, alias("PMPI_Type_create_f90_complex")));
#endif

#ifndef MPICH_MPI_FROM_PMPI
#define MPI_Type_create_f90_integer PMPI_Type_create_f90_integer
#define MPI_Type_create_f90_real PMPI_Type_create_f90_real
#define MPI_Type_create_f90_complex PMPI_Type_create_f90_complex
#endif

/* The error goes to the handler of MPI_COMM_SELF. */
static int refuse(const char *function, MPI_Datatype *newtype, int mpi_errno)
{
    if (newtype)
        *newtype = MPI_DATATYPE_NULL;
    MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    mpi_errno = MPIR_Err_return_comm(NULL, function, mpi_errno);
    MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    return mpi_errno;
}

int MPI_Type_create_f90_integer(int r, MPI_Datatype *newtype)
{
    int mpi_errno = MPI_SUCCESS;

    MPIR_ERRTEST_INITIALIZED_ORDIE();
    MPIR_ERR_SET1(mpi_errno, MPI_ERR_ARG, "**f90typeintnone", "**f90typeintnone %d", r);
    return refuse(__func__, newtype, mpi_errno);
}

int MPI_Type_create_f90_real(int p, int r, MPI_Datatype *newtype)
{
    int mpi_errno = MPI_SUCCESS;

    MPIR_ERRTEST_INITIALIZED_ORDIE();
    MPIR_ERR_SET2(mpi_errno, MPI_ERR_ARG, "**f90typerealnone", "**f90typerealnone %d %d", p, r);
    return refuse(__func__, newtype, mpi_errno);
}

int MPI_Type_create_f90_complex(int p, int r, MPI_Datatype *newtype)
{
    int mpi_errno = MPI_SUCCESS;

    MPIR_ERRTEST_INITIALIZED_ORDIE();
    MPIR_ERR_SET2(mpi_errno, MPI_ERR_ARG, "**f90typecomplexnone", "**f90typecomplexnone %d %d", p,
                  r);
    return refuse(__func__, newtype, mpi_errno);
}
