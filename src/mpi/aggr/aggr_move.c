/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "aggr_comm.h"

/* Collectives that move data as they are, of any datatype: what is not contiguous is packed, into memory that the process
 * has from the first set-up on, so that no member can fail alone. */

/* A user's buffer as bytes in a row. */
struct view {
    void *at;
    size_t bytes;
    void *user;
    MPI_Aint count;
    MPI_Datatype datatype;
    bool packed;
};

static inline size_t bytes_of(MPI_Aint count, MPI_Datatype datatype)
{
    MPI_Aint size;

    if (HANDLE_IS_BUILTIN(datatype))
        return (size_t) count * (size_t) MPIR_Datatype_get_basic_size(datatype);
    MPIR_Datatype_get_size_macro(datatype, size);
    return (size_t) count * (size_t) size;
}

/* REQUIRES as many bytes as the scratch memory has, or fewer. */
static inline struct view view_of(const void *user, MPI_Aint count, MPI_Datatype datatype, enum MPIR_Aggr_scratch scratch)
{
    struct view view = { (void *) user, bytes_of(count, datatype), (void *) user, count, datatype, false };
    int contiguous;

    if (HANDLE_IS_BUILTIN(datatype))
        return view;
    MPIR_Datatype_is_contig(datatype, &contiguous);
    view.packed = !contiguous;
    view.at = contiguous ? (char *) user + MPIR_Aggr_first_byte(datatype) : MPIR_Aggr_scratch(scratch);
    return view;
}

static int pack(const struct view *view)
{
    MPI_Aint packed;

    return view->packed ? MPIR_Typerep_pack(view->user, view->count, view->datatype, 0, view->at, view->bytes,
                                            &packed) : MPI_SUCCESS;
}

static int unpack(const struct view *view)
{
    MPI_Aint unpacked;

    return view->packed ? MPIR_Typerep_unpack(view->at, view->bytes, view->user, view->count, view->datatype, 0,
                                              &unpacked) : MPI_SUCCESS;
}

/* After a collective with this status.  The others wait for this process, so that it goes through the collective also when
 * it could not pack; the first error is what is returned. */
static void finish(const struct view *received, int status, int *mpi_errno)
{
    if (status == MPI_SUCCESS && received)
        status = unpack(received);
    if (*mpi_errno == MPI_SUCCESS)
        *mpi_errno = status;
}

/* The communicator's aggregates when `bytes`, of one or for all, are for them and there is room for `place`. */
static aggr_group_t *begin(MPIR_Comm * comm, enum MPIR_Aggr_kind kind, size_t bytes, size_t place, int *mpi_errno)
{
    *mpi_errno = MPI_SUCCESS;
    return MPIR_Aggr_fits(bytes) ? MPIR_Aggr_begin(comm, kind, place, mpi_errno) : NULL;
}

/* ---- broadcast ----------------------------------------------------------------------------------------------------- */

/* What went wrong before, between nodes, goes to all, and is the root's error, too. */
static int bcast(aggr_group_t * group, void *bytes, size_t length, int root, MPIR_Errflag_t * errflag)
{
    int status;

    if (group->me == root && *errflag != MPIR_ERR_NONE) {
        status = aggr_bcast_failure(group);
        return MPIR_Aggr_error(status ? status : AGGR_ERR_ROOT, length, group);
    }
    status = aggr_bcast(group, bytes, length, root);
    if (likely(status == AGGR_OK))
        return MPI_SUCCESS;
    if (status == AGGR_ERR_ROOT)
        *errflag = MPIR_ERR_OTHER;
    return MPIR_Aggr_error(status, length, group);
}

bool MPIR_Aggr_do_bcast(void *buffer, MPI_Aint count, MPI_Datatype datatype, int root, MPIR_Comm * comm,
                        MPIR_Errflag_t * errflag, int *mpi_errno)
{
    size_t bytes;
    aggr_group_t *group;
    struct view view;

    if (MPIR_Aggr_declines_rooted(comm))
        return false;
    bytes = bytes_of(count, datatype);
    group = begin(comm, MPIR_AGGR_ROOTED, bytes, aggr_bcast_place(bytes), mpi_errno);
    if (!group)
        return *mpi_errno != MPI_SUCCESS;
    view = view_of(buffer, count, datatype, MPIR_AGGR_SCRATCH_IN);
    if (comm->rank == root)
        *mpi_errno = pack(&view);
    finish(comm->rank == root ? NULL : &view, bcast(group, view.at, bytes, root, errflag), mpi_errno);
    return MPIR_Aggr_done(bytes, mpi_errno);
}

/* ---- a part of each, or for each ------------------------------------------------------------------------------------- */

/* Where this process's own part lies in the buffer for all. */
static const char *own_part(const struct view *all, int rank, size_t bytes)
{
    return (const char *) all->at + (size_t) rank * bytes;
}

/* The buffer for the parts of all.  When these are not as long as what is sent they go nowhere, and it is an error. */
static struct view view_of_all(void *user, MPI_Aint count, MPI_Datatype datatype, size_t bytes, int parts, int *mpi_errno)
{
    struct view nowhere = {.at = MPIR_Aggr_scratch(MPIR_AGGR_SCRATCH_OUT),.bytes = bytes * (size_t) parts };

    if (bytes_of(count, datatype) == bytes)
        return view_of(user, count * parts, datatype, MPIR_AGGR_SCRATCH_OUT);
    *mpi_errno = MPIR_Aggr_lengths_differ(bytes, bytes_of(count, datatype));
    return nowhere;
}

static bool gather(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Aint recvcount,
                   MPI_Datatype recvtype, bool wanted, int root, MPIR_Comm * comm, int *mpi_errno)
{
    size_t bytes = sendbuf == MPI_IN_PLACE ? bytes_of(recvcount, recvtype) : bytes_of(sendcount, sendtype);
    aggr_group_t *group = begin(comm, root < 0 ? MPIR_AGGR_EXACT : MPIR_AGGR_ROOTED, bytes * comm->local_size, bytes,
                                mpi_errno);
    struct view in, out = { 0 };
    const void *mine;

    if (!group)
        return *mpi_errno != MPI_SUCCESS;
    if (wanted)
        out = view_of_all(recvbuf, recvcount, recvtype, bytes, comm->local_size, mpi_errno);
    if (sendbuf == MPI_IN_PLACE) {
        *mpi_errno = pack(&out);
        mine = own_part(&out, comm->rank, bytes);
    } else {
        in = view_of(sendbuf, sendcount, sendtype, MPIR_AGGR_SCRATCH_IN);
        int packed = pack(&in);
        *mpi_errno = *mpi_errno ? *mpi_errno : packed;
        mine = in.at;
    }
    finish(wanted ? &out : NULL, root < 0 ? aggr_allgather(group, mine, out.at, bytes)
           : aggr_gather(group, mine, out.at, bytes, root), mpi_errno);
    return MPIR_Aggr_done(bytes, mpi_errno);
}

/* The others wait for this process, also when it could not pack. */
static bool allgather_nodes(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype, void *recvbuf,
                            MPI_Aint recvcount, MPI_Datatype recvtype, MPIR_Comm * comm, int *mpi_errno)
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
    bytes = bytes_of(sendcount, sendtype);
    if (!MPIR_Aggr_begin_nodes(comm, MPIR_AGGR_EXACT, bytes, mpi_errno))
        return *mpi_errno != MPI_SUCCESS;
    *mpi_errno = MPIR_Localcopy(sendbuf, sendcount, sendtype, mine.words, (MPI_Aint) bytes, MPI_BYTE);
    status = MPIR_Aggr_collect(comm, mine.words, bytes, &all);
    if (*mpi_errno == MPI_SUCCESS && status == MPI_SUCCESS)
        status = MPIR_Localcopy(all.words, (MPI_Aint) bytes * comm->local_size, MPI_BYTE, recvbuf,
                                recvcount * comm->local_size, recvtype);
    if (*mpi_errno == MPI_SUCCESS)
        *mpi_errno = status;
    return MPIR_Aggr_done(bytes, mpi_errno);
}

bool MPIR_Aggr_do_allgather(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                            void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype,
                            MPIR_Comm * comm, int *mpi_errno)
{
    if (MPIR_Aggr_spans_nodes(comm))
        return allgather_nodes(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, mpi_errno);
    return gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, true, -1, comm, mpi_errno);
}

bool MPIR_Aggr_do_gather(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                         void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype, int root,
                         MPIR_Comm * comm, int *mpi_errno)
{
    return gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm->rank == root, root, comm,
                  mpi_errno);
}

bool MPIR_Aggr_do_scatter(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                          void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype, int root,
                          MPIR_Comm * comm, int *mpi_errno)
{
    bool is_root = comm->rank == root, in_place = recvbuf == MPI_IN_PLACE;
    size_t bytes = is_root ? bytes_of(sendcount, sendtype) : bytes_of(recvcount, recvtype);
    aggr_group_t *group = begin(comm, MPIR_AGGR_ROOTED, bytes * comm->local_size, bytes * comm->local_size,
                                mpi_errno);
    struct view in = { 0 }, out;

    if (!group)
        return *mpi_errno != MPI_SUCCESS;
    if (is_root) {
        in = view_of(sendbuf, sendcount * comm->local_size, sendtype, MPIR_AGGR_SCRATCH_IN);
        *mpi_errno = pack(&in);
    }
    if (in_place)
        out = (struct view) { MPIR_Aggr_scratch(MPIR_AGGR_SCRATCH_OUT), bytes };
    else
        out = view_of(recvbuf, recvcount, recvtype, MPIR_AGGR_SCRATCH_OUT);
    finish(&out, aggr_scatter(group, in.at, out.at, bytes, root), mpi_errno);
    return MPIR_Aggr_done(bytes, mpi_errno);
}

bool MPIR_Aggr_do_alltoall(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                           void *recvbuf, MPI_Aint recvcount, MPI_Datatype recvtype,
                           MPIR_Comm * comm, int *mpi_errno)
{
    bool in_place = sendbuf == MPI_IN_PLACE;
    size_t bytes = bytes_of(recvcount, recvtype);
    aggr_group_t *group = begin(comm, MPIR_AGGR_EXACT, bytes * comm->local_size, bytes * comm->local_size,
                                mpi_errno);
    struct view in, out;

    if (!group)
        return *mpi_errno != MPI_SUCCESS;
    out = view_of(recvbuf, recvcount * comm->local_size, recvtype, MPIR_AGGR_SCRATCH_OUT);
    in = in_place ? out : view_of(sendbuf, sendcount * comm->local_size, sendtype, MPIR_AGGR_SCRATCH_IN);
    *mpi_errno = pack(&in);
    if (in_place)
        in.at = memcpy(MPIR_Aggr_scratch(MPIR_AGGR_SCRATCH_IN), in.at, in.bytes);
    finish(&out, aggr_alltoall(group, in.at, out.at, bytes), mpi_errno);
    return MPIR_Aggr_done(bytes, mpi_errno);
}
