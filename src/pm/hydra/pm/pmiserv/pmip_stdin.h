/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Standard input of rank 0, in its proxy.
 *
 * mpiexec sends a piece of its standard input. When all of it is in the pipe of rank 0, the proxy
 * says STDIN_TAKEN, and mpiexec sends the next one. What rank 0 has no room for stays unread.
 */
#ifndef PMIP_STDIN_H_INCLUDED
#define PMIP_STDIN_H_INCLUDED

#include "hydra.h"

/* A piece that mpiexec has sent; it is freed. */
HYD_status HYD_pmcd_pmip_stdin_put(char *piece, int bytes);

/* There is no more. */
void HYD_pmcd_pmip_stdin_close(void);

#endif /* PMIP_STDIN_H_INCLUDED */
