/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * AFAPI, the Aggregate Function Application Program Interface: functions that all processes of a
 * program call together.
 *
 * They are those of Quevedo, "Hierarchical implementation of aggregate functions", University of
 * Kentucky 2017, tables 3.1 to 3.5.  doc/guides/afapi.md is the guide: three ways to run a program,
 * and errors.  doc/reference/afapi.md compares them with MPI.
 *
 *     int p_init(void)                          0, or 1 after a message
 *     void p_exit(void)
 *     IPROC, NPROC, CPROC                       this process, how many there are, the one with the
 *                                               console
 *     void p_wait(void), p_lwait(void)          until all processes, all of this node, have called
 *                                               it
 *     int p_any(int flag), p_lany(int flag)     is the flag set in any process, any of this node?
 *     int p_confirm(void)                       have all processes called the same functions up to
 *                                               here?
 *
 * For each T = 8, 16, 32, 64 (signed integers of that many bits), 8u, 16u, 32u, 64u, 32f (float)
 * and 64f (double), with `type` for its type in C:
 *
 *     type p_reduceOpT(type datum)              Op = And, Or, Xor (not 32f, 64f), Min, Max, Add,
 *                                               Mul; of all processes
 *     type p_scanOpT(type datum)                the same, of processes 0 to IPROC
 *     type p_bcastPutT(type datum)              one process calls this, all others p_bcastGetT; all
 *                                               return its datum
 *     type p_bcastGetT(void)
 *     type p_scatterPutT(const type *array)     one process calls this, all others p_scatterGetT;
 *                                               all return array[IPROC]
 *     type p_scatterGetT(void)
 *     type p_putGetT(type datum, int from)      the datum of process `from`
 *     void p_gatherT(type *to, type datum)      to[i]: the datum of process i
 *     void p_all2allT(type *to, const type *from)       to[i]: what process i has in from[IPROC]
 *
 * and for arrays of any type, of `bytes` bytes each, or for each process:
 *
 *     p_bcastPutz(array, bytes), p_bcastGetz(array, bytes), p_scatterPutz(to, array, bytes),
 *     p_scatterGetz(to, bytes), p_putGetz(to, array, bytes, from), p_all2allz(to, array, bytes)
 *
 * The names p_* are functions of the program itself; libmpi has none of them, only what begins with
 * AFAPI_.
 */
#ifndef AFAPI_H_INCLUDED
#define AFAPI_H_INCLUDED

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- in libmpi: not for programs ------------------------------------------------------------- */

enum AFAPI_op { AFAPI_And, AFAPI_Or, AFAPI_Xor, AFAPI_Min, AFAPI_Max, AFAPI_Add, AFAPI_Mul };
enum AFAPI_type { /* an unsigned type follows its signed one */
                  AFAPI_8,
                  AFAPI_8u,
                  AFAPI_16,
                  AFAPI_16u,
                  AFAPI_32,
                  AFAPI_32u,
                  AFAPI_64,
                  AFAPI_64u,
                  AFAPI_32f,
                  AFAPI_64f
};
enum AFAPI_who { AFAPI_ALL, AFAPI_NODE };

#pragma GCC visibility push(default) /* other names of libmpi are hidden */
extern int AFAPI_iproc, AFAPI_nproc, AFAPI_cproc;
int AFAPI_init(void);
void AFAPI_exit(void);
void AFAPI_wait(enum AFAPI_who who);
int AFAPI_any(int flag, enum AFAPI_who who);
int AFAPI_confirm(void);
void AFAPI_reduce(void *datum, enum AFAPI_op op, enum AFAPI_type type);
void AFAPI_scan(void *datum, enum AFAPI_op op, enum AFAPI_type type);
void AFAPI_bcast_put(const void *array, size_t bytes);
void AFAPI_bcast_get(void *array, size_t bytes);
void AFAPI_scatter_put(void *to, const void *array, size_t bytes);
void AFAPI_scatter_get(void *to, size_t bytes);
void AFAPI_put_get(void *to, const void *array, size_t bytes, int from);
void AFAPI_gather(void *to, const void *datum, size_t bytes);
void AFAPI_all2all(void *to, const void *from, size_t bytes);
#pragma GCC visibility pop

/* ---- processes, barriers --------------------------------------------------------------------- */

#define IPROC (+AFAPI_iproc)
#define NPROC (+AFAPI_nproc)
#define CPROC (+AFAPI_cproc)

/* Begins: 0, or 1 after a message. */
static inline int p_init(void) { return AFAPI_init(); }
/* Ends what p_init began. */
static inline void p_exit(void) { AFAPI_exit(); }
/* Returns when all processes, all of this node, have called it. */
static inline void p_wait(void) { AFAPI_wait(AFAPI_ALL); }
static inline void p_lwait(void) { AFAPI_wait(AFAPI_NODE); }
/* Is the flag set in any process, in any of this node? */
static inline int p_any(int flag) { return AFAPI_any(flag, AFAPI_ALL); }
static inline int p_lany(int flag) { return AFAPI_any(flag, AFAPI_NODE); }
/* Have all processes called the same functions up to here? */
static inline int p_confirm(void) { return AFAPI_confirm(); }

/* ---- reductions, scans and exchanges of one datum -------------------------------------------- */

#define AFAPI_INTEGERS(define) \
    define(8, int8_t) define(16, int16_t) define(32, int32_t) define(64, int64_t) \
        define(8u, uint8_t) define(16u, uint16_t) define(32u, uint32_t) define(64u, uint64_t)
#define AFAPI_FLOATS(define) define(32f, float) define(64f, double)

#define AFAPI_FOLD(op, T, type) \
    static inline type p_reduce##op##T(type datum) \
    { \
        AFAPI_reduce(&datum, AFAPI_##op, AFAPI_##T); \
        return datum; \
    } \
    static inline type p_scan##op##T(type datum) \
    { \
        AFAPI_scan(&datum, AFAPI_##op, AFAPI_##T); \
        return datum; \
    }
#define AFAPI_BITWISE(T, type) \
    AFAPI_FOLD(And, T, type) AFAPI_FOLD(Or, T, type) AFAPI_FOLD(Xor, T, type)
#define AFAPI_ARITHMETIC(T, type) \
    AFAPI_FOLD(Min, T, type) \
    AFAPI_FOLD(Max, T, type) AFAPI_FOLD(Add, T, type) AFAPI_FOLD(Mul, T, type)

#define AFAPI_EXCHANGE(T, type) \
    static inline type p_bcastPut##T(type datum) \
    { \
        AFAPI_bcast_put(&datum, sizeof datum); \
        return datum; \
    } \
    static inline type p_bcastGet##T(void) \
    { \
        type datum; \
        AFAPI_bcast_get(&datum, sizeof datum); \
        return datum; \
    } \
    static inline type p_scatterPut##T(const type *array) \
    { \
        type datum; \
        AFAPI_scatter_put(&datum, array, sizeof datum); \
        return datum; \
    } \
    static inline type p_scatterGet##T(void) \
    { \
        type datum; \
        AFAPI_scatter_get(&datum, sizeof datum); \
        return datum; \
    } \
    static inline type p_putGet##T(type datum, int from) \
    { \
        type got; \
        AFAPI_put_get(&got, &datum, sizeof got, from); \
        return got; \
    } \
    static inline void p_gather##T(type *to, type datum) \
    { \
        AFAPI_gather(to, &datum, sizeof datum); \
    } \
    static inline void p_all2all##T(type *to, const type *from) \
    { \
        AFAPI_all2all(to, from, sizeof *to); \
    }

AFAPI_INTEGERS(AFAPI_BITWISE)
AFAPI_INTEGERS(AFAPI_ARITHMETIC)
AFAPI_INTEGERS(AFAPI_EXCHANGE)
AFAPI_FLOATS(AFAPI_ARITHMETIC)
AFAPI_FLOATS(AFAPI_EXCHANGE)

#undef AFAPI_INTEGERS
#undef AFAPI_FLOATS
#undef AFAPI_FOLD
#undef AFAPI_BITWISE
#undef AFAPI_ARITHMETIC
#undef AFAPI_EXCHANGE

/* ---- exchanges of arrays --------------------------------------------------------------------- */

/* One process puts, and all others get: all have the array of the one. */
static inline void p_bcastPutz(const void *array, size_t bytes) { AFAPI_bcast_put(array, bytes); }
static inline void p_bcastGetz(void *array, size_t bytes) { AFAPI_bcast_get(array, bytes); }
/* The same; each process has the part of the array that is its own. */
static inline void p_scatterPutz(void *to, const void *array, size_t bytes)
{
    AFAPI_scatter_put(to, array, bytes);
}
static inline void p_scatterGetz(void *to, size_t bytes) { AFAPI_scatter_get(to, bytes); }
/* The array of process `from`. */
static inline void p_putGetz(void *to, const void *array, size_t bytes, int from)
{
    AFAPI_put_get(to, array, bytes, from);
}
/* From each process the part of its array that is for this one. */
static inline void p_all2allz(void *to, const void *array, size_t bytes)
{
    AFAPI_all2all(to, array, bytes);
}

#ifdef __cplusplus
}
#endif

#endif /* AFAPI_H_INCLUDED */
