/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Active messages by lines (ucx_lines.h).  A short one goes as a whole.  Of a long one the headers
 * go, and its data are lent until the target's handler has said where they belong.
 */
#include "mpidimpl.h"
#include "ucx_impl.h"
#include "ucx_lanes.h"

/* What waits, or is lent, the program may change: the message is the lane's from here on.  False:
 * the caller sends it by UCX. */
static bool send_whole(MPIR_Comm *comm, int rank, void *message, size_t bytes)
{
    const MPIDI_UCX_parcel_t parcel = {.data = message,
                                       .bytes = bytes,
                                       .tag = NOTE,
                                       .datatype = MPI_BYTE,
                                       .am = MPIDI_UCX_SHORT_AM};
    MPIDI_UCX_lane_t *lane;
    MPIR_Request *req = NULL;
    enum MPIDI_UCX_way way =
        MPIDI_UCX_lines_send(MPIDIU_comm_rank_to_av(comm, rank), &parcel, &lane, &req);

    if (way == MPIDI_UCX_WAITS) {
        MPIR_Request_free(req);
        return true;
    }
    MPL_free(message);
    if (way == MPIDI_UCX_BY_UCX && lane)
        MPIDI_UCX_lines_sent(lane, &parcel);
    return way == MPIDI_UCX_BY_LINE;
}

bool MPIDI_UCX_lines_send_note(MPIR_Comm *comm, int rank, int handler, const void *header,
                               size_t bytes)
{
    const MPIDI_UCX_am_header_t ucx_header = {.handler_id = (uint16_t) handler};
    char *message;

    if (!MPIDI_UCX_lines.on)
        return false;
    message = MPL_malloc(bytes + MPIDI_UCX_AM_BRIEF_SZ, MPL_MEM_BUFFER);
    if (!message) {
        MPIDI_UCX_lanes_make_way(MPIDIU_comm_rank_to_av(comm, rank));
        return false;
    }
    memcpy(MPIDI_UCX_am_brief_pack(ucx_header, message), header, bytes);
    return send_whole(comm, rank, message, bytes + MPIDI_UCX_AM_BRIEF_SZ);
}

/* Both headers, and the data as well if `with_data`.  NULL: no memory. */
static char *write_message(int handler, const void *header, size_t bytes, const void *data,
                           MPI_Aint count, MPI_Datatype datatype, size_t data_bytes, bool with_data)
{
    MPIDI_UCX_am_header_t *message =
        MPL_malloc(sizeof(*message) + bytes + (with_data ? data_bytes : 0), MPL_MEM_BUFFER);
    MPI_Aint packed;

    if (!message)
        return NULL;
    *message = (MPIDI_UCX_am_header_t){.handler_id = (uint16_t) handler, .data_sz = data_bytes};
    memcpy(message->payload, header, bytes);
    if (with_data && data_bytes > 0)
        MPIR_Typerep_pack(data, count, datatype, 0, (char *) message->payload + bytes,
                          (MPI_Aint) data_bytes, &packed);
    return (char *) message;
}

/* The lane ends the request. */
static bool send_lent(MPIDI_av_entry_t *av, char *message, size_t head_bytes, const void *data,
                      size_t bytes, int handler, MPIR_Request *sreq)
{
    const MPIDI_UCX_parcel_t parcel = {.data = data,
                                       .bytes = bytes,
                                       .datatype = MPI_BYTE,
                                       .is_sync = true, /* not as a whole */
                                       .am = MPIDI_UCX_LONG_AM,
                                       .head = message,
                                       .head_bytes = head_bytes,
                                       .handler = handler};

    if (MPIDI_UCX_lanes_send_long(av, &parcel, sreq, message))
        return true;
    MPL_free(message);
    return false;
}

static void end_now(int handler, MPIR_Request *sreq)
{
    int mpi_errno = MPIDIG_global.origin_cbs[handler](sreq);

    if (mpi_errno)
        MPIDI_UCX_handler_errno = mpi_errno;
}

bool MPIDI_UCX_lines_send_am(MPIR_Comm *comm, int rank, int handler, const void *header,
                             size_t bytes, const void *data, MPI_Aint count, MPI_Datatype datatype,
                             MPIR_Request *sreq)
{
    const size_t head_bytes = sizeof(MPIDI_UCX_am_header_t) + bytes;
    MPIR_Datatype *type;
    MPI_Aint true_lb;
    size_t data_bytes;
    int is_contig;
    bool is_whole;
    char *message;

    if (!MPIDI_UCX_lines.on)
        return false;
    MPIDI_Datatype_get_info(count, datatype, is_contig, data_bytes, type, true_lb);
    (void) type;
    is_whole =
        head_bytes + data_bytes <= MPIDI_UCX_LINE_MOST || head_bytes > MPIDI_UCX_AM_LONG_HDR_MOST;
    message = write_message(handler, header, bytes, data, count, datatype, data_bytes,
                            is_whole || !is_contig);
    if (!message) {
        MPIDI_UCX_lanes_make_way(MPIDIU_comm_rank_to_av(comm, rank));
        return false;
    }
    if (!is_whole)
        return send_lent(MPIDIU_comm_rank_to_av(comm, rank), message, head_bytes,
                         is_contig ? MPIR_get_contig_ptr(data, true_lb) : message + head_bytes,
                         data_bytes, handler, sreq);
    if (!send_whole(comm, rank, message, head_bytes + data_bytes))
        return false;
    end_now(handler, sreq);
    return true;
}
