/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every function of afapi.h, for every type, against a plain oracle.  All processes call
 * afapi_check_all() between p_init and p_exit, with the same number of rounds, 6 for all lengths of
 * arrays; it returns how many results were wrong and prints the first of them.
 *
 * What process p has in a round follows from both, so that everybody knows what the others have.
 * Floats are powers of two, whose sums and products are exact in any order.
 */
#ifndef AFAPI_CHECKS_H_INCLUDED
#define AFAPI_CHECKS_H_INCLUDED

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "afapi.h"

static int afapi_wrong;

static void afapi_check(int right, const char *what, unsigned round)
{
    if (!right && afapi_wrong++ == 0)
        printf("process %d of %d: %s is wrong in round %u\n", IPROC, NPROC, what, round);
}

static uint64_t afapi_random(int process, unsigned round, size_t place)
{
    uint64_t x = ((uint64_t) process << 44) ^ ((uint64_t) round << 24) ^ place;

    x = (x + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 29) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 32;
}

/* Every other round with the ends of the range and what is beside them, so that sums and
 * products overflow. */
#define AFAPI_INTEGER_DATUM(T, type) \
    static type afapi_datum##T(int process, unsigned round, size_t place) \
    { \
        uint64_t x = afapi_random(process, round, place); \
        uint64_t top = (uint64_t) 1 << (8 * sizeof(type) - 1); \
        const uint64_t ends[] = {0, 1, top - 1, top, top + 1, ~(uint64_t) 0}; \
        return (type) (round % 2 ? x : ends[x % 6]); \
    }
#define AFAPI_FLOAT_DATUM(T, type) \
    static type afapi_datum##T(int process, unsigned round, size_t place) \
    { \
        const type data[] = {-2, -1, -0.5, 0.5, 1, 2}; \
        return data[afapi_random(process, round, place) % 6]; \
    }

#define AFAPI_ORACLE_Min(type, a, b) ((b) < (a) ? (b) : (a))
#define AFAPI_ORACLE_Max(type, a, b) ((b) > (a) ? (b) : (a))
#define AFAPI_ORACLE_And(type, a, b) ((type) ((a) & (b)))
#define AFAPI_ORACLE_Or(type, a, b) ((type) ((a) | (b)))
#define AFAPI_ORACLE_Xor(type, a, b) ((type) ((a) ^ (b)))
#define AFAPI_ORACLE_Add(type, a, b) ((type) ((uint64_t) (a) + (uint64_t) (b)))
#define AFAPI_ORACLE_Mul(type, a, b) ((type) ((uint64_t) (a) * (uint64_t) (b)))
#define AFAPI_ORACLE_FAdd(type, a, b) ((a) + (b))
#define AFAPI_ORACLE_FMul(type, a, b) ((a) * (b))

#define AFAPI_CHECK_FOLD(T, type, op, oracle) \
    { \
        type all = afapi_datum##T(0, round, 0), part = all; \
        for (int p = 1; p < NPROC; p++) { \
            all = AFAPI_ORACLE_##oracle(type, all, afapi_datum##T(p, round, 0)); \
            if (p <= IPROC) \
                part = all; \
        } \
        afapi_check(p_reduce##op##T(afapi_datum##T(IPROC, round, 0)) == all, "p_reduce" #op #T, \
                    round); \
        afapi_check(p_scan##op##T(afapi_datum##T(IPROC, round, 0)) == part, "p_scan" #op #T, \
                    round); \
    }

#define AFAPI_CHECK_EXCHANGE(T, type) \
    { \
        const int root = (int) (round % (unsigned) NPROC), \
                  from = (int) ((unsigned) (3 * IPROC + 1) % (unsigned) NPROC); \
        type *mine = (type *) malloc((size_t) NPROC * sizeof(type)), \
             *got = (type *) malloc((size_t) NPROC * sizeof(type)), one; \
        for (int p = 0; p < NPROC; p++) \
            mine[p] = afapi_datum##T(IPROC, round, (size_t) p); \
        one = IPROC == root ? p_bcastPut##T(mine[0]) : p_bcastGet##T(); \
        afapi_check(one == afapi_datum##T(root, round, 0), "p_bcastPut" #T, round); \
        one = IPROC == root ? p_scatterPut##T(mine) : p_scatterGet##T(); \
        afapi_check(one == afapi_datum##T(root, round, (size_t) IPROC), "p_scatterPut" #T, round); \
        afapi_check(p_putGet##T(mine[0], from) == afapi_datum##T(from, round, 0), "p_putGet" #T, \
                    round); \
        p_gather##T(got, mine[0]); \
        for (int p = 0; p < NPROC; p++) \
            afapi_check(got[p] == afapi_datum##T(p, round, 0), "p_gather" #T, round); \
        p_all2all##T(got, mine); \
        for (int p = 0; p < NPROC; p++) \
            afapi_check(got[p] == afapi_datum##T(p, round, (size_t) IPROC), "p_all2all" #T, \
                        round); \
        free(mine); \
        free(got); \
    }

#define AFAPI_CHECK_INTEGER(T, type) \
    AFAPI_INTEGER_DATUM(T, type) \
    static void afapi_check##T(unsigned round) \
    { \
        AFAPI_CHECK_FOLD(T, type, And, And) \
        AFAPI_CHECK_FOLD(T, type, Or, Or) \
        AFAPI_CHECK_FOLD(T, type, Xor, Xor) \
        AFAPI_CHECK_FOLD(T, type, Min, Min) \
        AFAPI_CHECK_FOLD(T, type, Max, Max) \
        AFAPI_CHECK_FOLD(T, type, Add, Add) \
        AFAPI_CHECK_FOLD(T, type, Mul, Mul) \
        AFAPI_CHECK_EXCHANGE(T, type) \
    }
#define AFAPI_CHECK_FLOAT(T, type) \
    AFAPI_FLOAT_DATUM(T, type) \
    static void afapi_check##T(unsigned round) \
    { \
        AFAPI_CHECK_FOLD(T, type, Min, Min) \
        AFAPI_CHECK_FOLD(T, type, Max, Max) \
        AFAPI_CHECK_FOLD(T, type, Add, FAdd) \
        AFAPI_CHECK_FOLD(T, type, Mul, FMul) \
        AFAPI_CHECK_EXCHANGE(T, type) \
    }

AFAPI_CHECK_INTEGER(8, int8_t)
AFAPI_CHECK_INTEGER(8u, uint8_t)
AFAPI_CHECK_INTEGER(16, int16_t)
AFAPI_CHECK_INTEGER(16u, uint16_t)
AFAPI_CHECK_INTEGER(32, int32_t)
AFAPI_CHECK_INTEGER(32u, uint32_t)
AFAPI_CHECK_INTEGER(64, int64_t)
AFAPI_CHECK_INTEGER(64u, uint64_t)
AFAPI_CHECK_FLOAT(32f, float)
AFAPI_CHECK_FLOAT(64f, double)

/* ---- arrays ---------------------------------------------------------------------------------- */

static void afapi_fill(unsigned char *array, size_t bytes, int process, unsigned round, size_t part)
{
    for (size_t i = 0; i < bytes; i++)
        array[i] = (unsigned char) afapi_random(process, round, part * 1000003 + i);
}

static int afapi_has(const unsigned char *array, size_t bytes, int process, unsigned round,
                     size_t part)
{
    size_t i = 0;

    while (i < bytes &&
           array[i] == (unsigned char) afapi_random(process, round, part * 1000003 + i))
        i++;
    return i == bytes;
}

static void afapi_check_arrays(size_t bytes, unsigned round)
{
    const int root = (int) (round % (unsigned) NPROC),
              from = (int) ((unsigned) (5 * IPROC + 1) % (unsigned) NPROC);
    unsigned char *mine = (unsigned char *) malloc((size_t) NPROC * bytes + 1),
                  *got = (unsigned char *) malloc((size_t) NPROC * bytes + 1);

    for (int p = 0; p < NPROC; p++)
        afapi_fill(mine + (size_t) p * bytes, bytes, IPROC, round, (size_t) p);
    if (IPROC == root) {
        p_bcastPutz(mine, bytes);
        p_scatterPutz(got, mine, bytes);
    } else {
        p_bcastGetz(got, bytes);
        afapi_check(afapi_has(got, bytes, root, round, 0), "p_bcastGetz", round);
        p_scatterGetz(got, bytes);
    }
    afapi_check(afapi_has(got, bytes, root, round, (size_t) IPROC), "p_scatterGetz", round);
    p_putGetz(got, mine, bytes, from);
    afapi_check(afapi_has(got, bytes, from, round, 0), "p_putGetz", round);
    p_all2allz(got, mine, bytes);
    for (int p = 0; p < NPROC; p++)
        afapi_check(afapi_has(got + (size_t) p * bytes, bytes, p, round, (size_t) IPROC),
                    "p_all2allz", round);
    free(mine);
    free(got);
}

/* ---- control --------------------------------------------------------------------------------- */

static void afapi_check_control(unsigned round)
{
    const int one = (int) (round % (unsigned) NPROC);

    p_wait();
    p_lwait();
    afapi_check(p_any(IPROC == one ? 256 : 0) == 1, "p_any of one flag", round);
    afapi_check(p_any(0) == 0, "p_any of no flag", round);
    afapi_check(p_lany(1) == 1, "p_lany of all flags", round);
    afapi_check(p_lany(0) == 0, "p_lany of no flag", round);
    afapi_check(p_confirm() == 1, "p_confirm", round);
}

/* Two processes do not call what the others do: the functions take what they get, but p_confirm
 * tells from then on. */
static void afapi_check_confirm(void)
{
    if (NPROC < 2)
        return;
    if (IPROC == 1)
        p_reduceMax32(1);
    else
        p_reduceAdd32(1);
    afapi_check(p_confirm() == 0, "p_confirm after functions that differ", 0);
    p_wait();
    afapi_check(p_confirm() == 0, "p_confirm later", 0);
}

static inline int afapi_check_all(unsigned rounds)
{
    static void (*const types[])(unsigned) = {
        afapi_check8,   afapi_check8u, afapi_check16,  afapi_check16u, afapi_check32,
        afapi_check32u, afapi_check64, afapi_check64u, afapi_check32f, afapi_check64f};
    static const size_t lengths[12] = {0, 1, 7, 8, 9, 56, 57, 60, 61, 4096, 4097, 70001};

    for (unsigned round = 0; round < rounds; round++) {
        for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
            types[t](round);
        afapi_check_arrays(lengths[2 * round % 12], round);
        afapi_check_arrays(lengths[(2 * round + 1) % 12], round);
        afapi_check_control(round);
    }
    afapi_check_confirm();
    return afapi_wrong;
}

#endif /* AFAPI_CHECKS_H_INCLUDED */
