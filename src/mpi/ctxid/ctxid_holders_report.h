/* SPDX-License-Identifier: BSD-3-Clause */

/* The lines that hold most context ids, when somebody asks: by the MPI_T variable ctxid_holders, or
 * by a signal. */
#ifndef CTXID_HOLDERS_REPORT_H_INCLUDED
#define CTXID_HOLDERS_REPORT_H_INCLUDED

#include <stdbool.h>

/* The signal came.  The handler does nothing else: the next creation or end of a communicator
 * answers.  Atomic, as the signal may come in another thread; nothing is told by it but itself. */
extern int MPIR_Ctxid_asked;

static inline bool MPIR_ctxid_holders_are_asked(void)
{
    return __atomic_load_n(&MPIR_Ctxid_asked, __ATOMIC_RELAXED) != 0;
}

/* Writes the lines to standard error. */
void MPIR_ctxid_holders_answer(void);

/* Reads MPIR_CVAR_CTXID_REPORT_SIGNAL, registers the MPI_T variable. */
int MPIR_ctxid_holders_init(void);

#endif /* CTXID_HOLDERS_REPORT_H_INCLUDED */
