/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The MPI_T counter coll_calls: blocking collective operations, those that MPI itself makes included.  What runs in the
 * node and node-roots communicators are parts of an operation and not counted.  An operation that is made of others on the
 * same communicator counts with them.
 */
#ifndef MPIR_COLLCOUNT_H_INCLUDED
#define MPIR_COLLCOUNT_H_INCLUDED

extern unsigned long long MPIR_Coll_calls;

void MPIR_Coll_count_init(void);

static inline void MPIR_Coll_count(const MPIR_Comm * comm)
{
    if (comm->hierarchy_kind == MPIR_COMM_HIERARCHY_KIND__FLAT ||
        comm->hierarchy_kind == MPIR_COMM_HIERARCHY_KIND__PARENT)
        __atomic_fetch_add(&MPIR_Coll_calls, 1, __ATOMIC_RELAXED);
}

#endif /* MPIR_COLLCOUNT_H_INCLUDED */
