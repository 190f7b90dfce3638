/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Barriers and small allreduces of few processes that share no node: what may come in, the order of
 * operations, lengths about that at which the library changes its way.
 *
 *   few_nodes               results only
 *   few_nodes counted       also that they go by a message from each to each, where no two
 *                           processes share a node
 *   few_nodes not-counted   or do not, by the settings
 */
#include "cmaptest_mpit.h"

enum { MOST = 3000, LATE = 4 };

static int size, rank;

/* Each has numbers of his own, whose sum depends on the order of additions. */
static double number_of(int member, int i)
{
    return (member % 2 ? 1e15 : -1e15) + 1.0 / (member * 7 + i + 3);
}

static void sums_in_order(MPI_Comm comm, int n, int in_place)
{
    static double in[MOST], out[MOST];

    for (int i = 0; i < n; i++)
        in[i] = out[i] = number_of(rank, i);
    MPI_Allreduce(in_place ? MPI_IN_PLACE : in, out, n, MPI_DOUBLE, MPI_SUM, comm);
    for (int i = 0; i < n; i++) {
        double want = number_of(size - 1, i);
        for (int m = size - 2; m >= 0; m--)
            want = number_of(m, i) + want;
        CT_CHECK(memcmp(&out[i], &want, sizeof want) == 0, "%d of %d sums: %.17g, not %.17g", i, n,
                 out[i], want);
    }
}

static void sums(MPI_Comm comm, int n)
{
    static int in[MOST], out[MOST];

    for (int i = 0; i < n; i++)
        in[i] = i + rank;
    MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < n; i++)
        CT_CHECK(out[i] == size * i + size * (size - 1) / 2, "%d of %d sums is %d", i, n, out[i]);
}

/* Not commutative, and uses its first argument as it likes: digits of all ranks, the first one's
 * in front. */
static void put_in_front(void *left, void *inout, int *n, MPI_Datatype *type)
{
    for (int i = 0; i < *n; i++) {
        long long *x = (long long *) left + 2 * i, *y = (long long *) inout + 2 * i;
        y[0] += x[0] * y[1];
        y[1] *= x[1];
        x[0] = x[1] = -1;
    }
}

static void digits(MPI_Comm comm, MPI_Datatype pair, MPI_Op op)
{
    long long in[2] = {rank % 7 + 1, 8}, out[2], want = 0;

    for (int m = 0; m < size && size <= 20; m++)
        want = want * 8 + m % 7 + 1;
    MPI_Allreduce(in, out, 1, pair, op, comm);
    CT_CHECK(size > 20 || out[0] == want, "digits are %llo, not %llo", out[0], want);
}

/* Nobody leaves before the last one comes: told by the clock where all have the same. */
static void barriers(MPI_Comm comm)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "", first[MPI_MAX_PROCESSOR_NAME];
    int length, same, all;

    MPI_Get_processor_name(name, &length);
    memcpy(first, name, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, comm);
    same = strcmp(name, first) == 0;
    MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_LAND, comm);
    for (int k = 0; k < LATE; k++) {
        int late = k % size;
        double came = 0, left;

        if (rank == late) {
            for (double end = MPI_Wtime() + 0.003; MPI_Wtime() < end;)
                ;
            came = MPI_Wtime();
        }
        MPI_Barrier(comm);
        left = MPI_Wtime();
        MPI_Bcast(&came, 1, MPI_DOUBLE, late, comm);
        CT_CHECK(!all || left >= came, "it leaves a barrier %g s before process %d comes",
                 came - left, late);
    }
}

static void all_of(MPI_Comm comm)
{
    const int counts[] = {0,   1,   2,   3,   16,  31,  32,  33,  64,  127,
                          128, 129, 255, 256, 257, 511, 512, 513, MOST};
    MPI_Datatype pair;
    MPI_Op op;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Type_contiguous(2, MPI_LONG_LONG, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(put_in_front, 0, &op);
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
        sums(comm, counts[k]);
    digits(comm, pair, op);
    barriers(comm);
    digits(comm, pair, op);
    MPI_Op_free(&op);
    MPI_Type_free(&pair);
}

static int largest_node(MPI_Comm comm)
{
    MPI_Comm node;
    int mine, largest;

    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &mine);
    MPI_Allreduce(&mine, &largest, 1, MPI_INT, MPI_MAX, comm);
    MPI_Comm_free(&node);
    return largest;
}

/* Those that go this way have that order.  Of several processes on some nodes the first ones go
 * this way, which is not counted. */
static void ordered(MPI_Comm comm, ct_pvar *direct, int wanted)
{
    int largest = largest_node(comm);
    long long before = ct_pvar_read(direct), done;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    wanted = wanted && largest == 1 && size > 1;
    for (int k = 0; k < 3; k++) {
        if (wanted)
            sums_in_order(comm, 1 + 3 * k, k % 2);
        sums(comm, 1 + k);
        MPI_Barrier(comm);
    }
    done = ct_pvar_read(direct) - before;
    CT_CHECK(done == (wanted ? 9 : 0) || (largest > 1 && largest < size),
             "%lld of 9 collectives by a message from each to each, largest node %d", done,
             largest);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    ct_pvar direct;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    all_of(MPI_COMM_WORLD);
    for (int k = 0; k < 3; k++) {
        MPI_Comm_split(MPI_COMM_WORLD, k ? ct_me % k : 0, k == 0 ? -ct_me : ct_me * (2 * k + 1),
                       &comm);
        all_of(comm);
        MPI_Comm_free(&comm);
    }
    ct_mpit_begin();
    if (argc > 1 && ct_pvar_find("aggr_direct", &direct)) {
        ordered(MPI_COMM_WORLD, &direct, strcmp(argv[1], "counted") == 0);
        ct_pvar_close(&direct);
    }
    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
