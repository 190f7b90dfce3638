/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Comm_accept that nobody connects to in time, and MPI_Comm_connect that nobody accepts, are
 * errors after the seconds that the key "timeout" says.  They leave nothing behind: at the same
 * port the next ones meet, and have the memory of the call for themselves.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

static MPI_Info one_second;

static void use(MPI_Comm inter)
{
    int got = -1;

    MPI_Sendrecv(&ct_me, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE);
    CT_CHECK(got == 1 - ct_me, "connected to %d", got);
    MPI_Comm_disconnect(&inter);
}

static void check_missed(int result, const char *call)
{
    int class_ = MPI_SUCCESS;

    MPI_Error_class(result, &class_);
    CT_CHECK(class_ == MPI_ERR_PORT, "%s alone: class %d, not MPI_ERR_PORT", call, class_);
}

static void meet(const char *port)
{
    MPI_Comm inter;

    if (ct_me == 0)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    else
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    use(inter);
}

/* `mine` is where the calls that failed had theirs. */
static void meet_deeper(const char *port)
{
    volatile unsigned char mine[1 << 16];
    int changed = 0;

    for (int i = 0; i < (int) sizeof(mine); i++)
        mine[i] = 0x55;
    meet(port);
    for (int i = 0; i < (int) sizeof(mine); i++)
        changed += mine[i] != 0x55;
    CT_CHECK(!changed, "%d bytes of the stack have changed", changed);
}

int main(int argc, char **argv)
{
    char ports[2][MPI_MAX_PORT_NAME];
    MPI_Comm inter;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Info_create(&one_second);
    MPI_Info_set(one_second, "timeout", "1");
    for (int i = 0; ct_me == 0 && i < 2; i++)
        MPI_Open_port(MPI_INFO_NULL, ports[i]);
    MPI_Bcast(ports, sizeof(ports), MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++) {
        if (ct_me == 0)
            check_missed(MPI_Comm_accept(ports[0], one_second, 0, MPI_COMM_SELF, &inter),
                         "MPI_Comm_accept");
        else if (i == 0)
            check_missed(MPI_Comm_connect(ports[1], one_second, 0, MPI_COMM_SELF, &inter),
                         "MPI_Comm_connect");
        MPI_Barrier(MPI_COMM_WORLD);
        meet_deeper(ports[0]);
    }
    for (int i = 0; ct_me == 0 && i < 2; i++)
        MPI_Close_port(ports[i]);
    MPI_Info_free(&one_second);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
