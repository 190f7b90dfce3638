/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "aggr_comm.h"

/*
 * Few processes, none of them on the node of another: each sends to each.  A step in which
 * processes wait for each other is what costs, and most where they wait for a core, too; this is
 * one step, where by dissemination there are ceil(lg size) of them.
 */

/* A request that no message has: given back to MPICH's pool when that is empty and there is no
 * memory for more.  Threads that come at once exchange it whole: acquire for the thread that frees
 * what another one made. */
static MPIR_Request *reserve;

static void give_reserve(void)
{
    MPIR_Request *given = __atomic_exchange_n(&reserve, NULL, __ATOMIC_ACQ_REL);

    if (given)
        MPIR_Request_free(given);
}

static bool will_give_back; /* at the end of MPI, before the pools of requests are checked */

static int give_back(void *unused MPL_UNUSED)
{
    __atomic_store_n(&will_give_back, false, __ATOMIC_RELAXED);
    give_reserve();
    return MPI_SUCCESS;
}

static void take_reserve(void)
{
    MPIR_Request *taken, *before;

    if (likely(__atomic_load_n(&reserve, __ATOMIC_RELAXED)))
        return;
    taken = MPIR_Request_create(MPIR_REQUEST_KIND__RECV);
    before = taken ? __atomic_exchange_n(&reserve, taken, __ATOMIC_ACQ_REL) : NULL;
    if (before)
        MPIR_Request_free(before);
    if (!__atomic_exchange_n(&will_give_back, true, __ATOMIC_RELAXED))
        MPIR_Add_finalize(give_back, NULL, 0);
}

static int check_length(const MPI_Status *status, size_t bytes)
{
    MPI_Aint received = MPIR_STATUS_GET_COUNT(*status);

    return (size_t) received == bytes ? MPI_SUCCESS
                                      : MPIR_Aggr_lengths_differ((uint64_t) received, bytes);
}

/* What had no request in its turn comes when the others have given theirs back, one at a time. */
static int receive_late(void *buffer, size_t bytes, int from, int tag, MPIR_Comm *comm,
                        MPIR_Errflag_t *errflag)
{
    MPI_Status status;
    int mpi_errno;

    give_reserve();
    mpi_errno = MPIC_Recv(buffer, (MPI_Aint) bytes, MPI_BYTE, from, tag, comm, &status, errflag);
    take_reserve();
    return mpi_errno ? mpi_errno : check_length(&status, bytes);
}

static int direct_finish(MPIR_Request *request, size_t bytes, MPIR_Errflag_t *errflag)
{
    int mpi_errno = MPIC_Wait(request, errflag);

    if (mpi_errno == MPI_SUCCESS && request->kind == MPIR_REQUEST_KIND__RECV)
        mpi_errno = request->status.MPI_ERROR;
    if (mpi_errno == MPI_SUCCESS && request->kind == MPIR_REQUEST_KIND__RECV)
        mpi_errno = check_length(&request->status, bytes);
    MPIR_Request_free(request);
    return mpi_errno;
}

int MPIR_Aggr_exchange(MPIR_Comm *comm, const void *mine, size_t bytes, void *all, int tag,
                       MPIR_Errflag_t *errflag)
{
    MPIR_Request *requests[2 * MPIR_AGGR_DIRECT_MOST];
    int late[MPIR_AGGR_DIRECT_MOST];
    int mpi_errno = MPI_SUCCESS, n = 0, n_late = 0, size = comm->local_size;

    MPL_atomic_fetch_add_uint64(&MPIR_Aggr_counts.direct, 1);
    take_reserve();
    for (int step = 1; step < size; step++) {
        int from = (comm->rank - step + size) % size;
        int status = MPIC_Irecv((char *) all + (size_t) from * bytes, (MPI_Aint) bytes, MPI_BYTE,
                                from, tag, comm, &requests[n]);
        if (status == MPI_SUCCESS)
            n++;
        else
            late[n_late++] = from;
    }
    for (int step = 1; step < size; step++) {
        int status = MPIC_Isend(mine, (MPI_Aint) bytes, MPI_BYTE, (comm->rank + step) % size, tag,
                                comm, &requests[n], errflag);
        n += status == MPI_SUCCESS;
        MPIR_Aggr_note(status, &mpi_errno, errflag);
    }
    if (bytes > 0)
        memcpy((char *) all + (size_t) comm->rank * bytes, mine, bytes);
    for (int i = 0; i < n; i++)
        MPIR_Aggr_note(direct_finish(requests[i], bytes, errflag), &mpi_errno, errflag);
    for (int i = 0; i < n_late; i++)
        MPIR_Aggr_note(receive_late((char *) all + (size_t) late[i] * bytes, bytes, late[i], tag,
                                    comm, errflag),
                       &mpi_errno, errflag);
    if (mpi_errno == MPI_SUCCESS && *errflag)
        MPIR_ERR_SET(mpi_errno, *errflag, "**coll_fail");
    return mpi_errno;
}
