/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What the constructor of a datatype says: blocks of copies of other datatypes, its parts.
 *
 * The blocks come in the order of the type map, so that a walk through a datatype, the parts of its
 * parts and so on sees each element in that order, with its predefined type.  The datatype engine
 * knows bytes, and has forgotten that a long is no integer of 8 bytes in a file.
 */
#ifndef MPIR_TYPE_BLOCKS_H_INCLUDED
#define MPIR_TYPE_BLOCKS_H_INCLUDED

#include "mpiimpl.h"

/* `count` copies of `part`, one extent apart, the first at `disp`.  A result that is not 0 ends the
 * walk. */
typedef int (*MPIR_Type_block_fn)(void *state, MPI_Aint disp, MPI_Aint count, MPI_Datatype part);

/* The extent of a part where the walk takes place, such as in a file */
typedef MPI_Aint (*MPIR_Type_extent_fn)(void *state, MPI_Datatype part);

/* A predefined datatype that has no parts.  Those of MPI_MINLOC have two. */
bool MPIR_Type_is_element(MPI_Datatype type);
/* The predefined datatype of MPI_MINLOC with these two, or MPI_DATATYPE_NULL */
MPI_Datatype MPIR_Type_pair_of(MPI_Datatype value, MPI_Datatype index);

/* Calls `block` for each block of a datatype that is no element, and returns its last result.
 * `extent` may be NULL: the extents in memory. */
int MPIR_Type_blocks(MPI_Datatype type, MPIR_Type_extent_fn extent, MPIR_Type_block_fn block,
                     void *state);

/* The sum of what `measure` says of each copy of each part, of a datatype that is no element */
typedef MPI_Count (*MPIR_Type_measure_fn)(MPI_Datatype part);
MPI_Count MPIR_Type_sum(MPI_Datatype type, MPIR_Type_measure_fn measure);

/* What `bytes` have behind the last whole element, as packed data of copies of the datatype */
MPI_Count MPIR_Type_rest(MPI_Datatype type, MPI_Count bytes);

/* Whether the constructor of the datatype gives bounds, and does not find them in its blocks */
bool MPIR_Type_given_bounds(MPI_Datatype type, MPIR_Type_extent_fn extent, void *state,
                            MPI_Aint *lb, MPI_Aint *ub);

#endif /* MPIR_TYPE_BLOCKS_H_INCLUDED */
