/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "port/port_internal.h"
#include "utlist.h"
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <unistd.h>

enum {
    MOST_LINES = 64, /* of a port, without a complete question: others wait */
    PATIENCE = 10    /* seconds for a question to arrive */
};

typedef struct port {
    MPIDI_port_name_t name; /* without addresses */
    int fd;
    MPIDI_line_t *lines; /* in the order in which they came */
    int n;
    bool was_left;
    char how[MPIDI_PORT_HOW];
    struct port *prev, *next;
} port_t;

/* Belongs to MPIDIU_THREAD_DYNPROC_MUTEX. */
static port_t *ports;

/* IPv6 and IPv4 with one socket, or IPv4 alone. */
static int make_socket(int *tcp_port)
{
    struct sockaddr_in6 ip6 = {.sin6_family = AF_INET6, .sin6_addr = in6addr_any};
    struct sockaddr_in ip4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY)};
    socklen_t length = sizeof(ip6);
    int off = 0, fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd >= 0 && (setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) != 0 ||
                    bind(fd, (struct sockaddr *) &ip6, sizeof(ip6)) != 0)) {
        close(fd);
        fd = -1;
    }
    if (fd < 0) {
        fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd >= 0 && bind(fd, (struct sockaddr *) &ip4, sizeof(ip4)) != 0) {
            close(fd);
            fd = -1;
        }
    }
    if (fd >= 0 &&
        (listen(fd, SOMAXCONN) != 0 || getsockname(fd, (struct sockaddr *) &ip6, &length) != 0)) {
        close(fd);
        fd = -1;
    }
    *tcp_port = ntohs(ip6.sin6_port); /* at the same place in both kinds of addresses */
    return fd;
}

static port_t *port_find(const MPIDI_port_name_t *name)
{
    port_t *port;

    DL_FOREACH(ports, port)
    {
        if (memcmp(port->name.question, name->question, MPIDI_PORT_SECRET) == 0)
            return port;
    }
    return NULL;
}

static void add(port_t *port)
{
    MPID_THREAD_CS_ENTER(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    DL_APPEND(ports, port);
    MPID_THREAD_CS_EXIT(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
}

int MPIDI_Port_open(char *port_name)
{
    int mpi_errno = MPI_SUCCESS;
    port_t *port = MPL_calloc(1, sizeof(*port), MPL_MEM_DYNAMIC);
    int tcp_port;

    MPIR_ERR_CHKANDJUMP(!port, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    port->fd = make_socket(&tcp_port);
    MPIR_ERR_CHKANDJUMP1(port->fd < 0, mpi_errno, MPI_ERR_OTHER, "**port_socket",
                         "**port_socket %s", strerror(errno));
    mpi_errno = MPIDI_Port_name_make(tcp_port, &port->name, port_name);
    MPIR_ERR_CHECK(mpi_errno);
    port->name.addresses = NULL;
    add(port);

fn_exit:
    return mpi_errno;
fn_fail:
    if (port && port->fd >= 0)
        close(port->fd);
    MPL_free(port);
    goto fn_exit;
}

static void drop_line(port_t *port, MPIDI_line_t *line)
{
    DL_DELETE(port->lines, line);
    port->n--;
    MPIDI_Line_free(line);
}

static void close_port(port_t *port)
{
    while (port->lines)
        drop_line(port, port->lines);
    close(port->fd);
    DL_DELETE(ports, port);
    MPL_free(port);
}

static int not_open(const MPIDI_port_name_t *name)
{
    int mpi_errno = MPI_SUCCESS;

    MPIR_ERR_SET1(mpi_errno, MPI_ERR_PORT, "**port_unknown", "**port_unknown %d", name->tcp_port);
    return mpi_errno;
}

int MPIDI_Port_close(const char *port_name)
{
    MPIDI_port_name_t name;
    port_t *port;
    int mpi_errno = MPIDI_Port_name_read(port_name, &name);

    if (mpi_errno != MPI_SUCCESS)
        return mpi_errno;
    MPID_THREAD_CS_ENTER(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    port = port_find(&name);
    if (port)
        close_port(port);
    MPID_THREAD_CS_EXIT(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    return port ? MPI_SUCCESS : not_open(&name);
}

void MPIDI_Port_close_all(void)
{
    while (ports)
        close_port(ports);
}

void MPIDI_Port_set_left(const MPIDI_port_name_t *name, const char *how)
{
    port_t *port;

    MPID_THREAD_CS_ENTER(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    port = port_find(name);
    if (port) {
        port->was_left = true;
        if (how[0])
            snprintf(port->how, sizeof(port->how), "%s", how);
    }
    MPID_THREAD_CS_EXIT(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
}

bool MPIDI_Port_was_left(const MPIDI_port_name_t *name, char how[MPIDI_PORT_HOW])
{
    port_t *port;
    bool was_left;

    MPID_THREAD_CS_ENTER(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    port = port_find(name);
    was_left = port && port->was_left;
    if (was_left)
        memcpy(how, port->how, sizeof(port->how));
    MPID_THREAD_CS_EXIT(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    return was_left;
}

/* Connections that have come since. */
static void take_lines(port_t *port, double now)
{
    while (port->n < MOST_LINES) {
        int fd = accept(port->fd, NULL, NULL);
        MPIDI_line_t *line = fd >= 0 ? MPIDI_Line_create(fd, now + PATIENCE) : NULL;

        if (!line)
            break;
        DL_APPEND(port->lines, line);
        port->n++;
    }
}

/* The first one whose question is complete, or says that a process has ended; or NULL. */
static MPIDI_line_t *read_lines(port_t *port, double now, bool only_ends)
{
    MPIDI_line_t *line, *next;

    DL_FOREACH_SAFE(port->lines, line, next)
    {
        MPIDI_line_state_t state = MPIDI_Line_receive(line, port->name.question);

        if (state == MPIDI_LINE_COMPLETE) {
            if (only_ends && line->head.refused != MPIDI_PORT_ENDED)
                continue;
            DL_DELETE(port->lines, line);
            port->n--;
            return line;
        }
        if (state != MPIDI_LINE_WAITS || now > line->deadline)
            drop_line(port, line);
    }
    return NULL;
}

/* False: the port is not open. */
static bool port_look(const MPIDI_port_name_t *name, double now, bool only_ends,
                      MPIDI_line_t **line)
{
    port_t *port;

    MPID_THREAD_CS_ENTER(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    port = port_find(name);
    if (port) {
        take_lines(port, now);
        *line = read_lines(port, now, only_ends);
    }
    MPID_THREAD_CS_EXIT(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    return port != NULL;
}

int MPIDI_Port_await(const MPIDI_port_name_t *name, double deadline, MPIDI_line_t **line)
{
    int mpi_errno = MPI_SUCCESS;

    *line = NULL;
    do {
        double now = MPIDI_Port_now();

        if (!port_look(name, now, false, line))
            return not_open(name);
        if (*line || (deadline > 0 && now > deadline))
            break;
        mpi_errno = MPIDI_Port_let_pass();
    } while (mpi_errno == MPI_SUCCESS);
    return mpi_errno;
}

MPIDI_line_t *MPIDI_Port_look_for_end(const MPIDI_port_name_t *name)
{
    MPIDI_line_t *line = NULL;

    port_look(name, MPIDI_Port_now(), true, &line);
    return line;
}
