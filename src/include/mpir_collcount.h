/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The MPI_T counter coll_calls: blocking collective operations, those that MPI itself makes
 * included.  Operations in the node and node-roots communicators are parts of another one, and do
 * not count.  If an operation consists of others on the same communicator, these count, too.
 */
#ifndef MPIR_COLLCOUNT_H_INCLUDED
#define MPIR_COLLCOUNT_H_INCLUDED

extern unsigned long long MPIR_Coll_calls;

void MPIR_Coll_count_init(void);

static inline void MPIR_Coll_count(const MPIR_Comm *comm)
{
    if (comm->hierarchy_kind == MPIR_COMM_HIERARCHY_KIND__FLAT ||
        comm->hierarchy_kind == MPIR_COMM_HIERARCHY_KIND__PARENT)
        __atomic_fetch_add(&MPIR_Coll_calls, 1, __ATOMIC_RELAXED);
}

#endif /* MPIR_COLLCOUNT_H_INCLUDED */
