/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef MPIR_ENV_KEYS_H_INCLUDED
#define MPIR_ENV_KEYS_H_INCLUDED

/*
 * Sets the info keys of MPI_INFO_ENV that tell how the process was started: command, argv,
 * maxprocs, wdir, host, arch and thread_level. Without arguments (0, NULL) the operating system
 * tells the command.
 */
int MPIR_Env_keys_set(MPIR_Info *info, int argc, char **argv);

#endif /* MPIR_ENV_KEYS_H_INCLUDED */
