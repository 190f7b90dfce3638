/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Small collectives of processes that are bound to two cores, which hwloc takes for two sockets:
 * the first N of the world to one, the others to the other.  The library divides them there, which
 * the shared memory that a communicator takes tells; results are those of the order of ranks.  With
 * MPIR_CVAR_AGGR_FAN, which makes few processes many.
 *
 *   small_places N
 *
 * Where the machine has no two cores, or processes are on several nodes, nothing is said of the
 * memory.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include "cmaptest_mpit.h"

static int size, on_first, bound;

/* Before MPI begins, as a launcher does. */
static void bind_to(int core)
{
    cpu_set_t allowed, mine;

    CPU_ZERO(&mine);
    CPU_SET(core, &mine);
    bound = sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_ISSET(0, &allowed) &&
            CPU_ISSET(1, &allowed) && sched_setaffinity(0, sizeof mine, &mine) == 0;
    if (bound) {
        setenv("HWLOC_SYNTHETIC", "pack:2 l3:1 core:1 pu:1", 1);
        setenv("HWLOC_THISSYSTEM", "1", 1);
    }
}

/* Ranks of processes in communicators. */
static int in_order(int process) { return process; }

static int backwards(int process) { return size - 1 - process; }

static int in_turns(int process)
{
    int on_second = size - on_first, mine = process < on_first ? process : process - on_first;
    int others = process < on_first ? on_second : on_first;

    return mine < others ? 2 * mine + (process >= on_first) : mine + others;
}

/* Leaders, when no more of them than this are worth it. */
static int leaders_of(int (*rank_of)(int))
{
    int fan = atoi(getenv("MPIR_CVAR_AGGR_FAN")), fewest = (size + fan - 1) / fan, leaders = 0,
        length = 0;
    int on_second[64];

    for (int p = 0; p < size; p++)
        on_second[rank_of(p)] = p >= on_first;
    for (int r = 0; r < size; r++) {
        length = r > 0 && on_second[r] == on_second[r - 1] ? length + 1 : 1;
        leaders += length % fan == 1;
    }
    return leaders <= fan || leaders <= 2 * fewest ? leaders : fewest;
}

/* Of the blocks of all communicators of the node. */
static long long bytes_taken(void)
{
    ct_pvar bytes;
    long long n = -1;

    MPI_Barrier(MPI_COMM_WORLD);
    ct_mpit_begin();
    if (ct_pvar_find("aggr_arena_bytes", &bytes)) {
        n = ct_pvar_read(&bytes);
        ct_pvar_close(&bytes);
    }
    ct_mpit_end();
    MPI_Barrier(MPI_COMM_WORLD);
    return n;
}

/* x -> ax + b, whose order shows */
static void compose(void *left, void *inout, int *n, MPI_Datatype *type)
{
    unsigned *x = left, *y = inout;

    for (int i = 0; i < 2 * *n; i += 2) {
        y[i + 1] = x[i] * y[i + 1] + x[i + 1];
        y[i] *= x[i];
    }
}

static void collectives(MPI_Comm comm, MPI_Datatype pair, MPI_Op op, const char *what)
{
    int rank;

    MPI_Comm_rank(comm, &rank);
    for (int k = 0; k < 200; k++) {
        unsigned mine[2] = {2 * rank + 3, k + rank}, all[2], wanted[2] = {1, 0}, to_me[2] = {1, 0};

        for (int r = size - 1; r >= 0; r--) {
            wanted[1] = (2 * r + 3) * wanted[1] + k + r;
            wanted[0] *= 2 * r + 3;
            if (r <= rank) {
                to_me[1] = (2 * r + 3) * to_me[1] + k + r;
                to_me[0] *= 2 * r + 3;
            }
        }
        MPI_Allreduce(mine, all, 1, pair, op, comm);
        CT_CHECK(all[0] == wanted[0] && all[1] == wanted[1], "%s, reduction %d: %u %u", what, k,
                 all[0], all[1]);
        if (k % 3 == 0)
            MPI_Barrier(comm);
        MPI_Scan(mine, all, 1, pair, op, comm);
        CT_CHECK(all[0] == to_me[0] && all[1] == to_me[1], "%s, scan %d: %u %u", what, k, all[0],
                 all[1]);
        MPI_Bcast(mine, 2, MPI_UNSIGNED, k % size, comm);
        CT_CHECK(mine[1] == k + k % size, "%s, broadcast %d: %u", what, k, mine[1]);
    }
}

static void check(int (*rank_of)(int), MPI_Datatype pair, MPI_Op op, const char *what)
{
    int one = 1, sum;
    long long before, after, wanted = (128 * (1 + size + leaders_of(rank_of)) + 511) / 512 * 512;
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, 0, rank_of(ct_me), &comm);
    before = bytes_taken();
    for (int i = 0; i < 3; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    after = bytes_taken();
    CT_CHECK(!bound || before < 0 || after - before == wanted, "%s: %lld bytes, not %lld", what,
             after - before, wanted);
    collectives(comm, pair, op, what);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    const char *process = getenv("PMI_RANK");
    MPI_Datatype pair;
    MPI_Op op;

    on_first = argc > 1 ? atoi(argv[1]) : 1;
    if (process)
        bind_to(atoi(process) >= on_first);
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_contiguous(2, MPI_UNSIGNED, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(compose, 0, &op);
    bound = bound && ct_is_one_node(MPI_COMM_WORLD);
    bytes_taken(); /* the world has its block */
    bytes_taken();
    check(in_order, pair, op, "in order");
    check(backwards, pair, op, "backwards");
    check(in_turns, pair, op, "in turns");
    MPI_Op_free(&op);
    MPI_Type_free(&pair);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
