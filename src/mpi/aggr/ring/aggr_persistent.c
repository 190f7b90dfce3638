/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "aggr_operation.h"

/*
 * Persistent collectives by rings.  Each has a ring of its own, since members may start several in
 * any order.  The members agree on it in the call that makes it, which may wait for others.
 */

/* A persistent collective, and what each of its starts does. */
struct persistent {
    struct MPIR_Aggr_operation operation;
    aggr_ring_t ring;
};

/* What the first member tells the others. */
struct terms {
    uint64_t block, bytes; /* 0: no room, or too long */
};

bool MPIR_Aggr_make_persistent(const struct MPIR_Aggr_operation *op, bool fits,
                               MPIR_Request *request, int *mpi_errno)
{
    aggr_group_t *group = &op->comm->aggr->group;
    struct persistent *persistent =
        MPL_malloc(sizeof(*persistent) + op->kind->array_bytes(op), MPL_MEM_COLL);
    struct terms terms = {0, op->place};
    int status;

    MPIR_ERR_CHKANDJUMP(!persistent, *mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    if (group->me == 0 && fits)
        terms.block = MPIR_aggr_ring_reserve(group, op->place);
    status = MPIR_aggr_bcast(group, &terms, sizeof(terms), 0);
    *mpi_errno = MPIR_Aggr_error(status, sizeof(terms), group);
    if (unlikely(*mpi_errno != MPI_SUCCESS) && group->me == 0 && terms.block != 0)
        MPIR_aggr_ring_give_up(group, terms.block, op->place);
    MPIR_ERR_CHECK(*mpi_errno);
    if (terms.block == 0) {
        MPL_free(persistent);
        return false;
    }
    MPIR_aggr_ring_join(&persistent->ring, group, terms.block, terms.bytes);
    persistent->operation = *op;
    persistent->operation.ring = &persistent->ring;
    if (!fits || terms.bytes != op->place) {
        MPIR_aggr_ring_leave(&persistent->ring);
        *mpi_errno = MPIR_Aggr_lengths_differ(terms.bytes, op->place);
        goto fn_fail;
    }
    op->kind->keep(&persistent->operation, persistent + 1);
    request->u.persist_coll.sched = persistent;
    request->u.persist_coll.sched_type = MPIR_SCHED_AGGR;
    return true;

fn_fail:
    MPL_free(persistent);
    return true;
}

/* An error is that of the request: MPI_Start does not know the communicator's error handler. */
int MPIR_Aggr_restart(void *persistent, MPIR_Request **request)
{
    struct MPIR_Aggr_operation op = ((struct persistent *) persistent)->operation;

    if (MPIR_Aggr_start(&op, request) != MPI_SUCCESS) {
        *request = MPIR_Request_create(MPIR_REQUEST_KIND__COLL);
        MPIR_cc_set(&(*request)->cc, 0);
        (*request)->status.MPI_ERROR = op.mpi_errno;
    }
    return MPI_SUCCESS;
}

/* A member that has not joined, since the communicator was revoked, will not leave. */
static void leave(struct persistent *persistent)
{
    const aggr_ring_t *ring = &persistent->ring;

    if (unlikely(persistent->operation.comm->ended) && ring->group->me == 0)
        MPIR_aggr_ring_give_up(ring->group, ring->block, ring->copy_bytes);
    else
        MPIR_aggr_ring_leave(&persistent->ring);
}

void MPIR_Aggr_discard(void *discarded)
{
    struct persistent *persistent = discarded;

    persistent->operation.kind->release(&persistent->operation);
    leave(persistent);
    MPL_free(persistent);
}
