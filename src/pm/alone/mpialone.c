/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * usage: mpialone NAME
 *
 * Gives its connection to the process manager to a program that no mpiexec has started, and waits
 * until that one has ended. See src/pmi/simple/pmi_alone.h. Programs start it; users do not.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int connect_to(const char *name)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    socklen_t length = (socklen_t) (offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (strlen(name) + 1 >= sizeof(to.sun_path))
        return -1;
    memcpy(to.sun_path + 1, name, strlen(name));
    return connect(fd, (struct sockaddr *) &to, length) == 0 ? fd : -1;
}

/* With a byte. */
static int send_descriptor(int to, int fd)
{
    struct iovec data = {.iov_base = "d", .iov_len = 1};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof(control)};

    control.head.cmsg_level = SOL_SOCKET;
    control.head.cmsg_type = SCM_RIGHTS;
    control.head.cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
    return sendmsg(to, &message, 0) == 1 ? 0 : -1;
}

int main(int argc, char **argv)
{
    const char *pmi_fd = getenv("PMI_FD");
    char byte;
    int program;

    if (argc != 2 || !pmi_fd) {
        fprintf(stderr, "usage: mpialone NAME; MPI_Comm_spawn of a program without mpiexec "
                        "starts it\n");
        return 2;
    }
    program = connect_to(argv[1]);
    if (program < 0 || send_descriptor(program, atoi(pmi_fd)) != 0) {
        fprintf(stderr, "mpialone: the program that started mpiexec is not on this host, or has "
                        "ended\n");
        return 1;
    }
    close(atoi(pmi_fd));
    while (read(program, &byte, 1) > 0)
        ;
    return 0;
}
