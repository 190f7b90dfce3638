/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_return.h"
#include "ireduce_intra_sched_pair.h"

/* Elements of a reduction, in the schedule of one process. */
struct pair {
    MPI_Aint count;
    MPI_Datatype datatype;
    MPI_Op op;
    MPIR_Comm *comm;
    MPIR_Sched_t s;
};

/* Where the other process's elements may go. */
static int make_room(const struct pair *pair, void **room)
{
    int mpi_errno = MPI_SUCCESS;
    MPI_Aint extent, true_lb, true_extent;

    MPIR_Datatype_get_extent_macro(pair->datatype, extent);
    MPIR_Type_get_true_extent_impl(pair->datatype, &true_lb, &true_extent);
    *room = MPIR_Sched_alloc_state(pair->s, pair->count * MPL_MAX(extent, true_extent));
    MPIR_ERR_CHKANDSTMT(!*room, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem");
    *room = (char *) *room - true_lb;
    return mpi_errno;
}

static int receive(const struct pair *pair, void *to)
{
    int mpi_errno;

    mpi_errno =
        MPIR_Sched_recv(to, pair->count, pair->datatype, 1 - pair->comm->rank, pair->comm, pair->s);
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = MPIR_Sched_barrier(pair->s);
    return mpi_errno;
}

static int reduce(const struct pair *pair, const void *left, void *right)
{
    int mpi_errno = MPIR_Sched_reduce(left, right, pair->count, pair->datatype, pair->op, pair->s);

    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = MPIR_Sched_barrier(pair->s);
    return mpi_errno;
}

static int copy(const struct pair *pair, const void *from, void *to)
{
    int mpi_errno = MPIR_Sched_copy(from, pair->count, pair->datatype, to, pair->count,
                                    pair->datatype, pair->s);

    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = MPIR_Sched_barrier(pair->s);
    return mpi_errno;
}

/* Of `mine`, which is not in recvbuf: a fold leaves its result on the right. */
static int fold_into_result(const struct pair *pair, const void *mine, void *recvbuf)
{
    void *theirs;

    if (pair->comm->rank == 0 || MPIR_Op_is_commutative(pair->op)) {
        MPIR_TRY(receive(pair, recvbuf));
        return reduce(pair, mine, recvbuf);
    }
    MPIR_TRY(make_room(pair, &theirs));
    MPIR_TRY(copy(pair, mine, recvbuf));
    MPIR_TRY(receive(pair, theirs));
    return reduce(pair, theirs, recvbuf);
}

static int fold_in_place(const struct pair *pair, void *recvbuf)
{
    void *theirs;

    MPIR_TRY(make_room(pair, &theirs));
    MPIR_TRY(receive(pair, theirs));
    if (pair->comm->rank == 1 || MPIR_Op_is_commutative(pair->op))
        return reduce(pair, theirs, recvbuf);
    MPIR_TRY(reduce(pair, recvbuf, theirs));
    return copy(pair, theirs, recvbuf);
}

int MPIR_Ireduce_intra_sched_pair(const void *sendbuf, void *recvbuf, MPI_Aint count,
                                  MPI_Datatype datatype, MPI_Op op, int root, MPIR_Comm *comm,
                                  MPIR_Sched_t s)
{
    const struct pair pair = {count, datatype, op, comm, s};

    if (comm->rank != root)
        return MPIR_Sched_send(sendbuf, count, datatype, root, comm, s);
    if (sendbuf == MPI_IN_PLACE)
        return fold_in_place(&pair, recvbuf);
    return fold_into_result(&pair, sendbuf, recvbuf);
}
