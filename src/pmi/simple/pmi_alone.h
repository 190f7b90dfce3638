/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PMI_ALONE_H_INCLUDED
#define PMI_ALONE_H_INCLUDED

/*
 * A process that no process manager has started, and that needs one (MPI_Comm_spawn), starts an
 * mpiexec of its own. It has to be the one of this library: another MPI's may come first in PATH.
 *
 *     this process  --starts-->  mpiexec -n 1 mpialone NAME  --starts-->  mpialone
 *     listens at NAME  <-----  its connection to the process manager  ---------
 *
 * From then on this process is rank 0 of mpiexec's job. mpialone waits until this process has
 * ended. NAME is a socket of this host without a file; a process of another user gets no answer.
 */

/* *pmi_fd is a connection to the process manager. -1: there is none, and a message says why. */
int MPIR_PMI_alone_join(int *pmi_fd);

#endif /* PMI_ALONE_H_INCLUDED */
