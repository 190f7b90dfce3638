/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_op_util.h"
#include "aggr_comm.h"

/*
 * Nonblocking and persistent collectives of short data inside a node: without a schedule, and
 * without messages.
 *
 * Each of them is one operation of the communicator's ring.  The call puts this process's data into
 * its line and looks for the others'.  If these have not all arrived, the operation stays in the
 * communicator's queue, and the progress engine looks again.
 *
 * Which way a collective goes follows from what all members know: the communicator has lines since
 * an earlier blocking collective, and the data fit.  Data that do not fit go by MPICH's schedules.
 * They are an operation of the ring, too, so that a member which expects another length is told.
 *
 * A persistent collective has a ring of its own, since members may start several in any order.  The
 * members agree on it in the call that makes it, which may wait for others.
 */

/* Data in a row or not. */
struct buffer {
    char *at;
    MPI_Aint count;
    MPI_Datatype datatype;
};

struct MPIR_Aggr_operation {
    struct MPIR_Aggr_operation *next;
    MPIR_Comm *comm;
    aggr_ring_t *ring;
    MPIR_Request *request; /* NULL: nobody waits for it */
    size_t part, place;    /* bytes of a part, and of what each member puts */
    uint32_t length;       /* of a part, as members compare it */
    struct buffer in;      /* what this process puts */
    struct buffer out;     /* where one part goes; others follow */
    int first, last;       /* the members whose data it takes */
    int awaited;           /* the first of them that has not arrived */
    size_t offset;         /* of this process's part in their data */
    /* of parts of different lengths, in elements of the type of `out`; else NULL */
    const MPI_Aint *counts, *places;
    MPIR_op_function *fold; /* of a reduction */
    uint32_t number;        /* in the ring, once it has begun */
    bool has_begun;
    int mpi_errno; /* its first error */
};

/* A length that no part has: its member's arguments contradict each other, or it goes elsewhere. */
#define NO_LENGTH (UINT32_C(1) << 31)

/* ---- what an operation does ------------------------------------------------------------------ */

static MPI_Aint extent_of(MPI_Datatype datatype)
{
    MPI_Aint extent;

    MPIR_Datatype_get_extent_macro(datatype, extent);
    return extent;
}

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
    void *place = MPIR_aggr_ring_place(op->ring, bytes);
    MPI_Aint packed;

    if (op->in.count > 0 && HANDLE_IS_BUILTIN(op->in.datatype))
        memcpy(place, op->in.at, bytes);
    else if (op->in.count > 0)
        op->mpi_errno = MPIR_Typerep_pack(op->in.at, op->in.count, op->in.datatype, 0, place,
                                          (MPI_Aint) bytes, &packed);
    op->number = MPIR_aggr_ring_begin(op->ring, op->length);
    op->has_begun = true;
    MPIR_Aggr_counts.calls++;
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
    MPI_Aint count = op->counts ? op->counts[member] : op->out.count;
    MPI_Aint place = op->counts ? op->places[member] : (member - op->first) * count;
    char *to = op->out.at + place * extent_of(op->out.datatype);
    size_t bytes = part_bytes(op, member);
    MPI_Aint unpacked;

    if (!HANDLE_IS_BUILTIN(op->out.datatype))
        return MPIR_Typerep_unpack(part_of(op, member), (MPI_Aint) bytes, to, count,
                                   op->out.datatype, 0, &unpacked);
    memcpy(to, part_of(op, member), bytes);
    return MPI_SUCCESS;
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

/* ---- the queue of a communicator ------------------------------------------------------------- */

/* Communicators with a queue that is not empty.  Each operation of a queue refers to its
 * communicator. */
static MPIR_Comm *waiting;
static int hook = -1;

bool MPIR_Aggr_is_pending;

/* Both may call functions of the user, which delete attributes, and these may call MPI. */
static void complete(struct MPIR_Aggr_operation *op)
{
    MPIR_Comm *comm = op->comm;

    MPIR_Datatype_release_if_not_builtin(op->in.datatype);
    MPIR_Datatype_release_if_not_builtin(op->out.datatype);
    if (op->request) {
        op->request->status.MPI_ERROR = op->mpi_errno;
        MPIR_Request_complete(op->request);
    }
    MPL_free(op);
    MPIR_Comm_release(comm);
}

static void complete_all(struct MPIR_Aggr_operation *list)
{
    while (list) {
        struct MPIR_Aggr_operation *op = list;

        list = op->next;
        complete(op);
    }
}

/* May it begin, behind the other operations of its ring in the queue? */
static bool can_begin(const struct MPIR_Aggr_operation *op)
{
    const struct MPIR_Aggr_operation *other = op->comm->aggr->queue;

    while (other && other != op && (other->has_begun || other->ring != op->ring))
        other = other->next;
    return (!other || other == op) && MPIR_aggr_ring_ready(op->ring);
}

static bool is_over(struct MPIR_Aggr_operation *op)
{
    if (!op->has_begun && can_begin(op))
        put(op);
    return op->has_begun && look(op);
}

/* Moves what is over from the queue to the end of a list, which is returned. */
static struct MPIR_Aggr_operation **serve(struct MPIR_Aggr *aggr, struct MPIR_Aggr_operation **end)
{
    struct MPIR_Aggr_operation **at = &aggr->queue, *op;

    while ((op = *at) != NULL) {
        if (!is_over(op)) {
            at = &op->next;
            continue;
        }
        *at = op->next;
        op->next = NULL;
        *end = op;
        end = &op->next;
    }
    return end;
}

/* Operations are completed when no queue is looked at any more. */
static int serve_all(int *made_progress)
{
    struct MPIR_Aggr_operation *over = NULL, **end = &over;
    MPIR_Comm **at = &waiting, *comm;

    while ((comm = *at) != NULL) {
        end = serve(comm->aggr, end);
        if (comm->aggr->queue)
            at = &comm->aggr->next_waiting;
        else
            *at = comm->aggr->next_waiting;
    }
    if (!waiting) {
        MPIR_Progress_hook_deactivate(hook);
        MPIR_Aggr_is_pending = false;
    }
    *made_progress |= over != NULL;
    complete_all(over);
    return MPI_SUCCESS;
}

void MPIR_Aggr_serve(void)
{
    int made_progress = 0;

    serve_all(&made_progress);
}

/* The progress engine looks at the communicator's queue until it is empty. */
static int start_to_wait(MPIR_Comm *comm)
{
    int mpi_errno = MPI_SUCCESS;

    if (hook < 0)
        mpi_errno = MPIR_Progress_hook_register(serve_all, &hook);
    MPIR_ERR_CHECK(mpi_errno);
    comm->aggr->next_waiting = waiting;
    waiting = comm;
    MPIR_Progress_hook_activate(hook);
    MPIR_Aggr_is_pending = true;

fn_exit:
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

static bool is_waiting(const MPIR_Comm *comm)
{
    const MPIR_Comm *other = waiting;

    while (other && other != comm)
        other = other->aggr->next_waiting;
    return other != NULL;
}

static struct MPIR_Aggr_operation **end_of_queue(struct MPIR_Aggr *aggr)
{
    struct MPIR_Aggr_operation **at = &aggr->queue;

    while (*at)
        at = &(*at)->next;
    return at;
}

/* The caller's arrays end with its call. */
static size_t arrays_bytes(const struct MPIR_Aggr_operation *op)
{
    return op->counts ? 2 * (size_t) op->comm->local_size * sizeof(MPI_Aint) : 0;
}

static void copy_arrays(struct MPIR_Aggr_operation *op, void *room)
{
    size_t bytes = arrays_bytes(op) / 2;

    if (bytes == 0)
        return;
    op->counts = memcpy(room, op->counts, bytes);
    op->places = memcpy((char *) room + bytes, op->places, bytes);
}

static int enqueue(const struct MPIR_Aggr_operation *op, MPIR_Request **request)
{
    struct MPIR_Aggr_operation *copy = MPL_malloc(sizeof(*copy) + arrays_bytes(op), MPL_MEM_COLL);
    int mpi_errno = MPI_SUCCESS;

    MPIR_ERR_CHKANDJUMP(!copy, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    *copy = *op;
    copy_arrays(copy, copy + 1);
    if (!is_waiting(op->comm))
        mpi_errno = start_to_wait(op->comm);
    MPIR_ERR_CHECK(mpi_errno);
    if (request) {
        *request = copy->request = MPIR_Request_create(MPIR_REQUEST_KIND__COLL);
        MPIR_Request_add_ref(copy->request); /* the user's, and the queue's */
        copy->request->comm = op->comm;
        MPIR_Comm_add_ref(op->comm);
    }
    MPIR_Comm_add_ref(op->comm);
    MPIR_Datatype_add_ref_if_not_builtin(copy->in.datatype);
    MPIR_Datatype_add_ref_if_not_builtin(copy->out.datatype);
    *end_of_queue(op->comm->aggr) = copy;

fn_exit:
    return mpi_errno;
fn_fail:
    MPL_free(copy);
    goto fn_exit;
}

/* `request` may be NULL.  The others wait for a process that has begun, so memory for the queue
 * comes from the reserve if there is no other. */
static int start(struct MPIR_Aggr_operation *op, MPIR_Request **request)
{
    if (is_over(op)) {
        if (request)
            *request = MPIR_Request_create_complete(MPIR_REQUEST_KIND__COLL);
        MPIR_Aggr_done(0, &op->mpi_errno);
        return op->mpi_errno;
    }
    MPIR_Reserve_enter();
    op->mpi_errno = enqueue(op, request);
    MPIR_Reserve_leave();
    return op->mpi_errno;
}

void MPIR_Aggr_end_queue(MPIR_Comm *comm, int mpi_errno)
{
    struct MPIR_Aggr_operation *list = comm->aggr->queue;
    MPIR_Comm **at = &waiting;

    while (*at && *at != comm)
        at = &(*at)->aggr->next_waiting;
    if (*at)
        *at = comm->aggr->next_waiting;
    comm->aggr->queue = NULL;
    for (struct MPIR_Aggr_operation *op = list; op; op = op->next)
        op->mpi_errno = mpi_errno;
    complete_all(list);
}

/* ---- what MPI calls -------------------------------------------------------------------------- */

/* The most members: each of them reads a line of each. */
enum { MOST_MEMBERS = 64 };

static bool has_ring(const MPIR_Comm *comm)
{
    return MPIR_Aggr_has_lines(comm) && comm->local_size <= MOST_MEMBERS &&
           MPIR_aggr_ring_has(&comm->aggr->group.ring, 0);
}

/* An operation of the communicator in which nobody takes anything. */
static struct MPIR_Aggr_operation nothing(MPIR_Comm *comm, uint64_t bytes)
{
    return (struct MPIR_Aggr_operation){.comm = comm,
                                        .ring = &comm->aggr->group.ring,
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

/* A persistent collective, and what each of its starts does. */
struct persistent {
    struct MPIR_Aggr_operation operation;
    aggr_ring_t ring;
};

/* What the first member tells the others. */
struct terms {
    uint64_t block, bytes; /* 0: no room, or too long */
};

/* Collective.  True: the request has its operation, or there is an error. */
static bool make_persistent(const struct MPIR_Aggr_operation *op, bool fits, MPIR_Request *request,
                            int *mpi_errno)
{
    aggr_group_t *group = &op->comm->aggr->group;
    struct persistent *persistent =
        MPL_malloc(sizeof(*persistent) + arrays_bytes(op), MPL_MEM_COLL);
    struct terms terms = {0, op->place};
    int status;

    MPIR_ERR_CHKANDJUMP(!persistent, *mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    if (group->me == 0 && fits)
        terms.block = MPIR_aggr_ring_reserve(group, op->place);
    status = MPIR_aggr_bcast(group, &terms, sizeof(terms), 0);
    *mpi_errno = MPIR_Aggr_error(status, sizeof(terms), group);
    MPIR_ERR_CHECK(*mpi_errno);
    if (terms.block == 0) {
        MPL_free(persistent);
        return false;
    }
    MPIR_aggr_ring_join(&persistent->ring, group, terms.block, terms.bytes);
    persistent->operation = *op;
    persistent->operation.ring = &persistent->ring;
    copy_arrays(&persistent->operation, persistent + 1);
    if (!fits || terms.bytes != op->place) {
        MPIR_aggr_ring_leave(&persistent->ring);
        *mpi_errno = MPIR_Aggr_lengths_differ(terms.bytes, op->place);
        goto fn_fail;
    }
    MPIR_Datatype_add_ref_if_not_builtin(op->in.datatype);
    MPIR_Datatype_add_ref_if_not_builtin(op->out.datatype);
    request->u.persist_coll.sched = persistent;
    request->u.persist_coll.sched_type = MPIR_SCHED_AGGR;
    return true;

fn_fail:
    MPL_free(persistent);
    return true;
}

/* An error is that of the request: MPI_Start does not know the communicator's error handler. */
int MPIR_Aggr_restart(void *persistent, MPIR_Request **request)
{
    struct MPIR_Aggr_operation op = ((struct persistent *) persistent)->operation;

    if (unlikely(op.comm->revoked))
        MPIR_ERR_SETANDSTMT(op.mpi_errno, MPIX_ERR_REVOKED, ;, "**revoked");
    if (op.mpi_errno || start(&op, request) != MPI_SUCCESS) {
        *request = MPIR_Request_create(MPIR_REQUEST_KIND__COLL);
        MPIR_cc_set(&(*request)->cc, 0);
        (*request)->status.MPI_ERROR = op.mpi_errno;
    }
    return MPI_SUCCESS;
}

void MPIR_Aggr_discard(void *discarded)
{
    struct persistent *persistent = discarded;

    MPIR_Datatype_release_if_not_builtin(persistent->operation.in.datatype);
    MPIR_Datatype_release_if_not_builtin(persistent->operation.out.datatype);
    MPIR_aggr_ring_leave(&persistent->ring);
    MPL_free(persistent);
}

/* With `parts` of them in each datum.  False: the data go by a schedule, as all members know. */
static bool begin(struct MPIR_Aggr_operation op, uint64_t bytes, int parts, MPIR_Request **request,
                  int *mpi_errno)
{
    uint64_t length = bytes & ~MPIR_AGGR_NO_LENGTH;
    bool fits = length <= MPIR_Aggr_settings.max_bytes / (size_t) parts;

    op.place = fits ? (size_t) length * (size_t) parts : 0;
    if (length != bytes) {
        op.length = NO_LENGTH | (uint32_t) length;
        op.in.count = op.out.count = 0;
    }
    if (*request)
        return make_persistent(&op, fits, *request, mpi_errno);
    fits = fits && MPIR_aggr_ring_has(op.ring, op.place);
    if (!fits)
        op = nothing(op.comm, length);
    *mpi_errno = start(&op, fits ? request : NULL);
    return fits || *mpi_errno != MPI_SUCCESS;
}

static struct buffer buffer_of(const void *at, MPI_Aint count, MPI_Datatype datatype)
{
    return (struct buffer){(char *) at, count, datatype};
}

/* Part `rank` of a buffer that has one of each member. */
static struct buffer own_part(const void *all, MPI_Aint count, MPI_Datatype datatype, int rank)
{
    return buffer_of((const char *) all + rank * count * extent_of(datatype), count, datatype);
}

bool MPIR_Aggr_post_barrier(MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno)
{
    return has_ring(comm) &&
           begin(operation(comm, 0, 0, comm->local_size - 1), 0, 1, request, mpi_errno);
}

bool MPIR_Aggr_post_bcast(void *buffer, MPI_Aint count, MPI_Datatype datatype, int root,
                          MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno)
{
    uint64_t bytes = MPIR_Aggr_bytes(count, datatype);
    bool is_root = comm->rank == root;
    struct MPIR_Aggr_operation op;

    if (!has_ring(comm))
        return false;
    op = operation(comm, bytes, root, is_root ? root - 1 : root);
    *(is_root ? &op.in : &op.out) = buffer_of(buffer, count, datatype);
    return begin(op, bytes, 1, request, mpi_errno);
}

/* From each to one, or to all. */
static bool gather(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype, void *recvbuf,
                   MPI_Aint recvcount, MPI_Datatype recvtype, bool wanted, MPIR_Comm *comm,
                   MPIR_Request **request, int *mpi_errno)
{
    uint64_t bytes =
        wanted ? MPIR_Aggr_one_length(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype)
               : MPIR_Aggr_bytes(sendcount, sendtype);
    struct MPIR_Aggr_operation op =
        operation(comm, bytes & ~MPIR_AGGR_NO_LENGTH, 0, wanted ? comm->local_size - 1 : -1);

    op.in = sendbuf == MPI_IN_PLACE ? own_part(recvbuf, recvcount, recvtype, comm->rank)
                                    : buffer_of(sendbuf, sendcount, sendtype);
    if (wanted)
        op.out = buffer_of(recvbuf, recvcount, recvtype);
    return begin(op, bytes, 1, request, mpi_errno);
}

bool MPIR_Aggr_post_allgather(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                              void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype,
                              MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno)
{
    return has_ring(comm) && gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                    true, comm, request, mpi_errno);
}

bool MPIR_Aggr_post_allgatherv(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                               void *recvbuf, const MPI_Aint recvcounts[], const MPI_Aint displs[],
                               MPI_Datatype recvtype, MPIR_Comm *comm, MPIR_Request **request,
                               int *mpi_errno)
{
    MPI_Aint longest = 0;
    uint64_t bytes;
    struct MPIR_Aggr_operation op;
    int rank = comm->rank;

    if (!has_ring(comm))
        return false;
    for (int m = 0; m < comm->local_size; m++)
        longest = MPL_MAX(longest, recvcounts[m]);
    bytes = MPIR_Aggr_bytes(longest, recvtype);
    op = operation(comm, MPIR_Aggr_bytes(recvcounts[rank], recvtype), 0, comm->local_size - 1);
    if (sendbuf == MPI_IN_PLACE)
        op.in = buffer_of((char *) recvbuf + displs[rank] * extent_of(recvtype), recvcounts[rank],
                          recvtype);
    else
        op.in = buffer_of(sendbuf, sendcount, sendtype);
    op.out = buffer_of(recvbuf, longest, recvtype);
    op.counts = recvcounts;
    op.places = displs;
    if (MPIR_Aggr_bytes(op.in.count, op.in.datatype) != op.part)
        bytes |= MPIR_AGGR_NO_LENGTH;
    return begin(op, bytes, 1, request, mpi_errno);
}

bool MPIR_Aggr_post_gather(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                           void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype, int root,
                           MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno)
{
    return has_ring(comm) && gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                    comm->rank == root, comm, request, mpi_errno);
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

    if (!has_ring(comm))
        return false;
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

    if (!has_ring(comm))
        return false;
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

/* Folds the data of members first .. last.  Of predefined operations and datatypes alone: a
 * function of the user may take long, or fail. */
static bool reduction(const void *sendbuf, void *recvbuf, struct share share, MPI_Datatype datatype,
                      MPI_Op op, int first, int last, MPIR_Comm *comm, MPIR_Request **request,
                      int *mpi_errno)
{
    uint64_t bytes = MPIR_Aggr_bytes(share.all, datatype);
    struct MPIR_Aggr_operation reduce;

    if (!HANDLE_IS_BUILTIN(op) || !HANDLE_IS_BUILTIN(datatype) || !has_ring(comm))
        return false;
    reduce = operation(comm, bytes, first, last);
    reduce.part = (size_t) MPIR_Aggr_bytes(share.count, datatype);
    reduce.offset = (size_t) MPIR_Aggr_bytes(share.before, datatype);
    reduce.in = buffer_of(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, share.all, datatype);
    reduce.out = buffer_of(recvbuf, share.count, datatype);
    reduce.fold = MPIR_OP_HDL_TO_FN(op);
    return begin(reduce, bytes, 1, request, mpi_errno);
}

static struct share whole(MPI_Aint count) { return (struct share){count, 0, count}; }

bool MPIR_Aggr_post_allreduce(const void *sendbuf, void *recvbuf, MPI_Aint count,
                              MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm,
                              MPIR_Request **request, int *mpi_errno)
{
    return reduction(sendbuf, recvbuf, whole(count), datatype, op, 0, comm->local_size - 1, comm,
                     request, mpi_errno);
}

bool MPIR_Aggr_post_reduce(const void *sendbuf, void *recvbuf, MPI_Aint count,
                           MPI_Datatype datatype, MPI_Op op, int root, MPIR_Comm *comm,
                           MPIR_Request **request, int *mpi_errno)
{
    return reduction(sendbuf, recvbuf, whole(count), datatype, op, 0,
                     comm->rank == root ? comm->local_size - 1 : -1, comm, request, mpi_errno);
}

bool MPIR_Aggr_post_scan(const void *sendbuf, void *recvbuf, MPI_Aint count, MPI_Datatype datatype,
                         MPI_Op op, MPIR_Comm *comm, MPIR_Request **request, int *mpi_errno)
{
    return reduction(sendbuf, recvbuf, whole(count), datatype, op, 0, comm->rank, comm, request,
                     mpi_errno);
}

bool MPIR_Aggr_post_exscan(const void *sendbuf, void *recvbuf, MPI_Aint count,
                           MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm,
                           MPIR_Request **request, int *mpi_errno)
{
    return reduction(sendbuf, recvbuf, whole(count), datatype, op, 0, comm->rank - 1, comm, request,
                     mpi_errno);
}

bool MPIR_Aggr_post_reduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Aint recvcount,
                                         MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm,
                                         MPIR_Request **request, int *mpi_errno)
{
    struct share share = {recvcount * comm->local_size, recvcount * comm->rank, recvcount};

    return reduction(sendbuf, recvbuf, share, datatype, op, 0, comm->local_size - 1, comm, request,
                     mpi_errno);
}

bool MPIR_Aggr_post_reduce_scatter(const void *sendbuf, void *recvbuf, const MPI_Aint recvcounts[],
                                   MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm,
                                   MPIR_Request **request, int *mpi_errno)
{
    struct share share = {MPIR_Aggr_sum(recvcounts, comm), 0, recvcounts[comm->rank]};

    for (int m = 0; m < comm->rank; m++)
        share.before += recvcounts[m];
    return reduction(sendbuf, recvbuf, share, datatype, op, 0, comm->local_size - 1, comm, request,
                     mpi_errno);
}
