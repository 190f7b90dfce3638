/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Windows of all kinds: on MPI_COMM_WORLD, those of shared memory on a communicator of one node.
 */
#ifndef CMAPTEST_WIN_H_INCLUDED
#define CMAPTEST_WIN_H_INCLUDED

#include "cmaptest_oracle.h"

enum { CT_WIN_CREATE, CT_WIN_ALLOCATE, CT_WIN_PAGES, CT_WIN_SHARED, CT_WIN_DYNAMIC, CT_WIN_KINDS };

enum { CT_WIN_BYTES = 1000, CT_WIN_PAGE_BYTES = 4096 };

static const char *const ct_win_names[CT_WIN_KINDS] = {
    "MPI_Win_create", "MPI_Win_allocate", "MPI_Win_allocate of pages", "MPI_Win_allocate_shared",
    "MPI_Win_create_dynamic"};
static char ct_win_memory[CT_WIN_PAGE_BYTES];
static MPI_Comm ct_win_node; /* the processes of this node */

/* Errors of both communicators are returned from here on. */
static inline void ct_win_begin(void)
{
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &ct_win_node);
    MPI_Comm_set_errhandler(ct_win_node, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

static inline void ct_win_end(void) { MPI_Comm_free(&ct_win_node); }

/* Whose processes make the window. */
static inline MPI_Comm ct_win_comm(int kind)
{
    return kind == CT_WIN_SHARED ? ct_win_node : MPI_COMM_WORLD;
}

static inline int ct_win_make(int kind, MPI_Win *win)
{
    MPI_Comm comm = ct_win_comm(kind);
    char *base;

    switch (kind) {
        case CT_WIN_CREATE:
            return MPI_Win_create(ct_win_memory, CT_WIN_PAGE_BYTES, 1, MPI_INFO_NULL, comm, win);
        case CT_WIN_ALLOCATE:
            return MPI_Win_allocate(CT_WIN_BYTES, 1, MPI_INFO_NULL, comm, &base, win);
        case CT_WIN_PAGES:
            return MPI_Win_allocate(CT_WIN_PAGE_BYTES, 1, MPI_INFO_NULL, comm, &base, win);
        case CT_WIN_SHARED:
            return MPI_Win_allocate_shared(CT_WIN_BYTES, 1, MPI_INFO_NULL, comm, &base, win);
        default: return MPI_Win_create_dynamic(MPI_INFO_NULL, comm, win);
    }
}

/* Each process puts, counts and gets at the next. */
static inline void ct_win_use(int kind, MPI_Win win)
{
    int rank, n, next, got = -1, one = 1;
    MPI_Comm comm = ct_win_comm(kind);
    MPI_Aint where = 0;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n);
    next = (rank + 1) % n;
    if (kind == CT_WIN_DYNAMIC) {
        MPI_Win_attach(win, ct_win_memory, sizeof(ct_win_memory));
        MPI_Get_address(ct_win_memory, &where);
    }
    MPI_Sendrecv_replace(&where, 1, MPI_AINT, (rank + n - 1) % n, 0, next, 0, comm,
                         MPI_STATUS_IGNORE);
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, next, where, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Accumulate(&one, 1, MPI_INT, next, where, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    MPI_Get(&got, 1, MPI_INT, next, where, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CT_CHECK(got == rank + 1, "%s: %d instead of %d", ct_win_names[kind], got, rank + 1);
    if (kind == CT_WIN_DYNAMIC)
        MPI_Win_detach(win, ct_win_memory);
}

#endif /* CMAPTEST_WIN_H_INCLUDED */
