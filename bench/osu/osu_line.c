/* SPDX-License-Identifier: BSD-3-Clause */
/* Loaded before the library into a program of the OSU micro-benchmarks (LD_PRELOAD): with two
 * processes, rank 0 prints "line" and what a cache line takes from one to the other, after MPI_Init
 * and before MPI_Finalize. */
#include "../lib/line_mpi.h"

static line_t *lines;

static int begin(int mpi_errno)
{
    if (mpi_errno == MPI_SUCCESS) {
        lines = line_share();
        line_show(lines);
        fflush(stdout);
    }
    return mpi_errno;
}

int MPI_Init(int *argc, char ***argv) { return begin(PMPI_Init(argc, argv)); }

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    return begin(PMPI_Init_thread(argc, argv, required, provided));
}

int MPI_Finalize(void)
{
    line_show(lines);
    fflush(stdout);
    return PMPI_Finalize();
}
