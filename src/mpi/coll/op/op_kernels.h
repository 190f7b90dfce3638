/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Loops of the predefined operations on arrays, by vector instructions of the processor.
 *
 * The compiler's vector types make them, so they are vectors at each level of optimization, and
 * plain C on a processor that has none.  Each element is the result of the same operation as in
 * MPICH's own loops, bit by bit; nothing is reassociated.
 */
#ifndef OP_KERNELS_H_INCLUDED
#define OP_KERNELS_H_INCLUDED

#include <stddef.h>

/* In the order of mpi.h: MPI_Op & 0xf, less one. */
enum {
    OP_MAX,
    OP_MIN,
    OP_SUM,
    OP_PROD,
    OP_LAND,
    OP_BAND,
    OP_LOR,
    OP_BOR,
    OP_LXOR,
    OP_BXOR,
    OP_KERNELS
};

/* Representations of elements. */
enum {
    ELEMENT_U8,
    ELEMENT_U16,
    ELEMENT_U32,
    ELEMENT_U64,
    ELEMENT_S8,
    ELEMENT_S16,
    ELEMENT_S32,
    ELEMENT_S64,
    ELEMENT_F32,
    ELEMENT_F64,
    ELEMENTS
};

/* inout = inout op in, for so many bytes of elements.  Neither needs an alignment.  They are the
 * same array, or do not overlap. */
typedef void (*MPIR_Op_kernel_t)(const char *in, char *inout, size_t bytes);
/* NULL: the operation has none for these elements. */
typedef MPIR_Op_kernel_t MPIR_Op_kernels_t[OP_KERNELS][ELEMENTS];

/* By name of the instruction set: "plain" (16 bytes), "avx2" (32), "avx512" (64), or "auto": the
 * widest that this processor has.  NULL: this processor does not have it, or no set has the name.
 */
const MPIR_Op_kernels_t *MPIR_Op_kernels(const char *name);

#endif /* OP_KERNELS_H_INCLUDED */
