/* SPDX-License-Identifier: BSD-3-Clause */

/* MPI_Ireduce and MPI_Reduce_init of two processes: both roots, in place and not, with operations
 * that commute and one that does not, of any length, and of a type with gaps. */

#include "mpi.h"
#include "mpitest.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40000 };

/* A map x -> a x + b: their composition does not commute.  The gap is not touched. */
typedef struct map {
    unsigned a, gap, b;
} map_t;

static map_t in[MOST], out[MOST];
static int rank;

static void compose(void *left, void *right, int *count, MPI_Datatype *type)
{
    const map_t *l = left;
    map_t *r = right;

    (void) type;
    for (int i = 0; i < *count; i++) {
        r[i].b = l[i].a * r[i].b + l[i].b;
        r[i].a = l[i].a * r[i].a;
    }
}

static map_t map_of(int from, int i)
{
    return (map_t){(unsigned) (2 * i + from) * 3u + 1, 7, (unsigned) (i + from * 100)};
}

static void fill(map_t *maps, int n)
{
    for (int i = 0; i < n; i++)
        maps[i] = map_of(rank, i);
}

static int check(const char *what, int n, int root, int in_place)
{
    for (int i = 0; i < n; i++) {
        map_t left = map_of(0, i), right = map_of(1, i);
        unsigned a = left.a * right.a, b = left.a * right.b + left.b;

        if (out[i].a == a && out[i].b == b)
            continue;
        printf("%s of %d maps, root %d, in place %d: map %d is %u, %u instead of %u, %u\n", what, n,
               root, in_place, i, out[i].a, out[i].b, a, b);
        return 1;
    }
    return 0;
}

static int maps(MPI_Comm comm, MPI_Datatype type, MPI_Op op, int n, int root, int in_place)
{
    int errs = 0, is_root = rank == root;
    const void *from = in_place && is_root ? MPI_IN_PLACE : in;
    MPI_Request request;

    fill(in_place && is_root ? out : in, n);
    MPI_Ireduce(from, out, n, type, op, root, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    errs += is_root && check("MPI_Ireduce", n, root, in_place);
    MPI_Reduce_init(from, out, n, type, op, root, comm, MPI_INFO_NULL, &request);
    for (int start = 0; start < 3; start++) {
        fill(in_place && is_root ? out : in, n);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        errs += is_root && check("MPI_Reduce_init", n, root, in_place);
    }
    MPI_Request_free(&request);
    return errs;
}

static int sums(MPI_Comm comm, int n, int root, int in_place)
{
    int *mine = (int *) in, *sum = (int *) out, is_root = rank == root;
    MPI_Request request;

    for (int i = 0; i < n; i++)
        (in_place && is_root ? sum : mine)[i] = i * (rank + 1);
    MPI_Ireduce(in_place && is_root ? MPI_IN_PLACE : mine, sum, n, MPI_INT, MPI_SUM, root, comm,
                &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < n && is_root; i++) {
        if (sum[i] == 3 * i)
            continue;
        printf("sum of %d ints, root %d, in place %d: %d is %d instead of %d\n", n, root, in_place,
               i, sum[i], 3 * i);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const int lengths[] = {0, 1, 341, 3000, MOST};
    const int blocks[] = {1, 1};
    const MPI_Aint places[] = {0, 2 * sizeof(unsigned)};
    const MPI_Datatype types[] = {MPI_UNSIGNED, MPI_UNSIGNED};
    MPI_Datatype type;
    MPI_Comm comm;
    MPI_Op op;
    int errs = 0, world_rank;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank / 2, world_rank, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Type_create_struct(2, blocks, places, types, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(compose, 0, &op);
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        for (int choice = 0; choice < 4; choice++) {
            errs += maps(comm, type, op, lengths[i], choice / 2, choice % 2);
            errs += sums(comm, lengths[i], choice / 2, choice % 2);
        }
    }
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    MPI_Comm_free(&comm);
    MTest_Finalize(errs);
    return MTestReturnValue(errs);
}
