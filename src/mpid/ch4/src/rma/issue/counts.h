/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What one-sided communication did in a window, of this process: the MPI_T variables of the
 * category CH4_RMA, which are bound to a window, and its line in the report of
 * MPIR_CVAR_CMAP_REPORT.
 *
 * Messages and operations are always counted: one addition each.  Times are taken once a tool has
 * a handle to one of them, or a report is written, and only where the process waits.
 */
#ifndef RMA_ISSUE_COUNTS_H_INCLUDED
#define RMA_ISSUE_COUNTS_H_INCLUDED

typedef enum {
    MPIDIG_RMA_WAIT_LOCK,
    MPIDIG_RMA_WAIT_POST,
    MPIDIG_RMA_WAIT_FENCE,
    MPIDIG_RMA_WAIT_ROOM, /* for an operation in the queue of its target */
    MPIDIG_RMA_WAITS
} MPIDIG_rma_wait_t;

typedef struct {
    uint64_t messages, packed;         /* messages; operations in them */
    uint64_t native;                   /* operations */
    uint64_t exchanges, early;         /* fences by exchange; those that a process entered early */
    uint64_t barriers;                 /* fences by a barrier */
    uint64_t habits;                   /* times the habit of a target changed */
    uint64_t waited[MPIDIG_RMA_WAITS]; /* nanoseconds */
} MPIDIG_rma_counts_t;

/* Registers the variables. */
void MPIDIG_rma_counts_init(void);
/* The window is about to go, and its communicator still exists. */
void MPIDIG_rma_counts_report(MPIR_Win *win, const MPIDIG_rma_counts_t *counts);

/* Are times taken? */
extern bool MPIDIG_rma_is_timed;

#endif /* RMA_ISSUE_COUNTS_H_INCLUDED */
