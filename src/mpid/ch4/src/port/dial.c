/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "port/port_internal.h"
#include <errno.h>
#include <poll.h>
#include <unistd.h>

enum { PATIENCE = 2 }; /* seconds for an address that does not answer, not the last one */

/* What became of a connection: 0, or an errno; EINPROGRESS: not yet known. */
static int dial_look(int fd)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLOUT};
    int error = 0;
    socklen_t length = sizeof(error);

    if (poll(&poll_fd, 1, 0) == 0)
        return EINPROGRESS;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

/* *fd is a connection, or -1 and *reason an errno. The result is an error of progress. */
static int try(const struct sockaddr_storage *to, socklen_t length, double deadline, int *fd,
               int *reason)
{
    int mpi_errno = MPI_SUCCESS;

    *reason = 0;
    *fd = socket(to->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*fd < 0 || connect(*fd, (const struct sockaddr *) to, length) != 0)
        *reason = errno;
    while (*reason == EINPROGRESS && mpi_errno == MPI_SUCCESS) {
        *reason = dial_look(*fd);
        if (*reason == EINPROGRESS && deadline > 0 && MPIDI_Port_now() > deadline)
            *reason = ETIMEDOUT;
        else if (*reason == EINPROGRESS)
            mpi_errno = MPIDI_Port_let_pass();
    }
    if (*fd >= 0 && *reason != 0) {
        close(*fd);
        *fd = -1;
    }
    return mpi_errno;
}

/* A host may be known by several addresses, of which some do not lead there. */
static int try_all(const MPIDI_port_name_t *port, double deadline, int *fd, int *reason)
{
    int mpi_errno = MPI_SUCCESS, why;
    const char *addresses = port->addresses;
    struct sockaddr_storage to;
    socklen_t length;

    *fd = -1;
    *reason = EADDRNOTAVAIL;
    while (*fd < 0 && mpi_errno == MPI_SUCCESS &&
           (length = MPIDI_Port_next_address(&addresses, port->tcp_port, &to)) > 0) {
        double until = *addresses ? MPIDI_Port_now() + PATIENCE : deadline;

        mpi_errno = try(&to, length, deadline > 0 ? MPL_MIN(until, deadline) : until, fd, &why);
        if (*reason != ETIMEDOUT)
            *reason = why;
    }
    return mpi_errno;
}

int MPIDI_Port_dial(const MPIDI_port_name_t *port, double deadline, MPIDI_line_t **line)
{
    int mpi_errno = MPI_SUCCESS;
    int fd, reason;

    *line = NULL;
    do {
        MPIR_TRY(try_all(port, deadline, &fd, &reason));
    } while (fd < 0 && reason == ETIMEDOUT && (deadline == 0 || MPIDI_Port_now() < deadline));
    MPIR_ERR_CHKANDSTMT3(fd < 0, mpi_errno, MPI_ERR_PORT, return mpi_errno, "**port_dial",
                         "**port_dial %d %s %s", port->tcp_port, port->addresses, strerror(reason));
    *line = MPIDI_Line_create(fd, deadline);
    MPIR_ERR_CHKANDSTMT(!*line, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem");

    return mpi_errno;
}
