/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef MPIR_LAUNCHER_H_INCLUDED
#define MPIR_LAUNCHER_H_INCLUDED

/* Connects to a process manager that speaks PMIx.  An error if that fails, or if a launcher started
 * this process as one of several, and there is no process manager to find the others with.  The
 * process would be a world of its own, as would each of the others.  MPIR_CVAR_ALLOW_SINGLETONS=1
 * allows that. */
int MPIR_Launcher_check(void);

#endif /* MPIR_LAUNCHER_H_INCLUDED */
