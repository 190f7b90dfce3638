/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_reserve.h"
#include "aggr_operation.h"

/*
 * Parts of different lengths inside a node: blocking, nonblocking and persistent.  They are those
 * of members (aggr_vectors.c), or of the edges of a topology (aggr_neighbours.c).
 *
 * Only the giver and the taker of a part know its length, so that the members cannot agree on one
 * way for all parts.  They agree on a limit.  Each collective is an operation of the ring, in which
 * a giver puts a row: the lengths of its parts, and those parts that are not longer than the limit.
 * Longer parts go by messages.  The taker expects a length, and so it can receive a long part
 * before it has seen the row.  It does what a message would do if the row says another length.
 *
 * If givers do not have as many parts as each other, each has a limit of its own, and the row says
 * which of its parts go by messages.  The messages of a pair of members are sent and received in
 * the order of their edges.
 *
 * Nobody waits for a member of which it takes nothing.
 */

/* ---- parts ----------------------------------------------------------------------------------- */

static struct MPIR_Aggr_buffer part_of(const struct MPIR_Aggr_parts *parts, int i)
{
    struct MPIR_Aggr_buffer part = {parts->at, parts->count, parts->datatype};
    int slot = parts->edges ? parts->edges->list[i].slot : i;
    MPI_Aint unit = 1;

    if (!parts->counts) {
        if (parts->peer == MPIR_AGGR_EACH)
            part.at += slot * part.count * MPIR_Aggr_extent(part.datatype);
        else if (parts->peer != MPIR_AGGR_SAME && parts->peer != slot)
            part.count = 0;
        return part;
    }
    part.count = parts->counts[slot];
    if (part.count == 0) /* then the type and the place may be anything */
        return part;
    if (parts->types)
        part.datatype = parts->types[slot];
    else
        unit = MPIR_Aggr_extent(part.datatype);
    part.at += parts->places[slot] * unit;
    return part;
}

static uint64_t bytes_of(struct MPIR_Aggr_buffer part)
{
    return part.count == 0 ? 0 : MPIR_Aggr_bytes(part.count, part.datatype);
}

static bool has_all(const struct MPIR_Aggr_parts *parts)
{
    return parts->counts || parts->peer == MPIR_AGGR_EACH || parts->peer == MPIR_AGGR_SAME;
}

static int first_of(const struct MPIR_Aggr_parts *parts)
{
    return parts->edges || has_all(parts) ? 0 : MPL_MAX(parts->peer, 0);
}

static int last_of(const struct MPIR_Aggr_parts *parts, const MPIR_Comm *comm)
{
    if (parts->edges)
        return parts->edges->count - 1;
    return has_all(parts) ? comm->local_size - 1 : parts->peer;
}

static int member_of(const struct MPIR_Aggr_parts *parts, int i)
{
    return parts->edges ? parts->edges->list[i].member : i;
}

/* Is it copied at once, without a row? */
static bool is_own(const struct MPIR_Aggr_operation *op, const struct MPIR_Aggr_parts *parts, int i)
{
    return !parts->edges && i == op->comm->rank;
}

/* ---- parts that go by messages --------------------------------------------------------------- */

/* Requests of parts that are taken come first. */
static int takes(const struct MPIR_Aggr_operation *op) { return last_of(&op->take, op->comm) + 1; }

static int requests_of(const struct MPIR_Aggr_operation *op)
{
    return takes(op) + last_of(&op->give, op->comm) + 1;
}

static bool make_requests(struct MPIR_Aggr_operation *op)
{
    if (op->requests)
        return true;
    op->requests = MPL_calloc((size_t) requests_of(op), sizeof(*op->requests), MPL_MEM_COLL);
    if (!op->requests)
        MPIR_ERR_SETANDSTMT(op->mpi_errno, MPI_ERR_NO_MEM, ;, "**nomem");
    op->has_messages = true;
    return op->requests;
}

static void receive_part(struct MPIR_Aggr_operation *op, int i, struct MPIR_Aggr_buffer part)
{
    if (make_requests(op))
        MPIR_Err_keep_first(&op->mpi_errno,
                            MPIC_Irecv(part.at, part.count, part.datatype, member_of(&op->take, i),
                                       op->tag, op->comm, &op->requests[i]));
}

static void send_part(struct MPIR_Aggr_operation *op, int i, struct MPIR_Aggr_buffer part)
{
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;

    if (make_requests(op))
        MPIR_Err_keep_first(&op->mpi_errno,
                            MPIC_Isend(part.at, part.count, part.datatype, member_of(&op->give, i),
                                       op->tag, op->comm, &op->requests[takes(op) + i], &errflag));
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
    for (int i = 0; op->requests && i < requests_of(op); i++)
        withdraw(&op->requests[i]);
    MPL_free(op->requests);
    op->requests = NULL;
}

static bool have_completed(struct MPIR_Aggr_operation *op)
{
    for (; op->requests && op->completed < requests_of(op); op->completed++) {
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

/*
 * A row with a table, of members or edges 1, 2 and 2, whose third part goes by a message:
 *
 *     1, length | 2, length | 2, BY_MESSAGE | second part | first part
 *
 * So the parts end where the row ends, and a taker needs only the table before its own part.
 */
typedef uint32_t entry_t;
enum { LENGTH_BITS = 24, BY_MESSAGE = (1 << LENGTH_BITS) - 1 };

/* In the line of a row, with the bytes of the row or of its only part: a datum of another
 * collective is none. */
#define ROW (UINT32_C(1) << 30)
/* All parts go by messages: the table is too long, or the only part. */
#define ELSEWHERE (UINT32_C(1) << 29)

static size_t table_bytes(struct MPIR_Aggr_row row)
{
    return row.has_table ? (size_t) row.parts * sizeof(entry_t) : 0;
}

/* If the table is too long, only parts of no bytes do: they take no message either. */
static bool fits(const struct MPIR_Aggr_operation *op, struct MPIR_Aggr_buffer part)
{
    return bytes_of(part) <= op->limit;
}

static int first_given(const struct MPIR_Aggr_operation *op)
{
    int first = first_of(&op->give);

    return first + is_own(op, &op->give, first);
}

/* The parts that follow are the same one, if the row has no table. */
static int last_in_row(const struct MPIR_Aggr_operation *op)
{
    int last = last_of(&op->give, op->comm);

    return op->has_table ? last : MPL_MIN(last, first_given(op));
}

static size_t entry_bytes(const struct MPIR_Aggr_operation *op)
{
    return op->has_table && !op->is_too_big ? sizeof(entry_t) : 0;
}

static size_t row_bytes(const struct MPIR_Aggr_operation *op)
{
    size_t bytes = 0;

    for (int i = first_given(op); i <= last_in_row(op); i++) {
        struct MPIR_Aggr_buffer part = part_of(&op->give, i);

        if (!is_own(op, &op->give, i))
            bytes += entry_bytes(op) + (fits(op, part) ? bytes_of(part) : 0);
    }
    return bytes;
}

static bool goes_elsewhere(const struct MPIR_Aggr_operation *op)
{
    int first = first_given(op);

    return op->is_too_big ||
           (!op->has_table && first <= last_in_row(op) && !fits(op, part_of(&op->give, first)));
}

/* Returns where the next one goes. */
static char *put_entry(struct MPIR_Aggr_operation *op, int i, struct MPIR_Aggr_buffer part,
                       char *table)
{
    entry_t length = fits(op, part) ? (entry_t) bytes_of(part) : BY_MESSAGE;
    entry_t entry = (entry_t) member_of(&op->give, i) << LENGTH_BITS | length;

    memcpy(table, &entry, entry_bytes(op));
    return table + entry_bytes(op);
}

static void put_parts(struct MPIR_Aggr_operation *op, char *table, char *end)
{
    for (int i = first_given(op); i <= last_of(&op->give, op->comm); i++) {
        struct MPIR_Aggr_buffer part = part_of(&op->give, i);

        if (is_own(op, &op->give, i))
            continue;
        table = put_entry(op, i, part, table);
        if (!fits(op, part))
            send_part(op, i, part);
        else if (i <= last_in_row(op))
            MPIR_Err_keep_first(&op->mpi_errno,
                                MPIR_Aggr_pack(part, end -= bytes_of(part), bytes_of(part)));
    }
}

static void take_own(struct MPIR_Aggr_operation *op)
{
    struct MPIR_Aggr_buffer mine = part_of(&op->give, op->comm->rank);
    struct MPIR_Aggr_buffer to = part_of(&op->take, op->comm->rank);

    if (mine.count > 0 && to.count > 0 && mine.at != to.at)
        MPIR_Err_keep_first(&op->mpi_errno, MPIR_Localcopy(mine.at, mine.count, mine.datatype,
                                                           to.at, to.count, to.datatype));
}

/* Parts that are surely in no row.  One behind a part that may go by a message, of the same
 * member, waits until the row tells. */
static void receive_long(struct MPIR_Aggr_operation *op)
{
    uint64_t unknown = 0; /* a bit for each member */

    for (int i = op->first; i <= op->last; i++) {
        struct MPIR_Aggr_buffer part = part_of(&op->take, i);
        uint64_t bit = UINT64_C(1) << member_of(&op->take, i);

        if (bytes_of(part) == 0 || is_own(op, &op->take, i))
            continue;
        if (bytes_of(part) > op->longest && !(unknown & bit))
            receive_part(op, i, part);
        else
            unknown |= bit;
    }
}

static void put(struct MPIR_Aggr_operation *op)
{
    size_t bytes = row_bytes(op);
    char *row = MPIR_aggr_ring_place(op->ring, bytes);

    put_parts(op, row, row + bytes);
    op->number =
        MPIR_aggr_ring_begin(op->ring, ROW | (goes_elsewhere(op) ? ELSEWHERE : (uint32_t) bytes));
    MPIR_Aggr_counts.bytes += bytes;
    if (!op->take.edges)
        take_own(op);
    receive_long(op);
}

/* My part in a member's row. */
struct found {
    enum { IN_ROW, IN_MESSAGE, IN_NOTHING } place;
    uint64_t length;
    const char *at; /* if it is in the row */
};

/* If there is none, the members differ in their edges, or in the root. */
static struct found find_in_table(const char *row, size_t bytes, int me, int nth)
{
    for (const char *table = row, *part = row + bytes; table < part; table += sizeof(entry_t)) {
        entry_t entry, length;

        memcpy(&entry, table, sizeof(entry));
        length = entry & BY_MESSAGE;
        part -= length == BY_MESSAGE ? 0 : length;
        if (entry >> LENGTH_BITS == (entry_t) me && nth-- == 0)
            return (struct found){length == BY_MESSAGE ? IN_MESSAGE : IN_ROW, length, part};
    }
    return (struct found){.place = IN_NOTHING};
}

static struct found find(const struct MPIR_Aggr_operation *op, int i)
{
    int member = member_of(&op->take, i);
    uint32_t line = MPIR_aggr_ring_length(op->ring, op->number, member);
    uint32_t bytes = line & ~(ROW | ELSEWHERE);
    const char *row;

    if (!(line & ROW))
        return (struct found){.place = IN_NOTHING, .length = line};
    if (line & ELSEWHERE)
        return (struct found){.place = IN_MESSAGE};
    row = MPIR_aggr_ring_datum(op->ring, op->number, member, bytes);
    if (!op->has_table)
        return (struct found){IN_ROW, bytes, row};
    return find_in_table(row, bytes, op->comm->rank,
                         op->take.edges ? op->take.edges->list[i].nth : 0);
}

static void copy_part(struct MPIR_Aggr_operation *op, struct MPIR_Aggr_buffer part,
                      struct found found)
{
    uint64_t expected = bytes_of(part), length = MPL_MIN(found.length, expected);

    if (found.length > expected)
        MPIR_ERR_SETANDSTMT2(op->mpi_errno, MPI_ERR_TRUNCATE, ;, "**truncate", "**truncate %d %d",
                                                               (int) found.length, (int) expected);
    MPIR_Err_keep_first(&op->mpi_errno, MPIR_Aggr_unpack(part, found.at, length));
}

/* In an erroneous program the member may have called another collective, or with a length for
 * lines, or has no such edge. */
static void take_part(struct MPIR_Aggr_operation *op, int i, struct MPIR_Aggr_buffer part)
{
    struct found found = find(op, i);
    bool receives = op->requests && op->requests[i];

    if (found.place == IN_MESSAGE) {
        if (!receives)
            receive_part(op, i, part);
        return;
    }
    if (receives)
        withdraw(&op->requests[i]);
    if (found.place == IN_ROW)
        copy_part(op, part, found);
    else
        MPIR_Err_keep_first(&op->mpi_errno, MPIR_Aggr_lengths_differ(found.length, bytes_of(part)));
}

static bool have_read(struct MPIR_Aggr_operation *op)
{
    for (; op->awaited <= op->last; op->awaited++) {
        struct MPIR_Aggr_buffer part = part_of(&op->take, op->awaited);

        if (is_own(op, &op->take, op->awaited) || bytes_of(part) == 0)
            continue;
        if (!MPIR_aggr_ring_arrived(op->ring, op->number, member_of(&op->take, op->awaited)))
            return false;
        take_part(op, op->awaited, part);
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

/* Edges stay as long as the communicator. */
static size_t length_of_arrays(const struct MPIR_Aggr_parts *parts, const MPIR_Comm *comm)
{
    return (size_t) (parts->edges ? parts->edges->slots : comm->local_size);
}

static size_t array_bytes_of(const struct MPIR_Aggr_parts *parts, const MPIR_Comm *comm)
{
    size_t each = 2 * sizeof(MPI_Aint) + (parts->types ? sizeof(MPI_Datatype) : 0);

    return parts->counts ? length_of_arrays(parts, comm) * each : 0;
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
    size_t size = length_of_arrays(parts, comm);

    if (!parts->counts)
        return room;
    room = copy_array(parts->counts, size * sizeof(MPI_Aint), (const void **) &parts->counts, room);
    return copy_array(parts->places, size * sizeof(MPI_Aint), (const void **) &parts->places, room);
}

static char *keep_types(struct MPIR_Aggr_parts *parts, const MPIR_Comm *comm, char *room)
{
    size_t size = length_of_arrays(parts, comm);

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

/* ---- the exchange ---------------------------------------------------------------------------- */

/* The bytes of a row: the same on all members. */
static size_t row_room(aggr_ring_t *ring, bool is_persistent)
{
    size_t most = ring->group->shape.copy_bytes;

    return is_persistent || MPIR_aggr_ring_has(ring, most) ? most : AGGR_DATUM;
}

/* Of a row of so many bytes.  Givers of which no two need have as many parts choose their own. */
static void choose_limit(struct MPIR_Aggr_operation *op, struct MPIR_Aggr_row row, size_t room)
{
    size_t table = table_bytes(row), parts = (size_t) MPL_MAX(row.parts, 1);

    op->is_too_big = table + parts > room;
    op->limit = op->is_too_big ? 0 : (room - table) / parts;
    op->longest = row.is_alike ? op->limit : room;
}

bool MPIR_Aggr_exchange_parts(MPIR_Comm *comm, struct MPIR_Aggr_parts give,
                              struct MPIR_Aggr_parts take, struct MPIR_Aggr_row row,
                              MPIR_Request **request, int *mpi_errno)
{
    bool is_persistent = request && *request;
    struct MPIR_Aggr_operation op = {.kind = &of_parts,
                                     .comm = comm,
                                     .first = first_of(&take),
                                     .awaited = first_of(&take),
                                     .last = last_of(&take, comm),
                                     .give = give,
                                     .take = take,
                                     .has_table = row.has_table};

    if (unlikely(comm->ended) || !(op.ring = MPIR_Aggr_find_ring(comm, request, mpi_errno)))
        return *mpi_errno != MPI_SUCCESS;
    op.place = row_room(op.ring, is_persistent);
    choose_limit(&op, row, op.place);
    if (op.is_too_big && row.is_alike)
        return false;
    /* blocking ones follow each other, and there may be millions of them beside a schedule */
    op.tag = request ? MPIR_Aggr_next_tag(comm) : MPIR_ALLTOALLV_TAG;
    if (is_persistent)
        return MPIR_Aggr_make_persistent(&op, true, *request, mpi_errno);
    *mpi_errno = request ? MPIR_Aggr_start(&op, request) : MPIR_Aggr_run(&op);
    return true;
}
