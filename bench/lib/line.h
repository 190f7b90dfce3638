/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How long a cache line takes from one core to another, which differs by a factor of four between
 * two hardware threads of a core and two cores, and on a virtual machine from one second to the
 * next: figures of two processes compare only where it is the same.
 */
#ifndef LINE_H_INCLUDED
#define LINE_H_INCLUDED

#include <time.h>

typedef struct {
    volatile long ball __attribute__((aligned(128)));
} line_t;

static double line_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

/* Called by two, 0 and 1, with the same two lines of zeros, which are so again at the end:
 * nanoseconds one way. */
static double line_time(line_t lines[2], int me)
{
    enum { TIMES = 100000 };
    double begin = line_now();
    for (long i = 1; i <= TIMES; i++) {
        if (me == 0)
            lines[0].ball = i;
        while (lines[!me].ball != i) {
        }
        if (me == 1)
            lines[1].ball = i;
    }
    double one_way = (line_now() - begin) / TIMES / 2;
    /* 0 has seen the last throw of 1, which must not take it back before */
    if (me == 0)
        lines[0].ball = 0;
    while (lines[!me].ball != 0) {
    }
    if (me == 1)
        lines[1].ball = 0;
    return one_way;
}

#endif /* LINE_H_INCLUDED */
