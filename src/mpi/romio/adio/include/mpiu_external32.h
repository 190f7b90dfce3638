/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * File access in the data representation external32.
 *
 * The file has the view of datatypes in external32; a transfer moves bytes between the file and a
 * buffer that holds the user's data in external32, without gaps.  A function of MPI-IO begins a
 * conversion, calls itself with that buffer, as MPI_BYTE, and ends the conversion:
 *
 *     struct MPIU_external32 x;
 *     if (MPIU_external32_begin(&x, fh, buf, count, datatype, is_read))
 *         return MPIU_external32_end(&x, itself(fh, x.bytes, x.n, MPI_BYTE, &x.status), status);
 */
#ifndef MPIU_EXTERNAL32_H_INCLUDED
#define MPIU_EXTERNAL32_H_INCLUDED

struct MPIU_external32 {
    void *bytes;       /* external32 */
    MPI_Count n;       /* how many */
    MPI_Status status; /* of their transfer */
    void *buf;         /* the user's data */
    MPI_Count count;
    MPI_Datatype datatype;
    int is_read;
    MPI_Request inner;  /* nonblocking: the transfer, */
    MPI_Request *outer; /* and what the user has */
};

/* Whether a conversion is needed: then the buffer is ready.  If an argument is wrong, none is, and
 * the caller says so. */
int MPIU_external32_begin(struct MPIU_external32 *x, MPI_File fh, const void *buf, MPI_Count count,
                          MPI_Datatype datatype, int is_read);

/* After a transfer with this result: converts what was read and sets the user's status. */
int MPIU_external32_end(struct MPIU_external32 *x, int error_code, MPI_Status *status);

/* Two parts: the conversion stays with the file from begin to end. */
int MPIU_external32_split_begin(struct MPIU_external32 *x, MPI_File fh, int error_code);
void MPIU_external32_split_end(MPI_File fh, MPI_Status *status);

/* Nonblocking: after the transfer's request is in x->inner.  The user's request ends the
 * conversion. */
int MPIU_external32_start(struct MPIU_external32 *x, int error_code, MPI_Request *request);

/* Views: the file has the datatypes in external32; the user's are kept for MPI_File_get_view. */
int MPIU_external32_set_view(ADIO_File fd, ADIO_Offset disp, MPI_Datatype etype,
                             MPI_Datatype filetype, MPI_Info info);
void MPIU_external32_get_view(ADIO_File fd, MPI_Datatype *etype, MPI_Datatype *filetype);

/* Another view follows, or none. */
void MPIU_external32_end_view(ADIO_File fd);

/* The extent of the datatype in the file */
int MPIU_external32_extent(MPI_Datatype datatype, MPI_Count *extent);

#endif /* MPIU_EXTERNAL32_H_INCLUDED */
