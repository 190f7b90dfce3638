/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef OP_VECTOR_H_INCLUDED
#define OP_VECTOR_H_INCLUDED

/* In MPI_Init: predefined operations on arrays take the loops of op_kernels.h.  They replace
 * functions in MPIR_Op_table, which remain for datatypes without a loop. */
int MPIR_Op_vector_init(void);

#endif /* OP_VECTOR_H_INCLUDED */
