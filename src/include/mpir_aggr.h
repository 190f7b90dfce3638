/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Collectives by aggregates (src/mpid/common/aggr).  For blocking ones there are three ways:
 *
 *   inside a node     the processes of a node exchange small data in cache lines that they share
 *   several nodes     MPICH's compositions use the first way on the node communicators, and the
 *                     first process of each node meets the others on node_roots_comm; an allgather
 *                     or a scan is one exchange of all data instead
 *   few processes     if few processes or nodes meet, each sends one message to each
 *
 * A generated function first asks the function of its name here.  True: the collective is done,
 * with the result in *mpi_errno.  False: nothing was sent, and MPICH's algorithms do it.  All
 * members get the same answer on the same call, because it depends only on what they have in
 * common: bytes, operation, the communicator's maps, the variables, and what they agreed on in the
 * communicator's second small collective.  A node whose processes differ in the variables has no
 * aggregates.
 *
 * The first small collective of a communicator makes no agreement: many communicators make only
 * one, and pay neither memory nor an agreement.  A reduction whose result depends on the order of
 * operations is an exception: it agrees in the first call, so that the next call has the same
 * result.  The third way needs no agreement, and works from the first call on.
 *
 * Nonblocking and persistent collectives of short data go the first way (MPIR_AGGR_POST).  So do
 * the short parts of scatterv, gatherv, alltoallv and alltoallw, and of collectives of neighbours.
 * If no blocking collective, or call that makes a persistent one, has made the agreement,
 * nonblocking ones make it without waiting.  The moment is a matter of chance.  So nonblocking
 * reductions whose result depends on the order of operations do not use those lines before a call
 * that waits.
 *
 * Excluded are intercommunicators, memory of GPUs, and collectives whose algorithm is chosen by
 * MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM.  Processes with MPI_THREAD_MULTIPLE use the third way
 * alone.
 */
#ifndef MPIR_AGGR_H_INCLUDED
#define MPIR_AGGR_H_INCLUDED

#include <stdbool.h>

/* The maximum over the members of each number, by messages.  It allocates nothing, so that a member
 * without memory can tell the others.  At most MPIR_AGGR_AGREE_MOST numbers. */
enum { MPIR_AGGR_AGREE_MOST = 7 };
int MPIR_Aggr_agree(MPIR_Comm *comm, unsigned long long numbers[], int n);

#ifdef MPIR_WITHOUT_AGGREGATES

static inline void MPIR_Aggr_comm_free(MPIR_Comm *comm MPL_UNUSED) {}
static inline void MPIR_Aggr_decline(MPIR_Comm *comm MPL_UNUSED) {}
static inline void MPIR_Aggr_revoke(MPIR_Comm *comm MPL_UNUSED) {}

static inline bool MPIR_Aggr_do_group(MPIR_Comm *comm MPL_UNUSED,
                                      const cmap_t *processes MPL_UNUSED, int tag MPL_UNUSED,
                                      uint64_t numbers[2] MPL_UNUSED,
                                      void (*fold)(uint64_t all[2], const uint64_t one[2])
                                          MPL_UNUSED,
                                      int *mpi_errno MPL_UNUSED)
{
    return false;
}

#else

struct MPIR_Aggr;

/* MPIR_CVAR_AGGR, once MPI is initialized. */
extern bool MPIR_Aggr_on;
/* Do communicators over several nodes ask whether their members want aggregates?  The same on
 * all processes. */
extern bool MPIR_Aggr_between_nodes;
/* The most processes without a common node that reduce by a message from each to each.  The same
 * on all processes. */
extern int MPIR_Aggr_direct_most;

/* After MPID_Init; and before the node's start-up segment goes. */
int MPIR_Aggr_init(void);
/* When the node has that segment.  A barrier of its processes follows, before anything else here
 * is called. */
void MPIR_Aggr_meet(void);
void MPIR_Aggr_comm_free(MPIR_Comm *comm);
/* This communicator gets no aggregates: another one with the same members has them. */
void MPIR_Aggr_decline(MPIR_Comm *comm);
/* A process that waits in a collective of the communicator, now or later, leaves it with the error
 * of MPIR_Comm_end_error. */
void MPIR_Aggr_revoke(MPIR_Comm *comm);

bool MPIR_Aggr_do_barrier(MPIR_Comm *comm, MPIR_Errflag_t *errflag, int *mpi_errno);
bool MPIR_Aggr_do_bcast(void *buffer, MPI_Aint count, MPI_Datatype datatype, int root,
                        MPIR_Comm *comm, MPIR_Errflag_t *errflag, int *mpi_errno);
bool MPIR_Aggr_do_allreduce(const void *sendbuf, void *recvbuf, MPI_Aint count,
                            MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm,
                            MPIR_Errflag_t *errflag, int *mpi_errno);
bool MPIR_Aggr_do_reduce(const void *sendbuf, void *recvbuf, MPI_Aint count, MPI_Datatype datatype,
                         MPI_Op op, int root, MPIR_Comm *comm, MPIR_Errflag_t *errflag,
                         int *mpi_errno);
bool MPIR_Aggr_do_scan(const void *sendbuf, void *recvbuf, MPI_Aint count, MPI_Datatype datatype,
                       MPI_Op op, MPIR_Comm *comm, int *mpi_errno);
bool MPIR_Aggr_do_exscan(const void *sendbuf, void *recvbuf, MPI_Aint count, MPI_Datatype datatype,
                         MPI_Op op, MPIR_Comm *comm, int *mpi_errno);
bool MPIR_Aggr_do_allgather(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                            void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype,
                            MPIR_Comm *comm, int *mpi_errno);
bool MPIR_Aggr_do_gather(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                         void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype, int root,
                         MPIR_Comm *comm, int *mpi_errno);
bool MPIR_Aggr_do_scatter(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                          void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype, int root,
                          MPIR_Comm *comm, int *mpi_errno);
bool MPIR_Aggr_do_reduce_scatter(const void *sendbuf, void *recvbuf, const MPI_Aint recvcounts[],
                                 MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm, int *mpi_errno);
bool MPIR_Aggr_do_reduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Aint recvcount,
                                       MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm,
                                       int *mpi_errno);
bool MPIR_Aggr_do_allgatherv(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                             void *recvbuf, const MPI_Aint recvcounts[], const MPI_Aint displs[],
                             MPI_Datatype recvtype, MPIR_Comm *comm, int *mpi_errno);
bool MPIR_Aggr_do_alltoall(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                           void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype,
                           MPIR_Comm *comm, int *mpi_errno);

/* Nonblocking ones.  True: it is begun, with the request, or the error.  If *request is a
 * persistent request, true: it can be started and freed by the functions below. */
bool MPIR_Aggr_post_barrier(MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno);
bool MPIR_Aggr_post_bcast(void *buffer, MPI_Aint count, MPI_Datatype datatype, int root,
                          MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno);
bool MPIR_Aggr_post_allreduce(const void *sendbuf, void *recvbuf, MPI_Aint count,
                              MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm,
                              MPIR_Request **request, int *mpi_errno);
bool MPIR_Aggr_post_reduce(const void *sendbuf, void *recvbuf, MPI_Aint count,
                           MPI_Datatype datatype, MPI_Op op, int root, MPIR_Comm *comm,
                           MPIR_Request **request, int *mpi_errno);
bool MPIR_Aggr_post_scan(const void *sendbuf, void *recvbuf, MPI_Aint count, MPI_Datatype datatype,
                         MPI_Op op, MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno);
bool MPIR_Aggr_post_exscan(const void *sendbuf, void *recvbuf, MPI_Aint count,
                           MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm,
                           MPIR_Request **request, int *mpi_errno);
bool MPIR_Aggr_post_allgather(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                              void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype,
                              MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno);
bool MPIR_Aggr_post_allgatherv(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                               void *recvbuf, const MPI_Aint recvcounts[], const MPI_Aint displs[],
                               MPI_Datatype recvtype, MPIR_Comm *comm, MPIR_Request **request,
                               int *mpi_errno);
bool MPIR_Aggr_post_gather(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                           void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype, int root,
                           MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno);
bool MPIR_Aggr_post_scatter(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                            void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype, int root,
                            MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno);
bool MPIR_Aggr_post_alltoall(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                             void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype,
                             MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno);
bool MPIR_Aggr_post_reduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Aint recvcount,
                                         MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm,
                                         MPIR_Request **request, int *mpi_errno);
bool MPIR_Aggr_post_reduce_scatter(const void *sendbuf, void *recvbuf, const MPI_Aint recvcounts[],
                                   MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm,
                                   MPIR_Request **request, int *mpi_errno);
/* Parts of different lengths (src/mpi/aggr/ring/aggr_parts.c).  Blocking if request is NULL. */
bool MPIR_Aggr_post_scatterv(const void *sendbuf, const MPI_Aint sendcounts[],
                             const MPI_Aint displs[], MPI_Datatype sendtype, void *recvbuf,
                             MPI_Aint recvcount, MPI_Datatype recvtype, int root, MPIR_Comm *comm,
                             MPIR_Request **request, int *mpi_errno);
bool MPIR_Aggr_post_gatherv(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                            void *recvbuf, const MPI_Aint recvcounts[], const MPI_Aint displs[],
                            MPI_Datatype recvtype, int root, MPIR_Comm *comm,
                            MPIR_Request **request, int *mpi_errno);
bool MPIR_Aggr_post_alltoallv(const void *sendbuf, const MPI_Aint sendcounts[],
                              const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
                              const MPI_Aint recvcounts[], const MPI_Aint rdispls[],
                              MPI_Datatype recvtype, MPIR_Comm *comm, MPIR_Request **request,
                              int *mpi_errno);
bool MPIR_Aggr_post_alltoallw(const void *sendbuf, const MPI_Aint sendcounts[],
                              const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                              void *recvbuf, const MPI_Aint recvcounts[], const MPI_Aint rdispls[],
                              const MPI_Datatype recvtypes[], MPIR_Comm *comm,
                              MPIR_Request **request, int *mpi_errno);
/* Of the neighbours in a topology (src/mpi/aggr/ring/aggr_neighbours.c).  Blocking likewise. */
bool MPIR_Aggr_post_neighbor_allgather(const void *sendbuf, MPI_Aint sendcount,
                                       MPI_Datatype sendtype, void *recvbuf, MPI_Aint recvcount,
                                       MPI_Datatype recvtype, MPIR_Comm *comm,
                                       MPIR_Request **request, int *mpi_errno);
bool MPIR_Aggr_post_neighbor_allgatherv(const void *sendbuf, MPI_Aint sendcount,
                                        MPI_Datatype sendtype, void *recvbuf,
                                        const MPI_Aint recvcounts[], const MPI_Aint displs[],
                                        MPI_Datatype recvtype, MPIR_Comm *comm,
                                        MPIR_Request **request, int *mpi_errno);
bool MPIR_Aggr_post_neighbor_alltoall(const void *sendbuf, MPI_Aint sendcount,
                                      MPI_Datatype sendtype, void *recvbuf, MPI_Aint recvcount,
                                      MPI_Datatype recvtype, MPIR_Comm *comm,
                                      MPIR_Request **request, int *mpi_errno);
bool MPIR_Aggr_post_neighbor_alltoallv(const void *sendbuf, const MPI_Aint sendcounts[],
                                       const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                       void *recvbuf, const MPI_Aint recvcounts[],
                                       const MPI_Aint rdispls[], MPI_Datatype recvtype,
                                       MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno);
bool MPIR_Aggr_post_neighbor_alltoallw(const void *sendbuf, const MPI_Aint sendcounts[],
                                       const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                       void *recvbuf, const MPI_Aint recvcounts[],
                                       const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                       MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno);

/* Do some wait for others?  Then the progress engine serves them; so do waits in which it polls the
 * network alone. */
extern bool MPIR_Aggr_is_pending;
void MPIR_Aggr_serve(void);
int MPIR_Aggr_restart(void *persistent, MPIR_Request **request);
void MPIR_Aggr_discard(void *persistent);

/* Reduces two numbers among these processes, which need no communicator of their own.  REQUIRES a
 * fold that is associative and commutative, the same comm and tag on all of them, and one
 * reduction at a time for a tag. */
bool MPIR_Aggr_do_group(MPIR_Comm *comm, const cmap_t *processes, int tag, uint64_t numbers[2],
                        void (*fold)(uint64_t all[2], const uint64_t one[2]), int *mpi_errno);

enum MPIR_Aggr_trait {
    /* No process returns before all have called it, so the parts of a composition inside a node
     * may be rooted. */
    MPIR_AGGR_ALL_WAIT = 1,
    /* With several nodes it is one exchange of all data (src/mpi/aggr/aggr_nodes.c). */
    MPIR_AGGR_ONE_EXCHANGE = 2,
    /* With few processes that share no node it is one step (src/mpi/aggr/aggr_direct.c). */
    MPIR_AGGR_DIRECT = 4
};

enum MPIR_Aggr_traits {
    MPIR_AGGR_barrier = MPIR_AGGR_ALL_WAIT | MPIR_AGGR_DIRECT,
    MPIR_AGGR_allreduce = MPIR_AGGR_ALL_WAIT | MPIR_AGGR_DIRECT,
    MPIR_AGGR_allgather = MPIR_AGGR_ALL_WAIT | MPIR_AGGR_ONE_EXCHANGE,
    MPIR_AGGR_alltoall = MPIR_AGGR_ALL_WAIT,
    MPIR_AGGR_scan = MPIR_AGGR_ONE_EXCHANGE,
    MPIR_AGGR_exscan = MPIR_AGGR_ONE_EXCHANGE,
    MPIR_AGGR_bcast = 0,
    MPIR_AGGR_reduce = 0,
    MPIR_AGGR_gather = 0,
    MPIR_AGGR_scatter = 0,
    MPIR_AGGR_allgatherv = 0,
    MPIR_AGGR_reduce_scatter = 0,
    MPIR_AGGR_reduce_scatter_block = 0
};

/* Notes a trait for the parts of the composition that follows, until the next one is noted.  All
 * members note the same: a node communicator belongs to one communicator, whose collectives all
 * members call in the same order. */
void MPIR_Aggr_compose(MPIR_Comm *node_comm, bool all_wait);

/* Does the communicator have few processes without a common node, or the first processes of few
 * nodes?  If it is not known which processes share a node, the first is assumed. */
static inline bool MPIR_Aggr_is_direct(const MPIR_Comm *comm)
{
    return comm->local_size <= MPIR_Aggr_direct_most && comm->local_size > 1 &&
           comm->comm_kind == MPIR_COMM_KIND__INTRACOMM &&
           (comm->hierarchy_kind == MPIR_COMM_HIERARCHY_KIND__FLAT ||
            comm->hierarchy_kind == MPIR_COMM_HIERARCHY_KIND__NODE_ROOTS);
}

/* A collective asks in two places: as the user calls it, and as a part of a composition. */
static inline bool MPIR_Aggr_may_whole(MPIR_Comm *comm, enum MPIR_Aggr_traits traits)
{
    if (comm->hierarchy_kind != MPIR_COMM_HIERARCHY_KIND__PARENT)
        return (traits & MPIR_AGGR_DIRECT) && MPIR_Aggr_is_direct(comm);
    if (comm->node_count == 1)
        return MPIR_Aggr_on;
    if (comm->node_comm)
        MPIR_Aggr_compose(comm->node_comm, traits & MPIR_AGGR_ALL_WAIT);
    return (traits & MPIR_AGGR_ONE_EXCHANGE) && MPIR_Aggr_between_nodes;
}

static inline bool MPIR_Aggr_may_part(const MPIR_Comm *comm, enum MPIR_Aggr_traits traits)
{
    if (comm->hierarchy_kind == MPIR_COMM_HIERARCHY_KIND__NODE)
        return MPIR_Aggr_on;
    return (traits & MPIR_AGGR_DIRECT) && MPIR_Aggr_is_direct(comm);
}

/* Do the members of an intracommunicator compare their lengths, which may be 0?  If not, a
 * member with a length of 0 takes no part. */
static inline bool MPIR_Aggr_compares(const MPIR_Comm *comm)
{
    return MPIR_Aggr_on && comm->hierarchy_kind == MPIR_COMM_HIERARCHY_KIND__PARENT &&
           comm->node_count == 1 && comm->local_size > 1;
}

#define MPIR_AGGR_COMPARES(NAME, comm) \
    (MPIR_CVAR_##NAME##_INTRA_ALGORITHM == MPIR_CVAR_##NAME##_INTRA_ALGORITHM_auto && \
     MPIR_Aggr_compares(comm))

/* What the generated functions call. */
#define MPIR_AGGR(name, place, comm, ...) \
    (MPIR_Aggr_may_##place(comm, MPIR_AGGR_##name) && MPIR_Aggr_do_##name(__VA_ARGS__))

/* The same for nonblocking and persistent ones; NAME is that of the nonblocking collective. */
#define MPIR_AGGR_POST(name, NAME, comm, ...) \
    (MPIR_AGGR_COMPARES(NAME, comm) && MPIR_Aggr_post_##name(__VA_ARGS__))

#endif /* MPIR_WITHOUT_AGGREGATES */

#endif /* MPIR_AGGR_H_INCLUDED */
