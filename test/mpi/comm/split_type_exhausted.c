/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Comm_split_type makes a communicator of the node on its way to a smaller one.  When the next
 * step finds no context id, that communicator goes, too: as many ids are free as before.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { MOST = 100, FREE = 2 };

static MPI_Comm made[MOST];

static int make_all(void)
{
    int n = 0;

    while (n < MOST && MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &made[n]) == MPI_SUCCESS)
        n++;
    return n;
}

static void free_some(int n, int from)
{
    for (int i = from; i < n; i++)
        MPI_Comm_free(&made[i]);
}

int main(int argc, char **argv)
{
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Info info;
    int all, again;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Info_create(&info);
    MPI_Info_set(info, "shmem_topo", "core");
    all = make_all();
    CT_CHECK(all > FREE && all < MOST, "%d communicators, although ids are few", all);
    for (int left = 0; left <= FREE; left++) {
        free_some(all, all - left);
        if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, info, &part) ==
                MPI_SUCCESS &&
            part != MPI_COMM_NULL)
            MPI_Comm_free(&part);
        for (again = all - left; again < MOST; again++)
            if (MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &made[again]) != MPI_SUCCESS)
                break;
        CT_CHECK(again == all, "%d communicators with %d ids free, %d before", again, left, all);
        free_some(again, all);
        if (again != all)
            break;
    }
    free_some(all, 0);
    MPI_Info_free(&info);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
