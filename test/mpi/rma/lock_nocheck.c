/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A lock with MPI_MODE_NOCHECK concerns its own epoch alone: the next one of the same target is
 * taken, and given back for others to have.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

static int size;

static void add_one(MPI_Win win, MPI_Aint address, int target, int assert)
{
    long one = 1;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, assert, win);
    MPI_Accumulate(&one, 1, MPI_LONG, target, address, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_unlock(target, win);
}

/* Nobody else is there when rank 0 does not ask; then all want the lock. */
static void check(MPI_Win win, long *counter, const MPI_Aint *addresses, const char *what)
{
    *counter = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int target = 0; ct_me == 0 && target < size; target++) {
        add_one(win, addresses[target], target, MPI_MODE_NOCHECK);
        add_one(win, addresses[target], target, 0);
        add_one(win, addresses[target], target, MPI_MODE_NOCHECK);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2 * size; i++)
        add_one(win, addresses[(ct_me + i) % size], (ct_me + i) % size, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, ct_me, 0, win);
    CT_CHECK(*counter == 3 + 2 * size, "%s: counted to %ld, not %d", what, *counter, 3 + 2 * size);
    MPI_Win_unlock(ct_me, win);
}

static void check_created(const char *issue, const MPI_Aint *addresses)
{
    MPI_Info info;
    MPI_Win win;
    long counter;

    MPI_Info_create(&info);
    MPI_Info_set(info, "rma_issue", issue);
    MPI_Win_create(&counter, sizeof(counter), sizeof(counter), info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    check(win, &counter, addresses, issue);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MPI_Aint mine, *addresses;
    MPI_Win win;
    long counter, *allocated;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    addresses = ct_alloc(size, sizeof(addresses[0]));
    check_created("eager", addresses);
    check_created("hybrid", addresses);
    check_created("lazy", addresses);
    MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &allocated, &win);
    check(win, allocated, addresses, "allocated");
    MPI_Win_free(&win);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, &counter, sizeof(counter));
    MPI_Get_address(&counter, &mine);
    MPI_Allgather(&mine, 1, MPI_AINT, addresses, 1, MPI_AINT, MPI_COMM_WORLD);
    check(win, &counter, addresses, "dynamic");
    MPI_Win_detach(win, &counter);
    MPI_Win_free(&win);
    free(addresses);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
