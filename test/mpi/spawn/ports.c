/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What can go wrong at a port is an error of class MPI_ERR_PORT, and the port goes on:
 *   - nobody connects, or accepts, within the time of the info key "timeout"
 *   - a process has given up its connection when the port accepts
 *   - the port is closed, was never open, or is another process's
 *   - a stranger connects: it says nothing, or something else
 *
 * Rank 0 accepts, rank 1 connects. All this is for the TCP ports of the UCX module.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include "cmaptest.h"

static int rank;
static MPI_Info one_second;

static void check(int result, const char *what)
{
    int class = MPI_SUCCESS;

    MPI_Error_class(result, &class);
    CT_CHECK(class == MPI_ERR_PORT, "%s: class %d", what, class);
}

static int accept_at(const char *port, MPI_Info info, MPI_Comm *inter)
{
    return MPI_Comm_accept(port, info, 0, MPI_COMM_SELF, inter);
}

static int connect_to(const char *port, MPI_Info info, MPI_Comm *inter)
{
    return MPI_Comm_connect(port, info, 0, MPI_COMM_SELF, inter);
}

static void use(MPI_Comm inter)
{
    int got = -1;

    MPI_Sendrecv(&rank, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE);
    CT_CHECK(got == 1 - rank, "connected to %d", got);
    MPI_Comm_disconnect(&inter);
}

/* In both processes: the port works. */
static void meet(const char *port)
{
    MPI_Comm inter;
    int result = rank == 0 ? accept_at(port, MPI_INFO_NULL, &inter)
                           : connect_to(port, MPI_INFO_NULL, &inter);

    CT_CHECK(result == MPI_SUCCESS, "no connection");
    if (result == MPI_SUCCESS)
        use(inter);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void run_out_of_time(const char *port)
{
    MPI_Comm inter;

    if (rank == 0)
        check(accept_at(port, one_second, &inter), "nobody connects");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        check(connect_to(port, one_second, &inter), "nobody accepts");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        check(accept_at(port, one_second, &inter), "the other process has given up");
    MPI_Barrier(MPI_COMM_WORLD);
}

static void use_wrong_ports(const char *port)
{
    char closed[MPI_MAX_PORT_NAME];
    MPI_Comm inter;

    if (rank == 1) {
        MPI_Open_port(MPI_INFO_NULL, closed);
        MPI_Close_port(closed);
        check(connect_to(closed, one_second, &inter), "the port is closed");
        check(connect_to("nonsense", one_second, &inter), "no name of a port");
        check(accept_at(closed, one_second, &inter), "accept at a closed port");
        check(accept_at(port, one_second, &inter), "accept at the port of another process");
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A connection to the TCP port in the name. */
static int call(const char *port)
{
    struct sockaddr_in to = {.sin_family = AF_INET};
    char address[64] = "";
    int tcp_port = 0, fd = socket(AF_INET, SOCK_STREAM, 0);

    sscanf(port, "tcp#%*[^#]#%*[^#]#%d#%63[^,]", &tcp_port, address);
    to.sin_port = htons((uint16_t) tcp_port);
    CT_CHECK(inet_pton(AF_INET, address, &to.sin_addr) == 1, "address '%s'", address);
    CT_CHECK(connect(fd, (struct sockaddr *) &to, sizeof(to)) == 0, "no connection");
    return fd;
}

static void be_strange(const char *port)
{
    static const char text[4096] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    int silent = -1, talking = -1, brief = -1;

    if (rank == 1) {
        silent = call(port);
        talking = call(port);
        brief = call(port);
        CT_CHECK(send(talking, text, sizeof(text), MSG_NOSIGNAL) > 0, "nothing sent");
        CT_CHECK(send(brief, text, 5, MSG_NOSIGNAL) == 5, "nothing sent");
        close(brief);
    }
    meet(port);
    meet(port);
    if (rank == 1) {
        char byte;

        CT_CHECK(recv(talking, &byte, 1, 0) <= 0, "the stranger got an answer");
        close(silent);
        close(talking);
    }
}

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "";

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ct_me = rank;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Info_create(&one_second);
    MPI_Info_set(one_second, "timeout", "1");
    if (rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    CT_CHECK(strlen(port) < 256, "a name of %zu bytes", strlen(port));
    meet(port);
    if (strncmp(port, "tcp#", 4) == 0) {
        run_out_of_time(port);
        meet(port);
        use_wrong_ports(port);
        meet(port);
        be_strange(port);
    }
    if (rank == 0)
        MPI_Close_port(port);
    MPI_Info_free(&one_second);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
