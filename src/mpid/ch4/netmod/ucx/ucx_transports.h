/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UCX_TRANSPORTS_H_INCLUDED
#define UCX_TRANSPORTS_H_INCLUDED

/*
 * Which of UCX's transports a process opens inside its node, and how large their receive pools are.
 *
 * UCX has two transports over shared memory, "sysv" and "posix". Each process allocates a receive
 * pool for each of them at start: 512 buffers of 8 KB. All messages use the first one; a
 * container's /dev/shm (64 MB) has no room for the second one's pools from 16 processes on. A
 * process therefore opens one of the two, sysv where the system allows it, with a smaller pool. The
 * pool grows as messages arrive that no receive waits for.
 *
 * Copies through the kernel (cma) are left out where a process runs in a user namespace of its own,
 * as in a container for each rank.
 *
 * It says that it can handle errors, so that UCX uses it for endpoints to other worlds, too
 * (ucx_worlds.h).
 *
 * The user's settings win: UCX_TLS, in the environment or in a configuration file of UCX, and
 * RX_BUFS_GROW and ERROR_HANDLING in the environment, after UCX_SYSV_, UCX_POSIX_ or UCX_MM_. UCX
 * before 1.12 keeps its own choice.
 */

/* Before ucp_init(config). */
void MPIDI_UCX_transports_choose(ucp_config_t *config);

#endif /* UCX_TRANSPORTS_H_INCLUDED */
