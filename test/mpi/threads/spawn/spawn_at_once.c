/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Threads spawn jobs of two processes at the same time. A child says its number and ends at once,
 * also while its parent is still making the intercommunicator: the end of one job must not take
 * the addresses of another one.
 */
#include "cmaptest.h"
#include "cmaptest_threads.h"

enum { THREADS = 4, ROUNDS = 5, CHILDREN = 2 };

static char *program;
static MPI_Comm own[THREADS]; /* each thread's */

static void receive(MPI_Comm inter, int number)
{
    for (int child = 0; child < CHILDREN; child++) {
        int got = -1;

        MPI_Recv(&got, 1, MPI_INT, child, 0, inter, MPI_STATUS_IGNORE);
        CT_CHECK(got == number + child, "%d from child %d of %d", got, child, number);
    }
}

static MTEST_THREAD_RETURN_TYPE work(void *arg)
{
    int me = (int) (intptr_t) arg;

    for (int round = 0; round < ROUNDS; round++) {
        char number[16], *args[] = {number, NULL};
        int size = 0;
        MPI_Comm inter;

        snprintf(number, sizeof(number), "-number=%d", 100 * me + 10 * round);
        MPI_Comm_spawn(program, args, CHILDREN, MPI_INFO_NULL, 0, own[me], &inter,
                       MPI_ERRCODES_IGNORE);
        MPI_Comm_remote_size(inter, &size);
        CT_CHECK(size == CHILDREN, "%d children", size);
        receive(inter, 100 * me + 10 * round);
        MPI_Comm_disconnect(&inter);
    }
    return MTEST_THREAD_RETVAL_IGN;
}

static int be_child(MPI_Comm parent, const char *arg)
{
    int number = -1, rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sscanf(arg, "-number=%d", &number);
    number += rank;
    MPI_Send(&number, 1, MPI_INT, 0, 0, parent);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Comm parent;

    ct_init_threads(&argc, &argv);
    program = argv[0];
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        return be_child(parent, argc > 1 ? argv[1] : "");
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_SELF, &own[i]);
    ct_in_threads(THREADS, work);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&own[i]);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
