/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PORT_H_INCLUDED
#define PORT_H_INCLUDED

/*
 * Ports over TCP: how the roots of two jobs meet where a netmod's addresses do not fit into the
 * name of a port (MPI_Open_port, MPI_Comm_accept, MPI_Comm_connect, MPI_Comm_spawn).
 *
 *     connecting root                      accepting root
 *     question: context id, settings,  ->
 *               the root's address
 *                                      <-  answer: the same
 *     agreed                           ->
 *
 * After that the roots have a communicator of their own, and MPI_Intercomm_create does the rest.
 * What its leaders tell each other goes over the same connection, which ends with a process.
 * The name of a port has the addresses of its host and two secrets of 64 bits: the connecting
 * process shows one, the accepting process the other. A connection that does not show its secret
 * within some seconds is closed, and no other connection waits for it. An accepting process takes
 * questions in the order in which they are complete. A question whose process gave up does not
 * end the accept.
 *
 * While a process waits it makes progress, and other threads get the lock of MPI.
 */

/* The netmod uses these ports. It sets this in MPI_Init. */
extern bool MPIDI_Port_on;

double MPIDI_Port_now(void); /* seconds */

/* REQUIRES: port_name[MPI_MAX_PORT_NAME]. The name has no blanks, '=' or ';'. */
int MPIDI_Port_open(char *port_name);
/* Connections that wait there are closed. */
int MPIDI_Port_close(const char *port_name);
/* MPI_Finalize: closes the ports that are open. */
void MPIDI_Port_close_all(void);

/* In the root: *peer gets a communicator with the other root. `timeout` in seconds, 0: no limit.
 * Errors: MPI_ERR_PORT, with the name and the reason. Then nothing is left, and both roots have an
 * error if they had met. Any number of threads may meet, at the same port, too. */
int MPIDI_Port_meet(const char *port_name, int timeout, bool connects, MPIR_Comm **peer);

/* While this thread waits at a port for it: an error if a member dies.  The others leave, too. */
extern __thread const MPIR_Comm *MPIDI_Port_group;

/* Where processes may die: all have the communicator of both groups, and the root of the accepting
 * one says so. Without that the members of the connecting group have an error: of a spawned process
 * that goes on all parents that live have the communicator. */
int MPIDI_Port_confirm(MPIR_Comm *group, int root, const MPIR_Comm *peers, bool connects);

/* Until this call the roots' messages of MPI_Intercomm_create go over their connection: see
 * MPIR_Leaders_port. Their errors are of class MPI_ERR_PORT if the other root has ended or hung up.
 * In the root, before `peers` is freed; nothing happens if they have not met at a port. */
void MPIDI_Port_hang_up(const MPIR_Comm *peers);

/* Of MPI_Comm_spawn, whose processes have met with the error, or MPI_SUCCESS: what it returns.
 * `port_name` is empty in all processes but the root.  If the first spawned process has ended, the
 * root waits some seconds for the process manager to say how.  After another error it refuses the
 * spawned processes, and waits until the process manager says that they have ended. */
int MPIDI_Port_spawn_error(const char *port_name, int error);

#endif /* PORT_H_INCLUDED */
