/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The hint which of several network cards to prefer, given at creation or later, again and again:
 * memory of others stays as it is, and so do messages.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { ROUNDS = 20, BLOCKS = 64 };

static int size;

static void use(MPI_Comm comm)
{
    int sum;

    MPI_Allreduce(&ct_me, &sum, 1, MPI_INT, MPI_SUM, comm);
    CT_CHECK(sum == size * (size - 1) / 2, "MPI_Allreduce: %d", sum);
    MPI_Barrier(comm);
}

/* Blocks of all small sizes lie around what the hint takes. */
static void set_info(MPI_Comm comm, MPI_Info info)
{
    char *blocks[BLOCKS][2];
    int changed = 0;

    for (int i = 0; i < BLOCKS; i++) {
        for (int j = 0; j < 2; j++) {
            blocks[i][j] = ct_alloc(1, i + 1);
            memset(blocks[i][j], i, i + 1);
        }
        free(blocks[i][0]);
    }
    MPI_Comm_set_info(comm, info);
    for (int i = 0; i < BLOCKS; i++) {
        for (int j = 0; j <= i; j++)
            changed += blocks[i][1][j] != i;
        free(blocks[i][1]);
    }
    CT_CHECK(!changed, "%d bytes of other memory have changed", changed);
}

int main(int argc, char **argv)
{
    MPI_Info info;
    MPI_Comm comm, copy;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Info_create(&info);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Info_set(info, "multi_nic_pref_nic", i % 2 ? "0" : "3");
        set_info(comm, info);
        use(comm);
        set_info(comm, info);
        MPI_Comm_dup_with_info(comm, info, &copy);
        MPI_Comm_free(&comm);
        use(copy);
        MPI_Comm_free(&copy);
    }
    MPI_Info_free(&info);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
