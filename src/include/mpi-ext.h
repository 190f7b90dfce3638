/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What programs that survive the death of processes (ULFM, User-Level Failure Mitigation) expect
 * beside mpi.h, under the names that other MPI libraries give it.  mpi.h declares the functions
 * MPIX_Comm_revoke, _is_revoked, _shrink, _ishrink, _agree, _iagree, _get_failed, _ack_failed,
 * _failure_ack and _failure_get_acked, and the error classes MPIX_ERR_PROC_FAILED,
 * MPIX_ERR_PROC_FAILED_PENDING and MPIX_ERR_REVOKED, also without the X.
 */
#ifndef MPI_EXT_H_INCLUDED
#define MPI_EXT_H_INCLUDED

#include "mpi.h"

/*
 * A predefined attribute of every communicator: an int, 1 if the job goes on when a process dies
 * (mpiexec --enable-recovery), 0 if such a death ends it.
 */
#define MPIX_FT 0x6440000f

#endif /* MPI_EXT_H_INCLUDED */
