/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef REQUEST_DEATHS_H_INCLUDED
#define REQUEST_DEATHS_H_INCLUDED

/* While deaths are watched: waits for all requests, or for any of them, if one is a receive from
 * any source.  Returns also when such a receive has to pend: then *pends is TRUE.  Entries may be
 * NULL. */
int MPIR_Request_wait_beside_deaths(int n, MPIR_Request *requests[], int for_all, int *pends);

/* The same for one of them: *which is MPI_UNDEFINED if none has completed, as none is from any
 * source or none is active.  The error is that of a receive that has to pend. */
int MPIR_Request_waitany_beside_deaths(int n, MPIR_Request *requests[], int *which,
                                       MPI_Status *status);

#endif /* REQUEST_DEATHS_H_INCLUDED */
