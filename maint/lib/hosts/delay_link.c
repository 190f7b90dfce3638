/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * usage: delay_link NANOSECONDS DEVICE DEVICE [DEVICE DEVICE]...
 *
 * Passes frames between the two network devices of each pair, in both directions, the given time
 * after they came. As that time is the same for all of them, they leave in the order in which they
 * came: one queue is enough.
 */

#define _GNU_SOURCE     /* ppoll */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

#define MOST_BYTES 65536
#define MOST_DEVICES 128
#define MOST_QUEUED (1 << 16)   /* what comes beyond is lost, as in any switch */

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif

struct frame {
    struct frame *next;
    int64_t due;
    int to;
    ssize_t len;
    char bytes[];
};

static struct frame *first, **end = &first;
static int num_queued;

static void die(const char *what)
{
    fprintf(stderr, "delay_link: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int open_device(const char *name)
{
    struct sockaddr_ll address = {.sll_family = AF_PACKET,.sll_protocol = htons(ETH_P_ALL) };
    int on = 1;
    int fd = socket(AF_PACKET, SOCK_RAW, 0);

    address.sll_ifindex = (int) if_nametoindex(name);
    if (fd < 0 || !address.sll_ifindex ||
        setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) ||
        bind(fd, (struct sockaddr *) &address, sizeof(address)))
        die(name);
    return fd;
}

static void append(const char *bytes, ssize_t len, int to, int64_t due)
{
    struct frame *f = num_queued < MOST_QUEUED ? malloc(sizeof(*f) + (size_t) len) : NULL;

    if (!f)
        return;
    f->next = NULL;
    f->due = due;
    f->to = to;
    f->len = len;
    memcpy(f->bytes, bytes, (size_t) len);
    *end = f;
    end = &f->next;
    num_queued++;
}

static void receive(int from, int to, int64_t delay)
{
    static char bytes[MOST_BYTES];
    ssize_t len;

    while ((len = recv(from, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0)
        append(bytes, len, to, now() + delay);
}

static void send_due(void)
{
    while (first && first->due <= now()) {
        struct frame *f = first;
        send(f->to, f->bytes, (size_t) f->len, 0);      /* one that fails is lost */
        first = f->next;
        if (!first)
            end = &first;
        free(f);
        num_queued--;
    }
}

static void wait_for_frame_or_time(struct pollfd *devices, int n)
{
    int64_t left = first ? first->due - now() : 0;
    struct timespec t = {.tv_sec = left / 1000000000,.tv_nsec = left % 1000000000 };

    if (left >= 0)
        ppoll(devices, (nfds_t) n, first ? &t : NULL, NULL);
}

int main(int argc, char **argv)
{
    struct pollfd devices[MOST_DEVICES];
    int n = argc - 2;
    int64_t delay;

    if (n < 2 || n % 2 || n > MOST_DEVICES || (delay = atoll(argv[1])) <= 0) {
        fprintf(stderr, "usage: delay_link NANOSECONDS DEVICE DEVICE [DEVICE DEVICE]...\n");
        return 1;
    }
    for (int i = 0; i < n; i++) {
        devices[i].fd = open_device(argv[2 + i]);
        devices[i].events = POLLIN;
    }
    /* As punctual as can be: the ranks keep all cores busy. Without the right to it, a bit
     * later. */
    prctl(PR_SET_TIMERSLACK, 1);
    sched_setscheduler(0, SCHED_FIFO, &(struct sched_param) {.sched_priority = 1 });
    for (;;) {
        wait_for_frame_or_time(devices, n);
        for (int i = 0; i < n; i++)
            receive(devices[i].fd, devices[i ^ 1].fd, delay);
        send_due();
    }
}
