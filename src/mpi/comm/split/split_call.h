/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Comm_split:
 *
 *   split.c           the steps, from the call to the child
 *   split_gather.c    what all members pass, by rows or descriptions, and the context ids
 *   split_exchange.c  descriptions of a large communicator
 *   split_zones.c     their memory
 *   split_order.c     the order of rows
 *   split_grids.c     the map by a description, without a table
 */
#ifndef SPLIT_CALL_H_INCLUDED
#define SPLIT_CALL_H_INCLUDED

#include "mpiimpl.h"
#include "split_exchange.h"
#include "split_grids.h"
#include "split_order.h"

/* One group of the parent: all of an intracommunicator, or a side of an intercommunicator. */
enum { SPLIT_FEW = 64 };

typedef struct split_side {
    split_row *table; /* one row for each rank; NULL: no such side, or no memory */
    split_row *few;   /* the table of a few ranks, in split_scratch */
    void *owned;      /* the table, or beside a small one a reserve */
    uint32_t size;
    split_view view;
    cmap_t *map; /* the child's */
} split_side;

/* Thousands of bytes, of which a call uses a part.  Nothing sets them before their use. */
typedef struct split_scratch {
    split_row local[SPLIT_FEW], remote[SPLIT_FEW];
    split_zones zones; /* with call->is_described, as is the order */
    colours_order order;
} split_scratch;

typedef struct split_call {
    MPIR_Comm *parent;
    int colour, key;
    bool is_described; /* descriptions of the local side are exchanged, and no rows */
    split_scratch *scratch;
    split_side local, remote; /* remote: only of an intercommunicator */
    MPIR_Context_id_t id;     /* claimed by this process, or MPIR_INVALID_CONTEXT_ID */
    /* of the other side of an intercommunicator, or MPIR_INVALID_CONTEXT_ID */
    MPIR_Context_id_t remote_id;
    int rank;         /* in the child */
    int error;        /* why there will be no child, or MPI_SUCCESS */
    MPIR_Comm *child; /* not committed; NULL for MPI_UNDEFINED */
} split_call;

static inline bool MPIR_split_is_inter(const split_call *call)
{
    return call->parent->comm_kind == MPIR_COMM_KIND__INTERCOMM;
}

/* Each member sends its row to the others (the entry get_rows of mpir_others.h). */
int MPIR_split_exchange_rows(split_call *call, MPIR_Comm *local, MPIR_Ctxid_t *ctxid);

/* The local side's views and id, and if there is one, the remote side's.  An error goes to
 * call->error: a process that has one takes part in all collectives. */
void MPIR_split_gather(split_call *call);

#endif /* SPLIT_CALL_H_INCLUDED */
