/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpioimpl.h"
#include "mpir_ext.h"
#include <unistd.h>

int MPIU_members_failed(ADIO_File fd) { return MPIR_Ext_comm_has_dead(fd->comm); }

/* ---- a call ---- */

int MPIU_members_check(ADIO_File fd)
{
    return MPIU_members_failed(fd) ? MPIO_Err_return_file(fd, MPIX_ERR_PROC_FAILED) : MPI_SUCCESS;
}

int MPIU_members_begin(ADIO_File fd)
{
    int error_code = MPIU_members_check(fd);

    fd->in_collective = error_code == MPI_SUCCESS && MPIR_Ext_deaths_watched();
    return error_code;
}

int MPIU_members_error(ADIO_File fd, int error_code)
{
    if (fd == ADIO_FILE_NULL || !fd->in_collective)
        return error_code;
    fd->in_collective = 0;
    return MPIU_members_failed(fd) ? MPIX_ERR_PROC_FAILED : error_code;
}

/* An error has been through MPIO_Err_return_file. */
int MPIU_members_end(ADIO_File fd, int error_code)
{
    int is_begun = fd > (ADIO_File) 0 && fd->cookie == ADIOI_FILE_COOKIE && fd->in_collective;

    if (is_begun && MPIU_members_failed(fd))
        return MPIO_Err_return_file(fd, MPIX_ERR_PROC_FAILED);
    if (is_begun)
        fd->in_collective = 0;
    return error_code;
}

/* ---- open and close ---- */

int MPIU_members_open(MPI_File *fh)
{
    ADIO_File fd = *fh;
    int unused;

    if (!MPIU_members_failed(fd))
        return MPI_SUCCESS;
    if (fd->shared_fp_fd != ADIO_FILE_NULL) {
        ADIO_Close(fd->shared_fp_fd, &unused);
        MPIO_File_free(&fd->shared_fp_fd);
    }
    if (ADIO_Feature(fd, ADIO_SHARED_FP))
        ADIOI_Free(fd->shared_fp_fname);
    ADIO_Close(fd, &unused);
    MPIO_File_free(fh);
    return MPIX_ERR_PROC_FAILED;
}

void MPIU_members_delete_shared(ADIO_File fd)
{
    if (MPIU_members_failed(fd))
        (void) unlink(fd->shared_fp_fname);
}

int MPIU_members_unbuffer(ADIO_File fd, int *hint)
{
    int before = *hint, unused;

    if (!MPIR_Ext_deaths_watched())
        return before;
    ADIOI_TEST_DEFERRED(fd, "MPIU_members_unbuffer", &unused); /* I/O of its own says the error */
    *hint = ADIOI_HINT_DISABLE;
    return before;
}

/* ---- messages ---- */

int MPIU_isend(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return PMPI_Isend_c(buf, count, datatype, dest, tag, comm, request);
}

int MPIU_irecv(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
               MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return PMPI_Irecv_c(buf, count, datatype, source, tag, comm, request);
}

/* MPI_Waitall may leave others under way when one has failed. */
int MPIU_waitall(int n, MPI_Request *requests, MPI_Status *statuses)
{
    int error_code = MPI_SUCCESS;

    if (!MPIR_Ext_deaths_watched())
        return PMPI_Waitall(n, requests, statuses);
    for (int i = 0; i < n; i++) {
        int error = PMPI_Wait(&requests[i],
                              statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i]);
        if (error != MPI_SUCCESS)
            error_code = error;
    }
    return error_code;
}
