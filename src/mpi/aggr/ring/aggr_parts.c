/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_reserve.h"
#include "aggr_operation.h"

/*
 * Scatterv, gatherv, alltoallv and alltoallw inside a node: blocking, nonblocking and persistent.
 *
 * Only the giver and the taker of a part know its length, so that the members cannot agree on one
 * way for all parts.  They agree on a limit.  Each collective is an operation of the ring, in which
 * a giver puts a row: the lengths of its parts, and those parts that are not longer than the limit.
 * Longer parts go by messages.  The taker expects a length, and so it can receive a long part
 * before it has seen the row.  It does what a message would do if the row says another length.
 *
 * Nobody waits for a member of which it takes nothing.
 */

/* ---- parts ----------------------------------------------------------------------------------- */

static struct MPIR_Aggr_buffer part_of(const struct MPIR_Aggr_parts *parts, int member)
{
    struct MPIR_Aggr_buffer part = {parts->at, parts->count, parts->datatype};
    MPI_Aint unit = 1;

    if (!parts->counts && parts->peer != MPIR_AGGR_EACH) {
        part.count = member == parts->peer ? part.count : 0;
        return part;
    }
    if (!parts->counts) {
        part.at += member * part.count * MPIR_Aggr_extent(part.datatype);
        return part;
    }
    part.count = parts->counts[member];
    if (part.count == 0) /* then the type and the place may be anything */
        return part;
    if (parts->types)
        part.datatype = parts->types[member];
    else
        unit = MPIR_Aggr_extent(part.datatype);
    part.at += parts->places[member] * unit;
    return part;
}

static uint64_t bytes_of(struct MPIR_Aggr_buffer part)
{
    return part.count == 0 ? 0 : MPIR_Aggr_bytes(part.count, part.datatype);
}

static bool has_all(const struct MPIR_Aggr_parts *parts)
{
    return parts->counts || parts->peer == MPIR_AGGR_EACH;
}

static int first_of(const struct MPIR_Aggr_parts *parts)
{
    return has_all(parts) ? 0 : MPL_MAX(parts->peer, 0);
}

static int last_of(const struct MPIR_Aggr_parts *parts, const MPIR_Comm *comm)
{
    return has_all(parts) ? comm->local_size - 1 : parts->peer;
}

/* ---- parts that go by messages --------------------------------------------------------------- */

static bool make_requests(struct MPIR_Aggr_operation *op)
{
    if (op->requests)
        return true;
    op->requests =
        MPL_calloc(2 * (size_t) op->comm->local_size, sizeof(*op->requests), MPL_MEM_COLL);
    if (!op->requests)
        MPIR_ERR_SETANDSTMT(op->mpi_errno, MPI_ERR_NO_MEM, ;, "**nomem");
    op->has_messages = true;
    return op->requests;
}

static void receive_part(struct MPIR_Aggr_operation *op, int member, struct MPIR_Aggr_buffer part)
{
    if (make_requests(op))
        MPIR_Err_keep_first(&op->mpi_errno, MPIC_Irecv(part.at, part.count, part.datatype, member,
                                                       op->tag, op->comm, &op->requests[member]));
}

static void send_part(struct MPIR_Aggr_operation *op, int member, struct MPIR_Aggr_buffer part)
{
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;

    if (make_requests(op))
        MPIR_Err_keep_first(&op->mpi_errno,
                            MPIC_Isend(part.at, part.count, part.datatype, member, op->tag,
                                       op->comm, &op->requests[op->comm->local_size + member],
                                       &errflag));
}

/* Nothing comes for it, or nobody wants it. */
static void withdraw(MPIR_Request **request)
{
    if (!*request)
        return;
    if ((*request)->kind == MPIR_REQUEST_KIND__RECV && !MPIR_Request_is_complete(*request))
        MPID_Cancel_recv(*request);
    MPIR_Request_free(*request);
    *request = NULL;
}

static void give_up(struct MPIR_Aggr_operation *op)
{
    for (int i = 0; op->requests && i < 2 * op->comm->local_size; i++)
        withdraw(&op->requests[i]);
    MPL_free(op->requests);
    op->requests = NULL;
}

static bool have_completed(struct MPIR_Aggr_operation *op)
{
    for (; op->requests && op->completed < 2 * op->comm->local_size; op->completed++) {
        MPIR_Request *request = op->requests[op->completed];

        if (!request)
            continue;
        if (!MPIR_Request_is_complete(request))
            return false;
        MPIR_Err_keep_first(&op->mpi_errno, request->status.MPI_ERROR);
        MPIR_Request_free(request);
        op->requests[op->completed] = NULL;
    }
    MPL_free(op->requests);
    op->requests = NULL;
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A row of one part has no table: its line says the length. */
static size_t table_bytes(int in_row)
{
    return in_row > 1 ? (size_t) in_row * sizeof(uint32_t) : 0;
}

/* In the line of a row, with its length: a datum of another collective is none. */
#define ROW (UINT32_C(1) << 30)

/* A longer part than any limit is as long as another. */
static uint32_t length_of(struct MPIR_Aggr_buffer part)
{
    return (uint32_t) MPL_MIN(bytes_of(part), ROW - 1);
}

static size_t bytes_in_row(const struct MPIR_Aggr_operation *op, uint32_t length)
{
    return length <= op->limit ? length : 0;
}

/* The lengths of this process's row, and its bytes. */
struct row {
    uint32_t lengths[MPIR_AGGR_RING_MEMBERS];
    int parts;
    size_t bytes;
};

static void measure(const struct MPIR_Aggr_operation *op, struct row *row)
{
    row->parts = 0;
    row->bytes = 0;
    for (int m = first_of(&op->give); m <= last_of(&op->give, op->comm); m++)
        if (m != op->comm->rank) {
            row->lengths[row->parts] = length_of(part_of(&op->give, m));
            row->bytes += bytes_in_row(op, row->lengths[row->parts++]);
        }
    if (row->parts > 0)
        row->bytes += table_bytes(op->in_row);
}

static void put_parts(struct MPIR_Aggr_operation *op, const struct row *row, char *at)
{
    size_t table = row->parts > 0 ? table_bytes(op->in_row) : 0;
    int i = 0;

    memcpy(at, row->lengths, table);
    at += table;
    for (int m = first_of(&op->give); m <= last_of(&op->give, op->comm); m++) {
        struct MPIR_Aggr_buffer part = part_of(&op->give, m);

        if (m == op->comm->rank)
            continue;
        if (row->lengths[i] > op->limit)
            send_part(op, m, part);
        else
            MPIR_Err_keep_first(&op->mpi_errno, MPIR_Aggr_pack(part, at, row->lengths[i]));
        at += bytes_in_row(op, row->lengths[i++]);
    }
}

static void take_own(struct MPIR_Aggr_operation *op)
{
    struct MPIR_Aggr_buffer mine = part_of(&op->give, op->comm->rank);
    struct MPIR_Aggr_buffer to = part_of(&op->take, op->comm->rank);

    if (mine.count > 0 && to.count > 0)
        MPIR_Err_keep_first(&op->mpi_errno, MPIR_Localcopy(mine.at, mine.count, mine.datatype,
                                                           to.at, to.count, to.datatype));
}

static void put(struct MPIR_Aggr_operation *op)
{
    struct row row;

    measure(op, &row);
    put_parts(op, &row, MPIR_aggr_ring_place(op->ring, row.bytes));
    if (op->in_row == 1)
        op->number = MPIR_aggr_ring_begin(op->ring, ROW | (row.parts > 0 ? row.lengths[0] : 0));
    else
        op->number = MPIR_aggr_ring_begin(op->ring, ROW | (uint32_t) row.bytes);
    MPIR_Aggr_counts.bytes += row.bytes;
    take_own(op);
    for (int m = op->first; m <= op->last; m++) {
        struct MPIR_Aggr_buffer part = part_of(&op->take, m);

        if (m != op->comm->rank && bytes_of(part) > op->limit)
            receive_part(op, m, part);
    }
}

/* My part in a member's row: its length, and its bytes if they are there. */
struct found {
    uint32_t length;
    const char *at;
};

static struct found find(const struct MPIR_Aggr_operation *op, int member)
{
    uint32_t length = MPIR_aggr_ring_length(op->ring, op->number, member) & ~ROW;
    int me = op->comm->rank - (op->comm->rank > member);
    uint32_t lengths[MPIR_AGGR_RING_MEMBERS];
    const char *at;

    if (op->in_row == 1)
        return (struct found){
            length, MPIR_aggr_ring_datum(op->ring, op->number, member, bytes_in_row(op, length))};
    at = MPIR_aggr_ring_datum(op->ring, op->number, member, length);
    memcpy(lengths, at, ((size_t) me + 1) * sizeof(*lengths));
    at += table_bytes(op->in_row);
    for (int i = 0; i < me; i++)
        at += bytes_in_row(op, lengths[i]);
    return (struct found){lengths[me], at};
}

static void take_part(struct MPIR_Aggr_operation *op, int member, struct MPIR_Aggr_buffer part)
{
    uint64_t expected = bytes_of(part);
    struct found found = find(op, member);

    if (found.length > op->limit && expected <= op->limit)
        receive_part(op, member, part);
    if (found.length > op->limit)
        return;
    if (expected > op->limit && op->requests)
        withdraw(&op->requests[member]);
    if (found.length > expected)
        MPIR_ERR_SETANDSTMT2(op->mpi_errno, MPI_ERR_TRUNCATE, found.length = (uint32_t) expected,
                             "**truncate", "**truncate %d %d", (int) found.length, (int) expected);
    MPIR_Err_keep_first(&op->mpi_errno, MPIR_Aggr_unpack(part, found.at, found.length));
}

static bool has_row(const struct MPIR_Aggr_operation *op, int member)
{
    return MPIR_aggr_ring_length(op->ring, op->number, member) & ROW;
}

/* In an erroneous program the member has called another collective, or with a length for lines. */
static void refuse(struct MPIR_Aggr_operation *op, int member, uint64_t expected)
{
    uint32_t length = MPIR_aggr_ring_length(op->ring, op->number, member);

    MPIR_Err_keep_first(&op->mpi_errno, MPIR_Aggr_lengths_differ(length, expected));
    if (op->requests)
        withdraw(&op->requests[member]);
}

static bool have_read(struct MPIR_Aggr_operation *op)
{
    for (; op->awaited <= op->last; op->awaited++) {
        struct MPIR_Aggr_buffer part = part_of(&op->take, op->awaited);

        if (op->awaited == op->comm->rank || bytes_of(part) == 0)
            continue;
        if (!MPIR_aggr_ring_arrived(op->ring, op->number, op->awaited))
            return false;
        if (has_row(op, op->awaited))
            take_part(op, op->awaited, part);
        else
            refuse(op, op->awaited, bytes_of(part));
    }
    return true;
}

static bool look(struct MPIR_Aggr_operation *op)
{
    if (!op->has_read && !have_read(op))
        return false;
    if (!op->has_read)
        MPIR_aggr_ring_end(op->ring, op->number);
    op->has_read = true;
    return have_completed(op);
}

/* ---- an operation that outlives its call ----------------------------------------------------- */

static size_t array_bytes_of(const struct MPIR_Aggr_parts *parts, const MPIR_Comm *comm)
{
    size_t each = 2 * sizeof(MPI_Aint) + (parts->types ? sizeof(MPI_Datatype) : 0);

    return parts->counts ? (size_t) comm->local_size * each : 0;
}

static size_t array_bytes(const struct MPIR_Aggr_operation *op)
{
    return array_bytes_of(&op->give, op->comm) + array_bytes_of(&op->take, op->comm);
}

/* Returns what is behind the copy. */
static char *copy_array(const void *from, size_t bytes, const void **copy, char *room)
{
    *copy = memcpy(room, from, bytes);
    return room + bytes;
}

/* All arrays of counts and places come before those of types, which are shorter. */
static char *keep_arrays(struct MPIR_Aggr_parts *parts, const MPIR_Comm *comm, char *room)
{
    size_t size = (size_t) comm->local_size;

    if (!parts->counts)
        return room;
    room = copy_array(parts->counts, size * sizeof(MPI_Aint), (const void **) &parts->counts, room);
    return copy_array(parts->places, size * sizeof(MPI_Aint), (const void **) &parts->places, room);
}

static char *keep_types(struct MPIR_Aggr_parts *parts, const MPIR_Comm *comm, char *room)
{
    size_t size = (size_t) comm->local_size;

    for (int m = first_of(parts); m <= last_of(parts, comm); m++) {
        struct MPIR_Aggr_buffer part = part_of(parts, m);

        if (part.count > 0)
            MPIR_Datatype_add_ref_if_not_builtin(part.datatype);
    }
    if (!parts->types)
        return room;
    return copy_array(parts->types, size * sizeof(MPI_Datatype), (const void **) &parts->types,
                      room);
}

static void keep(struct MPIR_Aggr_operation *op, void *room)
{
    char *at = keep_arrays(&op->take, op->comm, keep_arrays(&op->give, op->comm, room));

    keep_types(&op->take, op->comm, keep_types(&op->give, op->comm, at));
}

static void release_types(struct MPIR_Aggr_parts *parts, const MPIR_Comm *comm)
{
    for (int m = first_of(parts); m <= last_of(parts, comm); m++) {
        struct MPIR_Aggr_buffer part = part_of(parts, m);

        if (part.count > 0)
            MPIR_Datatype_release_if_not_builtin(part.datatype);
    }
}

static void release(struct MPIR_Aggr_operation *op)
{
    release_types(&op->give, op->comm);
    release_types(&op->take, op->comm);
}

static const struct MPIR_Aggr_kind_of_operation of_parts = {put,         look, give_up,
                                                            array_bytes, keep, release};

/* ---- what MPI calls -------------------------------------------------------------------------- */

static struct MPIR_Aggr_parts many(const void *at, const MPI_Aint counts[], const MPI_Aint places[],
                                   MPI_Datatype datatype)
{
    return (struct MPIR_Aggr_parts){
        .at = (char *) at, .counts = counts, .places = places, .datatype = datatype};
}

static struct MPIR_Aggr_parts of_types(const void *at, const MPI_Aint counts[],
                                       const MPI_Aint places[], const MPI_Datatype types[])
{
    return (struct MPIR_Aggr_parts){
        .at = (char *) at, .counts = counts, .places = places, .types = types};
}

/* The bytes of a row: the same on all members. */
static size_t row_room(aggr_ring_t *ring, bool is_persistent)
{
    size_t most = ring->group->shape.copy_bytes;

    return is_persistent || MPIR_aggr_ring_has(ring, most) ? most : AGGR_DATUM;
}

bool MPIR_Aggr_exchange_parts(MPIR_Comm *comm, struct MPIR_Aggr_parts give,
                              struct MPIR_Aggr_parts take, int in_row, MPIR_Request **request,
                              int *mpi_errno)
{
    bool is_persistent = request && *request;
    size_t room, table = table_bytes(in_row);
    struct MPIR_Aggr_operation op = {.kind = &of_parts,
                                     .comm = comm,
                                     .first = first_of(&take),
                                     .awaited = first_of(&take),
                                     .last = last_of(&take, comm),
                                     .give = give,
                                     .take = take,
                                     .in_row = in_row};

    if (unlikely(comm->ended) || !(op.ring = MPIR_Aggr_find_ring(comm, request, mpi_errno)))
        return *mpi_errno != MPI_SUCCESS;
    op.place = room = row_room(op.ring, is_persistent);
    if (room < table + (size_t) in_row)
        return false;
    op.limit = (room - table) / (size_t) in_row;
    /* blocking ones follow each other, and there may be millions of them beside a schedule */
    op.tag = request ? MPIR_Aggr_next_tag(comm) : MPIR_ALLTOALLV_TAG;
    if (is_persistent)
        return MPIR_Aggr_make_persistent(&op, true, *request, mpi_errno);
    *mpi_errno = request ? MPIR_Aggr_start(&op, request) : MPIR_Aggr_run(&op);
    return true;
}

bool MPIR_Aggr_post_scatterv(const void *sendbuf, const MPI_Aint sendcounts[],
                             const MPI_Aint displs[], MPI_Datatype sendtype, void *recvbuf,
                             MPI_Aint recvcount, MPI_Datatype recvtype, int root, MPIR_Comm *comm,
                             MPIR_Request **request, int *mpi_errno)
{
    bool is_root = comm->rank == root;

    return MPIR_Aggr_exchange_parts(
        comm, is_root ? many(sendbuf, sendcounts, displs, sendtype) : MPIR_Aggr_no_part(),
        MPIR_Aggr_parts_of(recvbuf, recvcount, recvtype, root), comm->local_size - 1, request,
        mpi_errno);
}

bool MPIR_Aggr_post_gatherv(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                            void *recvbuf, const MPI_Aint recvcounts[], const MPI_Aint displs[],
                            MPI_Datatype recvtype, int root, MPIR_Comm *comm,
                            MPIR_Request **request, int *mpi_errno)
{
    bool is_root = comm->rank == root;

    return MPIR_Aggr_exchange_parts(comm, MPIR_Aggr_parts_of(sendbuf, sendcount, sendtype, root),
                                    is_root ? many(recvbuf, recvcounts, displs, recvtype)
                                            : MPIR_Aggr_no_part(),
                                    1, request, mpi_errno);
}

/* In place goes another way: data would be received where data for messages lie.  All members say
 * it, or none. */
bool MPIR_Aggr_post_alltoallv(const void *sendbuf, const MPI_Aint sendcounts[],
                              const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
                              const MPI_Aint recvcounts[], const MPI_Aint rdispls[],
                              MPI_Datatype recvtype, MPIR_Comm *comm, MPIR_Request **request,
                              int *mpi_errno)
{
    return sendbuf != MPI_IN_PLACE &&
           MPIR_Aggr_exchange_parts(comm, many(sendbuf, sendcounts, sdispls, sendtype),
                                    many(recvbuf, recvcounts, rdispls, recvtype),
                                    comm->local_size - 1, request, mpi_errno);
}

bool MPIR_Aggr_post_alltoallw(const void *sendbuf, const MPI_Aint sendcounts[],
                              const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                              void *recvbuf, const MPI_Aint recvcounts[], const MPI_Aint rdispls[],
                              const MPI_Datatype recvtypes[], MPIR_Comm *comm,
                              MPIR_Request **request, int *mpi_errno)
{
    return sendbuf != MPI_IN_PLACE &&
           MPIR_Aggr_exchange_parts(comm, of_types(sendbuf, sendcounts, sdispls, sendtypes),
                                    of_types(recvbuf, recvcounts, rdispls, recvtypes),
                                    comm->local_size - 1, request, mpi_errno);
}
