/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Communicators whose small collectives go by lines, and a check that they still work.
 */
#ifndef CMAPTEST_SMALL_H_INCLUDED
#define CMAPTEST_SMALL_H_INCLUDED

#include "cmaptest.h"

/* Two collectives, from which on the communicator has lines.  It returns errors. */
static inline MPI_Comm ct_with_lines(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Barrier(comm);
    MPI_Barrier(comm);
    return comm;
}

/* REQUIRES the ranks of `comm` are those of the world. */
static inline void ct_still_sums(MPI_Comm comm, const char *when)
{
    int size, all = -1, err = MPI_Allreduce(&ct_me, &all, 1, MPI_INT, MPI_SUM, comm);

    MPI_Comm_size(comm, &size);
    CT_CHECK(err == MPI_SUCCESS && all == size * (size - 1) / 2, "%s: the sum is %d", when, all);
}

#endif /* CMAPTEST_SMALL_H_INCLUDED */
