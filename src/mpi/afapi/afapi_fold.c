/* SPDX-License-Identifier: BSD-3-Clause */
#include "afapi_fold.h"

#define FUNCTION(op, T, type, result) \
    static void op##_##T(const void *left, void *inout, size_t bytes, void *context) \
    { \
        const type *a = left; \
        type *b = inout; \
        (void) context; \
        for (size_t i = 0; i < bytes / sizeof(type); i++) \
            b[i] = (type) (result); \
    }

#define ORDERED(T, type) \
    FUNCTION(Min, T, type, a[i] < b[i] ? a[i] : b[i]) \
    FUNCTION(Max, T, type, a[i] > b[i] ? a[i] : b[i])
/* 16-bit factors would be multiplied as int, and overflow. */
#define UNSIGNED(T, type) \
    FUNCTION(And, T, type, a[i] & b[i]) \
    FUNCTION(Or, T, type, a[i] | b[i]) \
    FUNCTION(Xor, T, type, a[i] ^ b[i]) \
    FUNCTION(Add, T, type, a[i] + b[i]) \
    FUNCTION(Mul, T, type, (uint64_t) a[i] * b[i])
#define FLOAT(T, type) \
    FUNCTION(Add, T, type, a[i] + b[i]) \
    FUNCTION(Mul, T, type, a[i] * b[i])

#define EVERY_UNSIGNED(define) \
    define(8u, uint8_t) define(16u, uint16_t) define(32u, uint32_t) define(64u, uint64_t)
#define EVERY_SIGNED(define) \
    define(8, int8_t) define(16, int16_t) define(32, int32_t) define(64, int64_t)
#define EVERY_FLOAT(define) define(32f, float) define(64f, double)

EVERY_UNSIGNED(ORDERED)
EVERY_SIGNED(ORDERED)
EVERY_FLOAT(ORDERED)
EVERY_UNSIGNED(UNSIGNED)
EVERY_FLOAT(FLOAT)

#define ENTRY(op, T, type) [AFAPI_##op][AFAPI_##T] = {op##_##T, NULL, sizeof(type)},
#define ORDERED_ENTRIES(T, type) ENTRY(Min, T, type) ENTRY(Max, T, type)
#define FLOAT_ENTRIES(T, type) ENTRY(Add, T, type) ENTRY(Mul, T, type)
#define UNSIGNED_ENTRIES(T, type) \
    ENTRY(And, T, type) ENTRY(Or, T, type) ENTRY(Xor, T, type) FLOAT_ENTRIES(T, type)

static const aggr_fold_t folds[][AFAPI_64f + 1] = {
    EVERY_UNSIGNED(ORDERED_ENTRIES) EVERY_SIGNED(ORDERED_ENTRIES) EVERY_FLOAT(ORDERED_ENTRIES)
        EVERY_UNSIGNED(UNSIGNED_ENTRIES) EVERY_FLOAT(FLOAT_ENTRIES)};

const aggr_fold_t *MPIR_Afapi_fold(enum AFAPI_op op, enum AFAPI_type type)
{
    return &folds[op][type];
}
