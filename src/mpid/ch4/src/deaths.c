/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "mpidch4r.h"
#include "deaths_list.h"

__thread bool MPIDIG_deaths_cancels;

/* Of each index below `room`, a byte.  It grows with the worlds that this process has met.  Smaller
 * ones stay: another thread may read them. */
static uint8_t *dead;
static uint32_t room;

static bool make_room(uint32_t index)
{
    const uint32_t wanted = MPL_MAX(MPL_MAX(index + 1, 2 * room), (uint32_t) MPIR_Process.size);
    uint8_t *larger = MPL_calloc(1, wanted, MPL_MEM_OTHER);

    if (!larger)
        return false;
    if (room > 0)
        memcpy(larger, dead, room);
    __atomic_store_n(&dead, larger, __ATOMIC_RELEASE);
    __atomic_store_n(&room, wanted, __ATOMIC_RELEASE);
    return true;
}

bool MPIDIG_deaths_put(uint32_t index)
{
    if (index >= room && !make_room(index))
        return false;
    dead[index] = 1;
    return true;
}

static bool is_dead(uint32_t index)
{
    return index < __atomic_load_n(&room, __ATOMIC_ACQUIRE) && dead[index];
}

bool MPIDIG_deaths_is_dead(MPIR_Comm *comm, int rank)
{
    return room > 0 && is_dead(MPIDIU_comm_rank_to_index(comm, rank));
}

/* ---- requests ---- */

void MPIDIG_deaths_end_receive(MPIR_Request *req, int error)
{
    MPIR_Request_add_ref(req);
    req->status.MPI_ERROR = error;
    MPID_Cancel_recv(req);
    if (MPIR_STATUS_GET_CANCEL_BIT(req->status))
        MPIR_STATUS_SET_CANCEL_BIT(req->status, FALSE);
    MPIR_Request_free(req);
}

/* The netmod's half of a receive from any process, which may have been another's request before. */
static void note_half(MPIR_Request *req MPL_UNUSED)
{
#ifndef MPIDI_CH4_DIRECT_NETMOD
    MPIR_Request *half = MPIDI_REQUEST_ANYSOURCE_PARTNER(req);

    if (half && !MPIR_Request_is_complete(req))
        MPIDI_REQUEST(half, peer) = MPIDI_REQUEST(req, peer);
#endif
}

/* A send that fails later calls the error handler of its communicator. */
static void keep_comm(MPIR_Request *send, MPIR_Comm *comm)
{
    if (send->comm || MPIR_Request_is_complete(send))
        return;
    send->comm = comm;
    MPIR_Comm_add_ref(comm);
}

void MPIDIG_deaths_note_peer(MPIR_Request *req, MPIR_Comm *comm, int rank, int context_offset)
{
    const bool is_collective = context_offset != MPIR_CONTEXT_INTRA_PT2PT;
    const uint32_t peer = rank == MPI_ANY_SOURCE ? 0 : MPIDIU_comm_rank_to_index(comm, rank) + 1;

    MPIDI_REQUEST(req, peer) = peer | (is_collective ? MPIDIG_DEATHS_COLLECTIVE : 0);
    if (rank == MPI_ANY_SOURCE)
        note_half(req);
    if (req->kind == MPIR_REQUEST_KIND__SEND)
        keep_comm(req, comm);
    if (likely(MPIR_Deaths_seen == 0) || req->kind != MPIR_REQUEST_KIND__RECV ||
        MPIR_Request_is_complete(req))
        return;
    if (peer != 0 && is_dead(peer - 1))
        MPIDIG_deaths_end_receive(req, MPIX_ERR_PROC_FAILED);
    else if (is_collective && MPIR_Comm_is_over(comm))
        MPIDIG_deaths_end_receive(req, MPIR_Comm_end_class(comm));
}

bool MPIDIG_deaths_is_collective(const MPIR_Request *req)
{
    return MPIDI_REQUEST(req, peer) & MPIDIG_DEATHS_COLLECTIVE;
}

/* One that has ended with the error. */
static int make_send(MPIR_Comm *comm, MPIR_Request **req)
{
    int mpi_errno = MPI_SUCCESS;

    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(0).lock);
    *req = MPIR_Request_create_from_pool(MPIR_REQUEST_KIND__SEND, 0, 1);
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(0).lock);
    MPIR_ERR_CHKANDJUMP(*req == NULL, mpi_errno, MPIX_ERR_NOREQ, "**nomemreq");
    (*req)->comm = comm;
    MPIR_Comm_add_ref(comm);
    MPIR_cc_set((*req)->cc_ptr, 0);
    (*req)->status.MPI_ERROR = MPIX_ERR_PROC_FAILED;

fn_fail:
    return mpi_errno;
}

bool MPIDIG_deaths_refuse_send(MPIR_Comm *comm, int rank, MPIR_Request **req, int *mpi_errno)
{
    if (!MPIDIG_deaths_is_dead(comm, rank))
        return false;
    *mpi_errno = make_send(comm, req);
    return true;
}

/* UCX's errors have this class. */
int MPIDIG_deaths_failed_send(int error, MPIR_Comm *comm, MPIR_Request **req)
{
    const int class = MPIR_ERR_GET_CLASS(error);

    return class == MPI_ERR_OTHER || class == MPIX_ERR_PROC_FAILED ? make_send(comm, req) : error;
}

void MPIDIG_deaths_end_with_error(MPIR_Request *req)
{
    req->status.MPI_ERROR = MPIX_ERR_PROC_FAILED;
}

int MPIDIG_deaths_probe(MPIR_Comm *comm, int rank)
{
    int mpi_errno = MPI_SUCCESS;

    if (rank != MPI_ANY_SOURCE && MPIDIG_deaths_is_dead(comm, rank))
        return MPIX_ERR_PROC_FAILED;
    if (rank == MPI_ANY_SOURCE && !MPIDIG_deaths_are_acked(comm))
        MPIR_ERR_SET(mpi_errno, MPIX_ERR_PROC_FAILED_PENDING, "**failure_pending");
    return mpi_errno;
}

/* ---- communicators ---- */

static bool has_member(MPIR_Comm *comm, uint32_t number, MPIR_Map_side_t which)
{
    const cmap_t *map = MPIR_Comm_map(comm, which);

    return map && MPIR_Deaths_rank_in(map, number) != CMAP_NONE;
}

bool MPIDIG_deaths_has_member(MPIR_Comm *comm, uint32_t number)
{
    return has_member(comm, number, MPIR_MAP_REMOTE) ||
           (comm->comm_kind == MPIR_COMM_KIND__INTERCOMM &&
            has_member(comm, number, MPIR_MAP_LOCAL));
}

/* Those who are no members need no acknowledgement. */
bool MPIDIG_deaths_are_acked(MPIR_Comm *comm)
{
    uint32_t *acked = &MPIDI_COMM(comm, deaths_acked);

    while (*acked < MPIR_Deaths_seen && !MPIDIG_deaths_has_member(comm, *acked))
        ++*acked;
    return *acked == MPIR_Deaths_seen;
}

/* Of the first `number` of the list the members of the communicator, in this order. */
static int make_group(MPIR_Comm *comm, uint32_t number, MPIR_Group **group)
{
    int mpi_errno = MPI_SUCCESS, n = 0;
    uint32_t *indices;
    cmap_t *map = NULL;
    cmap_status status;
    MPIR_CHKLMEM_DECL(1);

    *group = MPIR_Group_empty;
    MPIR_CHKLMEM_MALLOC(indices, uint32_t *, (number + 1) * sizeof(uint32_t), mpi_errno, "dead",
                        MPL_MEM_GROUP);
    for (uint32_t i = 0; i < number; i++) {
        if (MPIDIG_deaths_has_member(comm, i))
            indices[n++] = MPIR_Deaths_indices[i];
    }
    if (n > 0) {
        status = MPIR_cmap_from_array(indices, (uint32_t) n, CMAP_MAX_SIZE, NULL, &map);
        if (status != CMAP_OK)
            mpi_errno = MPIR_Map_error(status, "group of the dead", n);
        MPIR_ERR_CHECK(mpi_errno);
        mpi_errno = MPIR_Group_create_from_map(map, MPI_UNDEFINED, group);
        MPIR_ERR_CHECK(mpi_errno);
    }

fn_exit:
    MPIR_CHKLMEM_FREEALL();
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

int MPIDIG_deaths_ack(MPIR_Comm *comm)
{
    MPIDI_COMM(comm, deaths_acked) = MPIR_Deaths_seen;
    return MPI_SUCCESS;
}

int MPIDIG_deaths_get_acked(MPIR_Comm *comm, MPIR_Group **failed)
{
    return make_group(comm, MPIDI_COMM(comm, deaths_acked), failed);
}

int MPID_Comm_get_failed(MPIR_Comm *comm, MPIR_Group **failed)
{
    return make_group(comm, MPIR_Deaths_seen, failed);
}

int MPID_Comm_ack_failed(MPIR_Comm *comm, int num_to_ack, int *num_acked)
{
    const uint32_t acked = MPIDI_COMM(comm, deaths_acked);

    *num_acked = 0;
    for (uint32_t i = 0; i < MPIR_Deaths_seen && (i < acked || *num_acked < num_to_ack); i++) {
        *num_acked += MPIDIG_deaths_has_member(comm, i);
        MPIDI_COMM(comm, deaths_acked) = MPL_MAX(acked, i + 1);
    }
    return MPI_SUCCESS;
}
