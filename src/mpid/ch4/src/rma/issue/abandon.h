/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RMA_ISSUE_ABANDON_H_INCLUDED
#define RMA_ISSUE_ABANDON_H_INCLUDED

/* Of a window with a dead member (deaths.h): the program has freed it, or it came to nothing. */
void MPIDIG_win_abandon(MPIR_Win *win);

#endif /* RMA_ISSUE_ABANDON_H_INCLUDED */
