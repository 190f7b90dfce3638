/* SPDX-License-Identifier: BSD-3-Clause */

/* What a communicator keeps for its aggregates, and how it gets it. */
#ifndef AGGR_COMM_H_INCLUDED
#define AGGR_COMM_H_INCLUDED

#include "aggr.h"

struct MPIR_Aggr {
    aggr_group_t group;         /* of all of the communicator's processes */
};

/* MPI_T counters. */
typedef struct MPIR_Aggr_counts_t {
    unsigned long long calls;   /* collectives done this way */
    unsigned long long bytes;   /* of payload that this process put in */
    unsigned long long refused; /* communicators that found no room, or that some member cannot take part in */
} MPIR_Aggr_counts_t;

extern MPIR_Aggr_counts_t MPIR_Aggr_counts;

/* The node's arena, made by the first process that asks; NULL when there is none to be had. */
aggr_arena_t *MPIR_Aggr_arena(void);
aggr_arena_t *MPIR_Aggr_arena_if_any(void);     /* does not ask for it */
void MPIR_Aggr_arena_close(void);

/* MPIR_CVAR_AGGR_MAX_BYTES of memory of this process; there once a communicator has aggregates. */
enum MPIR_Aggr_scratch { MPIR_AGGR_SCRATCH_IN, MPIR_AGGR_SCRATCH_OUT };
void *MPIR_Aggr_scratch(enum MPIR_Aggr_scratch which);
void MPIR_Aggr_scratch_free(void);

/* The communicator's aggregates, when they have room for so many bytes.  NULL: not this way, or an error.  Collective at
 * its second call, when the members agree whether all of them can take part. */
aggr_group_t *MPIR_Aggr_begin(MPIR_Comm * comm, size_t bytes, int *mpi_errno);

/* Counts the call; true. */
bool MPIR_Aggr_done(size_t bytes);

/* Where the data of an element begin, in bytes from its address. */
static inline MPI_Aint MPIR_Aggr_first_byte(MPI_Datatype datatype)
{
    MPIR_Datatype *derived;

    if (HANDLE_IS_BUILTIN(datatype))
        return 0;
    MPIR_Datatype_get_ptr(datatype, derived);
    return derived->true_lb;
}

static inline bool MPIR_Aggr_fits(size_t bytes)
{
    return bytes > 0 && bytes <= (size_t) MPIR_CVAR_AGGR_MAX_BYTES;
}

#endif /* AGGR_COMM_H_INCLUDED */
