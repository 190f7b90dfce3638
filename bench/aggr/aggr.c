/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aggr SET BATCHES TIMES: small blocking collectives of the world; see bench/aggr/aggr.py.  One
 * line a case at rank 0: its name, and the median over the batches of the mean time of a call, in
 * microseconds, of the slowest process.  With two processes first and last "line" and what a cache
 * line takes from one to the other, in microseconds.
 *
 *   kinds   each collective with one int, and two ways to create a communicator
 *   folds   every predefined operation, in MPI_Allreduce and MPI_Scan, of int and double
 *   sizes   MPI_Allreduce, MPI_Bcast and MPI_Allgather of 8 bytes to 64 KiB
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../lib/line_mpi.h"
#include "../lib/sort.h"

enum { MOST = 65536, BATCHES = 1000 };

static int rank, size, batches, times;
static char *in, *out;

/* What is called, with these arguments. */
static struct call {
    MPI_Datatype type;
    MPI_Op op;
    int count;
} call;

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

static void bcast(void) { MPI_Bcast(out, call.count, call.type, 0, MPI_COMM_WORLD); }

static void allreduce(void)
{
    MPI_Allreduce(in, out, call.count, call.type, call.op, MPI_COMM_WORLD);
}

static void reduce(void) { MPI_Reduce(in, out, call.count, call.type, call.op, 0, MPI_COMM_WORLD); }

static void scan(void) { MPI_Scan(in, out, call.count, call.type, call.op, MPI_COMM_WORLD); }

static void exscan(void) { MPI_Exscan(in, out, call.count, call.type, call.op, MPI_COMM_WORLD); }

static void allgather(void)
{
    MPI_Allgather(in, call.count, call.type, out, call.count, call.type, MPI_COMM_WORLD);
}

static void gather(void)
{
    MPI_Gather(in, call.count, call.type, out, call.count, call.type, 0, MPI_COMM_WORLD);
}

static void scatter(void)
{
    MPI_Scatter(in, call.count, call.type, out, call.count, call.type, 0, MPI_COMM_WORLD);
}

static void alltoall(void)
{
    MPI_Alltoall(in, call.count, call.type, out, call.count, call.type, MPI_COMM_WORLD);
}

static void duplicate(void)
{
    MPI_Comm made;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Comm_free(&made);
}

static void split(void)
{
    MPI_Comm made;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &made);
    MPI_Comm_free(&made);
}

static double batch(void (*function)(void))
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int i = 0; i < times; i++)
        function();
    double mine = (MPI_Wtime() - begin) / times * 1e6, slowest;
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return slowest;
}

static void measure(const char *name, void (*function)(void))
{
    double us[BATCHES];
    batch(function); /* what is made at first use */
    for (int b = 0; b < batches; b++)
        us[b] = batch(function);
    sort_times(us, batches);
    if (rank == 0)
        printf("%s %.4f\n", name, us[batches / 2]);
}

static void kinds(void)
{
    call = (struct call){MPI_INT, MPI_SUM, 1};
    measure("barrier", barrier);
    measure("allreduce", allreduce);
    measure("bcast", bcast);
    measure("reduce", reduce);
    measure("scan", scan);
    measure("exscan", exscan);
    measure("allgather", allgather);
    measure("gather", gather);
    measure("scatter", scatter);
    measure("alltoall", alltoall);
    measure("dup", duplicate);
    measure("split", split);
}

static void folds(void)
{
    const struct {
        const char *name;
        MPI_Op op;
        int of_double;
    } ops[] = {{"and", MPI_BAND, 0}, {"or", MPI_BOR, 0},  {"xor", MPI_BXOR, 0}, {"min", MPI_MIN, 1},
               {"max", MPI_MAX, 1},  {"add", MPI_SUM, 1}, {"mul", MPI_PROD, 1}};
    char name[64];
    for (size_t i = 0; i < 2 * sizeof ops / sizeof ops[0]; i++) {
        if (i % 2 && !ops[i / 2].of_double)
            continue;
        call = (struct call){i % 2 ? MPI_DOUBLE : MPI_INT, ops[i / 2].op, 1};
        snprintf(name, sizeof name, "allreduce-%s-%s", ops[i / 2].name, i % 2 ? "double" : "int");
        measure(name, allreduce);
        snprintf(name, sizeof name, "scan-%s-%s", ops[i / 2].name, i % 2 ? "double" : "int");
        measure(name, scan);
    }
}

static void sizes(void)
{
    char name[64];
    for (int bytes = 8; bytes <= MOST; bytes *= 2) {
        call = (struct call){MPI_DOUBLE, MPI_SUM, bytes / 8};
        snprintf(name, sizeof name, "allreduce-%d", bytes);
        measure(name, allreduce);
        snprintf(name, sizeof name, "bcast-%d", bytes);
        measure(name, bcast);
        snprintf(name, sizeof name, "allgather-%d", bytes);
        measure(name, allgather);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 4 || (batches = atoi(argv[2])) < 1 || batches > BATCHES ||
        (times = atoi(argv[3])) < 1) {
        fprintf(stderr, "usage: aggr kinds|folds|sizes BATCHES TIMES (1 to %d batches)\n", BATCHES);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    in = calloc((size_t) size, MOST);
    out = calloc((size_t) size, MOST);
    if (!in || !out)
        MPI_Abort(MPI_COMM_WORLD, 1);
    line_t *lines = line_share();
    line_show(lines);
    if (strcmp(argv[1], "kinds") == 0)
        kinds();
    else if (strcmp(argv[1], "folds") == 0)
        folds();
    else
        sizes();
    line_show(lines);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
