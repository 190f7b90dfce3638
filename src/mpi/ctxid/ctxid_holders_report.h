/* SPDX-License-Identifier: BSD-3-Clause */

/* The lines that hold most context ids, when somebody asks: by the MPI_T variable ctxid_holders, or
 * by a signal. */
#ifndef CTXID_HOLDERS_REPORT_H_INCLUDED
#define CTXID_HOLDERS_REPORT_H_INCLUDED

#include <signal.h>

#include "ctxid_names.h"

/* The signal came.  The handler does nothing else: the next creation or end of a communicator
 * answers. */
extern volatile sig_atomic_t MPIR_Ctxid_is_asked;
/* Writes the lines to standard error. */
void ctxid_holders_answer(void);

/* Reads MPIR_CVAR_CTXID_REPORT_SIGNAL, registers the MPI_T variable. */
int ctxid_holders_init(void);

#endif /* CTXID_HOLDERS_REPORT_H_INCLUDED */
