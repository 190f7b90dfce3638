/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef REQUEST_DEATHS_H_INCLUDED
#define REQUEST_DEATHS_H_INCLUDED

/* While deaths are watched: waits for all requests, or for any of them, if one is a receive from
 * any source.  Returns also when such a receive has to pend: then *pends is TRUE.  Entries may be
 * NULL. */
int MPIR_Request_wait_beside_deaths(int n, MPIR_Request *requests[], int for_all, int *pends);

#endif /* REQUEST_DEATHS_H_INCLUDED */
