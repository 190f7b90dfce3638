/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Two jobs that connect and disconnect again and again need no more memory, file descriptors,
 * endpoints or context ids in the last round than in the first ones.
 *
 * The job spawns as many processes as it has, and disconnects them. From then on both jobs meet at
 * a port. Each process exchanges a message with one of the other job; in some rounds all do. Each
 * process has an own count of everything. The testlist limits the context ids.
 *
 * Argument: -rounds=N
 */
#include <malloc.h>
#include "cmaptest.h"
#include "cmaptest_mpit.h"

enum { WARM_UP = 30, SLACK = 64 * 1024 }; /* rounds; bytes that a library may add once */

typedef struct {
    size_t bytes;
    long long endpoints;
    int files;
} usage_t;

static int rank;

static long long count_endpoints(void)
{
    ct_pvar endpoints;
    long long n = 0;

    ct_mpit_begin();
    if (ct_pvar_find("ucx_endpoints", &endpoints)) {
        n = ct_pvar_read(&endpoints);
        ct_pvar_close(&endpoints);
    }
    ct_mpit_end();
    return n;
}

static usage_t measure(void)
{
    usage_t usage = {.files = ct_count_files(), .endpoints = count_endpoints()};

    usage.bytes = mallinfo2().uordblks;
    return usage;
}

static void compare(usage_t first, usage_t last, int rounds)
{
    CT_CHECK(last.bytes <= first.bytes + SLACK, "%zu bytes became %zu in %d rounds", first.bytes,
             last.bytes, rounds);
    CT_CHECK(last.endpoints == first.endpoints, "%lld endpoints became %lld in %d rounds",
             first.endpoints, last.endpoints, rounds);
    CT_CHECK(last.files == first.files, "%d files became %d in %d rounds", first.files, last.files,
             rounds);
}

static void use(MPI_Comm inter, int round)
{
    int out = 1000 * round + rank, in = -1;

    MPI_Sendrecv(&out, 1, MPI_INT, rank, 0, &in, 1, MPI_INT, rank, 0, inter, MPI_STATUS_IGNORE);
    CT_CHECK(in == out, "%d from the other job, not %d", in, out);
    if (round % 10 == 0) {
        int least = -1;

        MPI_Allreduce(&out, &least, 1, MPI_INT, MPI_MIN, inter);
        CT_CHECK(least == 1000 * round, "%d is the least of the other job", least);
    }
}

static void meet(const char *port, int is_child, int round)
{
    MPI_Comm inter;

    if (is_child)
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    else
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    use(inter, round);
    MPI_Comm_disconnect(&inter);
}

static void tell_port(char *port, MPI_Comm inter, int is_child)
{
    int root = is_child ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;

    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, root, inter);
}

int main(int argc, char **argv)
{
    int rounds = 100, size, is_child;
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter;
    usage_t first = {0}, last;

    MTest_Init(&argc, &argv);
    for (int i = 1; i < argc; i++)
        sscanf(argv[i], "-rounds=%d", &rounds);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&inter);
    ct_me = rank;
    is_child = inter != MPI_COMM_NULL;
    if (!is_child) {
        MPI_Comm_spawn(argv[0], argv + 1, size, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                       MPI_ERRCODES_IGNORE);
        if (rank == 0)
            MPI_Open_port(MPI_INFO_NULL, port);
    }
    tell_port(port, inter, is_child);
    MPI_Comm_disconnect(&inter);
    for (int round = 0; round < WARM_UP + rounds; round++) {
        if (round == WARM_UP)
            first = measure();
        meet(port, is_child, round);
    }
    last = measure();
    meet(port, is_child, 0); /* until then no process of the other job ends */
    compare(first, last, rounds);
    if (!is_child && rank == 0)
        MPI_Close_port(port);
    if (is_child) {
        MPI_Finalize();
        return ct_errs ? 3 : 0;
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
