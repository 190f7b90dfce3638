/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_op_util.h"
#include "aggr_comm.h"

/* Barriers; reductions and scans of elements that lie in a row. */

struct reduction {
    MPI_Datatype datatype;
    MPI_Aint unit;
    MPI_Op op;
    MPIR_op_function *function; /* of a predefined operation */
    int mpi_errno;
    size_t bytes;
    bool is_shared; /* what is folded from the left: others read it, too */
    aggr_fold_t fold;
};

static void fold(const void *left, void *inout, size_t bytes, void *context)
{
    struct reduction *reduction = context;
    MPI_Aint count = bytes / reduction->unit;

    if (reduction->function) {
        reduction->function((void *) left, inout, &count, &reduction->datatype);
    } else if (reduction->mpi_errno == MPI_SUCCESS) {
        /* a user's function may use its first argument as it likes */
        if (reduction->is_shared)
            left = memcpy(MPIR_Aggr_scratch(MPIR_AGGR_SCRATCH_IN), left, bytes);
        reduction->mpi_errno =
            MPIR_Reduce_local(left, inout, count, reduction->datatype, reduction->op);
    }
}

/* Bytes from one element to the next; 0 when these are not all of it, or not in a row. */
static MPI_Aint unit_of(MPI_Datatype datatype)
{
    MPI_Aint extent, size;
    int contiguous;

    MPIR_Datatype_get_extent_macro(datatype, extent);
    MPIR_Datatype_get_size_macro(datatype, size);
    MPIR_Datatype_is_contig(datatype, &contiguous);
    return contiguous && MPIR_Aggr_first_byte(datatype) == 0 && size == extent ? extent : 0;
}

#undef MPIR_OP_TYPE_MACRO
#define MPIR_OP_TYPE_MACRO(mpi_type, c_type, name) case mpi_type:
static bool is_integer(MPI_Datatype datatype)
{
    switch (datatype) {
        MPIR_OP_TYPE_GROUP(C_INTEGER)
        return true;
        default: return false;
    }
}

bool MPIR_Aggr_is_rounded(MPI_Datatype datatype, MPI_Op op)
{
    return !HANDLE_IS_BUILTIN(op) || !is_integer(datatype);
}

/* False: the elements are not in a row, or of more than `most` bytes.  Of none anything is true. */
static bool describe(struct reduction *reduction, MPI_Aint count, MPI_Datatype datatype, MPI_Op op,
                     size_t most)
{
    if ((size_t) count > most)
        return false;
    reduction->unit = count > 0 ? unit_of(datatype) : 1;
    if (reduction->unit <= 0 || (size_t) count * (size_t) reduction->unit > most)
        return false;
    reduction->datatype = datatype;
    reduction->op = op;
    reduction->function =
        HANDLE_IS_BUILTIN(op) && HANDLE_IS_BUILTIN(datatype) ? MPIR_OP_HDL_TO_FN(op) : NULL;
    reduction->mpi_errno = MPI_SUCCESS;
    reduction->bytes = (size_t) (count * reduction->unit);
    reduction->is_shared = true;
    reduction->fold = (aggr_fold_t){fold, reduction, (size_t) reduction->unit};
    return true;
}

static enum MPIR_Aggr_kind rounding(MPI_Datatype datatype, MPI_Op op)
{
    return MPIR_Aggr_is_rounded(datatype, op) ? MPIR_AGGR_ROUNDED : MPIR_AGGR_EXACT;
}

/* The communicator's aggregates when the reduction is one for them; NULL otherwise, or with an
 * error. */
static aggr_group_t *reduction_begin(struct reduction *reduction, MPI_Aint count,
                                     MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm,
                                     enum MPIR_Aggr_kind kind, int *mpi_errno)
{
    MPIR_Aggr_payload_t payload = {
        .fits = describe(reduction, count, datatype, op, MPIR_Aggr_settings.max_bytes)};

    if (!payload.fits && !(kind & MPIR_AGGR_NEVER_LONG))
        payload.is_long = describe(reduction, count, datatype, op, MPIR_Aggr_settings.long_bytes) &&
                          reduction->function;
    payload.bytes = payload.fits ? reduction->bytes : MPIR_Aggr_bytes(count, datatype);
    payload.place = payload.fits ? reduction->bytes : 0;
    return MPIR_Aggr_begin(comm, kind | rounding(datatype, op), payload, mpi_errno);
}

static bool done(int status, const struct reduction *reduction, int *mpi_errno)
{
    *mpi_errno = status ? status : reduction->mpi_errno;
    return MPIR_Aggr_done(reduction->bytes, mpi_errno);
}

/* False: the data go by messages. */
static bool done_by(aggr_group_t *group, int status, const struct reduction *reduction,
                    int *mpi_errno)
{
    if (MPIR_Aggr_end(group, &status))
        return false;
    return done(MPIR_Aggr_error(status, reduction->bytes, group), reduction, mpi_errno);
}

static const void *input(const void *sendbuf, const void *recvbuf)
{
    return sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
}

/* What allreduce, scan and exscan have in common. */
static bool for_all(int (*function)(aggr_group_t *, const void *, void *, size_t,
                                    const aggr_fold_t *),
                    const void *sendbuf, void *recvbuf, MPI_Aint count, MPI_Datatype datatype,
                    MPI_Op op, MPIR_Comm *comm, int *mpi_errno)
{
    struct reduction reduction;
    aggr_group_t *group =
        reduction_begin(&reduction, count, datatype, op, comm, MPIR_AGGR_EXACT, mpi_errno);

    if (!group)
        return *mpi_errno != MPI_SUCCESS;
    return done_by(
        group, function(group, input(sendbuf, recvbuf), recvbuf, reduction.bytes, &reduction.fold),
        &reduction, mpi_errno);
}

/* ---- by all data in one place ---- */

/* A process folds the data of all before it: a function of the user's, which may take long, is not
 * called for that more often than MPICH's algorithms do, by much. */
enum { MOST_CALLS_OF_USER = 16 };

/* Of ranks 0 .. last, in the order of all reductions. */
static void fold_ranks(const struct reduction *reduction, const MPIR_Aggr_vector_t *all, int last,
                       void *out)
{
    const char *from = (const char *) all->words + (size_t) last * reduction->bytes;

    memcpy(out, from, reduction->bytes);
    for (int m = last - 1; m >= 0; m--) {
        from -= reduction->bytes;
        reduction->fold.fold(from, out, reduction->bytes, reduction->fold.context);
    }
}

/* A reduction by the data of all members.  False: not this way, by what they have in common. */
static bool describe_all(struct reduction *reduction, MPI_Aint count, MPI_Datatype datatype,
                         MPI_Op op, const MPIR_Comm *comm)
{
    if (count == 0 || (!HANDLE_IS_BUILTIN(op) && comm->local_size > MOST_CALLS_OF_USER))
        return false;
    if (!describe(reduction, count, datatype, op, MPIR_AGGR_NODES_MOST / (size_t) comm->local_size))
        return false;
    reduction->is_shared = false;
    return true;
}

static bool scan_nodes(const void *sendbuf, void *recvbuf, MPI_Aint count, MPI_Datatype datatype,
                       MPI_Op op, MPIR_Comm *comm, int last, int *mpi_errno)
{
    struct reduction reduction;
    MPIR_Aggr_vector_t all;
    int status;

    if (!describe_all(&reduction, count, datatype, op, comm))
        return false;
    if (!MPIR_Aggr_begin_nodes(comm, rounding(datatype, op), reduction.bytes, mpi_errno))
        return *mpi_errno != MPI_SUCCESS;
    status = MPIR_Aggr_collect(comm, input(sendbuf, recvbuf), reduction.bytes, &all);
    if (status == MPI_SUCCESS && last >= 0)
        fold_ranks(&reduction, &all, last, recvbuf);
    return done(status, &reduction, mpi_errno);
}

static bool allreduce_direct(const void *sendbuf, void *recvbuf, MPI_Aint count,
                             MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm,
                             MPIR_Errflag_t *errflag, int *mpi_errno)
{
    struct reduction reduction;
    MPIR_Aggr_vector_t all;

    if (!describe_all(&reduction, count, datatype, op, comm))
        return false;
    *mpi_errno = MPIR_Aggr_exchange(comm, input(sendbuf, recvbuf), reduction.bytes, all.words,
                                    MPIR_ALLREDUCE_TAG, errflag);
    if (*mpi_errno == MPI_SUCCESS) {
        fold_ranks(&reduction, &all, comm->local_size - 1, recvbuf);
        *mpi_errno = reduction.mpi_errno;
    }
    return true;
}

/* ---- what MPI calls ---- */

bool MPIR_Aggr_do_barrier(MPIR_Comm *comm, MPIR_Errflag_t *errflag, int *mpi_errno)
{
    aggr_group_t *group;

    if (MPIR_Aggr_is_direct(comm)) {
        *mpi_errno = MPIR_Aggr_exchange(comm, NULL, 0, NULL, MPIR_BARRIER_TAG, errflag);
        return true;
    }
    group = MPIR_Aggr_group(comm, MPIR_AGGR_EXACT, mpi_errno);
    if (!group)
        return *mpi_errno != MPI_SUCCESS;
    *mpi_errno = MPIR_aggr_barrier(group);
    return MPIR_Aggr_done(0, mpi_errno);
}

bool MPIR_Aggr_do_allreduce(const void *sendbuf, void *recvbuf, MPI_Aint count,
                            MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm,
                            MPIR_Errflag_t *errflag, int *mpi_errno)
{
    if (MPIR_Aggr_is_direct(comm))
        return allreduce_direct(sendbuf, recvbuf, count, datatype, op, comm, errflag, mpi_errno);
    if (!for_all(MPIR_aggr_allreduce, sendbuf, recvbuf, count, datatype, op, comm, mpi_errno))
        return false;
    MPIR_Aggr_failed(*mpi_errno, errflag);
    return true;
}

bool MPIR_Aggr_do_scan(const void *sendbuf, void *recvbuf, MPI_Aint count, MPI_Datatype datatype,
                       MPI_Op op, MPIR_Comm *comm, int *mpi_errno)
{
    if (MPIR_Aggr_spans_nodes(comm))
        return scan_nodes(sendbuf, recvbuf, count, datatype, op, comm, comm->rank, mpi_errno);
    return for_all(MPIR_aggr_scan, sendbuf, recvbuf, count, datatype, op, comm, mpi_errno) ||
           (count == 0 && !MPIR_Aggr_has_lines(comm));
}

bool MPIR_Aggr_do_exscan(const void *sendbuf, void *recvbuf, MPI_Aint count, MPI_Datatype datatype,
                         MPI_Op op, MPIR_Comm *comm, int *mpi_errno)
{
    if (MPIR_Aggr_spans_nodes(comm))
        return scan_nodes(sendbuf, recvbuf, count, datatype, op, comm, comm->rank - 1, mpi_errno);
    return for_all(MPIR_aggr_exscan, sendbuf, recvbuf, count, datatype, op, comm, mpi_errno) ||
           (count == 0 && !MPIR_Aggr_has_lines(comm));
}

static bool reduce_scatter(const void *sendbuf, void *recvbuf, aggr_counts_t parts, MPI_Aint all,
                           MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm, int *mpi_errno)
{
    struct reduction reduction;
    /* a long result could replace data of later chunks */
    enum MPIR_Aggr_kind kind =
        sendbuf == MPI_IN_PLACE && parts.counts ? MPIR_AGGR_NEVER_LONG : MPIR_AGGR_EXACT;
    aggr_group_t *group = reduction_begin(&reduction, all, datatype, op, comm, kind, mpi_errno);

    if (!group)
        return *mpi_errno != MPI_SUCCESS || (all == 0 && !MPIR_Aggr_has_lines(comm));
    return done_by(
        group,
        MPIR_aggr_reduce_scatter(group, input(sendbuf, recvbuf), recvbuf, parts, &reduction.fold),
        &reduction, mpi_errno);
}

bool MPIR_Aggr_do_reduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Aint recvcount,
                                       MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm,
                                       int *mpi_errno)
{
    aggr_counts_t parts = {NULL, (size_t) recvcount};

    return reduce_scatter(sendbuf, recvbuf, parts, recvcount * comm->local_size, datatype, op, comm,
                          mpi_errno);
}

bool MPIR_Aggr_do_reduce_scatter(const void *sendbuf, void *recvbuf, const MPI_Aint recvcounts[],
                                 MPI_Datatype datatype, MPI_Op op, MPIR_Comm *comm, int *mpi_errno)
{
    aggr_counts_t parts = {recvcounts, 0};

    return reduce_scatter(sendbuf, recvbuf, parts, MPIR_Aggr_sum(recvcounts, comm), datatype, op,
                          comm, mpi_errno);
}

bool MPIR_Aggr_do_reduce(const void *sendbuf, void *recvbuf, MPI_Aint count, MPI_Datatype datatype,
                         MPI_Op op, int root, MPIR_Comm *comm, MPIR_Errflag_t *errflag,
                         int *mpi_errno)
{
    struct reduction reduction;
    enum MPIR_Aggr_kind kind = MPIR_Aggr_rooted(
        MPIR_Aggr_bytes(count, datatype), MPIR_AGGR_FEW_REDUCE, MPIR_Aggr_settings.long_bytes);
    aggr_group_t *group;

    if (MPIR_Aggr_declines_rooted(comm, kind))
        return false;
    group = reduction_begin(&reduction, count, datatype, op, comm, kind, mpi_errno);
    if (!group)
        return MPIR_Aggr_failed(*mpi_errno, errflag) || (count == 0 && !MPIR_Aggr_has_lines(comm));
    if (!done_by(group,
                 MPIR_aggr_reduce(group, input(sendbuf, recvbuf), recvbuf, reduction.bytes,
                                  &reduction.fold, root),
                 &reduction, mpi_errno))
        return false;
    MPIR_Aggr_failed(*mpi_errno, errflag);
    return true;
}
