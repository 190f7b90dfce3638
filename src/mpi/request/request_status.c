/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"

/*
 * MPI_Request_get_status_any, _all and _some: what MPI_Testany, MPI_Testall and MPI_Testsome find,
 * while the requests stay as they are.
 *
 * One call makes progress once, except for generalized requests that are polled. Requests that are
 * MPI_REQUEST_NULL are NULL here.
 */

/* Brings the requests up to date. */
static int poll_requests(int count, MPIR_Request *requests[])
{
    int mpi_errno = MPID_Progress_test(NULL);
    MPI_Status unused;

    MPIR_ERR_CHKRETURN(mpi_errno);
    for (int i = 0; i < count; i++) {
        if (requests[i] && MPIR_Request_has_poll_fn(requests[i])) {
            mpi_errno = MPIR_Grequest_poll(requests[i], &unused);
            MPIR_ERR_CHKRETURN(mpi_errno);
        }
    }

    return mpi_errno;
}

static void set_empty(MPI_Status *status)
{
    MPIR_Status_set_empty(status);
    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = MPI_SUCCESS;
}

/* The status of a complete request, or the empty one; the error of the request. */
static int get_status(MPIR_Request *request, MPI_Status *status)
{
    int flag;

    if (MPIR_Request_is_active(request))
        return MPIR_Request_get_status_impl(request, &flag, status);
    set_empty(status);
    return MPI_SUCCESS;
}

/* Fills the statuses of these requests, all complete. If one has an error, each status has one. */
static int get_statuses(int count, MPIR_Request *requests[], const int indices[],
                        MPI_Status statuses[])
{
    int mpi_errno = MPI_SUCCESS;
    bool is_ignored = statuses == MPI_STATUSES_IGNORE;

    for (int i = 0; i < count; i++) {
        MPI_Status *status = is_ignored ? MPI_STATUS_IGNORE : &statuses[i];
        int error = get_status(requests[indices ? indices[i] : i], status);

        if (error && !mpi_errno) {
            mpi_errno = MPI_ERR_IN_STATUS;
            for (int k = 0; k < i && !is_ignored; k++)
                statuses[k].MPI_ERROR = MPI_SUCCESS;
        }
        if (mpi_errno && !is_ignored)
            status->MPI_ERROR = error;
    }
    return mpi_errno;
}

int MPIR_Request_get_status_any_impl(int count, MPIR_Request **request_ptrs, int *indx, int *flag,
                                     MPI_Status *status)
{
    int mpi_errno = poll_requests(count, request_ptrs);
    bool is_any_active = false;

    MPIR_ERR_CHKRETURN(mpi_errno);
    *indx = MPI_UNDEFINED;
    for (int i = 0; i < count && *indx == MPI_UNDEFINED; i++) {
        if (!MPIR_Request_is_active(request_ptrs[i]))
            continue;
        is_any_active = true;
        if (MPIR_Request_is_complete(request_ptrs[i]))
            *indx = i;
    }
    *flag = *indx != MPI_UNDEFINED || !is_any_active;
    if (*indx != MPI_UNDEFINED)
        mpi_errno = get_status(request_ptrs[*indx], status);
    else if (*flag)
        set_empty(status);

    return mpi_errno;
}

int MPIR_Request_get_status_all_impl(int count, MPIR_Request **request_ptrs, int *flag,
                                     MPI_Status *array_of_statuses)
{
    MPIR_TRY(poll_requests(count, request_ptrs));
    *flag = TRUE;
    for (int i = 0; i < count && *flag; i++)
        *flag = !request_ptrs[i] || MPIR_Request_is_complete(request_ptrs[i]);
    return *flag ? get_statuses(count, request_ptrs, NULL, array_of_statuses) : MPI_SUCCESS;
}

int MPIR_Request_get_status_some_impl(int incount, MPIR_Request **request_ptrs, int *outcount,
                                      int *array_of_indices, MPI_Status *array_of_statuses)
{
    int mpi_errno = poll_requests(incount, request_ptrs);
    bool is_any_active = false;

    MPIR_ERR_CHKRETURN(mpi_errno);
    *outcount = 0;
    for (int i = 0; i < incount; i++) {
        if (!MPIR_Request_is_active(request_ptrs[i]))
            continue;
        is_any_active = true;
        if (MPIR_Request_is_complete(request_ptrs[i]))
            array_of_indices[(*outcount)++] = i;
    }
    if (!is_any_active)
        *outcount = MPI_UNDEFINED;
    else
        mpi_errno = get_statuses(*outcount, request_ptrs, array_of_indices, array_of_statuses);

    return mpi_errno;
}
