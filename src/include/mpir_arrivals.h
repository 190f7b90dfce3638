/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef MPIR_ARRIVALS_H_INCLUDED
#define MPIR_ARRIVALS_H_INCLUDED

/* Events that the network's progress has found.  The netmod counts them.  A wait that serves other
 * processes' operations completes no request: it begins again when this number grows, and polls the
 * network more often. */
extern unsigned MPIR_Arrivals;

#endif /* MPIR_ARRIVALS_H_INCLUDED */
