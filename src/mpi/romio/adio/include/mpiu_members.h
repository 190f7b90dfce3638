/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Files whose communicator has a member that may die, or has died.  A collective call then ends
 * with MPIX_ERR_PROC_FAILED:
 *
 *     error_code = MPIU_members_begin(fd);     on entry; the caller leaves with an error
 *     ... a step that needs what the other members have sent ...
 *     if (MPIU_members_failed(fd))             the step has ended without it
 *     ...
 *     error_code = MPIU_members_end(fd, error_code);
 *
 * Communication between the two calls ends when a member dies (comm_of_file.c).  What it should
 * have received is not there.  Where nobody says who dies, nobody is dead.
 */
#ifndef MPIU_MEMBERS_H_INCLUDED
#define MPIU_MEMBERS_H_INCLUDED

/* Has a member died, as far as this process knows? */
int MPIU_members_failed(ADIO_File fd);

/* The error, which has been to the file's handler.  For calls that do not wait. */
int MPIU_members_check(ADIO_File fd);

int MPIU_members_begin(ADIO_File fd);
/* Another error of such a call has its cause in the death. */
int MPIU_members_error(ADIO_File fd, int error_code);
int MPIU_members_end(ADIO_File fd, int error_code);

/* The file has been opened.  It is closed again after an error: not all have opened it. */
int MPIU_members_open(MPI_File *fh);
/* Of a file that is closed: the file of its shared pointer may have been opened by the dead alone,
 * who then would have removed it. */
void MPIU_members_delete_shared(ADIO_File fd);

/* A nonblocking collective call buffers nothing, for its steps end nowhere.  Returns the hint
 * before. */
int MPIU_members_unbuffer(ADIO_File fd, int *hint);

/* MPI's own, also where communicators end: there is a request after an error, too, and nothing
 * stays under way. */
int MPIU_isend(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request *request);
int MPIU_irecv(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
               MPI_Comm comm, MPI_Request *request);
int MPIU_waitall(int n, MPI_Request *requests, MPI_Status *statuses);

#undef MPI_Isend
#define MPI_Isend MPIU_isend
#undef MPI_Isend_c
#define MPI_Isend_c MPIU_isend
#undef MPI_Irecv
#define MPI_Irecv MPIU_irecv
#undef MPI_Irecv_c
#define MPI_Irecv_c MPIU_irecv
#undef MPI_Waitall
#define MPI_Waitall MPIU_waitall

#endif /* MPIU_MEMBERS_H_INCLUDED */
