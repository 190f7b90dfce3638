/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "aggr_comm.h"

/* Collectives that move data as they are, of any datatype: what is not contiguous is packed, into
 * memory that the process has from the first set-up on, so that no member can fail alone.  Long
 * data are not packed, but for a broadcast. */

/* A user's buffer as bytes in a row. */
struct view {
    void *at;
    size_t bytes;
    void *user;
    MPI_Aint count;
    MPI_Datatype datatype;
    bool packed;
    bool is_own; /* memory for these data alone */
};

static bool lies_in_a_row(MPI_Datatype datatype)
{
    int contiguous = 1;

    if (!HANDLE_IS_BUILTIN(datatype))
        MPIR_Datatype_is_contig(datatype, &contiguous);
    return contiguous;
}

/* REQUIRES as many bytes as the scratch memory has, or fewer; any number of data in a row. */
static inline struct view view_of(const void *user, MPI_Aint count, MPI_Datatype datatype,
                                  enum MPIR_Aggr_scratch scratch)
{
    struct view view = {
        (void *) user, MPIR_Aggr_bytes(count, datatype), (void *) user, count, datatype, false,
        false};

    if (HANDLE_IS_BUILTIN(datatype))
        return view;
    view.packed = !lies_in_a_row(datatype);
    view.at =
        view.packed ? MPIR_Aggr_scratch(scratch) : (char *) user + MPIR_Aggr_first_byte(datatype);
    return view;
}

/* Of any length.  False: no memory. */
static bool make_long_view(struct view *view, const void *user, MPI_Aint count,
                           MPI_Datatype datatype)
{
    *view = view_of(user, count, datatype, MPIR_AGGR_SCRATCH_IN);
    if (!view->packed)
        return true;
    view->at = MPL_malloc(view->bytes, MPL_MEM_COLL);
    view->is_own = true;
    return view->at != NULL;
}

static void end_long_view(struct view *view)
{
    if (view->is_own)
        MPL_free(view->at);
}

static int pack(const struct view *view)
{
    MPI_Aint packed;

    return view->packed ? MPIR_Typerep_pack(view->user, view->count, view->datatype, 0, view->at,
                                            view->bytes, &packed)
                        : MPI_SUCCESS;
}

static int unpack(const struct view *view)
{
    MPI_Aint unpacked;

    return view->packed ? MPIR_Typerep_unpack(view->at, view->bytes, view->user, view->count,
                                              view->datatype, 0, &unpacked)
                        : MPI_SUCCESS;
}

/* After a collective with this status.  The others wait for this process, so that it goes through
 * the collective also when it could not pack; the first error is what is returned.  False: the data
 * go by messages. */
static bool move_finish(aggr_group_t *group, const struct view *received, int status, size_t bytes,
                        int *mpi_errno)
{
    if (MPIR_Aggr_end(group, &status))
        return false;
    status = MPIR_Aggr_error(status, bytes, group);
    if (status == MPI_SUCCESS && received)
        status = unpack(received);
    MPIR_Err_keep_first(mpi_errno, status);
    return MPIR_Aggr_done(bytes, mpi_errno);
}

/* ---- broadcast ------------------------------------------------------------------------------- */

static int send_long(aggr_group_t *group, void *buffer, MPI_Aint count, MPI_Datatype datatype,
                     int *mpi_errno)
{
    size_t bytes = MPIR_Aggr_bytes(count, datatype);
    aggr_desk_t *desk = bytes <= MPIR_Aggr_settings.long_bytes ? MPIR_Aggr_desk() : NULL;
    struct view view;
    int status;

    if (!desk || !make_long_view(&view, buffer, count, datatype))
        return MPIR_aggr_bcast_elsewhere(group, bytes);
    *mpi_errno = pack(&view);
    status = MPIR_aggr_bcast_long(group, desk, view.at, bytes);
    end_long_view(&view);
    return status;
}

/* A failure between nodes goes to all members, and is the root's error, too.  After a revocation
 * all members learn of it by the revocation itself, so that all have the same error. */
static int send_mine(aggr_group_t *group, void *buffer, MPI_Aint count, MPI_Datatype datatype,
                     MPIR_Comm *comm, const MPIR_Errflag_t *errflag, int *mpi_errno)
{
    size_t bytes = MPIR_Aggr_bytes(count, datatype);
    struct view view;
    int status;

    if (*errflag != MPIR_ERR_NONE) {
        status = comm->ended ? AGGR_OK : MPIR_aggr_bcast_failure(group);
        return status ? status : AGGR_ERR_ROOT;
    }
    if (bytes > MPIR_Aggr_settings.max_bytes)
        return send_long(group, buffer, count, datatype, mpi_errno);
    view = view_of(buffer, count, datatype, MPIR_AGGR_SCRATCH_IN);
    *mpi_errno = pack(&view);
    return MPIR_aggr_bcast(group, view.at, bytes, group->me);
}

/* What has another length than this member expects is dropped. */
static int receive_long(aggr_group_t *group, void *buffer, MPI_Aint count, MPI_Datatype datatype,
                        int root, int *mpi_errno)
{
    uint64_t sent = group->length;
    struct view view;
    bool has_memory = make_long_view(&view, buffer, count, datatype);
    int status =
        MPIR_aggr_bcast_rest(group, sent == view.bytes && has_memory ? view.at : NULL, root);

    group->length = sent;
    if (status == AGGR_OK && sent != view.bytes)
        status = AGGR_ERR_LENGTH;
    else if (status == AGGR_OK && has_memory)
        *mpi_errno = unpack(&view);
    else if (status == AGGR_OK)
        MPIR_ERR_SETANDSTMT1(*mpi_errno, MPI_ERR_NO_MEM, ;, "**nomem", "**nomem %s", "broadcast");
    end_long_view(&view);
    return status;
}

static int receive_theirs(aggr_group_t *group, void *buffer, MPI_Aint count, MPI_Datatype datatype,
                          int root, int *mpi_errno)
{
    struct view view = view_of(buffer, count, datatype, MPIR_AGGR_SCRATCH_IN);
    int status = MPIR_aggr_bcast(group, view.at, view.bytes, root);

    if (status == AGGR_LONG)
        return receive_long(group, buffer, count, datatype, root, mpi_errno);
    if (status == AGGR_OK)
        *mpi_errno = unpack(&view);
    return status;
}

/* The root's data go by messages and are not as long as what this member expects.  It passes them
 * on to those that wait for them, and drops them. */
static int pass_on(uint64_t bytes, uint64_t expected, int root, MPIR_Comm *comm,
                   MPIR_Errflag_t *errflag)
{
    int mpi_errno = MPI_SUCCESS;
    void *dropped = MPL_malloc(bytes, MPL_MEM_COLL);

    MPIR_ERR_CHKANDJUMP(!dropped, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    comm->aggr->by_messages = true;
    if (comm->hierarchy_kind == MPIR_COMM_HIERARCHY_KIND__NODE)
        mpi_errno = MPIR_Bcast_impl(dropped, (MPI_Aint) bytes, MPI_BYTE, root, comm, errflag);
    else
        mpi_errno = MPIR_Bcast(dropped, (MPI_Aint) bytes, MPI_BYTE, root, comm, errflag);
    comm->aggr->by_messages = false;
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = MPIR_Aggr_lengths_differ(bytes, expected);

fn_exit:
    MPL_free(dropped);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

/* A root that has heard of a death sends nothing (send_mine()), and its next line may be that of
 * another operation.  The death is in memory of the node: this process hears of it now. */
static void hear_of_death(MPIR_Comm *comm, int *mpi_errno)
{
    if (MPIR_Deaths_watched)
        (void) MPID_Progress_test(NULL);
    MPIR_Comm_end_as_ended(comm, mpi_errno);
}

bool MPIR_Aggr_do_bcast(void *buffer, MPI_Aint count, MPI_Datatype datatype, int root,
                        MPIR_Comm *comm, MPIR_Errflag_t *errflag, int *mpi_errno)
{
    size_t bytes = MPIR_Aggr_bytes(count, datatype);
    enum MPIR_Aggr_kind kind =
        MPIR_Aggr_rooted(bytes, MPIR_AGGR_FEW_BCAST, MPIR_Aggr_settings.long_bytes);
    aggr_group_t *group;
    int status;

    if (MPIR_Aggr_declines_rooted(comm, kind))
        return false;
    group = MPIR_Aggr_group(comm, kind, mpi_errno);
    if (!group)
        return MPIR_Aggr_failed(*mpi_errno, errflag);
    status = comm->rank == root
                 ? send_mine(group, buffer, count, datatype, comm, errflag, mpi_errno)
                 : receive_theirs(group, buffer, count, datatype, root, mpi_errno);
    if (status == AGGR_ELSEWHERE && group->length == bytes)
        return false;
    if (status == AGGR_ELSEWHERE)
        *mpi_errno = pass_on(group->length, bytes, root, comm, errflag);
    else if (status != AGGR_OK)
        *mpi_errno = MPIR_Aggr_error(status, bytes, group);
    if (unlikely(status == AGGR_ERR_LENGTH))
        hear_of_death(comm, mpi_errno);
    MPIR_Aggr_failed(*mpi_errno, errflag);
    return MPIR_Aggr_done(bytes, mpi_errno);
}

/* ---- a part of each, or for each ------------------------------------------------------------- */

/* Where this process's own part lies in the buffer for all. */
static const char *own_part(const struct view *all, int rank, size_t bytes)
{
    return (const char *) all->at + (size_t) rank * bytes;
}

/* Of all parts; more than any limit if that is no number. */
static uint64_t total(uint64_t bytes, const MPIR_Comm *comm)
{
    return bytes <= MPIR_Aggr_settings.long_bytes ? bytes * (uint64_t) comm->local_size
                                                  : UINT64_MAX;
}

/* The communicator's aggregates for parts of so many bytes; `in_rows` says whether the buffers of
 * this process can be used as they are. */
static aggr_group_t *move_begin(MPIR_Comm *comm, enum MPIR_Aggr_kind kind, uint64_t bytes,
                                int parts_in_place, bool in_rows, int *mpi_errno)
{
    MPIR_Aggr_payload_t payload = MPIR_Aggr_payload(bytes, comm->local_size, parts_in_place);

    payload.is_long = payload.is_long && in_rows;
    return MPIR_Aggr_begin(comm, kind, payload, mpi_errno);
}

/* Is a collective over that has no lines? */
static bool is_over(const MPIR_Comm *comm, uint64_t bytes, int mpi_errno)
{
    return mpi_errno != MPI_SUCCESS || (bytes == 0 && !MPIR_Aggr_has_lines(comm));
}

static bool move_gather(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                        void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype, bool wanted,
                        int root, MPIR_Comm *comm, int *mpi_errno)
{
    uint64_t bytes =
        wanted ? MPIR_Aggr_one_length(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype)
               : MPIR_Aggr_bytes(sendcount, sendtype);
    enum MPIR_Aggr_kind kind = root < 0 ? MPIR_AGGR_EXACT
                                        : MPIR_Aggr_rooted(total(bytes, comm), MPIR_AGGR_FEW_GATHER,
                                                           MPIR_Aggr_settings.long_bytes);
    bool in_rows = (sendbuf == MPI_IN_PLACE || lies_in_a_row(sendtype)) &&
                   (!wanted || lies_in_a_row(recvtype));
    aggr_group_t *group = move_begin(comm, kind, bytes, 1, in_rows, mpi_errno);
    struct view in, out = {0};
    const void *mine;

    if (!group)
        return is_over(comm, bytes, *mpi_errno);
    if (wanted)
        out = view_of(recvbuf, recvcount * comm->local_size, recvtype, MPIR_AGGR_SCRATCH_OUT);
    if (sendbuf == MPI_IN_PLACE) {
        *mpi_errno = pack(&out);
        mine = own_part(&out, comm->rank, bytes);
    } else {
        in = view_of(sendbuf, sendcount, sendtype, MPIR_AGGR_SCRATCH_IN);
        *mpi_errno = pack(&in);
        mine = in.at;
    }
    return move_finish(group, wanted ? &out : NULL,
                       root < 0 ? MPIR_aggr_allgather(group, mine, out.at, bytes)
                                : MPIR_aggr_gather(group, mine, out.at, bytes, root),
                       bytes, mpi_errno);
}

/* The others wait for this process, also when it could not pack. */
static bool allgather_nodes(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                            void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype,
                            MPIR_Comm *comm, int *mpi_errno)
{
    MPIR_Aggr_vector_t mine, all;
    size_t bytes;
    int status;

    if (sendbuf == MPI_IN_PLACE) {
        MPI_Aint extent;
        MPIR_Datatype_get_extent_macro(recvtype, extent);
        sendbuf = (char *) recvbuf + comm->rank * recvcount * extent;
        sendcount = recvcount;
        sendtype = recvtype;
    }
    bytes = MPIR_Aggr_bytes(sendcount, sendtype);
    if (!MPIR_Aggr_begin_nodes(comm, MPIR_AGGR_EXACT, bytes, mpi_errno))
        return *mpi_errno != MPI_SUCCESS;
    *mpi_errno =
        MPIR_Localcopy(sendbuf, sendcount, sendtype, mine.words, (MPI_Aint) bytes, MPI_BYTE);
    status = MPIR_Aggr_collect(comm, mine.words, bytes, &all);
    if (*mpi_errno == MPI_SUCCESS && status == MPI_SUCCESS)
        status = MPIR_Localcopy(all.words, (MPI_Aint) bytes * comm->local_size, MPI_BYTE, recvbuf,
                                recvcount * comm->local_size, recvtype);
    MPIR_Err_keep_first(mpi_errno, status);
    return MPIR_Aggr_done(bytes, mpi_errno);
}

bool MPIR_Aggr_do_allgather(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                            void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype,
                            MPIR_Comm *comm, int *mpi_errno)
{
    if (MPIR_Aggr_spans_nodes(comm))
        return allgather_nodes(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                               mpi_errno);
    return move_gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, true, -1, comm,
                       mpi_errno);
}

/* From memory in which the parts lie one behind the other. */
static int unpack_parts(const char *from, void *recvbuf, const MPI_Aint recvcounts[],
                        const MPI_Aint displs[], MPI_Datatype recvtype, int size)
{
    int mpi_errno = MPI_SUCCESS;
    MPI_Aint extent;

    MPIR_Datatype_get_extent_macro(recvtype, extent);
    for (int i = 0; i < size && mpi_errno == MPI_SUCCESS; i++) {
        struct view part = {.at = (void *) from,
                            .bytes = MPIR_Aggr_bytes(recvcounts[i], recvtype),
                            .user = (char *) recvbuf + displs[i] * extent,
                            .count = recvcounts[i],
                            .datatype = recvtype,
                            .packed = true};

        mpi_errno = unpack(&part);
        from += part.bytes;
    }
    return mpi_errno;
}

/* This process's own part: from where it lies in a row, which may be in its place of recvbuf. */
static struct view own_view(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                            void *recvbuf, const MPI_Aint recvcounts[], const MPI_Aint displs[],
                            MPI_Datatype recvtype, int rank)
{
    MPI_Aint extent;

    if (sendbuf != MPI_IN_PLACE)
        return view_of(sendbuf, sendcount, sendtype, MPIR_AGGR_SCRATCH_IN);
    MPIR_Datatype_get_extent_macro(recvtype, extent);
    return view_of((char *) recvbuf + displs[rank] * extent, recvcounts[rank], recvtype,
                   MPIR_AGGR_SCRATCH_IN);
}

/* Where the parts go: to their places, or one behind the other to be unpacked. */
static aggr_layout_t layout_of(const MPI_Aint recvcounts[], const MPI_Aint displs[],
                               MPI_Datatype recvtype)
{
    size_t size = (size_t) MPIR_Aggr_bytes(1, recvtype);
    MPI_Aint extent;

    MPIR_Datatype_get_extent_macro(recvtype, extent);
    return lies_in_a_row(recvtype) ? (aggr_layout_t){recvcounts, displs, size, (size_t) extent}
                                   : (aggr_layout_t){recvcounts, NULL, size, size};
}

bool MPIR_Aggr_do_allgatherv(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                             void *recvbuf, const MPI_Aint recvcounts[], const MPI_Aint displs[],
                             MPI_Datatype recvtype, MPIR_Comm *comm, int *mpi_errno)
{
    uint64_t all = MPIR_Aggr_bytes(MPIR_Aggr_sum(recvcounts, comm), recvtype);
    uint64_t own = MPIR_Aggr_one_length(sendbuf, sendcount, sendtype, recvbuf,
                                        recvcounts[comm->rank], recvtype);
    bool in_rows = lies_in_a_row(recvtype);
    MPIR_Aggr_payload_t payload = MPIR_Aggr_payload(all, 1, 1);
    aggr_group_t *group;
    int status;

    payload.is_long =
        payload.is_long && in_rows && (sendbuf == MPI_IN_PLACE || lies_in_a_row(sendtype));
    if (own & MPIR_AGGR_NO_LENGTH)
        payload = (MPIR_Aggr_payload_t){.bytes = own};
    group = MPIR_Aggr_begin(comm, MPIR_AGGR_EXACT, payload, mpi_errno);
    if (!group)
        return is_over(comm, all, *mpi_errno);

    aggr_layout_t layout = layout_of(recvcounts, displs, recvtype);
    void *out = in_rows ? (char *) recvbuf + MPIR_Aggr_first_byte(recvtype)
                        : MPIR_Aggr_scratch(MPIR_AGGR_SCRATCH_OUT);
    struct view mine =
        own_view(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm->rank);
    *mpi_errno = pack(&mine);
    status = MPIR_aggr_allgatherv(group, mine.at, out, &layout);
    if (MPIR_Aggr_end(group, &status))
        return false;
    status = MPIR_Aggr_error(status, all, group);
    if (status == MPI_SUCCESS && !in_rows)
        status = unpack_parts(out, recvbuf, recvcounts, displs, recvtype, comm->local_size);
    MPIR_Err_keep_first(mpi_errno, status);
    return MPIR_Aggr_done(all, mpi_errno);
}

bool MPIR_Aggr_do_gather(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                         void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype, int root,
                         MPIR_Comm *comm, int *mpi_errno)
{
    return move_gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                       comm->rank == root, root, comm, mpi_errno);
}

bool MPIR_Aggr_do_scatter(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                          void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype, int root,
                          MPIR_Comm *comm, int *mpi_errno)
{
    bool is_root = comm->rank == root;
    uint64_t bytes =
        is_root ? MPIR_Aggr_one_length(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype)
                : MPIR_Aggr_bytes(recvcount, recvtype);
    enum MPIR_Aggr_kind kind =
        MPIR_Aggr_rooted(total(bytes, comm), MPIR_AGGR_FEW_SCATTER, MPIR_Aggr_settings.long_bytes);
    bool in_rows =
        (!is_root || lies_in_a_row(sendtype)) && recvbuf != MPI_IN_PLACE && lies_in_a_row(recvtype);
    aggr_group_t *group = move_begin(comm, kind, bytes, comm->local_size, in_rows, mpi_errno);
    struct view in = {0}, out;

    if (!group)
        return is_over(comm, bytes, *mpi_errno);
    if (is_root) {
        in = view_of(sendbuf, sendcount * comm->local_size, sendtype, MPIR_AGGR_SCRATCH_IN);
        *mpi_errno = pack(&in);
    }
    if (recvbuf == MPI_IN_PLACE)
        out = (struct view){.at = MPIR_Aggr_scratch(MPIR_AGGR_SCRATCH_OUT), .bytes = bytes};
    else
        out = view_of(recvbuf, recvcount, recvtype, MPIR_AGGR_SCRATCH_OUT);
    return move_finish(group, &out, MPIR_aggr_scatter(group, in.at, out.at, bytes, root), bytes,
                       mpi_errno);
}

bool MPIR_Aggr_do_alltoall(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                           void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype,
                           MPIR_Comm *comm, int *mpi_errno)
{
    bool in_place = sendbuf == MPI_IN_PLACE;
    uint64_t bytes =
        MPIR_Aggr_one_length(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
    bool in_rows = !in_place && lies_in_a_row(sendtype) && lies_in_a_row(recvtype);
    aggr_group_t *group =
        move_begin(comm, MPIR_AGGR_EXACT, bytes, comm->local_size, in_rows, mpi_errno);
    struct view in, out;

    if (!group)
        return is_over(comm, bytes, *mpi_errno);
    out = view_of(recvbuf, recvcount * comm->local_size, recvtype, MPIR_AGGR_SCRATCH_OUT);
    in = in_place ? out
                  : view_of(sendbuf, sendcount * comm->local_size, sendtype, MPIR_AGGR_SCRATCH_IN);
    *mpi_errno = pack(&in);
    if (in_place)
        in.at = memcpy(MPIR_Aggr_scratch(MPIR_AGGR_SCRATCH_IN), in.at, in.bytes);
    return move_finish(group, &out, MPIR_aggr_alltoall(group, in.at, out.at, bytes), bytes,
                       mpi_errno);
}
