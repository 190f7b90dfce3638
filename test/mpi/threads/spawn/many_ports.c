/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Threads of two jobs connect at the same time, each at a port of its own, and all at one port.
 *
 * Rank 0 spawns a process. In both, thread i accepts at its port in even rounds if the process is
 * the parent, and connects otherwise. At the common port any thread may meet any other.
 */
#include "cmaptest.h"
#include "cmaptest_threads.h"

enum { THREADS = 4, ROUNDS = 12 };

static char own_ports[2][THREADS][MPI_MAX_PORT_NAME], common_port[MPI_MAX_PORT_NAME];
static int is_child;

static void use(MPI_Comm inter, int out, int in)
{
    int got = -1;

    MPI_Sendrecv(&out, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE);
    CT_CHECK(in < 0 || got == in, "%d from the other thread, not %d", got, in);
    MPI_Comm_disconnect(&inter);
}

static void meet(const char *port, int accepts, int out, int in)
{
    MPI_Comm inter;

    if (accepts)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    else
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    use(inter, out, in);
}

static MTEST_THREAD_RETURN_TYPE work(void *arg)
{
    int me = (int) (intptr_t) arg;

    for (int round = 0; round < ROUNDS; round++) {
        int accepting_job = round % 2, number = 100 * round + me;

        meet(own_ports[accepting_job][me], is_child == accepting_job, number, number);
        meet(common_port, !is_child, number, -1);
    }
    return MTEST_THREAD_RETVAL_IGN;
}

/* The ports of both jobs in both. */
static void exchange_ports(MPI_Comm inter)
{
    for (int i = 0; i < THREADS; i++)
        MPI_Open_port(MPI_INFO_NULL, own_ports[is_child][i]);
    if (!is_child)
        MPI_Open_port(MPI_INFO_NULL, common_port);
    MPI_Sendrecv(own_ports[is_child], sizeof(own_ports[0]), MPI_CHAR, 0, 1, own_ports[!is_child],
                 sizeof(own_ports[0]), MPI_CHAR, 0, 1, inter, MPI_STATUS_IGNORE);
    MPI_Bcast(common_port, MPI_MAX_PORT_NAME, MPI_CHAR, is_child ? 0 : MPI_ROOT, inter);
}

static void close_ports(void)
{
    for (int i = 0; i < THREADS; i++)
        MPI_Close_port(own_ports[is_child][i]);
    if (!is_child)
        MPI_Close_port(common_port);
}

int main(int argc, char **argv)
{
    MPI_Comm inter;

    ct_init_threads(&argc, &argv);
    MPI_Comm_get_parent(&inter);
    is_child = inter != MPI_COMM_NULL;
    if (!is_child)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter,
                       MPI_ERRCODES_IGNORE);
    exchange_ports(inter);
    ct_in_threads(THREADS, work);
    close_ports();
    MPI_Barrier(inter);
    MPI_Comm_disconnect(&inter);
    if (is_child) {
        MPI_Finalize();
        return ct_errs ? 3 : 0;
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
