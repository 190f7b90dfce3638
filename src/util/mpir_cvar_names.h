/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef MPIR_CVAR_NAMES_H_INCLUDED
#define MPIR_CVAR_NAMES_H_INCLUDED

/* Rank 0 says on standard error which names in the environment are misspelt names of variables.
 * REQUIRES the table of variables and the process's rank. */
void MPIR_Cvar_check_names(void);

#endif /* MPIR_CVAR_NAMES_H_INCLUDED */
