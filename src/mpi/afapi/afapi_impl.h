/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside AFAPI.  afapi.c is what programs call; it checks, finds out who puts, and leaves the rest
 * to one of two networks:
 *
 *   afapi_alone.c   processes that p_init forked, on this machine alone, by src/mpid/common/aggr
 *                   (no MPI is initialized)
 *   afapi_mpi.c     processes of mpiexec, or of a program that has MPI already
 *
 * If a network cannot do an operation, it ends the job: after a message to stderr, with status 1.
 */
#ifndef AFAPI_IMPL_H_INCLUDED
#define AFAPI_IMPL_H_INCLUDED

#include <stdbool.h>
#include "afapi.h"

/* All are collective.  Reductions and scans have the type that decides the bits of the result:
 * see afapi.c. */
typedef struct MPIR_Afapi_network {
    void (*wait)(enum AFAPI_who who);
    void (*reduce)(void *data, int n, enum AFAPI_op op, enum AFAPI_type type, enum AFAPI_who who);
    void (*scan)(void *datum, enum AFAPI_op op, enum AFAPI_type type);
    void (*bcast)(void *array, size_t bytes, int root);
    void (*scatter)(void *to, const void *array, size_t bytes, int root);
    void (*put_get)(void *to, const void *array, size_t bytes, int from);
    void (*gather)(void *to, const void *from, size_t bytes);
    void (*all2all)(void *to, const void *from, size_t bytes);
    void (*leave)(void);
    void (*end_job)(void); /* with status 1; does not return */
} MPIR_Afapi_network_t;

/* The functions of these names where it is written. */
#define MPIR_AFAPI_NETWORK \
    { \
        .wait = wait_for, .reduce = reduce, .scan = scan, .bcast = bcast, .scatter = scatter, \
        .put_get = put_get, .gather = gather, .all2all = all2all, .leave = leave, \
        .end_job = end_job \
    }

/* These set IPROC and NPROC.  NULL after a message. */
const MPIR_Afapi_network_t *MPIR_Afapi_alone(void);
const MPIR_Afapi_network_t *MPIR_Afapi_mpi(void);

/* Is this process one of mpiexec's, or has it, or had it, MPI? */
bool MPIR_Afapi_has_mpi(void);

/* In the process that started the job: waits for its processes, numbered from 0, and ends as they
 * do.  The first that ends before it has set its `left` ends the job. */
void MPIR_Afapi_supervise(const int *processes, int n, const unsigned char *left)
    __attribute__((noreturn));
void MPIR_Afapi_kill(const int *processes, int n);

/* To stderr, in one piece. */
void MPIR_Afapi_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, and ends the job. */
void MPIR_Afapi_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* What it ends the job by, or NULL: only this process ends. */
void MPIR_Afapi_die_by(void (*end_job)(void));

#endif /* AFAPI_IMPL_H_INCLUDED */
