/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef MPIR_PMI_POLLING_H_INCLUDED
#define MPIR_PMI_POLLING_H_INCLUDED

#include <stdbool.h>

/* MPIR_pmi_barrier for those who must not sleep in it: calls poll again and again until all
 * processes have come. */
int MPIR_pmi_barrier_polling(void (*poll)(void));
/* What it calls, where the barrier of the process manager waits for dead processes, too.  NULL:
 * that barrier. */
extern int (*MPIR_pmi_barrier_of_living)(void (*poll)(void));

/* A thread waits in such a barrier: who polls cannot ask the process manager for anything. */
bool MPIR_pmi_is_in_barrier(void);

#endif /* MPIR_PMI_POLLING_H_INCLUDED */
