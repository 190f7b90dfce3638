/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of osu_rows.c share. */
#ifndef OSU_ROWS_H_INCLUDED
#define OSU_ROWS_H_INCLUDED

#include <mpi.h>

enum { MOST_IN_FLIGHT = 64 };

extern int rank, size;
extern int bytes; /* of a message: it takes the values of a row's sizes */
extern char *in, *out;

/* Seconds a call of a batch of `count`; the same at all processes. */
typedef double (*batch_f)(void (*call)(void), int count);

/* Calls one after the other: the slowest process. */
double in_a_row(void (*call)(void), int count);
/* The same with a barrier after each. */
double with_barrier(void (*call)(void), int count);
/* The call without the barrier that is behind it: the mean of the processes. */
double without_barrier(void (*call)(void), int count);

/* The median over the batches. */
double measured(batch_f batch, void (*call)(void));
/* A line at rank 0.  `what` says what the value is, and its unit. */
void show(const char *name, const char *what, double value);
/* Calls `row` with each size, up to the most that was asked for. */
void for_sizes(int least, void (*row)(void));
/* Keeps a core busy. */
void spin(double seconds);

void point_to_point(void);
void blocking(void);
void nonblocking(void);
void persistent(void);
void neighbourhood(void);
/* "create", "allocate" or "dynamic"; and "lock", "lock_all", "flush", "flush_local", "pscw" or
 * "fence": 0 when there is no such thing. */
int one_sided(const char *kind, const char *sync);

#endif /* OSU_ROWS_H_INCLUDED */
