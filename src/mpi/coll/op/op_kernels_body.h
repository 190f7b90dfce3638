/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The loops of op_kernels.c for one width of vectors.  Included once for each width, with
 *
 *     BYTES          of a vector
 *     TARGET         attribute of the functions that have such vectors
 *     NAMED(name)    the name for this width
 */

/* The last elements, fewer than a vector has, go through vectors that zeros fill up: each element
 * takes the same instruction wherever it stands. */
#define KERNEL(name, type, result) \
    TARGET static void NAMED(name)(const char *in, char *inout, size_t bytes) \
    { \
        typedef type vector __attribute__((vector_size(BYTES))); \
        size_t i = 0; \
\
        for (; i + BYTES <= bytes; i += BYTES) { \
            vector a, b; \
\
            memcpy(&a, inout + i, BYTES); \
            memcpy(&b, in + i, BYTES); \
            a = (vector) (result); \
            memcpy(inout + i, &a, BYTES); \
        } \
        if (i < bytes) { \
            vector a = {0}, b = {0}; \
\
            memcpy(&a, inout + i, bytes - i); \
            memcpy(&b, in + i, bytes - i); \
            a = (vector) (result); \
            memcpy(inout + i, &a, bytes - i); \
        } \
    }

/* A comparison of vectors gives a mask.  Like MPL_MAX and MPL_MIN, these keep `b` where one of two
 * numbers is none (NaN), and where both are zeros. */
#define CHOICE(comparison, mask_type) \
    (((mask_type) a & (mask_type) (comparison)) | ((mask_type) b & ~(mask_type) (comparison)))
#define MASK unsigned char __attribute__((vector_size(BYTES)))
typedef MASK NAMED(mask);

#define MAX_AND_MIN(suffix, type) \
    KERNEL(max_##suffix, type, CHOICE(a > b, NAMED(mask))) \
    KERNEL(min_##suffix, type, CHOICE(a < b, NAMED(mask)))

#define SUM_AND_PROD(suffix, type) \
    KERNEL(sum_##suffix, type, a + b) \
    KERNEL(prod_##suffix, type, a *b)

#define LOGICAL(suffix, type) \
    KERNEL(land_##suffix, type, -((a != 0) & (b != 0))) \
    KERNEL(lor_##suffix, type, -((a != 0) | (b != 0))) \
    KERNEL(lxor_##suffix, type, -((a != 0) ^ (b != 0)))

#define INTEGER(bits) \
    SUM_AND_PROD(u##bits, uint##bits##_t) \
    MAX_AND_MIN(u##bits, uint##bits##_t) \
    MAX_AND_MIN(s##bits, int##bits##_t) \
    LOGICAL(u##bits, uint##bits##_t)

INTEGER(8)
INTEGER(16)
INTEGER(32)
INTEGER(64)
SUM_AND_PROD(f32, float)
SUM_AND_PROD(f64, double)
MAX_AND_MIN(f32, float)
MAX_AND_MIN(f64, double)
KERNEL(band, uint64_t, a &b)
KERNEL(bor, uint64_t, a | b)
KERNEL(bxor, uint64_t, a ^ b)

/* The same loop serves integers with and without a sign: sums and products wrap around. */
#define OF_INTEGERS(op) NAMED(op##_u8), NAMED(op##_u16), NAMED(op##_u32), NAMED(op##_u64)
#define OF_SIGNED(op) NAMED(op##_s8), NAMED(op##_s16), NAMED(op##_s32), NAMED(op##_s64)
#define OF_FLOATS(op) NAMED(op##_f32), NAMED(op##_f64)
#define OF_BITS(op) NAMED(op), NAMED(op), NAMED(op), NAMED(op)

static const MPIR_Op_kernels_t NAMED(kernels) = {
    [OP_MAX] = {OF_INTEGERS(max), OF_SIGNED(max), OF_FLOATS(max)},
    [OP_MIN] = {OF_INTEGERS(min), OF_SIGNED(min), OF_FLOATS(min)},
    [OP_SUM] = {OF_INTEGERS(sum), OF_INTEGERS(sum), OF_FLOATS(sum)},
    [OP_PROD] = {OF_INTEGERS(prod), OF_INTEGERS(prod), OF_FLOATS(prod)},
    [OP_LAND] = {OF_INTEGERS(land), OF_INTEGERS(land)},
    [OP_LOR] = {OF_INTEGERS(lor), OF_INTEGERS(lor)},
    [OP_LXOR] = {OF_INTEGERS(lxor), OF_INTEGERS(lxor)},
    [OP_BAND] = {OF_BITS(band), OF_BITS(band)},
    [OP_BOR] = {OF_BITS(bor), OF_BITS(bor)},
    [OP_BXOR] = {OF_BITS(bxor), OF_BITS(bxor)},
};

#undef KERNEL
#undef CHOICE
#undef MASK
#undef MAX_AND_MIN
#undef SUM_AND_PROD
#undef LOGICAL
#undef INTEGER
#undef OF_INTEGERS
#undef OF_SIGNED
#undef OF_FLOATS
#undef OF_BITS
#undef BYTES
#undef TARGET
#undef NAMED
