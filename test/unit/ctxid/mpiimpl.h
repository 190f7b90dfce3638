/* SPDX-License-Identifier: BSD-3-Clause */

/* As much of MPICH's internals as a store of context ids needs (src/mpi/ctxid/ctxid_store.h): a
 * test simulates many processes in one program. */
#ifndef CTXID_TEST_MPIIMPL_H_INCLUDED
#define CTXID_TEST_MPIIMPL_H_INCLUDED

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint32_t MPIR_Context_id_t;
#define MPIR_INVALID_CONTEXT_ID ((MPIR_Context_id_t) 0xffffffff)
#define MPIR_CONTEXT_PREFIX_WIDTH 18
#define MPIR_CONTEXT_PREFIX_SHIFT 4
#define FIELD_SUBCOMM(id) (((id) >> 1) & 3)
#define FIELD_IS_LOCALCOMM(id) (((id) >> 3) & 1)
#define FIELD_PREFIX(id) ((id) >> MPIR_CONTEXT_PREFIX_SHIFT)
#define MPIR_CONTEXT_READ_FIELD(field, id) FIELD_##field(id)

typedef enum { MPIR_COMM_KIND__INTRACOMM, MPIR_COMM_KIND__INTERCOMM } MPIR_Comm_kind_t;

typedef struct MPIR_Comm {
    MPIR_Context_id_t context_id, recvcontext_id;
    MPIR_Comm_kind_t comm_kind;
    uint32_t ctxid_cursor, ctxid_calls, ctxid_block;
    int ended;
    uint64_t members; /* a bit for each process */
} MPIR_Comm;
typedef struct MPIR_Group MPIR_Group;

typedef int MPI_Datatype;
typedef int MPI_Op;
#define MPI_SUCCESS 0
#define MPI_ERR_NO_MEM 34
#define MPIR_Assert assert
#define MPIR_Assertp assert
/* each store may have several */
#define MPIR_IS_THREADED 1
#define MPIR_T_is_threaded 0
#define MPL_COMPILE_TIME_ASSERT(condition) _Static_assert(condition, #condition)
#define MPL_MIN(a, b) ((a) < (b) ? (a) : (b))
#define MPL_MAX(a, b) ((a) > (b) ? (a) : (b))
#define MPL_realloc(block, bytes, of) process_realloc(block, bytes)
#define MPL_free process_free

/* process.c: fails when a test says so */
void *process_realloc(void *block, size_t bytes);
void process_free(void *block);

#include "mpir_ctxid.h"

#endif /* CTXID_TEST_MPIIMPL_H_INCLUDED */
