/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef CH4I_COMM_H_INCLUDED
#define CH4I_COMM_H_INCLUDED

#include "ch4_types.h"

/* Index of a process that is in both maps, or CMAP_NONE. */
uint32_t MPIDI_find_common(const cmap_t *local, const cmap_t *remote);

/* MPIDIU_upids_to_gpids holds the tables of its gpids until the communicator has references of its
 * own: if the processes end in between, the netmod would free the tables. */

#define MPIDIU_GPID_NONE UINT64_MAX /* there was no memory for its table */

/* REQUIRES: the caller has MPIDIU_THREAD_DYNPROC_MUTEX. With `error` all gpids become
 * MPIDIU_GPID_NONE, which holds nothing. */
void MPIDIU_gpids_hold(uint64_t gpids[], int n, int error);
/* REQUIRES: the caller does not have the mutex. */
void MPIDIU_gpids_release(const uint64_t gpids[], int n);

#endif /* CH4I_COMM_H_INCLUDED */
