/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpioimpl.h"
#include "mpiu_external32.h"
#include "mpiu_greq.h"

#ifdef HAVE_WEAK_SYMBOLS
/* Include mapping from MPI->PMPI */
#define MPIO_BUILD_PROFILING
#include "mpioprof.h"
#endif

/* provided by MPICH */
int MPIR_Type_create_external32(MPI_Datatype type, MPI_Datatype *newtype);

/* ---- conversions ---- */

static int is_wanted(MPI_File fh, MPI_Count count, MPI_Datatype datatype)
{
    ADIO_File fd = MPIO_File_resolve(fh);
    int err = MPI_SUCCESS;

    if (fd <= (ADIO_File) 0 || fd->cookie != ADIOI_FILE_COOKIE || !fd->is_external32)
        return 0;
    if (count < 0 || datatype == MPI_DATATYPE_NULL || datatype == MPI_BYTE)
        return 0;
    MPIO_DATATYPE_ISCOMMITTED(datatype, err);
    return err == MPI_SUCCESS;
}

int MPIU_external32_begin(struct MPIU_external32 *x, MPI_File fh, const void *buf, MPI_Count count,
                          MPI_Datatype datatype, int is_read)
{
    MPI_Count bytes, position = 0;

    if (!is_wanted(fh, count, datatype))
        return 0;
    MPI_Pack_external_size_c("external32", count, datatype, &bytes);
    x->bytes = ADIOI_Malloc(bytes + 1);
    x->n = bytes;
    x->buf = (void *) buf;
    x->count = count;
    x->datatype = datatype;
    x->is_read = is_read;
    MPIR_Status_set_bytes(&x->status, MPI_BYTE, 0);
    if (!is_read)
        MPI_Pack_external_c("external32", buf, count, datatype, x->bytes, bytes, &position);
    return 1;
}

/* Converts what was read, which may end early.  Gives the user's bytes. */
static MPI_Count external32_finish(struct MPIU_external32 *x)
{
    MPI_Count moved, size, copies = x->count, position = 0;

    MPI_Get_elements_x(&x->status, MPI_BYTE, &moved);
    MPI_Type_size_x(x->datatype, &size);
    if (moved < x->n)
        copies = moved / (x->n / x->count);
    if (x->is_read)
        MPI_Unpack_external_c("external32", x->bytes, moved, &position, x->buf, copies,
                              x->datatype);
    ADIOI_Free(x->bytes);
    return copies * size;
}

int MPIU_external32_end(struct MPIU_external32 *x, int error_code, MPI_Status *status)
{
    MPI_Count bytes = external32_finish(x);

    MPIR_Status_set_bytes(status, x->datatype, bytes);
    return error_code;
}

/* ---- in two parts ---- */

int MPIU_external32_split_begin(struct MPIU_external32 *x, MPI_File fh, int error_code)
{
    ADIO_File fd = MPIO_File_resolve(fh);

    if (error_code != MPI_SUCCESS) {
        ADIOI_Free(x->bytes);
        return error_code;
    }
    fd->split_external32 = ADIOI_Malloc(sizeof(*x));
    *fd->split_external32 = *x;
    return MPI_SUCCESS;
}

void MPIU_external32_split_end(MPI_File fh, MPI_Status *status)
{
    ADIO_File fd = MPIO_File_resolve(fh);
    struct MPIU_external32 *x = fd->split_external32;

    if (!x)
        return;
    x->status = fd->split_status;
    MPIU_external32_end(x, MPI_SUCCESS, status);
    ADIOI_Free(x);
    fd->split_external32 = NULL;
}

/* ---- nonblocking ---- */

static MPIX_Grequest_class request_class;

static int request_query(void *state, MPI_Status *status)
{
    struct MPIU_external32 *x = state;

    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    MPI_Status_set_cancelled(status, 0);
    MPI_Status_set_elements_x(status, MPI_BYTE, x->count);
    return MPI_SUCCESS;
}

static int request_free(void *state)
{
    ADIOI_Free(state);
    return MPI_SUCCESS;
}

static int request_poll(void *state, MPI_Status *status)
{
    struct MPIU_external32 *x = state;
    MPI_Datatype datatype = x->datatype;
    int done, error_code;

    if (x->inner == MPI_REQUEST_NULL)
        return MPI_SUCCESS;
    error_code = MPI_Test(&x->inner, &done, &x->status);
    if (error_code != MPI_SUCCESS || !done)
        return error_code;
    x->count = external32_finish(x);
    if (datatype != MPI_DATATYPE_NULL)
        MPI_Type_free(&datatype);
    return MPI_Grequest_complete(*x->outer);
}

static int request_wait(int count, void **states, double timeout, MPI_Status *status)
{
    for (int i = 0; i < count; i++) {
        struct MPIU_external32 *x = states[i];

        while (x->inner != MPI_REQUEST_NULL) {
            int error_code = request_poll(x, status);

            if (error_code != MPI_SUCCESS)
                return error_code;
        }
    }
    return MPI_SUCCESS;
}

int MPIU_external32_start(struct MPIU_external32 *x, int error_code, MPI_Request *request)
{
    struct MPIU_external32 *kept;

    if (error_code != MPI_SUCCESS) {
        ADIOI_Free(x->bytes);
        return error_code;
    }
    if (request_class == 0)
        MPIX_Grequest_class_create(request_query, request_free, MPIU_Greq_cancel_fn, request_poll,
                                   request_wait, &request_class);
    kept = ADIOI_Malloc(sizeof(*kept) + sizeof(MPI_Request));
    *kept = *x;
    kept->outer = (MPI_Request *) (kept + 1);
    /* the user may free the datatype before the transfer ends */
    MPI_Type_dup(x->datatype, &kept->datatype);
    MPIX_Grequest_class_allocate(request_class, kept, request);
    *kept->outer = *request;
    return MPI_SUCCESS;
}

/* ---- views ---- */

/* A copy, unless the datatype is predefined */
static MPI_Datatype keep(MPI_Datatype datatype)
{
    MPI_Count ints, aints, counts, types;
    MPI_Datatype copy = datatype;
    int combiner;

    MPI_Type_get_envelope_c(datatype, &ints, &aints, &counts, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED)
        MPI_Type_dup(datatype, &copy);
    return copy;
}

static void forget(MPI_Datatype *datatype)
{
    MPI_Count ints, aints, counts, types;
    int combiner;

    MPI_Type_get_envelope_c(*datatype, &ints, &aints, &counts, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED)
        MPI_Type_free(datatype);
}

int MPIU_external32_set_view(ADIO_File fd, ADIO_Offset disp, MPI_Datatype etype,
                             MPI_Datatype filetype, MPI_Info info)
{
    MPI_Datatype file_etype, file_filetype;
    int error_code;

    error_code = MPIR_Type_create_external32(etype, &file_etype);
    if (error_code != MPI_SUCCESS)
        return error_code;
    error_code = MPIR_Type_create_external32(filetype, &file_filetype);
    if (error_code == MPI_SUCCESS) {
        MPI_Type_commit(&file_etype);
        MPI_Type_commit(&file_filetype);
        ADIO_Set_view(fd, disp, file_etype, file_filetype, info, &error_code);
        MPI_Type_free(&file_filetype);
    }
    MPI_Type_free(&file_etype);
    if (error_code == MPI_SUCCESS) {
        fd->view_etype = keep(etype);
        fd->view_filetype = keep(filetype);
        fd->is_external32 = 1;
    }
    return error_code;
}

void MPIU_external32_get_view(ADIO_File fd, MPI_Datatype *etype, MPI_Datatype *filetype)
{
    *etype = keep(fd->view_etype);
    *filetype = keep(fd->view_filetype);
}

void MPIU_external32_end_view(ADIO_File fd)
{
    if (!fd->is_external32)
        return;
    forget(&fd->view_etype);
    forget(&fd->view_filetype);
    fd->is_external32 = 0;
}

int MPIU_external32_extent(MPI_Datatype datatype, MPI_Count *extent)
{
    MPI_Datatype external;
    MPI_Count lb;
    int error_code = MPIR_Type_create_external32(datatype, &external);

    if (error_code == MPI_SUCCESS) {
        MPI_Type_get_extent_x(external, &lb, extent);
        MPI_Type_free(&external);
    }
    return error_code;
}
