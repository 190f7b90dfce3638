/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Operations on peers whose memory is not mapped: windows of MPI_Win_create and
 * MPI_Win_create_dynamic.  The kernel copies (reach.h), so the target takes no part.
 *
 * A system call costs more than a short copy.  So operations on a peer wait until its batch is
 * full, or until the program synchronizes; then one call copies all of them:
 *
 *     puts      one call writes all pieces
 *     gets      one call reads all pieces
 *     updates   accumulates: under the peer's guard one call reads what they change, the operations
 *               are done here in the program's order, and one call writes it back
 *
 * Operations of derived types with gaps, and on memory that the kernel does not copy, are messages,
 * as in windows without peers.  Then a synchronization waits for the target's answers.
 */
#ifndef RMA_PEERS_DIRECT_H_INCLUDED
#define RMA_PEERS_DIRECT_H_INCLUDED

#include "reach.h"
#include "rma/operation.h"
#include "rma/peers/peers.h"

/* How others reach the memory that this process has in a window; in shared memory. */
typedef struct MPIDIG_rma_door {
    char *base;
    MPI_Aint size, disp_unit;
    reach_process_t process;
    uint32_t is_closed; /* some of the memory is of a kind that the kernel does not copy */
    char rest[12];
} MPIDIG_rma_door_t;

/* Describes this process's memory in the window. */
void MPIDIG_rma_door_describe(MPIDIG_rma_door_t *door, const MPIR_Win *win);
/* Does the kernel copy this memory of the process itself? */
bool MPIDIG_rma_is_copied(const void *base, MPI_Aint size);

/* In MPI_Init. */
void MPIDIG_rma_direct_init(void);

/* Before the operation: it is done, or waits in a batch, or is the caller's to issue natively.
 * REQUIRES: the peer's memory is not mapped. */
int MPIDIG_rma_direct(MPIR_Win *win, MPIDIG_rma_peer_t *peer, int rank, const MPIDIG_rma_op_t *what,
                      bool *is_done);
/* Performs what waits. */
int MPIDIG_rma_direct_run(MPIR_Win *win);
/* The same, and waits until native operations are done at their targets. */
int MPIDIG_rma_direct_finish(MPIR_Win *win);
void MPIDIG_rma_direct_free(MPIDIG_rma_shared_t *shared);
/* Memory is attached to a dynamic window. */
void MPIDIG_rma_direct_attach(MPIR_Win *win, const void *base, MPI_Aint size);

/* At each synchronization. */
MPL_STATIC_INLINE_PREFIX int MPIDIG_rma_direct_settle(MPIR_Win *win)
{
    const MPIDIG_rma_shared_t *shared = MPIDIG_WIN(win, shared);

    return shared && (shared->waiting || shared->has_messages) ? MPIDIG_rma_direct_finish(win)
                                                               : MPI_SUCCESS;
}

#endif /* RMA_PEERS_DIRECT_H_INCLUDED */
