/* SPDX-License-Identifier: BSD-3-Clause */

/* A one-sided operation, as the program has described it. */
#ifndef RMA_OPERATION_H_INCLUDED
#define RMA_OPERATION_H_INCLUDED

#include "rma_issue.h"

typedef enum {
    MPIDIG_RMA_PUT,
    MPIDIG_RMA_GET,
    MPIDIG_RMA_ACC,
    MPIDIG_RMA_GET_ACC,
    MPIDIG_RMA_FOP,
    MPIDIG_RMA_CAS
} MPIDIG_rma_kind_t;

/* An operation that may wait.  The program must not touch its buffers before it is complete. */
typedef struct MPIDIG_rma_op {
    rma_issue_op_t queue; /* first */
    struct MPIDIG_rma_op *next_result;
    MPIDIG_rma_kind_t kind;
    MPI_Op op;
    const void *origin, *compare;
    void *result; /* also of a get */
    MPI_Aint origin_count, result_count, count;
    MPI_Datatype origin_type, result_type, type;
    MPI_Aint disp;
} MPIDIG_rma_op_t;

/* What MPI_Get_accumulate says of an operation, and each other call in part. */
MPL_STATIC_INLINE_PREFIX MPIDIG_rma_op_t MPIDIG_rma_op(MPIDIG_rma_kind_t kind, MPI_Op op,
                                                       const void *origin, MPI_Aint origin_count,
                                                       MPI_Datatype origin_type, void *result,
                                                       MPI_Aint result_count,
                                                       MPI_Datatype result_type, MPI_Aint disp,
                                                       MPI_Aint count, MPI_Datatype type)
{
    return (MPIDIG_rma_op_t){.kind = kind,
                             .op = op,
                             .origin = origin,
                             .origin_count = origin_count,
                             .origin_type = origin_type,
                             .result = result,
                             .result_count = result_count,
                             .result_type = result_type,
                             .disp = disp,
                             .count = count,
                             .type = type};
}

#endif /* RMA_OPERATION_H_INCLUDED */
