/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "aggr_comm.h"

/*
 * All data of a communicator over several nodes, when they are small: the processes of a node bring
 * theirs to its first one, the first ones exchange them, and hand them to their nodes.  Inside a
 * node that is two operations by cache lines.
 *
 * The first ones send a vector with room for everybody, zero where they know nothing, to the one 1,
 * 2, 4 .. behind them, and join what they receive by OR: ceil(lg nodes) steps for any number of
 * nodes, and nobody needs to know who is where.  It takes no memory but the stack, so that no
 * process can fail alone.
 */

static size_t words_for(size_t bytes) { return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t); }

static int join(MPIR_Comm *roots, MPIR_Aggr_vector_t *all, size_t words, MPIR_Errflag_t *errflag)
{
    int mpi_errno = MPI_SUCCESS, size = roots->local_size;
    MPIR_Aggr_vector_t theirs;

    for (int step = 1; step < size; step *= 2) {
        int status = MPIC_Sendrecv(&all->length, words + 1, MPI_UINT64_T,
                                   (roots->rank + step) % size, MPIR_ALLGATHER_TAG, &theirs.length,
                                   words + 1, MPI_UINT64_T, (roots->rank - step + size) % size,
                                   MPIR_ALLGATHER_TAG, roots, MPI_STATUS_IGNORE, errflag);
        if (status == MPI_SUCCESS && !*errflag && theirs.length != all->length)
            status = MPIR_Aggr_lengths_differ(theirs.length, all->length);
        MPIR_Aggr_note(status, &mpi_errno, errflag);
        for (size_t i = 0; i < words && !*errflag; i++)
            all->words[i] |= theirs.words[i];
    }
    return mpi_errno;
}

/* Each brings its own to the first one; MPICH's tree would take memory. */
static int gather_by_messages(MPIR_Comm *node, const void *mine, size_t bytes, char *to,
                              MPIR_Errflag_t *errflag)
{
    int mpi_errno = MPI_SUCCESS;

    if (node->rank > 0)
        return MPIC_Send(mine, (MPI_Aint) bytes, MPI_BYTE, 0, MPIR_GATHER_TAG, node, errflag);
    memcpy(to, mine, bytes);
    for (int i = 1; i < node->local_size; i++) {
        int status = MPIC_Recv(to + (size_t) i * bytes, (MPI_Aint) bytes, MPI_BYTE, i,
                               MPIR_GATHER_TAG, node, MPI_STATUS_IGNORE, errflag);
        MPIR_Aggr_note(status, &mpi_errno, errflag);
    }
    return mpi_errno;
}

static int node_gather(MPIR_Comm *node, const void *mine, size_t bytes, char *to,
                       MPIR_Errflag_t *errflag)
{
    int mpi_errno = MPI_SUCCESS;
    aggr_group_t *group = NULL;

    if (MPIR_Aggr_on)
        group = MPIR_Aggr_begin(node, MPIR_AGGR_ROOTED,
                                MPIR_Aggr_payload(bytes, node->local_size, 1), &mpi_errno);
    if (group) {
        mpi_errno = MPIR_Aggr_error(MPIR_aggr_gather(group, mine, to, bytes, 0), bytes, group);
        MPIR_Aggr_done(bytes, &mpi_errno);
    } else if (mpi_errno == MPI_SUCCESS) {
        mpi_errno = gather_by_messages(node, mine, bytes, to, errflag);
    }
    return mpi_errno;
}

int MPIR_Aggr_gather_node(MPIR_Comm *node, const void *mine, size_t bytes, void *to)
{
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    int mpi_errno;

    MPIR_Aggr_compose(node, true);
    mpi_errno = node_gather(node, mine, bytes, to, &errflag);
    if (mpi_errno == MPI_SUCCESS && errflag)
        MPIR_ERR_SET(mpi_errno, MPI_ERR_OTHER, "**coll_fail");
    return mpi_errno;
}

/* At a node's first process: `all` has the data of its processes at their ranks, and zeros. */
static int gather_node(MPIR_Comm *comm, const void *mine, size_t bytes, MPIR_Aggr_vector_t *all,
                       MPIR_Errflag_t *errflag)
{
    MPIR_Aggr_vector_t here;
    char *to = (char *) all->words, *from = (char *) here.words;
    int mpi_errno;

    all->length = bytes;
    memset(to, 0, words_for(bytes * (size_t) comm->local_size) * sizeof(uint64_t));
    if (!comm->node_comm) {
        memcpy(to + (size_t) comm->rank * bytes, mine, bytes);
        return MPI_SUCCESS;
    }
    mpi_errno = node_gather(comm->node_comm, mine, bytes, from, errflag);
    for (int i = 0; i < comm->node_comm->local_size; i++, from += bytes)
        memcpy(to + MPIR_cmap_select(comm->intranode_map, (uint32_t) i) * bytes, from, bytes);
    return mpi_errno;
}

int MPIR_Aggr_collect(MPIR_Comm *comm, const void *mine, size_t bytes, MPIR_Aggr_vector_t *all)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    size_t total = bytes * (size_t) comm->local_size;

    if (comm->node_comm)
        MPIR_Aggr_compose(comm->node_comm, true);
    if (comm->node_roots_comm) {
        MPIR_Aggr_note(gather_node(comm, mine, bytes, all, &errflag), &mpi_errno, &errflag);
        MPIR_Aggr_note(join(comm->node_roots_comm, all, words_for(total), &errflag), &mpi_errno,
                       &errflag);
    } else {
        MPIR_Aggr_note(node_gather(comm->node_comm, mine, bytes, NULL, &errflag), &mpi_errno,
                       &errflag);
    }
    if (comm->node_comm)
        MPIR_Aggr_note(
            MPIR_Bcast_impl(all->words, (MPI_Aint) total, MPI_BYTE, 0, comm->node_comm, &errflag),
            &mpi_errno, &errflag);
    if (mpi_errno == MPI_SUCCESS && errflag)
        MPIR_ERR_SET(mpi_errno, MPI_ERR_OTHER, "**coll_fail");
    return mpi_errno;
}
