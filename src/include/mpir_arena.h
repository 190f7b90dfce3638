/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The node's arena: shared memory that is handed out in blocks, to communicators that have
 * aggregates and to processes that receive short messages.
 */
#ifndef MPIR_ARENA_H_INCLUDED
#define MPIR_ARENA_H_INCLUDED

#include "aggr.h"

/* The first process that asks makes it; NULL if it cannot be made.  Any thread may ask. */
aggr_arena_t *MPIR_Aggr_arena(void);

#endif /* MPIR_ARENA_H_INCLUDED */
