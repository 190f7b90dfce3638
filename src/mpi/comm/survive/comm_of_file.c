/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_deaths.h"
#include "mpir_revoke.h"

/*
 * The communicator of a file whose members may die.  ROMIO's collective calls also send messages
 * between two living members, one of which may have left the call because a third one is dead.  So
 * a death ends these, too, as a revocation does (MPIDIG_comm_died).
 *
 * Such a communicator has an error handler of its own.  ROMIO ignores most errors; the handler
 * ends the communicator, so that ROMIO's next look at it finds the error.
 */

/* A collective whose messages have failed has the class MPI_ERR_OTHER. */
static void end_comm(MPI_Comm *handle, int *error, ...)
{
    const int class = MPIR_ERR_GET_CLASS(*error);
    MPIR_Comm *comm;

    MPIR_Comm_get_ptr(*handle, comm);
    if (MPIR_Err_is_of_failure(class) || class == MPI_ERR_OTHER)
        (void) MPID_Comm_revoke(comm, 0);
}

static int free_handler(void *unused MPL_UNUSED)
{
    MPIR_Errhandler_free_impl(MPIR_Comm_file_handler);
    MPIR_Comm_file_handler = NULL;
    return 0;
}

static int need_handler(void)
{
    int mpi_errno;

    if (MPIR_Comm_file_handler)
        return MPI_SUCCESS;
    mpi_errno = MPIR_Comm_create_errhandler_impl(end_comm, &MPIR_Comm_file_handler);
    if (mpi_errno == MPI_SUCCESS)
        MPIR_Add_finalize(free_handler, NULL, MPIR_FINALIZE_CALLBACK_PRIO);
    return mpi_errno;
}

/* A member may have died since it was made. */
static int set_handler(MPIR_Comm *comm)
{
    int mpi_errno = need_handler();

    if (mpi_errno == MPI_SUCCESS)
        MPIR_Comm_set_errhandler_impl(comm, MPIR_Comm_file_handler);
    return comm->ended ? MPIX_ERR_PROC_FAILED : mpi_errno;
}

int MPIR_Comm_begin_file(MPIR_Comm *comm, int error)
{
    int class;

    if (!MPIR_Deaths_watched)
        return error;
    if (error == MPI_SUCCESS) {
        error = set_handler(comm);
        if (error != MPI_SUCCESS)
            MPIR_Comm_free_impl(comm);
    }
    class = MPIR_ERR_GET_CLASS(error);
    return MPIR_Err_is_of_failure(class) ? class : error;
}
