/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "ucx_impl.h"
#include "ucx_card.h"
#include "ucx_worlds.h"
#include "ch4_cards.h"

/* Processes as other worlds know them (ucx_worlds.h). Their roots meet by TCP (port/port.h): there
 * are no messages before that. */

int MPIDI_UCX_dynamic_send(uint64_t remote_gpid MPL_UNUSED, int tag MPL_UNUSED,
                           const void *buf MPL_UNUSED, int size MPL_UNUSED, int timeout MPL_UNUSED)
{
    MPIR_Assert_fail("roots meet by TCP", __FILE__, __LINE__);
    return MPI_ERR_INTERN;
}

int MPIDI_UCX_dynamic_recv(int tag MPL_UNUSED, void *buf MPL_UNUSED, int size MPL_UNUSED,
                           int timeout MPL_UNUSED)
{
    MPIR_Assert_fail("roots meet by TCP", __FILE__, __LINE__);
    return MPI_ERR_INTERN;
}

/* ---- from ranks to upids ---- */

typedef struct {
    char *data;
    size_t bytes, room;
} upids_t;

/* *place is room for them behind the others. */
static int upids_append(upids_t *upids, size_t bytes, char **place)
{
    int mpi_errno = MPI_SUCCESS;

    if (upids->bytes + bytes > upids->room) {
        size_t room = MPL_MAX(2 * upids->room, upids->bytes + bytes);
        char *data = MPL_realloc(upids->data, room, MPL_MEM_ADDRESS);

        MPIR_ERR_CHKANDSTMT(!data, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem");
        upids->data = data;
        upids->room = room;
    }
    *place = upids->data + upids->bytes;
    upids->bytes += bytes;

    return mpi_errno;
}

static int append_card(upids_t *upids, int rank, const void *card, size_t card_bytes)
{
    MPIDI_UCX_upid_t head = {.world = MPIDI_UCX_worlds_own(),
                             .rank = (uint32_t) rank,
                             .card_bytes = (uint32_t) card_bytes};
    char *place;

    MPIR_TRY(upids_append(upids, sizeof(head) + card_bytes, &place));
    memcpy(place, &head, sizeof(head));
    if (card)
        memcpy(place + sizeof(head), card, card_bytes);
    else
        MPIDI_UCX_card_write(place + sizeof(head));

    return MPI_SUCCESS;
}

static int append_of_world(upids_t *upids, int rank)
{
    int mpi_errno = MPI_SUCCESS;
    const void *card;
    void *buffer = NULL;
    int bytes;

    if (rank == MPIR_Process.rank)
        return append_card(upids, rank, NULL, MPIDI_UCX_card_bytes());
    MPID_THREAD_CS_ENTER(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    mpi_errno = MPIDI_Cards_find(rank, &card, &bytes, &buffer);
    MPID_THREAD_CS_EXIT(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = append_card(upids, rank, card, (size_t) bytes);
    MPIR_ERR_CHECK(mpi_errno);

fn_exit:
    MPL_free(buffer);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

static int append_stranger(upids_t *upids, int avtid, int lpid)
{
    const MPIDI_UCX_upid_t *upid = MPIDI_UCX_worlds_upid(avtid, lpid);
    size_t bytes = sizeof(*upid) + upid->card_bytes;
    char *place;
    int mpi_errno = upids_append(upids, bytes, &place);

    if (mpi_errno == MPI_SUCCESS)
        memcpy(place, upid, bytes);
    return mpi_errno;
}

int MPIDI_UCX_get_local_upids(MPIR_Comm *comm, int **local_upid_size, char **local_upids)
{
    int mpi_errno = MPI_SUCCESS;
    upids_t upids = {NULL, 0, 0};
    int *sizes = MPL_malloc(comm->local_size * sizeof(int), MPL_MEM_ADDRESS);

    MPIR_ERR_CHKANDJUMP(!sizes, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    for (int i = 0; i < comm->local_size; i++) {
        size_t before = upids.bytes;
        int avtid, lpid;

        MPIDIU_comm_rank_to_pid_local(comm, i, &lpid, &avtid);
        mpi_errno =
            avtid == 0 ? append_of_world(&upids, lpid) : append_stranger(&upids, avtid, lpid);
        MPIR_ERR_CHECK(mpi_errno);
        sizes[i] = (int) (upids.bytes - before);
    }
    *local_upid_size = sizes;
    *local_upids = upids.data;

fn_exit:
    return mpi_errno;
fn_fail:
    MPL_free(sizes);
    MPL_free(upids.data);
    goto fn_exit;
}

/* ---- from upids to gpids ---- */

static int check_upid(const char *upid, int bytes, MPIDI_UCX_upid_t *head)
{
    int mpi_errno = MPI_SUCCESS;

    MPIR_ERR_CHKANDSTMT(bytes < (int) sizeof(*head), mpi_errno, MPI_ERR_OTHER, return mpi_errno,
                        "**ucx_no_card");
    memcpy(head, upid, sizeof(*head));
    MPIR_ERR_CHKANDSTMT((size_t) bytes != sizeof(*head) + head->card_bytes, mpi_errno,
                        MPI_ERR_OTHER, return mpi_errno, "**ucx_no_card");

    return mpi_errno;
}

int MPIDI_UCX_upids_to_gpids(int size, int *remote_upid_size, char *remote_upids,
                             uint64_t *remote_gpids)
{
    int mpi_errno = MPI_SUCCESS;
    const char **upids = MPL_calloc(size, sizeof(*upids), MPL_MEM_ADDRESS);
    uint64_t *gpids = MPL_malloc(size * sizeof(*gpids), MPL_MEM_ADDRESS);
    const char *upid = remote_upids;
    int n = 0;
    MPIDI_UCX_upid_t head;

    MPIR_ERR_CHKANDJUMP(!upids || !gpids, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    for (int i = 0; i < size; upid += remote_upid_size[i++]) {
        mpi_errno = check_upid(upid, remote_upid_size[i], &head);
        MPIR_ERR_CHECK(mpi_errno);
        if (head.world != MPIDI_UCX_worlds_own())
            upids[n++] = upid;
    }
    mpi_errno = MPIDI_UCX_worlds_enter(n, upids, gpids);
    MPIR_ERR_CHECK(mpi_errno);
    upid = remote_upids;
    for (int i = 0, next = 0; i < size; upid += remote_upid_size[i++]) {
        memcpy(&head, upid, sizeof(head));
        remote_gpids[i] =
            head.world == MPIDI_UCX_worlds_own() ? MPIDIU_GPID_CREATE(0, head.rank) : gpids[next++];
    }

fn_exit:
    MPL_free(upids);
    MPL_free(gpids);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}
