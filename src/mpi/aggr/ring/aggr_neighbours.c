/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_reserve.h"
#include "aggr_operation.h"

/*
 * Collectives of neighbours inside a node: blocking, nonblocking and persistent.
 *
 * They are exchanges of parts (aggr_parts.c): a part goes along each edge of the topology.  In an
 * allgather all edges have the same part, so a row is that part.  Otherwise it has a table.
 *
 * Two members may have several edges.  MPI matches the first one that leaves with the first one
 * that comes, as messages would be.  In a grid, however, what is sent in the negative direction
 * comes from the positive one.  That shows where both neighbours are the same process.
 */

/* ---- the edges of a communicator ------------------------------------------------------------- */

struct MPIR_Aggr_neighbours {
    struct MPIR_Aggr_edges in, out;
    bool is_grid;
    struct MPIR_Aggr_edge list[];
};

/* `flip` is 1 in a grid, for the edges that come: they match in the order 1, 0, 3, 2 .. */
static void list_edges(struct MPIR_Aggr_edges *edges, const int members[], int flip)
{
    int seen[MPIR_AGGR_RING_MEMBERS] = {0};

    for (int i = 0; i < edges->slots; i++) {
        int slot = i ^ flip, member = members[slot];

        if (member != MPI_PROC_NULL)
            edges->list[edges->count++] = (struct MPIR_Aggr_edge){member, slot, seen[member]++};
    }
}

static int make_neighbours(MPIR_Comm *comm, struct MPIR_Aggr_neighbours **out)
{
    struct MPIR_Aggr_neighbours *made = NULL;
    int *members, in_degree, out_degree, has_weights, mpi_errno;
    size_t edges;

    mpi_errno = MPIR_Topo_canon_nhb_count(comm, &in_degree, &out_degree, &has_weights);
    MPIR_ERR_CHECK(mpi_errno);
    edges = (size_t) in_degree + (size_t) out_degree;
    made =
        MPL_malloc(sizeof(*made) + edges * (sizeof(*made->list) + sizeof(*members)), MPL_MEM_COMM);
    MPIR_ERR_CHKANDJUMP(!made, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    members = (int *) &made->list[edges];
    mpi_errno = MPIR_Topo_canon_nhb(comm, in_degree, members, MPI_UNWEIGHTED, out_degree,
                                    members + in_degree, MPI_UNWEIGHTED);
    MPIR_ERR_CHECK(mpi_errno);
    made->is_grid = MPIR_Topo_nhb_flip(comm);
    made->in = (struct MPIR_Aggr_edges){0, in_degree, made->list};
    made->out = (struct MPIR_Aggr_edges){0, out_degree, made->list + in_degree};
    list_edges(&made->in, members, made->is_grid);
    list_edges(&made->out, members + in_degree, 0);
    *out = made;

fn_exit:
    return mpi_errno;
fn_fail:
    MPL_free(made);
    goto fn_exit;
}

/* NULL: there are no lines, no topology, or there is an error.  The others wait for this process,
 * which therefore takes memory from the reserve. */
static const struct MPIR_Aggr_neighbours *neighbours_of(MPIR_Comm *comm, MPIR_Request **request,
                                                        int *mpi_errno)
{
    bool is_known = MPIR_Aggr_has_lines(comm) && comm->aggr->neighbours;

    *mpi_errno = MPI_SUCCESS;
    if (likely(is_known))
        return comm->aggr->neighbours;
    if (!MPIR_Topology_get(comm) || unlikely(comm->ended) ||
        !MPIR_Aggr_find_ring(comm, request, mpi_errno))
        return NULL;
    if (!comm->aggr->neighbours) {
        MPIR_Reserve_enter();
        *mpi_errno = make_neighbours(comm, &comm->aggr->neighbours);
        MPIR_Reserve_leave();
    }
    return comm->aggr->neighbours;
}

/* ---- what MPI calls -------------------------------------------------------------------------- */

/* Each edge has a part of its own. */
static struct MPIR_Aggr_row row_with_table(const struct MPIR_Aggr_neighbours *neighbours)
{
    const struct MPIR_Aggr_edges *out = &neighbours->out;

    return (struct MPIR_Aggr_row){.parts = neighbours->is_grid ? out->slots : out->count,
                                  .has_table = true,
                                  .is_alike = neighbours->is_grid};
}

/* In an allgather all edges have the same part. */
static bool exchange(MPIR_Comm *comm, struct MPIR_Aggr_parts give, struct MPIR_Aggr_parts take,
                     MPIR_Request **request, int *mpi_errno)
{
    const struct MPIR_Aggr_neighbours *neighbours = neighbours_of(comm, request, mpi_errno);

    if (!neighbours)
        return *mpi_errno != MPI_SUCCESS;
    give.edges = &neighbours->out;
    take.edges = &neighbours->in;
    return MPIR_Aggr_exchange_parts(comm, give, take,
                                    give.peer == MPIR_AGGR_SAME ? MPIR_Aggr_row_for(1)
                                                                : row_with_table(neighbours),
                                    request, mpi_errno);
}

bool MPIR_Aggr_post_neighbor_allgather(const void *sendbuf, MPI_Aint sendcount,
                                       MPI_Datatype sendtype, void *recvbuf, MPI_Aint recvcount,
                                       MPI_Datatype recvtype, MPIR_Comm *comm,
                                       MPIR_Request **request, int *mpi_errno)
{
    return exchange(comm, MPIR_Aggr_parts_of(sendbuf, sendcount, sendtype, MPIR_AGGR_SAME),
                    MPIR_Aggr_parts_of(recvbuf, recvcount, recvtype, MPIR_AGGR_EACH), request,
                    mpi_errno);
}

bool MPIR_Aggr_post_neighbor_allgatherv(const void *sendbuf, MPI_Aint sendcount,
                                        MPI_Datatype sendtype, void *recvbuf,
                                        const MPI_Aint recvcounts[], const MPI_Aint displs[],
                                        MPI_Datatype recvtype, MPIR_Comm *comm,
                                        MPIR_Request **request, int *mpi_errno)
{
    return exchange(comm, MPIR_Aggr_parts_of(sendbuf, sendcount, sendtype, MPIR_AGGR_SAME),
                    MPIR_Aggr_parts_with(recvbuf, recvcounts, displs, recvtype), request,
                    mpi_errno);
}

bool MPIR_Aggr_post_neighbor_alltoall(const void *sendbuf, MPI_Aint sendcount,
                                      MPI_Datatype sendtype, void *recvbuf, MPI_Aint recvcount,
                                      MPI_Datatype recvtype, MPIR_Comm *comm,
                                      MPIR_Request **request, int *mpi_errno)
{
    return exchange(comm, MPIR_Aggr_parts_of(sendbuf, sendcount, sendtype, MPIR_AGGR_EACH),
                    MPIR_Aggr_parts_of(recvbuf, recvcount, recvtype, MPIR_AGGR_EACH), request,
                    mpi_errno);
}

bool MPIR_Aggr_post_neighbor_alltoallv(const void *sendbuf, const MPI_Aint sendcounts[],
                                       const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                       void *recvbuf, const MPI_Aint recvcounts[],
                                       const MPI_Aint rdispls[], MPI_Datatype recvtype,
                                       MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno)
{
    return exchange(comm, MPIR_Aggr_parts_with(sendbuf, sendcounts, sdispls, sendtype),
                    MPIR_Aggr_parts_with(recvbuf, recvcounts, rdispls, recvtype), request,
                    mpi_errno);
}

bool MPIR_Aggr_post_neighbor_alltoallw(const void *sendbuf, const MPI_Aint sendcounts[],
                                       const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                       void *recvbuf, const MPI_Aint recvcounts[],
                                       const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                       MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno)
{
    return exchange(comm, MPIR_Aggr_parts_of_types(sendbuf, sendcounts, sdispls, sendtypes),
                    MPIR_Aggr_parts_of_types(recvbuf, recvcounts, rdispls, recvtypes), request,
                    mpi_errno);
}
