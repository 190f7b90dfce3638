/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AM_LATER_H_INCLUDED
#define AM_LATER_H_INCLUDED

/* Active messages whose handlers a network module does not run while it makes progress itself.  Progress runs them after that,
 * as long as MPIDIG_rma_todo counts them: those of a VCI, under its lock. NULL when the module keeps none. */
extern int (*MPIDIG_am_later) (int vci);

#endif /* AM_LATER_H_INCLUDED */
