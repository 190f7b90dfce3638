/* SPDX-License-Identifier: BSD-3-Clause
 *
 * afapi_mpi BATCHES TIMES [END]: the MPI calls that give all processes what the functions of AFAPI
 * give them (Quevedo's tables 3.2 to 3.5), one line a case as in afapi.c.
 *
 * Every process of AFAPI gets the result, so a reduction is MPI_Allreduce and a gather
 * MPI_Allgather.  p_putGet names its source on one side only: here it is MPI_Allgather, too, since
 * the source must not know who asks.
 */
#include <mpi.h>
#include "batches.h"

enum { MOST = 1024 }; /* processes */
static int64_t from[MOST], to[MOST];

static void wait_all(void) { MPI_Barrier(MPI_COMM_WORLD); }

static double slowest(double us)
{
    MPI_Allreduce(MPI_IN_PLACE, &us, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return us;
}

static void allgather(MPI_Datatype type)
{
    MPI_Allgather(from, 1, type, to, 1, type, MPI_COMM_WORLD);
}

#define FOLD(op, mpi_op, T, type, mpi) \
    static void reduce##op##T(void) { MPI_Allreduce(from, to, 1, mpi, mpi_op, MPI_COMM_WORLD); } \
    static void scan##op##T(void) { MPI_Scan(from, to, 1, mpi, mpi_op, MPI_COMM_WORLD); }
#define EXCHANGES(T, type, mpi) \
    static void bcast##T(void) { MPI_Bcast(to, 1, mpi, 0, MPI_COMM_WORLD); } \
    static void scatter##T(void) { MPI_Scatter(from, 1, mpi, to, 1, mpi, 0, MPI_COMM_WORLD); } \
    static void gather##T(void) { allgather(mpi); } \
    static void putGet##T(void) { allgather(mpi); } \
    static void all2all##T(void) { MPI_Alltoall(from, 1, mpi, to, 1, mpi, MPI_COMM_WORLD); }
#define OF_INTEGER(T, type, mpi) \
    BITWISE(FOLD, T, type, mpi) ARITHMETIC(FOLD, T, type, mpi) EXCHANGES(T, type, mpi)
#define OF_FLOAT(T, type, mpi) ARITHMETIC(FOLD, T, type, mpi) EXCHANGES(T, type, mpi)
INTEGERS(OF_INTEGER)
FLOATS(OF_FLOAT)
#include "cases.h"

int main(int argc, char **argv)
{
    plan_t plan;
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int fine = read_plan(&plan, argc, argv) && size <= MOST;
    if (fine)
        measure_cases(&plan, cases, sizeof cases / sizeof cases[0], rank == 0, wait_all, slowest);
    else if (rank == 0)
        fprintf(stderr, "usage: afapi_mpi BATCHES TIMES [END] (1 to %d batches)\n", MOST_BATCHES);
    MPI_Finalize();
    return !fine;
}
