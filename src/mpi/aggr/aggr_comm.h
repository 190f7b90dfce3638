/* SPDX-License-Identifier: BSD-3-Clause */

/* How collectives use a communicator's aggregates, and how these are set up. */
#ifndef AGGR_COMM_H_INCLUDED
#define AGGR_COMM_H_INCLUDED

#include "shared/aggr_shared.h"

/* Kinds of collectives. */
enum MPIR_Aggr_kind {
    MPIR_AGGR_EXACT = 0,
    MPIR_AGGR_ROUNDED = 1, /* the order of a reduction shows in its result */
    MPIR_AGGR_ROOTED = 2,  /* by messages, a process may leave it before the others enter it */
    MPIR_AGGR_NEVER_LONG = 4
};

/* A member's data in a collective.  In an erroneous program members may differ in all of it. */
typedef struct MPIR_Aggr_payload_t {
    uint64_t bytes; /* of a part; members compare it */
    size_t place;   /* bytes of all parts that lie in one place */
    bool fits;      /* small enough to go by lines */
    bool is_long;   /* too long for that, and goes by desks if all members agree */
} MPIR_Aggr_payload_t;

/* The length of a member whose own arguments contradict each other.  No correct call has it. */
#define MPIR_AGGR_NO_LENGTH (UINT64_C(1) << 63)

/* The communicator's aggregates, if the payload goes by lines.  NULL without an error: it goes by
 * messages, and all members know that.  Collective, so that no member's own length decides.  In
 * the communicator's second call (the first one for MPIR_AGGR_ROUNDED) the members agree whether
 * all of them can take part.  The first call goes by messages and compares no lengths, so that a
 * communicator with one collective pays nothing. */
aggr_group_t *MPIR_Aggr_begin(MPIR_Comm *comm, enum MPIR_Aggr_kind kind,
                              MPIR_Aggr_payload_t payload, int *mpi_errno);

/* After a collective of that group, whose status is given.  True: the payload was too long for the
 * lines and goes by messages, as all members know; there is no error. */
bool MPIR_Aggr_end(aggr_group_t *group, int *status);

/* The same for a collective in which the root decides, or that has no data. */
aggr_group_t *MPIR_Aggr_group(MPIR_Comm *comm, enum MPIR_Aggr_kind kind, int *mpi_errno);

/* In a collective that waits for nobody, of members that have not agreed yet: do they agree now?
 * They try it in their second, fourth, eighth .. collective.  The attempt that succeeds is a matter
 * of chance. */
int MPIR_Aggr_agree_at_once(MPIR_Comm *comm);

/* The party of the communicator's meeting.  REQUIRES comm->local_size <= AGGR_PARTY */
void MPIR_Aggr_describe(const MPIR_Comm *comm, aggr_party_t *party);

/* Does the order of operations show in the result?  Of integers it does not, but for functions of
 * the user. */
bool MPIR_Aggr_is_rounded(MPI_Datatype datatype, MPI_Op op);

/* ---- several nodes ---- */

/* The most bytes of all processes together; they lie on the stack. */
enum { MPIR_AGGR_NODES_MOST = 4096 };

typedef struct MPIR_Aggr_vector_t {
    uint64_t unused[AGGR_LINE / sizeof(uint64_t) - 1];
    uint64_t length; /* bytes of each process; sent with the words */
    uint64_t words[MPIR_AGGR_NODES_MOST / sizeof(uint64_t)];
} __attribute__((aligned(AGGR_LINE))) MPIR_Aggr_vector_t;

static inline bool MPIR_Aggr_spans_nodes(const MPIR_Comm *comm)
{
    return comm->hierarchy_kind == MPIR_COMM_HIERARCHY_KIND__PARENT && comm->node_count > 1;
}

/* May `bytes` of each process go by MPIR_Aggr_collect?  False: they go another way, or there is an
 * error.  Collective like MPIR_Aggr_begin.  REQUIRES MPIR_Aggr_spans_nodes */
bool MPIR_Aggr_begin_nodes(MPIR_Comm *comm, enum MPIR_Aggr_kind kind, size_t bytes, int *mpi_errno);

/* The data of each process, in `all` at  rank * bytes. */
int MPIR_Aggr_collect(MPIR_Comm *comm, const void *mine, size_t bytes, MPIR_Aggr_vector_t *all);

/* Have the members agreed in a collective that waits for all?  Lines without that have come by
 * chance. */
static inline bool MPIR_Aggr_has_agreed(const MPIR_Comm *comm)
{
    return comm->aggr && comm->aggr->agreed;
}

/* Is it known that MPIR_Aggr_begin returns NULL for MPIR_AGGR_ROOTED?  Rooted collectives of few
 * bytes by messages pay only this test. */
static inline bool MPIR_Aggr_declines_rooted(const MPIR_Comm *comm, enum MPIR_Aggr_kind kind)
{
    const struct MPIR_Aggr *aggr = comm->aggr;

    return aggr && aggr->agreed &&
           (aggr->by_messages || ((kind & MPIR_AGGR_ROOTED) && !aggr->rooted && !aggr->all_wait));
}

/* Where processes outnumber cores, rooted collectives go by lines, too, if all parts have more
 * bytes together: MPICH's algorithms for them take several steps, and each step is a turn of all
 * processes.  With 4 and 16 processes on two cores these were equal. */
enum {
    MPIR_AGGR_FEW_REDUCE = 2048,
    MPIR_AGGR_FEW_BCAST = 12288,
    MPIR_AGGR_FEW_GATHER = 16384,
    MPIR_AGGR_FEW_SCATTER = 32768
};

/* The kind of a rooted collective with so many bytes in all. */
static inline enum MPIR_Aggr_kind MPIR_Aggr_rooted(uint64_t bytes, uint64_t few, uint64_t much)
{
    return bytes > few && bytes <= much ? MPIR_AGGR_EXACT : MPIR_AGGR_ROOTED;
}

/* A collective returns its first error.  The others wait for this process, so it continues. */
static inline void MPIR_Aggr_note(int status, int *mpi_errno, MPIR_Errflag_t *errflag)
{
    if (status == MPI_SUCCESS)
        return;
    *errflag = *errflag ? *errflag : MPIR_ERR_OTHER;
    *mpi_errno = *mpi_errno ? *mpi_errno : status;
}

/* Is there an error?  A collective passes it on by errflag. */
static inline bool MPIR_Aggr_failed(int mpi_errno, MPIR_Errflag_t *errflag)
{
    if (likely(mpi_errno == MPI_SUCCESS))
        return false;
    *errflag = *errflag ? *errflag : MPIR_ERR_OTHER;
    return true;
}

/* Waits in the communicator's lines end with the error that is returned.
 * REQUIRES MPIR_Aggr_has_lines */
int MPIR_Aggr_end_waits(MPIR_Comm *comm);

/* A status of the aggregates, or of the progress engine, as an error of MPI; `bytes` is the
 * length expected. */
int MPIR_Aggr_error(int status, uint64_t bytes, const aggr_group_t *group);

/* The error of a member that expects another length than is sent. */
int MPIR_Aggr_lengths_differ(uint64_t sent, uint64_t received);

/* Are the communicator's aggregates set up? */
static inline bool MPIR_Aggr_has_lines(const MPIR_Comm *comm)
{
    return comm->aggr && comm->aggr->group.arena;
}

/* Offset in bytes of an element's first datum from its address. */
static inline MPI_Aint MPIR_Aggr_first_byte(MPI_Datatype datatype)
{
    MPIR_Datatype *derived;

    if (HANDLE_IS_BUILTIN(datatype))
        return 0;
    MPIR_Datatype_get_ptr(datatype, derived);
    return derived->true_lb;
}

static inline uint64_t MPIR_Aggr_bytes(MPI_Aint count, MPI_Datatype datatype)
{
    MPI_Aint size;

    if (HANDLE_IS_BUILTIN(datatype))
        return (uint64_t) count * (uint64_t) MPIR_Datatype_get_basic_size(datatype);
    MPIR_Datatype_get_size_macro(datatype, size);
    return (uint64_t) count * (uint64_t) size;
}

/* The length of a part when a member sends one, to itself as well, and receives one. */
static inline uint64_t MPIR_Aggr_one_length(const void *sendbuf, MPI_Aint sendcount,
                                            MPI_Datatype sendtype, const void *recvbuf,
                                            MPI_Aint recvcount, MPI_Datatype recvtype)
{
    uint64_t sent, received;

    if (recvbuf == MPI_IN_PLACE)
        return MPIR_Aggr_bytes(sendcount, sendtype);
    received = MPIR_Aggr_bytes(recvcount, recvtype);
    if (sendbuf == MPI_IN_PLACE)
        return received;
    sent = MPIR_Aggr_bytes(sendcount, sendtype);
    return sent == received ? sent : sent | MPIR_AGGR_NO_LENGTH;
}

/* Elements of all members together. */
static inline MPI_Aint MPIR_Aggr_sum(const MPI_Aint counts[], const MPIR_Comm *comm)
{
    MPI_Aint all = 0;

    for (int i = 0; i < comm->local_size; i++)
        all += counts[i];
    return all;
}

/* The payload of `parts` parts of `bytes` each. */
static inline MPIR_Aggr_payload_t MPIR_Aggr_payload(uint64_t bytes, int parts, int parts_in_place)
{
    bool fits = bytes <= MPIR_Aggr_settings.max_bytes / (size_t) parts;
    bool is_long = !fits && bytes <= MPIR_Aggr_settings.long_bytes / (size_t) parts;

    return (MPIR_Aggr_payload_t){bytes, fits ? (size_t) bytes * (size_t) parts_in_place : 0, fits,
                                 is_long};
}

#endif /* AGGR_COMM_H_INCLUDED */
