/* SPDX-License-Identifier: BSD-3-Clause */

/* An operation of a communicator's ring (aggr.h): a collective of which others may be in progress
 * at the same time.  Who starts it fills in what it moves; the queue knows what it waits for. */
#ifndef AGGR_OPERATION_H_INCLUDED
#define AGGR_OPERATION_H_INCLUDED

#include "../aggr_comm.h"

/* Data in a row or not. */
struct MPIR_Aggr_buffer {
    char *at;
    MPI_Aint count;
    MPI_Datatype datatype;
};

/* An edge of a topology between this process and a member. */
struct MPIR_Aggr_edge {
    int member;
    int slot; /* where its part stands in the caller's arguments */
    int nth;  /* of the edges that come from this member, 0 is the first */
};

/* The edges that come, or those that leave; without those of MPI_PROC_NULL. */
struct MPIR_Aggr_edges {
    int count, slots;
    struct MPIR_Aggr_edge *list;
};

/* A part for each member or edge, or one part for the member `peer`. */
struct MPIR_Aggr_parts {
    char *at;
    const MPI_Aint *counts;    /* NULL: each part has `count` elements */
    const MPI_Aint *places;    /* with counts: in elements; in bytes if there are types */
    const MPI_Datatype *types; /* NULL: all have `datatype` */
    MPI_Aint count;
    MPI_Datatype datatype;
    int peer;                            /* without counts: a member, or one of the enum below */
    const struct MPIR_Aggr_edges *edges; /* NULL: part i is that of member i */
};

enum {
    MPIR_AGGR_NOBODY = -1,
    MPIR_AGGR_EACH = -2, /* the parts of all lie one behind the other */
    MPIR_AGGR_SAME = -3  /* all get the same part */
};

struct MPIR_Aggr_operation;

/* What an operation of a kind does. */
struct MPIR_Aggr_kind_of_operation {
    /* Puts this process's data into its line, and begins it: op->number. */
    void (*put)(struct MPIR_Aggr_operation *op);
    /* Is it over?  Then its result, or the error, is there. */
    bool (*look)(struct MPIR_Aggr_operation *op);
    /* Ends its messages; NULL if it has none. */
    void (*give_up)(struct MPIR_Aggr_operation *op);
    /* For a copy that outlives the call: the bytes of the caller's arrays; puts the arrays there,
     * and takes references to types; gives these back. */
    size_t (*array_bytes)(const struct MPIR_Aggr_operation *op);
    void (*keep)(struct MPIR_Aggr_operation *op, void *room);
    void (*release)(struct MPIR_Aggr_operation *op);
};

struct MPIR_Aggr_operation {
    struct MPIR_Aggr_operation *next;
    const struct MPIR_Aggr_kind_of_operation *kind;
    MPIR_Comm *comm;
    aggr_ring_t *ring;
    MPIR_Request *request; /* NULL: nobody waits for it */
    size_t place;          /* bytes that a member puts at most, in a ring of its own */
    uint32_t number;       /* in the ring, once it has begun */
    bool has_begun;
    bool has_messages; /* it needs the progress engine to be over */
    int first, last;   /* the members whose data it takes */
    int awaited;       /* the first of them that has not arrived */
    int mpi_errno;     /* its first error */
    union {
        struct {                         /* aggr_nonblocking.c */
            size_t part;                 /* bytes of a part */
            uint32_t length;             /* of a part, as members compare it */
            struct MPIR_Aggr_buffer in;  /* what this process puts */
            struct MPIR_Aggr_buffer out; /* where one part goes; others follow */
            size_t offset;               /* of this process's part in their data */
            /* of parts of different lengths, in elements of the type of `out`; else NULL */
            const MPI_Aint *counts, *places;
            MPIR_op_function *fold; /* of a reduction */
        };
        struct { /* aggr_parts.c */
            struct MPIR_Aggr_parts give, take;
            bool has_table;  /* a row says to whom its parts go, and how long they are */
            bool is_too_big; /* this process's table: all its parts go by messages */
            size_t limit;    /* longer parts of this process go by messages */
            size_t longest;  /* no member has a larger limit */
            int tag;
            bool has_read;
            MPIR_Request **requests; /* of these, in the order of members; NULL: none */
            int completed;           /* the first of them are */
        };
    };
};

static inline MPI_Aint MPIR_Aggr_extent(MPI_Datatype datatype)
{
    MPI_Aint extent;

    MPIR_Datatype_get_extent_macro(datatype, extent);
    return extent;
}

static inline int MPIR_Aggr_pack(struct MPIR_Aggr_buffer from, void *to, size_t bytes)
{
    MPI_Aint packed;

    if (from.count == 0)
        return MPI_SUCCESS;
    if (!HANDLE_IS_BUILTIN(from.datatype))
        return MPIR_Typerep_pack(from.at, from.count, from.datatype, 0, to, (MPI_Aint) bytes,
                                 &packed);
    memcpy(to, from.at, bytes);
    return MPI_SUCCESS;
}

static inline int MPIR_Aggr_unpack(struct MPIR_Aggr_buffer to, const void *from, size_t bytes)
{
    MPI_Aint unpacked;

    if (!HANDLE_IS_BUILTIN(to.datatype))
        return MPIR_Typerep_unpack(from, (MPI_Aint) bytes, to.at, to.count, to.datatype, 0,
                                   &unpacked);
    memcpy(to.at, from, bytes);
    return MPI_SUCCESS;
}

/* The most members: each of them reads a line of each. */
enum { MPIR_AGGR_RING_MEMBERS = AGGR_PARTY };

/* The ring for a call with this `request`, as MPI passes it: NULL blocks, and what it points to is
 * a persistent one.  These two may wait for the others, so they make the agreement on lines before:
 * a blocking one when all of them do; a persistent one at once, since its starts will be many.  A
 * nonblocking one tries to agree without waiting.  NULL: there is no ring, or there is an error. */
static inline aggr_ring_t *MPIR_Aggr_find_ring(MPIR_Comm *comm, MPIR_Request **request,
                                               int *mpi_errno)
{
    bool may_wait = !request || *request;

    *mpi_errno = MPI_SUCCESS;
    if (may_wait &&
        !MPIR_Aggr_group(comm, request ? MPIR_AGGR_ROUNDED : MPIR_AGGR_EXACT, mpi_errno))
        return NULL;
    if (unlikely(!may_wait && !MPIR_Aggr_has_lines(comm) && !MPIR_Aggr_has_agreed(comm)))
        *mpi_errno = MPIR_Aggr_agree_at_once(comm);
    if (!MPIR_Aggr_has_lines(comm) || comm->local_size > MPIR_AGGR_RING_MEMBERS ||
        !MPIR_aggr_ring_has(&comm->aggr->group.ring, 0))
        return NULL;
    return &comm->aggr->group.ring;
}

/* A tag of the schedules.  An error says that some of half a million tags ago are still at work,
 * which is nothing to a ring, and to this process alone. */
static inline int MPIR_Aggr_next_tag(MPIR_Comm *comm)
{
    int tag;

    (void) MPIR_Sched_next_tag(comm, &tag);
    return tag;
}

/* Begins it.  `request` may be NULL: nobody waits. */
int MPIR_Aggr_start(struct MPIR_Aggr_operation *op, MPIR_Request **request);
/* Begins it and waits. */
int MPIR_Aggr_run(struct MPIR_Aggr_operation *op);

/* What a giver puts. */
struct MPIR_Aggr_row {
    int parts;      /* which it is divided by; 0: this process gives nothing */
    bool has_table; /* the same on all members */
    bool is_alike;  /* all givers have as many parts, and know that */
};

/* For so many members. */
static inline struct MPIR_Aggr_row MPIR_Aggr_row_for(int members)
{
    return (struct MPIR_Aggr_row){members, members > 1, true};
}

/* Gives a part to some members, and takes one from some.  The caller waits if `request` is NULL.
 * False: it goes another way, as all members know, or there is an error. */
bool MPIR_Aggr_exchange_parts(MPIR_Comm *comm, struct MPIR_Aggr_parts give,
                              struct MPIR_Aggr_parts take, struct MPIR_Aggr_row row,
                              MPIR_Request **request, int *mpi_errno);

static inline struct MPIR_Aggr_parts MPIR_Aggr_no_part(void)
{
    return (struct MPIR_Aggr_parts){.datatype = MPI_BYTE, .peer = MPIR_AGGR_NOBODY};
}

/* For one member, or for each. */
static inline struct MPIR_Aggr_parts MPIR_Aggr_parts_of(const void *at, MPI_Aint count,
                                                        MPI_Datatype datatype, int peer)
{
    if (at == MPI_IN_PLACE)
        return MPIR_Aggr_no_part();
    return (struct MPIR_Aggr_parts){
        .at = (char *) at, .count = count, .datatype = datatype, .peer = peer};
}

/* Of different lengths. */
static inline struct MPIR_Aggr_parts MPIR_Aggr_parts_with(const void *at, const MPI_Aint counts[],
                                                          const MPI_Aint places[],
                                                          MPI_Datatype datatype)
{
    return (struct MPIR_Aggr_parts){
        .at = (char *) at, .counts = counts, .places = places, .datatype = datatype};
}

static inline struct MPIR_Aggr_parts MPIR_Aggr_parts_of_types(const void *at,
                                                              const MPI_Aint counts[],
                                                              const MPI_Aint places[],
                                                              const MPI_Datatype types[])
{
    return (struct MPIR_Aggr_parts){
        .at = (char *) at, .counts = counts, .places = places, .types = types};
}

/* Collective.  Makes what each start of the persistent request does.  `fits`: op->place bytes may
 * go by a ring.  False: there is no ring for it, as all members know. */
bool MPIR_Aggr_make_persistent(const struct MPIR_Aggr_operation *op, bool fits,
                               MPIR_Request *request, int *mpi_errno);

#endif /* AGGR_OPERATION_H_INCLUDED */
