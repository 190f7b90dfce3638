/* SPDX-License-Identifier: BSD-3-Clause */

#include "hydra.h"
#include "parent.h"
#include "../../../../mpid/ch4/src/port/wire.h"
#include <errno.h>
#include <poll.h>

/* How the proxy, or mpiexec, tells the port of a parent that a process never comes. */

enum {
    PATIENCE = 1000, /* milliseconds for each address of the port */
    ANSWER = 5000    /* milliseconds for the port's answer */
};

/* A connection, or -1. */
static int dial(const MPIDI_port_name_t *port)
{
    const char *addresses = port->addresses;
    struct sockaddr_storage to;
    socklen_t length;

    while ((length = MPIDI_Port_next_address(&addresses, port->tcp_port, &to)) > 0) {
        int fd = socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error = 0;
        struct pollfd poll_fd = {.fd = fd, .events = POLLOUT};
        socklen_t bytes = sizeof(error);

        if (fd >= 0 && (connect(fd, (struct sockaddr *) &to, length) == 0 ||
                        (errno == EINPROGRESS && poll(&poll_fd, 1, PATIENCE) == 1 &&
                         getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 && error == 0)))
            return fd;
        if (fd >= 0)
            close(fd);
    }
    return -1;
}

/* Does the port's process say that it has read the message? */
static bool is_heard(int fd, const MPIDI_port_name_t *port)
{
    const MPIDI_port_head_t want = MPIDI_Port_head(port->answer, 0, 0);
    MPIDI_port_head_t head;
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

    return poll(&poll_fd, 1, ANSWER) == 1 &&
           recv(fd, &head, sizeof(head), MSG_WAITALL) == (ssize_t) sizeof(head) &&
           memcmp(&head, &want, sizeof(head)) == 0;
}

static bool send_text(int fd, const MPIDI_port_name_t *port, const char *text)
{
    MPIDI_port_head_t head = MPIDI_Port_head(port->question, strlen(text), MPIDI_PORT_ENDED);
    char message[sizeof(head) + 512];

    memcpy(message, &head, sizeof(head));
    memcpy(message + sizeof(head), text, strlen(text));
    if (send(fd, message, sizeof(head) + strlen(text), MSG_NOSIGNAL) >= 0)
        return true;
    HYDU_dump(stderr, "cannot tell the parent that a process ended: %s\n", strerror(errno));
    return false;
}

bool HYD_pmcd_tell_port(const char *name, const char *text)
{
    MPIDI_port_name_t port;
    int fd = MPIDI_Port_parse(name, &port) ? dial(&port) : -1;
    bool heard;

    if (fd < 0)
        return false;
    heard = send_text(fd, &port, text) && is_heard(fd, &port);
    close(fd);
    return heard;
}
