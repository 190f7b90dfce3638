/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PORT_WIRE_H_INCLUDED
#define PORT_WIRE_H_INCLUDED

/*
 * The name of a port, and what goes over its connections. There is no MPI in this file: Hydra's
 * proxy uses it, too, to tell the port that a spawned process has ended (pmip_parent.c).
 *
 * A name: tcp#<question>#<answer>#<TCP port>#<address>,<address>...
 * The connecting process shows the first secret, the accepting one the second. Each has 16
 * hexadecimal digits.
 */

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define MPIDI_PORT_BEGINNING "tcp#"
#define MPIDI_PORT_MAGIC "MPIport1" /* with the version, 8 bytes */

enum {
    MPIDI_PORT_SECRET = 8, /* bytes */
    MPIDI_PORT_ENDED = -1  /* a spawned process ended, as the body says */
};

typedef struct {
    unsigned char question[MPIDI_PORT_SECRET];
    unsigned char answer[MPIDI_PORT_SECRET];
    int tcp_port;
    const char *addresses; /* numeric: a part of the name */
} MPIDI_port_name_t;

typedef struct {
    char magic[8];
    unsigned char secret[MPIDI_PORT_SECRET];
    uint32_t bytes;  /* of the body, which follows */
    int32_t refused; /* 0, the class of the sender's error, or MPIDI_PORT_ENDED */
} MPIDI_port_head_t;

/* Returns what follows it, or NULL. */
static inline const char *MPIDI_Port_read_secret(const char *text, unsigned char *secret)
{
    for (int i = 0; i < MPIDI_PORT_SECRET; i++, text += 2) {
        unsigned byte;

        if (strspn(text, "0123456789abcdef") < 2 || sscanf(text, "%2x", &byte) != 1)
            return NULL;
        secret[i] = (unsigned char) byte;
    }
    return *text == '#' ? text + 1 : NULL;
}

static inline bool MPIDI_Port_parse(const char *name, MPIDI_port_name_t *port)
{
    const char *at = NULL;
    char *end;

    if (strncmp(name, MPIDI_PORT_BEGINNING, strlen(MPIDI_PORT_BEGINNING)) == 0)
        at = MPIDI_Port_read_secret(name + strlen(MPIDI_PORT_BEGINNING), port->question);
    if (at)
        at = MPIDI_Port_read_secret(at, port->answer);
    if (!at)
        return false;
    port->tcp_port = (int) strtol(at, &end, 10);
    port->addresses = end + 1;
    return end != at && *end == '#' && port->tcp_port > 0 && port->tcp_port <= UINT16_MAX;
}

/* The socket's address of the first of them; *addresses moves on. 0: there are no more. */
static inline socklen_t MPIDI_Port_next_address(const char **addresses, int tcp_port,
                                                struct sockaddr_storage *to)
{
    struct sockaddr_in *ip4 = (struct sockaddr_in *) to;
    struct sockaddr_in6 *ip6 = (struct sockaddr_in6 *) to;

    while (**addresses) {
        char text[INET6_ADDRSTRLEN] = "";
        size_t length = strcspn(*addresses, ",");

        if (length < sizeof(text))
            memcpy(text, *addresses, length);
        *addresses += length + ((*addresses)[length] == ',');
        memset(to, 0, sizeof(*to));
        if (inet_pton(AF_INET, text, &ip4->sin_addr) == 1) {
            ip4->sin_family = AF_INET;
            ip4->sin_port = htons((uint16_t) tcp_port);
            return sizeof(*ip4);
        }
        if (inet_pton(AF_INET6, text, &ip6->sin6_addr) == 1) {
            ip6->sin6_family = AF_INET6;
            ip6->sin6_port = htons((uint16_t) tcp_port);
            return sizeof(*ip6);
        }
    }
    return 0;
}

static inline MPIDI_port_head_t MPIDI_Port_head(const unsigned char *secret, size_t bytes,
                                                int refused)
{
    MPIDI_port_head_t head = {.bytes = (uint32_t) bytes, .refused = refused};

    memcpy(head.magic, MPIDI_PORT_MAGIC, sizeof(head.magic));
    memcpy(head.secret, secret, sizeof(head.secret));
    return head;
}

#endif /* PORT_WIRE_H_INCLUDED */
