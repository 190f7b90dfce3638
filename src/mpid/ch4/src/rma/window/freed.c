/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "deaths.h"

/* Windows that MPI_Finalize finds. */

enum { NAMED_MOST = 4 }; /* lines of an error stack */

static const char *flavor_name(const MPIR_Win *win)
{
    switch (win->create_flavor) {
        case MPI_WIN_FLAVOR_CREATE: return "MPI_Win_create";
        case MPI_WIN_FLAVOR_ALLOCATE: return "MPI_Win_allocate";
        case MPI_WIN_FLAVOR_SHARED: return "MPI_Win_allocate_shared";
        default: return "MPI_Win_create_dynamic";
    }
}

/* Adds a line to the error stack. */
static int name_window(int mpi_errno, const MPIR_Win *win)
{
    return MPIR_Err_create_code(mpi_errno, MPIR_ERR_RECOVERABLE, __func__, __LINE__, MPI_ERR_WIN,
                                "**winleft", "**winleft %W %s %s %L %d", win->handle, win->name,
                                flavor_name(win), (long long) win->size, win->comm_ptr->local_size);
}

/* MPI_Finalize cannot free them: that is collective, and the network still knows their memory. */
int MPID_Win_all_freed(void)
{
    int mpi_errno = MPI_SUCCESS, named = 0;
    MPIDIU_map_entry_t *entry, *next_entry;

    HASH_ITER(hh, MPIDI_global.win_map->head, entry, next_entry)
    {
        if (entry->value && !MPIDIG_deaths_are_in_win(entry->value) && named++ < NAMED_MOST)
            mpi_errno = name_window(mpi_errno, entry->value);
    }
    if (named > NAMED_MOST)
        mpi_errno =
            MPIR_Err_create_code(mpi_errno, MPIR_ERR_RECOVERABLE, __func__, __LINE__, MPI_ERR_WIN,
                                 "**winsleft", "**winsleft %d", named - NAMED_MOST);
    return mpi_errno;
}
