/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef RMA_WINDOW_AGREE_H_INCLUDED
#define RMA_WINDOW_AGREE_H_INCLUDED

/* What may fail in one member while a window is made is done between collectives, and told to all:
 * then all of them fail. */

enum {
    MPIDIG_WIN_HAS_LOCAL = 1,   /* some member shares a node with another one */
    MPIDIG_WIN_NOT_SYMMETRIC = 2        /* some member's memory is not for the symmetric heap */
};

/* Collective, and no member returns before all have called it.  Returns the member's own error, or
 * one that says that another member failed.  Each flag is set where any member sets it; NULL for
 * none.  Needs no memory. */
int MPIDIG_win_agree(MPIR_Comm * comm, int own_errno, unsigned *flags);

/* The window's number leads to it from now on, in this process. */
int MPIDIG_win_map_add(MPIR_Win * win);
void MPIDIG_win_map_remove(MPIR_Win * win);

/* The table of the node's processes. */
int MPIDIG_win_table_make(MPIR_Win * win, int num);

#endif /* RMA_WINDOW_AGREE_H_INCLUDED */
