/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "request_deaths.h"

static bool has_any_source(int n, MPIR_Request *requests[])
{
    for (int i = 0; i < n; i++) {
        if (requests[i] && !MPIR_Request_is_complete(requests[i]) &&
            MPID_Request_is_anysource(requests[i]))
            return true;
    }
    return false;
}

static bool is_over(int n, MPIR_Request *requests[], int for_all)
{
    for (int i = 0; i < n; i++) {
        if (requests[i] && MPIR_Request_is_complete(requests[i]) != for_all)
            return !for_all;
    }
    return for_all;
}

static bool has_pending(int n, MPIR_Request *requests[])
{
    for (int i = 0; i < n; i++) {
        if (requests[i] && MPIR_Request_is_anysrc_mismatched(requests[i]))
            return true;
    }
    return false;
}

static int pending_error(MPIR_Request *request, MPI_Status *status)
{
    int mpi_errno = MPI_SUCCESS;

    MPIR_ERR_SET(mpi_errno, MPIX_ERR_PROC_FAILED_PENDING, "**failure_pending");
    MPIR_Err_note(request->comm, mpi_errno);
    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = mpi_errno;
    return mpi_errno;
}

int MPIR_Request_wait_beside_deaths(int n, MPIR_Request *requests[], int for_all, int *pends)
{
    int mpi_errno = MPI_SUCCESS;

    if (!has_any_source(n, requests))
        return MPI_SUCCESS;
    while (mpi_errno == MPI_SUCCESS && !is_over(n, requests, for_all)) {
        if (has_pending(n, requests)) {
            *pends = TRUE;
            break;
        }
        mpi_errno = MPID_Progress_test(NULL);
        MPID_THREAD_CS_YIELD(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    }
    return mpi_errno;
}

int MPIR_Request_waitany_beside_deaths(int n, MPIR_Request *requests[], int *which,
                                       MPI_Status *status)
{
    int mpi_errno, is_over = !has_any_source(n, requests);

    while (!is_over) {
        mpi_errno = MPIR_Testany_impl(n, requests, which, &is_over, status);
        if (is_over || mpi_errno != MPI_SUCCESS)
            return mpi_errno;
        for (int i = 0; i < n; i++) {
            if (requests[i] && MPIR_Request_is_anysrc_mismatched(requests[i]))
                return pending_error(requests[i], status);
        }
        MPID_THREAD_CS_YIELD(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    }
    return MPI_SUCCESS;
}
