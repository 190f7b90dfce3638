/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Blocking collectives by aggregates (src/mpid/common/aggr): small ones of processes that share a node, by cache lines
 * which they share.  Between nodes MPICH's compositions do these on the node communicators, and the first process of each
 * node meets the others on node_roots_comm; some are done by one exchange of all data instead.  Where few processes, or nodes,
 * meet they need one step of messages.
 *
 * The generated functions ask the function of their name here first.  True: done, with the result in *mpi_errno.
 * False: nothing was sent, and the algorithms of MPICH do it.  All members of the communicator get the same answer on the
 * same call, from what they have in common: bytes, operation, the communicator's maps, the variables (on a node where they
 * differ there are no aggregates), and what they agreed on when the communicator made its second small collective.  The
 * first one goes without: many communicators make no more than one, and pay neither memory nor an agreement.  (A reduction whose order of
 * operations shows in its result makes the agreement at once, so that the next one has the same result.)  The one step of messages
 * needs no agreement, and is from the first call on.
 *
 * Not for intercommunicators, nonblocking collectives, processes with MPI_THREAD_MULTIPLE (but the one step of messages is for
 * them), memory of GPUs, and a collective whose algorithm is chosen by its MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM.
 */
#ifndef MPIR_AGGR_H_INCLUDED
#define MPIR_AGGR_H_INCLUDED

#include <stdbool.h>

struct MPIR_Aggr;

/* MPIR_CVAR_AGGR, once MPI is initialized. */
extern bool MPIR_Aggr_on;
/* Do communicators over several nodes ask whether their members want aggregates?  The same on all processes. */
extern bool MPIR_Aggr_between_nodes;
/* Up to so many processes that share no node reduce by a message from each to each.  The same on all processes. */
extern int MPIR_Aggr_direct_most;

/* What the network's progress has found; the module that polls it counts.  A process that waits in an aggregate polls more often
 * while this grows. */
extern unsigned MPIR_Aggr_arrivals;

/* After MPID_Init; and before the node's start-up segment goes. */
int MPIR_Aggr_init(void);
/* When the node has that segment.  A barrier of its processes follows, before anything else here is called. */
void MPIR_Aggr_meet(void);
void MPIR_Aggr_comm_free(MPIR_Comm * comm);
/* None for this communicator: those of another one with the same members do. */
void MPIR_Aggr_decline(MPIR_Comm * comm);
/* Who waits in a collective of the communicator, now or later, leaves it with MPIX_ERR_REVOKED. */
void MPIR_Aggr_revoke(MPIR_Comm * comm);

bool MPIR_Aggr_do_barrier(MPIR_Comm * comm, MPIR_Errflag_t * errflag, int *mpi_errno);
bool MPIR_Aggr_do_bcast(void *buffer, MPI_Aint count, MPI_Datatype datatype, int root,
                        MPIR_Comm * comm, MPIR_Errflag_t * errflag, int *mpi_errno);
bool MPIR_Aggr_do_allreduce(const void *sendbuf, void *recvbuf, MPI_Aint count,
                            MPI_Datatype datatype, MPI_Op op, MPIR_Comm * comm, MPIR_Errflag_t * errflag,
                            int *mpi_errno);
bool MPIR_Aggr_do_reduce(const void *sendbuf, void *recvbuf, MPI_Aint count, MPI_Datatype datatype,
                         MPI_Op op, int root, MPIR_Comm * comm, MPIR_Errflag_t * errflag, int *mpi_errno);
bool MPIR_Aggr_do_scan(const void *sendbuf, void *recvbuf, MPI_Aint count, MPI_Datatype datatype,
                       MPI_Op op, MPIR_Comm * comm, int *mpi_errno);
bool MPIR_Aggr_do_exscan(const void *sendbuf, void *recvbuf, MPI_Aint count, MPI_Datatype datatype,
                         MPI_Op op, MPIR_Comm * comm, int *mpi_errno);
bool MPIR_Aggr_do_allgather(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                            void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype,
                            MPIR_Comm * comm, int *mpi_errno);
bool MPIR_Aggr_do_gather(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                         void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype, int root,
                         MPIR_Comm * comm, int *mpi_errno);
bool MPIR_Aggr_do_scatter(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                          void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype, int root,
                          MPIR_Comm * comm, int *mpi_errno);
bool MPIR_Aggr_do_alltoall(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                           void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype,
                           MPIR_Comm * comm, int *mpi_errno);

/* A reduction of two numbers among these processes, who need no communicator of their own for it, by a function that is
 * associative and commutative.  With the same comm and tag on all of them, and one at a time as for messages. */
bool MPIR_Aggr_do_group(MPIR_Comm * comm, const cmap_t * processes, int tag, uint64_t numbers[2],
                        void (*fold) (uint64_t all[2], const uint64_t one[2]), int *mpi_errno);

/* The largest of what the members have for each number, by messages.  Nothing in it needs memory, so that who has none can tell
 * the others.  At most MPIR_AGGR_AGREE_MOST numbers. */
enum { MPIR_AGGR_AGREE_MOST = 4 };
int MPIR_Aggr_agree(MPIR_Comm * comm, unsigned long long numbers[], int n);

enum MPIR_Aggr_trait {
    /* No process returns before all have come: the parts of the composition on a communicator of one node may be rooted. */
    MPIR_AGGR_ALL_WAIT = 1,
    /* With several nodes it is one exchange of all data (src/mpi/aggr/aggr_nodes.c). */
    MPIR_AGGR_ONE_EXCHANGE = 2,
    /* With few processes that share no node it is one step (src/mpi/aggr/aggr_direct.c). */
    MPIR_AGGR_DIRECT = 4
};

enum MPIR_Aggr_traits {
    MPIR_AGGR_barrier = MPIR_AGGR_ALL_WAIT | MPIR_AGGR_DIRECT, MPIR_AGGR_allreduce = MPIR_AGGR_ALL_WAIT | MPIR_AGGR_DIRECT,
    MPIR_AGGR_allgather = MPIR_AGGR_ALL_WAIT | MPIR_AGGR_ONE_EXCHANGE, MPIR_AGGR_alltoall = MPIR_AGGR_ALL_WAIT,
    MPIR_AGGR_scan = MPIR_AGGR_ONE_EXCHANGE, MPIR_AGGR_exscan = MPIR_AGGR_ONE_EXCHANGE,
    MPIR_AGGR_bcast = 0, MPIR_AGGR_reduce = 0, MPIR_AGGR_gather = 0, MPIR_AGGR_scatter = 0
};

/* Notes it for the parts of the composition that follows.  It stays until the next one that is noted, which is the same
 * for all members: a communicator of a node belongs to one communicator, whose collectives all members call alike. */
void MPIR_Aggr_compose(MPIR_Comm * node_comm, bool all_wait);

/* Few processes that share no node, or the first ones of few nodes?  (Which processes share one need not be known: then the
 * communicator is taken for one of the first kind.) */
static inline bool MPIR_Aggr_is_direct(const MPIR_Comm * comm)
{
    return comm->local_size <= MPIR_Aggr_direct_most && comm->local_size > 1 && comm->comm_kind == MPIR_COMM_KIND__INTRACOMM &&
        (comm->hierarchy_kind == MPIR_COMM_HIERARCHY_KIND__FLAT ||
         comm->hierarchy_kind == MPIR_COMM_HIERARCHY_KIND__NODE_ROOTS);
}

/* The two places from which a collective may go this way: as the user calls it, and as the part of a composition. */
static inline bool MPIR_Aggr_may_whole(MPIR_Comm * comm, enum MPIR_Aggr_traits traits)
{
    if (comm->hierarchy_kind != MPIR_COMM_HIERARCHY_KIND__PARENT)
        return (traits & MPIR_AGGR_DIRECT) && MPIR_Aggr_is_direct(comm);
    if (comm->node_count == 1)
        return MPIR_Aggr_on;
    if (comm->node_comm)
        MPIR_Aggr_compose(comm->node_comm, traits & MPIR_AGGR_ALL_WAIT);
    return (traits & MPIR_AGGR_ONE_EXCHANGE) && MPIR_Aggr_between_nodes;
}

static inline bool MPIR_Aggr_may_part(const MPIR_Comm * comm, enum MPIR_Aggr_traits traits)
{
    if (comm->hierarchy_kind == MPIR_COMM_HIERARCHY_KIND__NODE)
        return MPIR_Aggr_on;
    return (traits & MPIR_AGGR_DIRECT) && MPIR_Aggr_is_direct(comm);
}

/* Do the members of an intracommunicator compare their lengths, of which some may be 0?  Where they do not, who has nothing to send or
 * receive need not call anything. */
static inline bool MPIR_Aggr_compares(const MPIR_Comm * comm)
{
    return MPIR_Aggr_on && comm->hierarchy_kind == MPIR_COMM_HIERARCHY_KIND__PARENT && comm->node_count == 1 &&
        comm->local_size > 1;
}

#define MPIR_AGGR_COMPARES(NAME, comm) \
    (MPIR_CVAR_##NAME##_INTRA_ALGORITHM == MPIR_CVAR_##NAME##_INTRA_ALGORITHM_auto && MPIR_Aggr_compares(comm))

/* What the generated functions call. */
#define MPIR_AGGR(name, place, comm, ...) \
    (MPIR_Aggr_may_##place(comm, MPIR_AGGR_##name) && MPIR_Aggr_do_##name(__VA_ARGS__))

#endif /* MPIR_AGGR_H_INCLUDED */
