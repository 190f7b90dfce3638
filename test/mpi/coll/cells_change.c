/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Tools change the sizes of the memory in which the processes of a node exchange data: what a
 * communicator has stays as it is, and the next one has the new sizes.  Sizes that are of no use
 * leave the collectives to messages.
 */
#include "cmaptest_mpit.h"
#include "mpitest.h"

enum { MOST = 20000 };

static const char *const names[] = {
    "MPIR_CVAR_BCAST_INTRANODE_BUFFER_TOTAL_SIZE",
    "MPIR_CVAR_BCAST_INTRANODE_NUM_CELLS",
    "MPIR_CVAR_REDUCE_INTRANODE_BUFFER_TOTAL_SIZE",
    "MPIR_CVAR_REDUCE_INTRANODE_NUM_CELLS",
};
static const int settings[][4] = {
    {32768, 4, 32768, 4}, {1 << 20, 4, 1 << 20, 4}, {32768, 16, 32768, 16},
    {5000, 3, 5000, 3},   {32768, 0, 32768, 4},     {32768, 4, 32768, 0},
    {100, 4, 32768, 4},   {32768, 4, 10, 4},        {4096, 1, 4096, 1},
};
static int size;
static double in[MOST], out[MOST];

static void set(const char *name, int value)
{
    int index, count;
    MPI_T_cvar_handle handle;

    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS)
        return;
    MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
    MPI_T_cvar_write(handle, &value);
    MPI_T_cvar_handle_free(&handle);
}

static void use(MPI_Comm comm, int which)
{
    for (int count = 1; count <= MOST; count = 3 * count + 1) {
        for (int i = 0; i < count; i++) {
            in[i] = i + ct_me;
            out[i] = ct_me == size - 1 ? i : -1;
        }
        MPI_Bcast(out, count, MPI_DOUBLE, size - 1, comm);
        for (int i = 0; i < count; i++)
            CT_CHECK(out[i] == i, "%d, MPI_Bcast of %d: %d is %g", which, count, i, out[i]);
        MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, comm);
        for (int i = 0; i < count; i++)
            CT_CHECK(out[i] == size * i + size * (size - 1) / 2,
                     "%d, MPI_Allreduce of %d: %d is %g", which, count, i, out[i]);
    }
}

int main(int argc, char **argv)
{
    int n = sizeof(settings) / sizeof(*settings), provided;

    MTest_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    use(MPI_COMM_WORLD, 0);
    for (int which = 0; which < n; which++) {
        MPI_Comm comm;

        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int i = 0; i < 4; i++)
            set(names[i], settings[which][i]);
        MPI_Barrier(comm);
        use(comm, which);
        use(MPI_COMM_WORLD, which);
        MPI_Comm_free(&comm);
    }
    MPI_T_finalize();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
