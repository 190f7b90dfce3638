/* SPDX-License-Identifier: BSD-3-Clause */
/* mpiexec's standard input, which the proxy of rank 0 wants piece by piece (see pmip_stdin.h). */
#ifndef PMISERV_STDIN_H_INCLUDED
#define PMISERV_STDIN_H_INCLUDED

#include "hydra.h"

/* There is something to read: sends a piece, or the end, to the proxy of rank 0. */
HYD_status HYD_pmcd_stdin_forward(const struct HYD_proxy *proxy);

/* The proxy wants more. */
HYD_status HYD_pmcd_stdin_taken(void);

/* How long to wait for events, if it were this many seconds otherwise (-1: for ever). As long as
 * standard input belongs to another job of the shell, it is looked at now and then. */
int HYD_pmcd_stdin_patience(int seconds);

#endif /* PMISERV_STDIN_H_INCLUDED */
