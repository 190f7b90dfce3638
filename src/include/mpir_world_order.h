/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * An order of MPI_COMM_WORLD (MPIR_CVAR_WORLD_ORDER), for programs that number their own grid in
 * it.  Processes keep the numbers that the process manager gives them.  Only the map of
 * MPI_COMM_WORLD, and of the process set mpi://WORLD, has another order.
 */
#ifndef MPIR_WORLD_ORDER_H_INCLUDED
#define MPIR_WORLD_ORDER_H_INCLUDED

#include <stdbool.h>

struct MPIR_Comm;

/* What all processes must agree on: the setting, or a digest of it and of its file.  "" for the
 * given order. */
extern const char *MPIR_World_order_text;

/* Reads and checks the setting.  A world that was spawned keeps its order.  REQUIRES rank, size and
 * nodes of MPIR_Process.  The error is the same in all processes that read the same. */
int MPIR_World_order_init(void);
/* Gives MPI_COMM_WORLD its order, if there is one: map and rank.  REQUIRES the map in the order of
 * the processes. */
int MPIR_World_order_apply(struct MPIR_Comm *world);
/* Is rank r of MPI_COMM_WORLD process r? */
bool MPIR_World_order_is_given(void);

#endif /* MPIR_WORLD_ORDER_H_INCLUDED */
