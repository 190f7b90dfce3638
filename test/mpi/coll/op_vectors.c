/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Reduce_local of arrays, for each predefined operation and elementary datatype, beside loops
 * over single elements: all short lengths and some long ones, arrays that begin anywhere, and the
 * element behind the end.  The results agree bit by bit, also where a float is no number.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mpi.h"
#include "mpitest.h"

enum { LONGEST = 1000, MOST_BYTES = (LONGEST + 8) * 16 };

static int errs, calls;
static unsigned char in[MOST_BYTES], inout[MOST_BYTES], expected[MOST_BYTES];

static void fill(unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char) (rand() >> 7);
}

/* Zeros, and equal elements, where the operations ask for them. */
static void make_some_alike(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (rand() % 4 == 0)
            in[i] = 0;
        if (rand() % 4 == 0)
            inout[i] = in[i];
    }
}

static void check(const char *what, MPI_Datatype type, MPI_Op op, size_t at, int count,
                  size_t bytes)
{
    int err = MPI_Reduce_local(in + at, inout + at, count, type, op);

    calls++;
    if (err || memcmp(inout, expected, sizeof(inout))) {
        errs++;
        if (errs < 10)
            printf("%s: %d elements of %zu bytes at %zu: wrong\n", what, count, bytes, at);
    }
}

/* `result` combines a of inout and b of in, both of c_type. */
#define TRY_ONE(mpi_type, c_type, op, result, count, at) \
    do { \
        fill(in, sizeof(in)); \
        fill(inout, sizeof(inout)); \
        make_some_alike(sizeof(in)); \
        memcpy(expected, inout, sizeof(inout)); \
        for (int i = 0; i < (count); i++) { \
            c_type a, b, r; \
            memcpy(&a, inout + (at) + i * sizeof(c_type), sizeof(a)); \
            memcpy(&b, in + (at) + i * sizeof(c_type), sizeof(b)); \
            r = (c_type) (result); \
            memcpy(expected + (at) + i * sizeof(c_type), &r, sizeof(r)); \
        } \
        check(#mpi_type " " #op, mpi_type, op, at, count, sizeof(c_type)); \
    } while (0)

#define TRY(mpi_type, c_type, op, result) \
    do { \
        for (int n = 0; n <= 140; n++) \
            TRY_ONE(mpi_type, c_type, op, result, n, sizeof(c_type) * (n % 3)); \
        TRY_ONE(mpi_type, c_type, op, result, 257, 1); \
        TRY_ONE(mpi_type, c_type, op, result, LONGEST, 7 * sizeof(c_type)); \
    } while (0)

#define TRY_ORDER(mpi_type, c_type) \
    do { \
        TRY(mpi_type, c_type, MPI_MAX, a > b ? a : b); \
        TRY(mpi_type, c_type, MPI_MIN, a < b ? a : b); \
    } while (0)

#define TRY_LOGICAL(mpi_type, c_type) \
    do { \
        TRY(mpi_type, c_type, MPI_LAND, a &&b); \
        TRY(mpi_type, c_type, MPI_LOR, a || b); \
        TRY(mpi_type, c_type, MPI_LXOR, !a != !b); \
    } while (0)

#define TRY_BITS(mpi_type, c_type) \
    do { \
        TRY(mpi_type, c_type, MPI_BAND, a &b); \
        TRY(mpi_type, c_type, MPI_BOR, a | b); \
        TRY(mpi_type, c_type, MPI_BXOR, a ^ b); \
    } while (0)

#define TRY_INTEGER(mpi_type, c_type) \
    do { \
        TRY_ORDER(mpi_type, c_type); \
        TRY(mpi_type, c_type, MPI_SUM, (uint64_t) a + (uint64_t) b); \
        TRY(mpi_type, c_type, MPI_PROD, (uint64_t) a *(uint64_t) b); \
        TRY_LOGICAL(mpi_type, c_type); \
        TRY_BITS(mpi_type, c_type); \
    } while (0)

static void integers(void)
{
    TRY_INTEGER(MPI_SIGNED_CHAR, signed char);
    TRY_INTEGER(MPI_UNSIGNED_CHAR, unsigned char);
    TRY_INTEGER(MPI_SHORT, short);
    TRY_INTEGER(MPI_UNSIGNED_SHORT, unsigned short);
    TRY_INTEGER(MPI_INT, int);
    TRY_INTEGER(MPI_UNSIGNED, unsigned);
    TRY_INTEGER(MPI_LONG, long);
    TRY_INTEGER(MPI_UNSIGNED_LONG_LONG, unsigned long long);
    TRY_INTEGER(MPI_INT8_T, int8_t);
    TRY_INTEGER(MPI_UINT16_T, uint16_t);
    TRY_INTEGER(MPI_INT32_T, int32_t);
    TRY_INTEGER(MPI_UINT64_T, uint64_t);
    TRY_INTEGER(MPI_AINT, MPI_Aint);
    TRY_INTEGER(MPI_OFFSET, MPI_Offset);
    TRY_INTEGER(MPI_COUNT, MPI_Count);
    TRY_BITS(MPI_BYTE, unsigned char);
}

/* A sum of two that are no numbers is one of them, and the compiler chooses: the loop above would
 * choose anew.  So sums and products get numbers. */
static void only_numbers(double *values, int n)
{
    for (int i = 0; i < n; i++)
        values[i] = (rand() - RAND_MAX / 2) * 0.37;
}

#define TRY_NUMBERS(mpi_type, c_type, words, op, sign) \
    do { \
        static double x[2 * LONGEST], y[2 * LONGEST]; \
        static c_type a[2 * LONGEST], b[2 * LONGEST], c[2 * LONGEST]; \
        for (int n = 0; n <= LONGEST; n = n < 70 ? n + 1 : n + 310) { \
            only_numbers(x, 2 * LONGEST); \
            only_numbers(y, 2 * LONGEST); \
            for (int i = 0; i < 2 * LONGEST; i++) { \
                a[i] = (c_type) x[i]; \
                b[i] = (c_type) y[i]; \
                c[i] = i < (words) *n ? (c_type) (a[i] sign b[i]) : a[i]; \
            } \
            calls++; \
            MPI_Reduce_local(b, a, n, mpi_type, op); \
            if (memcmp(a, c, sizeof(a))) { \
                errs++; \
                printf("%s %s: %d elements: wrong\n", #mpi_type, #op, n); \
            } \
        } \
    } while (0)

static void floats(void)
{
    TRY_ORDER(MPI_FLOAT, float);
    TRY_ORDER(MPI_DOUBLE, double);
    TRY_NUMBERS(MPI_FLOAT, float, 1, MPI_SUM, +);
    TRY_NUMBERS(MPI_DOUBLE, double, 1, MPI_SUM, +);
    TRY_NUMBERS(MPI_FLOAT, float, 1, MPI_PROD, *);
    TRY_NUMBERS(MPI_DOUBLE, double, 1, MPI_PROD, *);
    TRY_NUMBERS(MPI_LONG_DOUBLE, long double, 1, MPI_SUM, +);
    TRY_NUMBERS(MPI_C_FLOAT_COMPLEX, float, 2, MPI_SUM, +);
    TRY_NUMBERS(MPI_C_DOUBLE_COMPLEX, double, 2, MPI_SUM, +);
}

/* Bytes that are no truth values are none of MPI_C_BOOL. */
#define TRY_BOOL(op, result) \
    do { \
        _Bool a[200], b[200], c[200]; \
        for (int n = 0; n <= 200; n++) { \
            for (int i = 0; i < 200; i++) { \
                a[i] = rand() % 2; \
                b[i] = rand() % 2; \
                c[i] = i < n ? (result) : a[i]; \
            } \
            calls++; \
            MPI_Reduce_local(b, a, n, MPI_C_BOOL, op); \
            if (memcmp(a, c, sizeof(a))) { \
                errs++; \
                printf("MPI_C_BOOL %s: %d elements: wrong\n", #op, n); \
            } \
        } \
    } while (0)

static void truth_values(void)
{
    TRY_BOOL(MPI_LAND, a[i] && b[i]);
    TRY_BOOL(MPI_LOR, a[i] || b[i]);
    TRY_BOOL(MPI_LXOR, a[i] != b[i]);
}

/* What is no operation on the datatype stays an error, however many elements there are. */
static void refusals(void)
{
    double a[100] = {0}, b[100] = {0};

    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Reduce_local(a, b, 100, MPI_DOUBLE, MPI_BAND) == MPI_SUCCESS) {
        errs++;
        printf("MPI_BAND takes MPI_DOUBLE\n");
    }
    if (MPI_Reduce_local(a, b, 50, MPI_C_DOUBLE_COMPLEX, MPI_MAX) == MPI_SUCCESS) {
        errs++;
        printf("MPI_MAX takes MPI_C_DOUBLE_COMPLEX\n");
    }
    if (MPI_Reduce_local(a, b, 100, MPI_BYTE, MPI_SUM) == MPI_SUCCESS) {
        errs++;
        printf("MPI_SUM takes MPI_BYTE\n");
    }
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    srand(4711);
    integers();
    floats();
    truth_values();
    refusals();
    if (calls < 20000)
        errs++;
    MTest_Finalize(errs);
    return MTestReturnValue(errs);
}
