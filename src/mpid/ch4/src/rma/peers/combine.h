/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RMA_PEERS_COMBINE_H_INCLUDED
#define RMA_PEERS_COMBINE_H_INCLUDED

/* target = target op data, of as many elements of one builtin type; data on its alignment.
 * REQUIRES: the guard of the target's owner is held. */
int MPIDIG_rma_combine(const void *data, MPI_Aint count, MPI_Datatype type, void *target,
                       MPI_Op op);

#endif /* RMA_PEERS_COMBINE_H_INCLUDED */
