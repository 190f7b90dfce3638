/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Where the collectives of a node may take little shared memory, communicator after communicator
 * takes some, uses it and gives it back: no memory stays, refused or not.  The limit is in
 * MPIR_CVAR_COLL_SHM_LIMIT_PER_NODE, in KiB.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { COMMS = 40, CALLS = 12, COUNT = 5000 };

static int size, in[COUNT], out[COUNT];

static int shared_mappings(void)
{
    char line[1024];
    int n = 0;
    FILE *file = fopen("/proc/self/maps", "r");

    while (file && fgets(line, sizeof(line), file))
        n += strstr(line, "/dev/shm/") != NULL;
    if (file)
        fclose(file);
    return n;
}

/* Broadcasts and reductions take most of it. */
static void use(MPI_Comm comm)
{
    for (int turn = 0; turn < CALLS; turn++) {
        int value = ct_me == 0 ? turn : -1;

        for (int i = 0; i < COUNT; i++)
            in[i] = i + ct_me;
        MPI_Bcast(&value, 1, MPI_INT, 0, comm);
        CT_CHECK(value == turn, "MPI_Bcast: %d, not %d", value, turn);
        MPI_Reduce(in, out, COUNT, MPI_INT, MPI_SUM, 0, comm);
        for (int i = 0; ct_me == 0 && i < COUNT; i++)
            CT_CHECK(out[i] == size * i + size * (size - 1) / 2, "MPI_Reduce: %d is %d", i, out[i]);
    }
}

int main(int argc, char **argv)
{
    int before, grown;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    before = shared_mappings();
    for (int i = 0; i < COMMS; i++) {
        MPI_Comm comm;

        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        use(comm);
        MPI_Comm_free(&comm);
    }
    grown = shared_mappings() - before;
    CT_CHECK(grown == 0, "%d pieces of shared memory are left", grown);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
