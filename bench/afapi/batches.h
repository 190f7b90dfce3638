/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the programs of bench/afapi share: the list of cases, and one line a case that process 0
 * prints: its name, and the mean time of a call in each batch, in microseconds.
 *
 * A case's name is OPERATION-TYPE, with the types of AFAPI: 8 to 64 (signed integers of that many
 * bits), 8u to 64u (unsigned), 32f and 64f.
 */
#ifndef BATCHES_H_INCLUDED
#define BATCHES_H_INCLUDED

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_BATCHES = 100 };

/* define(T, type in C, type in MPI), for each type of AFAPI */
#define INTEGERS(define) \
    define(8, int8_t, MPI_INT8_T) define(16, int16_t, MPI_INT16_T) \
        define(32, int32_t, MPI_INT32_T) define(64, int64_t, MPI_INT64_T) \
            define(8u, uint8_t, MPI_UINT8_T) define(16u, uint16_t, MPI_UINT16_T) \
                define(32u, uint32_t, MPI_UINT32_T) define(64u, uint64_t, MPI_UINT64_T)
#define FLOATS(define) define(32f, float, MPI_FLOAT) define(64f, double, MPI_DOUBLE)

/* fold(Op, MPI's operation, T, type in C, type in MPI) */
#define BITWISE(fold, T, type, mpi) \
    fold(And, MPI_BAND, T, type, mpi) fold(Or, MPI_BOR, T, type, mpi) \
        fold(Xor, MPI_BXOR, T, type, mpi)
#define ARITHMETIC(fold, T, type, mpi) \
    fold(Min, MPI_MIN, T, type, mpi) fold(Max, MPI_MAX, T, type, mpi) \
        fold(Add, MPI_SUM, T, type, mpi) fold(Mul, MPI_PROD, T, type, mpi)

typedef struct {
    const char *name;
    void (*call)(void);
} case_t;

typedef struct {
    int batches, times;
    const char *only; /* the end of the names that are measured, or "" for all */
} plan_t;

static inline double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec * 1e6 + (double) t.tv_nsec / 1e3;
}

/* The arguments BATCHES TIMES [END OF NAMES]; 0 if they are not valid. */
static inline int read_plan(plan_t *plan, int argc, char **argv)
{
    plan->batches = argc > 1 ? atoi(argv[1]) : 0;
    plan->times = argc > 2 ? atoi(argv[2]) : 0;
    plan->only = argc > 3 ? argv[3] : "";
    return plan->batches > 0 && plan->batches <= MOST_BATCHES && plan->times > 0;
}

static inline int is_wanted(const plan_t *plan, const char *name)
{
    size_t length = strlen(name), end = strlen(plan->only);
    return length >= end && strcmp(name + length - end, plan->only) == 0;
}

static inline void show(const char *name, const double *us, int batches)
{
    printf("%s", name);
    for (int b = 0; b < batches; b++)
        printf(" %.4f", us[b]);
    printf("\n");
}

/* Collective: the slowest process's time of each batch.  `wait` is a barrier, and `slowest` the
 * maximum of all processes. */
static inline void measure_cases(const plan_t *plan, const case_t *cases, size_t n, int shows,
                                 void (*wait)(void), double (*slowest)(double))
{
    for (size_t i = 0; i < n; i++) {
        double us[MOST_BATCHES];
        if (!is_wanted(plan, cases[i].name))
            continue;
        for (int b = -1; b < plan->batches; b++) { /* the first one is not counted */
            wait();
            double begin = now_us();
            for (int k = 0; k < plan->times; k++)
                cases[i].call();
            double mine = slowest((now_us() - begin) / plan->times);
            if (b >= 0)
                us[b] = mine;
        }
        if (shows)
            show(cases[i].name, us, plan->batches);
    }
}

#endif /* BATCHES_H_INCLUDED */
