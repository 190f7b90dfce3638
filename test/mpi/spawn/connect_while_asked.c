/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A process that has a port, and is being asked for a connection there, connects to another one's
 * port of the same number: the question of the one is not taken for the answer of the other.
 *
 * Rank 2 connects to rank 0, which connects to rank 1 before it accepts.
 */
#include <unistd.h>
#include "cmaptest.h"

static int rank;

static void use(MPI_Comm inter, int other)
{
    int got = -1;

    MPI_Sendrecv(&rank, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE);
    CT_CHECK(got == other, "connected to %d, not %d", got, other);
    MPI_Comm_disconnect(&inter);
}

static void accept_from(const char *port, int other)
{
    MPI_Comm inter;

    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    use(inter, other);
}

static void connect_to(const char *port, int other)
{
    MPI_Comm inter;

    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    use(inter, other);
}

int main(int argc, char **argv)
{
    char ports[3][MPI_MAX_PORT_NAME] = {""};

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ct_me = rank;
    if (rank < 2)
        MPI_Open_port(MPI_INFO_NULL, ports[rank]);
    for (int i = 0; i < 2; i++)
        MPI_Bcast(ports[i], MPI_MAX_PORT_NAME, MPI_CHAR, i, MPI_COMM_WORLD);
    for (int round = 0; round < 3; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            usleep(300000); /* the question is there, in most cases */
            connect_to(ports[1], 1);
            accept_from(ports[0], 2);
        } else if (rank == 1) {
            accept_from(ports[1], 0);
        } else if (rank == 2) {
            connect_to(ports[0], 0);
        }
    }
    if (rank < 2)
        MPI_Close_port(ports[rank]);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
