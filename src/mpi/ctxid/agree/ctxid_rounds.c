/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_rounds.h"

/* How often a message is tried again that fails for another reason than the lack of memory that
 * MPICH reports. */
#define MOST_FAILURES 1000

void MPIR_ctxid_rounds_start(ctxid_rounds_t *rounds, MPIR_Comm *comm, size_t bytes,
                             ctxid_fold_fn fold)
{
    rounds->comm = comm;
    rounds->bytes = bytes;
    rounds->fold = fold;
    rounds->distance = 1;
    rounds->reach = (uint32_t) MPIR_Others->count(
        comm->comm_kind == MPIR_COMM_KIND__INTERCOMM ? 2 : comm->local_size);
}

/* The member so many ranks on */
static int peer(const ctxid_rounds_t *rounds, uint32_t on)
{
    const MPIR_Comm *comm = rounds->comm;

    if (comm->comm_kind == MPIR_COMM_KIND__INTERCOMM)
        return 0;
    return (int) (((uint32_t) comm->rank + on) % (uint32_t) comm->local_size);
}

static bool has_request_in(int pool)
{
    MPIR_Object_alloc_t *requests = &MPIR_Request_mem[pool];
    void *request;

    MPID_THREAD_CS_ENTER(VCI, (*(MPID_Thread_mutex_t *) requests->lock));
    request = MPIR_Handle_obj_alloc_unsafe(requests, REQUEST_NUM_BLOCKS, REQUEST_NUM_INDICES);
    if (request != NULL)
        MPIR_Handle_obj_free_unsafe(requests, request, false);
    MPID_THREAD_CS_EXIT(VCI, (*(MPID_Thread_mutex_t *) requests->lock));
    return request != NULL;
}

/* The device chooses the pool of a message. */
bool MPIR_ctxid_has_request(void)
{
    bool has = has_request_in(0);

    for (int pool = 1; pool < MPIR_REQUEST_NUM_POOLS && has; pool++)
        has = MPIR_Request_mem[pool].lock == NULL || has_request_in(pool);
    return has;
}

static int post_recv(ctxid_rounds_t *rounds)
{
    MPIR_Request *request;
    int mpi_errno = MPIX_ERR_NOREQ;

    if (MPIR_ctxid_has_request())
        mpi_errno = MPIC_Irecv(&rounds->theirs, (MPI_Aint) rounds->bytes, MPI_BYTE,
                               peer(rounds, (uint32_t) rounds->comm->local_size - rounds->distance),
                               rounds->tag, rounds->comm, &request);
    rounds->recv = (mpi_errno == MPI_SUCCESS) ? request : NULL;
    return mpi_errno;
}

static int post_send(ctxid_rounds_t *rounds)
{
    MPIR_Request *request;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    int mpi_errno = MPIX_ERR_NOREQ;

    if (MPIR_ctxid_has_request())
        mpi_errno = MPIC_Isend(&rounds->mine, (MPI_Aint) rounds->bytes, MPI_BYTE,
                               peer(rounds, rounds->distance), rounds->tag, rounds->comm, &request,
                               &errflag);
    rounds->send = (mpi_errno == MPI_SUCCESS) ? request : NULL;
    return mpi_errno;
}

bool MPIR_ctxid_rounds_try_again(ctxid_rounds_t *rounds, int mpi_errno)
{
    int why = MPIR_ERR_GET_CLASS(mpi_errno);

    rounds->rests = (why == MPI_ERR_NO_MEM || why == MPIX_ERR_NOREQ ||
                     (why != MPIX_ERR_REVOKED && ++rounds->failures < MOST_FAILURES));
    return rounds->rests;
}

static void post_round(ctxid_rounds_t *rounds)
{
    int mpi_errno = MPI_SUCCESS;

    if (rounds->recv == NULL)
        mpi_errno = post_recv(rounds);
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = post_send(rounds);
    if (mpi_errno == MPI_SUCCESS || MPIR_ctxid_rounds_try_again(rounds, mpi_errno))
        return;
    rounds->mpi_errno = mpi_errno;
    if (rounds->recv != NULL)
        MPID_Cancel_recv(rounds->recv);
}

static void end_message(ctxid_rounds_t *rounds, MPIR_Request **request)
{
    if (*request == NULL)
        return;
    if (rounds->mpi_errno == MPI_SUCCESS)
        rounds->mpi_errno = (*request)->status.MPI_ERROR;
    MPIR_Request_free(*request);
    *request = NULL;
}

static void end_round(ctxid_rounds_t *rounds)
{
    rounds->rests = (rounds->send && !MPIR_Request_is_complete(rounds->send)) ||
                    (rounds->recv && !MPIR_Request_is_complete(rounds->recv));
    if (rounds->rests)
        return;
    end_message(rounds, &rounds->send);
    end_message(rounds, &rounds->recv);
    if (rounds->fold && rounds->mpi_errno == MPI_SUCCESS)
        rounds->fold(&rounds->mine, &rounds->theirs);
    rounds->distance *= 2;
    rounds->failures = 0;
}

static bool is_posted(const ctxid_rounds_t *rounds)
{
    return rounds->send || (rounds->recv && rounds->mpi_errno);
}

bool MPIR_ctxid_rounds_are_left(const ctxid_rounds_t *rounds)
{
    return is_posted(rounds) || (!rounds->mpi_errno && rounds->distance < rounds->reach);
}

void MPIR_ctxid_rounds_go_on(ctxid_rounds_t *rounds)
{
    if (is_posted(rounds))
        end_round(rounds);
    else
        post_round(rounds);
}
