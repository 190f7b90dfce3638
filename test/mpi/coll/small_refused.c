/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Small collectives where some process cannot have what aggregates need, or has been told something
 * else than the others:  these work as ever.  Processes differ before MPI_Init.
 *
 *   small_refused            nobody differs: it goes the new way
 *   small_refused files      no process may write files as large as the shared memory
 *   small_refused one-file   the last one may not
 *   small_refused bytes      each has another MPIR_CVAR_AGGR_MAX_BYTES
 *   small_refused off        the first one has no aggregates
 *   small_refused arena      the last one may have no shared memory for them
 */
#include <stdlib.h>
#include <sys/resource.h>
#include "cmaptest_mpit.h"

enum { TIMES = 6, INTS = 700 };

static void limit_files(void)
{
    struct rlimit limit;

    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = 32 << 20; /* the arena has 64 */
    setrlimit(RLIMIT_FSIZE, &limit);
}

static void make_different(const char *how, int process, int processes)
{
    char bytes[16];

    if (strcmp(how, "files") == 0 || (strcmp(how, "one-file") == 0 && process == processes - 1))
        limit_files();
    snprintf(bytes, sizeof bytes, "%d", 100 + 1000 * process);
    if (strcmp(how, "bytes") == 0)
        setenv("MPIR_CVAR_AGGR_MAX_BYTES", bytes, 1);
    if (strcmp(how, "off") == 0 && process == 0)
        setenv("MPIR_CVAR_AGGR", "0", 1);
    if (strcmp(how, "arena") == 0 && process == processes - 1)
        setenv("MPIR_CVAR_AGGR_ARENA_MB", "0", 1);
}

static void collectives(MPI_Comm comm, int size)
{
    static int in[INTS], out[INTS];
    int *all = ct_ints(size), one = ct_me + 1, sum;

    MPI_Allgather(&one, 1, MPI_INT, all, 1, MPI_INT, comm);
    CT_CHECK(all[0] == 1 && all[size - 1] == size, "from %d to %d are gathered", all[0],
             all[size - 1]);
    MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    CT_CHECK(sum == one * (one + 1) / 2, "the sum up to %d is %d", one, sum);
    free(all);
    for (int n = 1; n <= INTS; n *= 7) {
        for (int i = 0; i < n; i++)
            in[i] = i + ct_me;
        MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, comm);
        CT_CHECK(out[n - 1] == size * (n - 1) + size * (size - 1) / 2, "sum %d of %d is %d", n - 1,
                 n, out[n - 1]);
        MPI_Bcast(in, n, MPI_INT, size - 1, comm);
        CT_CHECK(in[n - 1] == n - 1 + size - 1, "%d comes as number %d of %d", in[n - 1], n - 1, n);
        MPI_Barrier(comm);
    }
}

static void expect_calls(ct_pvar *calls, int some)
{
    long long n = ct_pvar_read(calls);

    CT_CHECK(some ? n > 0 : n == 0, "%lld collectives by aggregates", n);
}

int main(int argc, char **argv)
{
    const char *rank = getenv("PMI_RANK"), *processes = getenv("PMI_SIZE");
    int size, counts;
    ct_pvar calls;
    MPI_Comm comm;

    if (argc > 1 && rank && processes)
        make_different(argv[1], atoi(rank), atoi(processes));
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ct_mpit_begin();
    counts = ct_pvar_find("aggr_calls", &calls);
    for (int k = 0; k < TIMES; k++) {
        collectives(MPI_COMM_WORLD, size);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        collectives(comm, size);
        MPI_Comm_free(&comm);
    }
    /* which nodes differ is not asked; of a file it depends on who makes it */
    if (ct_is_one_node(MPI_COMM_WORLD) && counts && (argc == 1 || strcmp(argv[1], "one-file") != 0))
        expect_calls(&calls, argc == 1 && size > 1);
    if (counts)
        ct_pvar_close(&calls);
    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
