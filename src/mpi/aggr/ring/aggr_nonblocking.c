/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_op_util.h"
#include "aggr_operation.h"

/*
 * Nonblocking and persistent collectives of short data inside a node: without a schedule, and
 * without messages.
 *
 * Each of them is one operation of the communicator's ring.  The call puts this process's data into
 * its line and looks for the others'.  If these have not all arrived, the operation stays in the
 * communicator's queue, and the progress engine looks again.
 *
 * Which way a collective goes follows from what all members know: the communicator has lines, by
 * an earlier collective that waits or by an attempt in this one or an earlier one, and the data
 * fit.  Data that do not go by MPICH's schedules.  They are an operation of the ring, too, so that
 * a member which expects another length is told.
 *
 * Parts of different lengths that only some members know are in aggr_parts.c.
 */

/* A length that no part has: its member's arguments contradict each other, or it goes elsewhere. */
#define NO_LENGTH (UINT32_C(1) << 31)

/* ---- what an operation does ------------------------------------------------------------------ */

static size_t part_bytes(const struct MPIR_Aggr_operation *op, int member)
{
    return op->counts ? (size_t) MPIR_Aggr_bytes(op->counts[member], op->out.datatype) : op->part;
}

static size_t datum_bytes(const struct MPIR_Aggr_operation *op, int member)
{
    return op->counts ? part_bytes(op, member) : op->place;
}

static uint32_t length_of(const struct MPIR_Aggr_operation *op, int member)
{
    return op->counts ? (uint32_t) part_bytes(op, member) : op->length;
}

static void put(struct MPIR_Aggr_operation *op)
{
    size_t bytes = datum_bytes(op, op->comm->rank);

    op->mpi_errno = MPIR_Aggr_pack(op->in, MPIR_aggr_ring_place(op->ring, bytes), bytes);
    op->number = MPIR_aggr_ring_begin(op->ring, op->length);
    MPIR_Aggr_counts.bytes += op->part;
}

static const char *part_of(const struct MPIR_Aggr_operation *op, int member)
{
    return (const char *) MPIR_aggr_ring_datum(op->ring, op->number, member,
                                               datum_bytes(op, member)) +
           op->offset;
}

/* In the order of all reductions:  x0 (x1 (x2 ...)). */
static void reduce(struct MPIR_Aggr_operation *op)
{
    MPI_Aint count = op->out.count;

    memcpy(op->out.at, part_of(op, op->last), op->part);
    for (int m = op->last - 1; m >= op->first; m--)
        op->fold((void *) part_of(op, m), op->out.at, &count, &op->out.datatype);
}

static int move_part(const struct MPIR_Aggr_operation *op, int member)
{
    struct MPIR_Aggr_buffer to = op->out;
    MPI_Aint place;

    if (op->counts)
        to.count = op->counts[member];
    place = op->counts ? op->places[member] : (member - op->first) * to.count;
    to.at += place * MPIR_Aggr_extent(to.datatype);
    return MPIR_Aggr_unpack(to, part_of(op, member), part_bytes(op, member));
}

static int move(const struct MPIR_Aggr_operation *op)
{
    int mpi_errno = MPI_SUCCESS;

    for (int m = op->first; m <= op->last && mpi_errno == MPI_SUCCESS; m++)
        mpi_errno = move_part(op, m);
    return mpi_errno;
}

static int result(struct MPIR_Aggr_operation *op, uint32_t length, uint32_t wanted)
{
    if (length != wanted || (op->length & NO_LENGTH))
        return MPIR_Aggr_lengths_differ(length, wanted & ~NO_LENGTH);
    if (op->out.count == 0 || op->last < op->first)
        return MPI_SUCCESS;
    if (!op->fold)
        return move(op);
    reduce(op);
    return MPI_SUCCESS;
}

/* Is the operation over?  Then its result, or the error, is there. */
static bool look(struct MPIR_Aggr_operation *op)
{
    uint32_t length = 0, wanted = 0;

    for (; op->awaited <= op->last && length == wanted; op->awaited++) {
        if (!MPIR_aggr_ring_arrived(op->ring, op->number, op->awaited))
            return false;
        length = MPIR_aggr_ring_length(op->ring, op->number, op->awaited);
        wanted = length_of(op, op->awaited);
    }
    MPIR_Err_keep_first(&op->mpi_errno, result(op, length, wanted));
    MPIR_aggr_ring_end(op->ring, op->number);
    return true;
}

/* The caller's arrays end with its call. */
static size_t array_bytes(const struct MPIR_Aggr_operation *op)
{
    return op->counts ? 2 * (size_t) op->comm->local_size * sizeof(MPI_Aint) : 0;
}

static void keep(struct MPIR_Aggr_operation *op, void *room)
{
    size_t bytes = array_bytes(op) / 2;

    MPIR_Datatype_add_ref_if_not_builtin(op->in.datatype);
    MPIR_Datatype_add_ref_if_not_builtin(op->out.datatype);
    if (bytes == 0)
        return;
    op->counts = memcpy(room, op->counts, bytes);
    op->places = memcpy((char *) room + bytes, op->places, bytes);
}

static void release(struct MPIR_Aggr_operation *op)
{
    MPIR_Datatype_release_if_not_builtin(op->in.datatype);
    MPIR_Datatype_release_if_not_builtin(op->out.datatype);
}

static const struct MPIR_Aggr_kind_of_operation of_one_length = {put,         look, NULL,
                                                                 array_bytes, keep, release};

/* ---- what MPI calls -------------------------------------------------------------------------- */

/* An operation of the communicator in which nobody takes anything. */
static struct MPIR_Aggr_operation nothing(MPIR_Comm *comm, uint64_t bytes)
{
    return (struct MPIR_Aggr_operation){.kind = &of_one_length,
                                        .comm = comm,
                                        .in = {NULL, 0, MPI_BYTE},
                                        .out = {NULL, 0, MPI_BYTE},
                                        .last = -1,
                                        .length = (uint32_t) MPL_MIN(bytes, NO_LENGTH - 1)};
}

/* Takes from members first .. last. */
static struct MPIR_Aggr_operation operation(MPIR_Comm *comm, uint64_t bytes, int first, int last)
{
    struct MPIR_Aggr_operation op = nothing(comm, bytes);

    op.part = (size_t) bytes;
    op.first = op.awaited = first;
    op.last = last;
    return op;
}

/* In op.ring, with `parts` of them in each datum.  False: the data go by a schedule, as all members
 * know.  What does not takes a tag, too: after lengths that differ, all members have the same next
 * one. */
static bool begin_in_ring(struct MPIR_Aggr_operation op, uint64_t bytes, int parts,
                          MPIR_Request **request, int *mpi_errno)
{
    uint64_t length = bytes & ~MPIR_AGGR_NO_LENGTH;
    bool fits = length <= MPIR_Aggr_settings.max_bytes / (size_t) parts;
    aggr_ring_t *ring = op.ring;

    op.place = fits ? (size_t) length * (size_t) parts : 0;
    if (length != bytes) {
        op.length = NO_LENGTH | (uint32_t) length;
        op.in.count = op.out.count = 0;
    }
    if (*request)
        return MPIR_Aggr_make_persistent(&op, fits, *request, mpi_errno);
    fits = fits && MPIR_aggr_ring_has(ring, op.place);
    if (fits)
        MPIR_Aggr_next_tag(op.comm);
    else
        op = nothing(op.comm, length);
    op.ring = ring;
    *mpi_errno = MPIR_Aggr_start(&op, fits ? request : NULL);
    return fits || *mpi_errno != MPI_SUCCESS;
}

/* The same in the communicator's ring.  False: it may have none. */
static bool begin(struct MPIR_Aggr_operation op, uint64_t bytes, int parts, MPIR_Request **request,
                  int *mpi_errno)
{
    op.ring = MPIR_Aggr_find_ring(op.comm, request, mpi_errno);
    return op.ring ? begin_in_ring(op, bytes, parts, request, mpi_errno)
                   : *mpi_errno != MPI_SUCCESS;
}

/* Longer parts than fit, up to this length, need messages, but no schedule. */
enum { LONGEST_PART = 1 << 20 };

static bool goes_in_parts(uint64_t bytes, int parts)
{
    uint64_t length = bytes & ~MPIR_AGGR_NO_LENGTH;

    return length > MPIR_Aggr_settings.max_bytes / (size_t) parts && length <= LONGEST_PART;
}

/* A part that many members take goes by a schedule, in which they pass it on. */
static bool goes_to_each(uint64_t bytes, const MPIR_Comm *comm)
{
    enum { MOST_MEMBERS = 4 };

    return comm->local_size > 1 && comm->local_size <= MOST_MEMBERS && goes_in_parts(bytes, 1);
}

static struct MPIR_Aggr_buffer buffer_of(const void *at, MPI_Aint count, MPI_Datatype datatype)
{
    return (struct MPIR_Aggr_buffer){(char *) at, count, datatype};
}

/* Part `rank` of a buffer that has one of each member. */
static struct MPIR_Aggr_buffer own_part(const void *all, MPI_Aint count, MPI_Datatype datatype,
                                        int rank)
{
    return buffer_of((const char *) all + rank * count * MPIR_Aggr_extent(datatype), count,
                     datatype);
}

bool MPIR_Aggr_post_barrier(MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno)
{
    return begin(operation(comm, 0, 0, comm->local_size - 1), 0, 1, request, mpi_errno);
}

bool MPIR_Aggr_post_bcast(void *buffer, MPI_Aint count, MPI_Datatype datatype, int root,
                          MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno)
{
    uint64_t bytes = MPIR_Aggr_bytes(count, datatype);
    bool is_root = comm->rank == root;
    struct MPIR_Aggr_operation op;

    op = operation(comm, bytes, root, is_root ? root - 1 : root);
    *(is_root ? &op.in : &op.out) = buffer_of(buffer, count, datatype);
    return begin(op, bytes, 1, request, mpi_errno);
}

/* What this process gives in a gather or an allgather. */
static struct MPIR_Aggr_buffer given(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                                     const void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype,
                                     int rank)
{
    return sendbuf == MPI_IN_PLACE ? own_part(recvbuf, recvcount, recvtype, rank)
                                   : buffer_of(sendbuf, sendcount, sendtype);
}

/* From each to one, or to all: parts of so many bytes. */
static bool gather(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype, void *recvbuf,
                   MPI_Aint recvcount, MPI_Datatype recvtype, uint64_t bytes, bool wanted,
                   MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno)
{
    struct MPIR_Aggr_operation op =
        operation(comm, bytes & ~MPIR_AGGR_NO_LENGTH, 0, wanted ? comm->local_size - 1 : -1);

    op.in = given(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm->rank);
    if (wanted)
        op.out = buffer_of(recvbuf, recvcount, recvtype);
    return begin(op, bytes, 1, request, mpi_errno);
}

bool MPIR_Aggr_post_allgather(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                              void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype,
                              MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno)
{
    uint64_t bytes =
        MPIR_Aggr_one_length(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
    struct MPIR_Aggr_buffer mine =
        given(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm->rank);

    if (goes_to_each(bytes, comm))
        return MPIR_Aggr_exchange_parts(
            comm, MPIR_Aggr_parts_of(mine.at, mine.count, mine.datatype, MPIR_AGGR_SAME),
            MPIR_Aggr_parts_of(recvbuf, recvcount, recvtype, MPIR_AGGR_EACH),
            MPIR_Aggr_row_for(comm->local_size - 1), request, mpi_errno);
    return gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, bytes, true, comm,
                  request, mpi_errno);
}

bool MPIR_Aggr_post_allgatherv(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                               void *recvbuf, const MPI_Aint recvcounts[], const MPI_Aint displs[],
                               MPI_Datatype recvtype, MPIR_Comm *comm, MPIR_Request **request,
                               int *mpi_errno)
{
    MPI_Aint longest = 0;
    uint64_t bytes;
    struct MPIR_Aggr_operation op;
    struct MPIR_Aggr_buffer mine;
    int rank = comm->rank;
    aggr_ring_t *ring = MPIR_Aggr_find_ring(comm, request, mpi_errno);

    if (!ring)
        return *mpi_errno != MPI_SUCCESS;
    for (int m = 0; m < comm->local_size; m++)
        longest = MPL_MAX(longest, recvcounts[m]);
    bytes = MPIR_Aggr_bytes(longest, recvtype);
    mine = sendbuf == MPI_IN_PLACE
               ? buffer_of((char *) recvbuf + displs[rank] * MPIR_Aggr_extent(recvtype),
                           recvcounts[rank], recvtype)
               : buffer_of(sendbuf, sendcount, sendtype);
    if (goes_to_each(bytes, comm))
        return MPIR_Aggr_exchange_parts(
            comm, MPIR_Aggr_parts_of(mine.at, mine.count, mine.datatype, MPIR_AGGR_SAME),
            MPIR_Aggr_parts_with(recvbuf, recvcounts, displs, recvtype),
            MPIR_Aggr_row_for(comm->local_size - 1), request, mpi_errno);
    op = operation(comm, MPIR_Aggr_bytes(recvcounts[rank], recvtype), 0, comm->local_size - 1);
    op.in = mine;
    op.out = buffer_of(recvbuf, longest, recvtype);
    op.ring = ring;
    op.counts = recvcounts;
    op.places = displs;
    if (MPIR_Aggr_bytes(op.in.count, op.in.datatype) != op.part)
        bytes |= MPIR_AGGR_NO_LENGTH;
    return begin_in_ring(op, bytes, 1, request, mpi_errno);
}

bool MPIR_Aggr_post_gather(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                           void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype, int root,
                           MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno)
{
    bool is_root = comm->rank == root;
    uint64_t bytes =
        is_root ? MPIR_Aggr_one_length(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype)
                : MPIR_Aggr_bytes(sendcount, sendtype);

    if (goes_in_parts(bytes, 1))
        return MPIR_Aggr_exchange_parts(
            comm, MPIR_Aggr_parts_of(sendbuf, sendcount, sendtype, root),
            is_root ? MPIR_Aggr_parts_of(recvbuf, recvcount, recvtype, MPIR_AGGR_EACH)
                    : MPIR_Aggr_no_part(),
            MPIR_Aggr_row_for(1), request, mpi_errno);
    return gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, bytes, is_root, comm,
                  request, mpi_errno);
}

bool MPIR_Aggr_post_scatter(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                            void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype, int root,
                            MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno)
{
    bool is_root = comm->rank == root;
    uint64_t bytes =
        is_root ? MPIR_Aggr_one_length(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype)
                : MPIR_Aggr_bytes(recvcount, recvtype);
    struct MPIR_Aggr_operation op;

    if (goes_in_parts(bytes, comm->local_size))
        return MPIR_Aggr_exchange_parts(
            comm,
            is_root ? MPIR_Aggr_parts_of(sendbuf, sendcount, sendtype, MPIR_AGGR_EACH)
                    : MPIR_Aggr_no_part(),
            MPIR_Aggr_parts_of(recvbuf, recvcount, recvtype, root),
            MPIR_Aggr_row_for(comm->local_size - 1), request, mpi_errno);
    op = operation(comm, bytes & ~MPIR_AGGR_NO_LENGTH, root, root);
    op.offset = (size_t) comm->rank * op.part;
    if (is_root)
        op.in = buffer_of(sendbuf, sendcount * comm->local_size, sendtype);
    if (recvbuf != MPI_IN_PLACE)
        op.out = buffer_of(recvbuf, recvcount, recvtype);
    return begin(op, bytes, comm->local_size, request, mpi_errno);
}

bool MPIR_Aggr_post_alltoall(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                             void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype,
                             MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno)
{
    uint64_t bytes =
        MPIR_Aggr_one_length(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
    int size = comm->local_size;
    struct MPIR_Aggr_operation op;

    if (goes_in_parts(bytes, size) && sendbuf != MPI_IN_PLACE)
        return MPIR_Aggr_exchange_parts(
            comm, MPIR_Aggr_parts_of(sendbuf, sendcount, sendtype, MPIR_AGGR_EACH),
            MPIR_Aggr_parts_of(recvbuf, recvcount, recvtype, MPIR_AGGR_EACH),
            MPIR_Aggr_row_for(size - 1), request, mpi_errno);
    op = operation(comm, bytes & ~MPIR_AGGR_NO_LENGTH, 0, size - 1);
    op.offset = (size_t) comm->rank * op.part;
    op.in = sendbuf == MPI_IN_PLACE ? buffer_of(recvbuf, recvcount * size, recvtype)
                                    : buffer_of(sendbuf, sendcount * size, sendtype);
    op.out = buffer_of(recvbuf, recvcount, recvtype);
    return begin(op, bytes, size, request, mpi_errno);
}

/* Elements of a reduction: of `all`, this process gets `count` behind `before`. */
struct share {
    MPI_Aint all, before, count;
};

/* May it go by lines?  Of predefined operations and datatypes alone: a function of the user may
 * take long, or fail.  Lines add in another order than schedules do.  So a result that is rounded
 * would depend on chance where the lines have come by chance. */
static bool can_fold(MPI_Datatype datatype, MPI_Op op, const MPIR_Comm *comm,
                     MPIR_Request **request)
{
    return HANDLE_IS_BUILTIN(op) && HANDLE_IS_BUILTIN(datatype) &&
           (*request || MPIR_Aggr_has_agreed(comm) || !MPIR_Aggr_is_rounded(datatype, op));
}

/* Folds the data of members 0 .. last. */
static struct MPIR_Aggr_operation reduction(const void *sendbuf, void *recvbuf, struct share share,
                                            MPI_Datatype datatype, MPI_Op op, int last,
                                            MPIR_Comm *comm)
{
    struct MPIR_Aggr_operation reduce =
        operation(comm, MPIR_Aggr_bytes(share.all, datatype), 0, last);

    reduce.part = (size_t) MPIR_Aggr_bytes(share.count, datatype);
    reduce.offset = (size_t) MPIR_Aggr_bytes(share.before, datatype);
    reduce.in = buffer_of(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, share.all, datatype);
    reduce.out = buffer_of(recvbuf, share.count, datatype);
    reduce.fold = MPIR_OP_HDL_TO_FN(op);
    return reduce;
}

static bool begin_reduction(const void *sendbuf, void *recvbuf, struct share share,
                            MPI_Datatype datatype, MPI_Op op, int last, MPIR_Comm *comm,
                            MPIR_Request **request, int *mpi_errno)
{
    return can_fold(datatype, op, comm, request) &&
           begin(reduction(sendbuf, recvbuf, share, datatype, op, last, comm),
                 MPIR_Aggr_bytes(share.all, datatype), 1, request, mpi_errno);
}

static struct share whole(MPI_Aint count) { return (struct share){count, 0, count}; }

bool MPIR_Aggr_post_allreduce(const void *sendbuf, void *recvbuf, MPI_Aint count,
                              MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm,
                              MPIR_Request **request, int *mpi_errno)
{
    return begin_reduction(sendbuf, recvbuf, whole(count), datatype, op, comm->local_size - 1, comm,
                           request, mpi_errno);
}

bool MPIR_Aggr_post_reduce(const void *sendbuf, void *recvbuf, MPI_Aint count,
                           MPI_Datatype datatype, MPI_Op op, int root, MPIR_Comm *comm,
                           MPIR_Request **request, int *mpi_errno)
{
    return begin_reduction(sendbuf, recvbuf, whole(count), datatype, op,
                           comm->rank == root ? comm->local_size - 1 : -1, comm, request,
                           mpi_errno);
}

bool MPIR_Aggr_post_scan(const void *sendbuf, void *recvbuf, MPI_Aint count, MPI_Datatype datatype,
                         MPI_Op op, MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno)
{
    return begin_reduction(sendbuf, recvbuf, whole(count), datatype, op, comm->rank, comm, request,
                           mpi_errno);
}

bool MPIR_Aggr_post_exscan(const void *sendbuf, void *recvbuf, MPI_Aint count,
                           MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm,
                           MPIR_Request **request, int *mpi_errno)
{
    return begin_reduction(sendbuf, recvbuf, whole(count), datatype, op, comm->rank - 1, comm,
                           request, mpi_errno);
}

bool MPIR_Aggr_post_reduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Aint recvcount,
                                         MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm,
                                         MPIR_Request **request, int *mpi_errno)
{
    struct share share = {recvcount * comm->local_size, recvcount * comm->rank, recvcount};

    return begin_reduction(sendbuf, recvbuf, share, datatype, op, comm->local_size - 1, comm,
                           request, mpi_errno);
}

bool MPIR_Aggr_post_reduce_scatter(const void *sendbuf, void *recvbuf, const MPI_Aint recvcounts[],
                                   MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm,
                                   MPIR_Request **request, int *mpi_errno)
{
    struct share share = {0, 0, recvcounts[comm->rank]};
    aggr_ring_t *ring;
    struct MPIR_Aggr_operation reduce;

    if (!can_fold(datatype, op, comm, request))
        return false;
    ring = MPIR_Aggr_find_ring(comm, request, mpi_errno);
    if (!ring)
        return *mpi_errno != MPI_SUCCESS;
    share.all = MPIR_Aggr_sum(recvcounts, comm);
    for (int m = 0; m < comm->rank; m++)
        share.before += recvcounts[m];
    reduce = reduction(sendbuf, recvbuf, share, datatype, op, comm->local_size - 1, comm);
    reduce.ring = ring;
    return begin_in_ring(reduce, MPIR_Aggr_bytes(share.all, datatype), 1, request, mpi_errno);
}
