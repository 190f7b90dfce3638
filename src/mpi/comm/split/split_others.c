/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "split_call.h"

/* A process among others. */

static int count(int n) { return n; }

static int first(void) { return 0; }

static int local_rank(void) { return MPIR_Process.local_rank; }

static int check(int rank MPL_UNUSED) { return MPI_SUCCESS; }

static int foresee(const split_call *call MPL_UNUSED, MPIR_Comm *local MPL_UNUSED,
                   bool *takes_part MPL_UNUSED)
{
    return MPI_SUCCESS;
}

static bool refuses(MPIR_Comm *comm MPL_UNUSED, const char *collective MPL_UNUSED,
                    int *mpi_errno MPL_UNUSED)
{
    return false;
}

const MPIR_Others_t MPIR_Others_exist = {.count = count,
                                         .first = first,
                                         .local_rank = local_rank,
                                         .check = check,
                                         .refuses = refuses,
                                         .holds_all_ids = false,
                                         .get_rows = MPIR_split_exchange_rows,
                                         .foresee = foresee,
                                         .swap_blocks = MPIR_split_swap_blocks,
                                         .remote_group = NULL};

const MPIR_Others_t *MPIR_Others = &MPIR_Others_exist;
