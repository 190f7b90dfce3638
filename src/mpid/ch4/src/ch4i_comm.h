/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef CH4I_COMM_H_INCLUDED
#define CH4I_COMM_H_INCLUDED

#include "ch4_types.h"

/* Error unless the remote processes are distinct and none is a member of the communicator. */
int MPIDI_check_disjoint(MPIR_Comm * local_comm, const uint64_t remote_gpids[], int remote_size);

#endif /* CH4I_COMM_H_INCLUDED */
