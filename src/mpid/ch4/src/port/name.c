/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "port/port_internal.h"
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sys/random.h>

static bool make_secret(unsigned char *secret)
{
    return getrandom(secret, MPIDI_PORT_SECRET, 0) == MPIDI_PORT_SECRET;
}

static char *write_secret(const unsigned char *secret, char *text)
{
    for (int i = 0; i < MPIDI_PORT_SECRET; i++)
        text += sprintf(text, "%02x", secret[i]);
    *text++ = '#';
    return text;
}

/* Numeric, or false when no other host can use it. */
static bool write_address(const struct sockaddr *address, char *text)
{
    const struct sockaddr_in *ip4 = (const struct sockaddr_in *) address;
    const struct sockaddr_in6 *ip6 = (const struct sockaddr_in6 *) address;

    if (address->sa_family == AF_INET)
        return inet_ntop(AF_INET, &ip4->sin_addr, text, INET6_ADDRSTRLEN) != NULL;
    return address->sa_family == AF_INET6 && !IN6_IS_ADDR_LINKLOCAL(&ip6->sin6_addr) &&
           inet_ntop(AF_INET6, &ip6->sin6_addr, text, INET6_ADDRSTRLEN) != NULL;
}

static void add_addresses(const struct ifaddrs *all, int family, bool loopback, char *list,
                          size_t room)
{
    for (const struct ifaddrs *at = all; at; at = at->ifa_next) {
        char text[INET6_ADDRSTRLEN];
        size_t length = strlen(list);

        if (!at->ifa_addr || at->ifa_addr->sa_family != family || !(at->ifa_flags & IFF_UP) ||
            loopback != ((at->ifa_flags & IFF_LOOPBACK) != 0) || !write_address(at->ifa_addr, text))
            continue;
        if (length + strlen(text) + 2 <= room)
            sprintf(list + length, "%s%s", length ? "," : "", text);
    }
}

/* Without a network: the loopback's. */
static void write_addresses(char *list, size_t room)
{
    struct ifaddrs *all = NULL;

    list[0] = 0;
    if (getifaddrs(&all) == 0) {
        add_addresses(all, AF_INET, false, list, room);
        add_addresses(all, AF_INET6, false, list, room);
        freeifaddrs(all);
    }
    if (!list[0])
        snprintf(list, room, "127.0.0.1");
}

int MPIDI_Port_name_make(int tcp_port, MPIDI_port_name_t *port, char *name)
{
    int mpi_errno = MPI_SUCCESS;
    char *end = name + sprintf(name, MPIDI_PORT_BEGINNING);

    MPIR_ERR_CHKANDSTMT1(!make_secret(port->question) || !make_secret(port->answer), mpi_errno,
                         MPI_ERR_OTHER, return mpi_errno, "**port_secret", "**port_secret %s",
                         strerror(errno));
    end = write_secret(port->question, end);
    end = write_secret(port->answer, end);
    end += sprintf(end, "%d#", tcp_port);
    write_addresses(end, (size_t) (name + MPI_MAX_PORT_NAME - end));
    port->tcp_port = tcp_port;
    port->addresses = end;

    return mpi_errno;
}

int MPIDI_Port_name_read(const char *name, MPIDI_port_name_t *port)
{
    int mpi_errno = MPI_SUCCESS;

    if (!MPIDI_Port_parse(name, port))
        MPIR_ERR_SET1(mpi_errno, MPI_ERR_PORT, "**port_name", "**port_name %s", name);
    return mpi_errno;
}
