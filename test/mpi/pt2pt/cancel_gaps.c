/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Receives into memory with gaps that are cancelled take no memory, and let their datatype go.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

#include <unistd.h>

enum { ROUNDS = 20000, MOST_BYTES = 4 << 20, FEW = 4, MANY = 400 };

static int buffer[2 * MANY];

static long bytes_in_use(void)
{
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file) {
        if (fscanf(file, "%ld %ld", &pages, &resident) != 2)
            resident = 0;
        fclose(file);
    }
    return resident * sysconf(_SC_PAGESIZE);
}

static void cancel_some(int other, int pieces)
{
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Datatype type;
        MPI_Request request;
        MPI_Status status;
        int is_cancelled;

        MPI_Type_vector(pieces, 1, 2, MPI_INT, &type);
        MPI_Type_commit(&type);
        MPI_Irecv(buffer, 1, type, other, 0, MPI_COMM_WORLD, &request);
        MPI_Type_free(&type);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &is_cancelled);
        CT_CHECK(is_cancelled, "receive %d is not cancelled", i);
    }
}

int main(int argc, char **argv)
{
    int size;
    long before, grown;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int pieces = FEW; pieces <= MANY; pieces += MANY - FEW)
        cancel_some((ct_me + 1) % size, pieces);
    before = bytes_in_use();
    for (int pieces = FEW; pieces <= MANY; pieces += MANY - FEW)
        cancel_some((ct_me + 1) % size, pieces);
    grown = bytes_in_use() - before;
    CT_CHECK(grown < MOST_BYTES, "%d cancelled receives take %ld bytes", ROUNDS, grown);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
