/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef RMA_WINDOW_AGREE_H_INCLUDED
#define RMA_WINDOW_AGREE_H_INCLUDED

/* While a window is made, what may fail in one member happens between collectives.  These tell all
 * members, and then all of them fail. */

enum {
    MPIDIG_WIN_HAS_LOCAL = 1,      /* a member shares a node with another one */
    MPIDIG_WIN_NOT_SYMMETRIC = 2,  /* the memory of a member is not in the symmetric heap */
    MPIDIG_WIN_WITHOUT_EVENTS = 4, /* a member cannot serve the window by events (mpir_events.h) */
    MPIDIG_WIN_STRANGERS = 8       /* a member does not know where another one has its events */
};

/* Collective; no member returns before all have called it.  Returns the member's own error, or an
 * error which says that another member failed: of class MPIX_ERR_PROC_FAILED or MPIX_ERR_REVOKED if
 * that one's is.  A flag is set if any member sets it; NULL means no flags.  It allocates no
 * memory. */
int MPIDIG_win_agree(MPIR_Comm *comm, int own_errno, unsigned *flags);

/* From now on the window's number leads to the window, in this process. */
int MPIDIG_win_map_add(MPIR_Win *win);
void MPIDIG_win_map_remove(MPIR_Win *win);

/* The table of the node's processes. */
int MPIDIG_win_table_make(MPIR_Win *win, int num);

#endif /* RMA_WINDOW_AGREE_H_INCLUDED */
