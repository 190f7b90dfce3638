/* SPDX-License-Identifier: BSD-3-Clause */

/* What a communicator keeps for its aggregates, and how it gets it. */
#ifndef AGGR_COMM_H_INCLUDED
#define AGGR_COMM_H_INCLUDED

#include "aggr.h"

struct MPIR_Aggr {
    aggr_group_t group;         /* of all of the communicator's processes */
    bool agreed;                /* the members have been asked */
    bool rooted;                /* also for MPIR_AGGR_ROOTED */
    bool all_wait;              /* and for those that are parts of the composition in progress */
    bool by_messages;           /* the collective in progress goes by messages, as its members know */
};

/* Stands for what a communicator has that cannot have aggregates. */
extern struct MPIR_Aggr MPIR_Aggr_never;

/* The variables as they were when MPI began, for good. */
typedef struct MPIR_Aggr_settings_t {
    size_t max_bytes, arena_bytes;
    int fan;
} MPIR_Aggr_settings_t;

extern MPIR_Aggr_settings_t MPIR_Aggr_settings;

/* MPI_T counters. */
typedef struct MPIR_Aggr_counts_t {
    unsigned long long calls;   /* collectives done this way */
    unsigned long long bytes;   /* of payload that this process put in */
    unsigned long long refused; /* communicators that found no room, or that some member cannot take part in */
    MPL_atomic_uint64_t direct; /* collectives by MPIR_Aggr_exchange: in any thread */
} MPIR_Aggr_counts_t;

extern MPIR_Aggr_counts_t MPIR_Aggr_counts;

/* What the processes of a node tell each other as they begin; who asks has passed a barrier since. */
void MPIR_Aggr_say(uint64_t mine);
bool MPIR_Aggr_all_say(uint64_t mine);  /* false also where a process is alone */

/* Tells the others where this process runs, in the same way; and asks where the one of that local rank does.  See
 * aggr_places_t. */
void MPIR_Aggr_say_place(void);
uint32_t MPIR_Aggr_place(int local_rank, int level);

/* Do all processes of the node want aggregates, and have the same variables?  Each has said what it has when MPI began. */
void MPIR_Aggr_say_terms(void);
bool MPIR_Aggr_all_take_part(void);
/* The same with payloads of so many bytes, also of a process that is alone. */
bool MPIR_Aggr_node_takes_part(size_t bytes);

/* The node's arena, made by the first process that asks; NULL when there is none to be had. */
aggr_arena_t *MPIR_Aggr_arena(void);
unsigned long long MPIR_Aggr_arena_used(void);  /* bytes; safe beside everything, in any thread */
void MPIR_Aggr_arena_close(void);

/* How processes wait for each other: for good, once MPI is initialized. */
const aggr_waiting_t *MPIR_Aggr_waiting(void);

/* For MPIR_Aggr_do_group.  False: no memory. */
bool MPIR_Aggr_board_open(void);
void MPIR_Aggr_board_close(void);

/* max_bytes of memory of this process; there once a communicator has aggregates. */
enum MPIR_Aggr_scratch { MPIR_AGGR_SCRATCH_IN, MPIR_AGGR_SCRATCH_OUT, MPIR_AGGR_SCRATCHES };
bool MPIR_Aggr_make_scratch(void);
void *MPIR_Aggr_scratch(enum MPIR_Aggr_scratch which);
void MPIR_Aggr_scratch_free(void);

/* What a collective is like. */
enum MPIR_Aggr_kind {
    MPIR_AGGR_EXACT = 0,
    MPIR_AGGR_ROUNDED = 1,      /* the order of a reduction shows in its result */
    MPIR_AGGR_ROOTED = 2        /* by messages, a process may go on before the others come */
};

/* What a member has for a collective.  Members of erroneous programs differ in all of it. */
typedef struct MPIR_Aggr_payload_t {
    uint64_t bytes;             /* of a part; what members compare */
    size_t place;               /* of all parts that lie in one place */
    bool fits;                  /* it can go by lines */
} MPIR_Aggr_payload_t;

/* Of a member whose own arguments contradict each other: no right call has such a length. */
#define MPIR_AGGR_NO_LENGTH (UINT64_C(1) << 63)

/* The communicator's aggregates, when the payload goes this way.  NULL without an error: it goes by messages, and all members have
 * said so who can.  Collective, so that no member's own length decides.  At its second call (the first of MPIR_AGGR_ROUNDED) the
 * members agree whether all of them can take part.  The first one goes by messages: it compares no lengths, so that communicators
 * which make no more than one pay nothing. */
aggr_group_t *MPIR_Aggr_begin(MPIR_Comm * comm, enum MPIR_Aggr_kind kind, MPIR_Aggr_payload_t payload, int *mpi_errno);

/* The same for a collective in which the root decides, or that has no length. */
aggr_group_t *MPIR_Aggr_group(MPIR_Comm * comm, enum MPIR_Aggr_kind kind, int *mpi_errno);

/* ---- several nodes ---- */

/* So many bytes, of all processes together; on the stack. */
enum { MPIR_AGGR_NODES_MOST = 4096 };

typedef struct MPIR_Aggr_vector_t {
    uint64_t unused[AGGR_LINE / sizeof(uint64_t) - 1];
    uint64_t length;            /* of each; goes with the words */
    uint64_t words[MPIR_AGGR_NODES_MOST / sizeof(uint64_t)];
} __attribute__ ((aligned(AGGR_LINE))) MPIR_Aggr_vector_t;

static inline bool MPIR_Aggr_spans_nodes(const MPIR_Comm * comm)
{
    return comm->hierarchy_kind == MPIR_COMM_HIERARCHY_KIND__PARENT && comm->node_count > 1;
}

/* May `bytes` of each process go by MPIR_Aggr_collect?  When not: not this way, or an error.  Collective as
 * MPIR_Aggr_begin is.  REQUIRES MPIR_Aggr_spans_nodes */
bool MPIR_Aggr_begin_nodes(MPIR_Comm * comm, enum MPIR_Aggr_kind kind, size_t bytes, int *mpi_errno);

/* All of what each process has, in `all` at  rank * bytes. */
int MPIR_Aggr_collect(MPIR_Comm * comm, const void *mine, size_t bytes, MPIR_Aggr_vector_t * all);

/* Is it known without more ado that MPIR_Aggr_begin has nothing for MPIR_AGGR_ROOTED?  Where messages are faster because
 * processes go on, this is what they pay. */
static inline bool MPIR_Aggr_declines_rooted(const MPIR_Comm * comm)
{
    const struct MPIR_Aggr *aggr = comm->aggr;

    return aggr && aggr->agreed && ((!aggr->rooted && !aggr->all_wait) || aggr->by_messages);
}

/* ---- few processes that share no node ---- */

enum { MPIR_AGGR_DIRECT_MOST = 16 };

/* What each process has, in `all` at  rank * bytes,  by a message from each to each.  An error, or errflag, of one is the error of
 * all.  Takes no memory but requests, and does with one where there are no more.  REQUIRES MPIR_Aggr_is_direct(comm) */
int MPIR_Aggr_exchange(MPIR_Comm * comm, const void *mine, size_t bytes, void *all, int tag, MPIR_Errflag_t * errflag);

/* The first error is what a collective returns; the others wait for this process, so that it goes on. */
static inline void MPIR_Aggr_note(int status, int *mpi_errno, MPIR_Errflag_t * errflag)
{
    if (status == MPI_SUCCESS)
        return;
    *errflag = *errflag ? *errflag : MPIR_ERR_OTHER;
    *mpi_errno = *mpi_errno ? *mpi_errno : status;
}

/* An error of a collective is passed on by errflag.  Is there one? */
static inline bool MPIR_Aggr_failed(int mpi_errno, MPIR_Errflag_t * errflag)
{
    if (likely(mpi_errno == MPI_SUCCESS))
        return false;
    *errflag = *errflag ? *errflag : MPIR_ERR_OTHER;
    return true;
}

/* A status of the aggregates, or of the progress engine, as an error of MPI; `bytes` are those that were to come. */
int MPIR_Aggr_error(int status, uint64_t bytes, const aggr_group_t * group);

/* The error of a member that receives another length than is sent. */
int MPIR_Aggr_lengths_differ(uint64_t sent, uint64_t received);

/* Counts the call, and gives the progress engine its share where calls follow each other without waiting: an error of that is
 * the call's, unless this has one.  True. */
bool MPIR_Aggr_done(size_t bytes, int *mpi_errno);

/* Has the communicator what aggregates need? */
static inline bool MPIR_Aggr_has_lines(const MPIR_Comm * comm)
{
    return comm->aggr && comm->aggr->group.arena;
}

/* Where the data of an element begin, in bytes from its address. */
static inline MPI_Aint MPIR_Aggr_first_byte(MPI_Datatype datatype)
{
    MPIR_Datatype *derived;

    if (HANDLE_IS_BUILTIN(datatype))
        return 0;
    MPIR_Datatype_get_ptr(datatype, derived);
    return derived->true_lb;
}

/* Of `parts` parts. */
static inline MPIR_Aggr_payload_t MPIR_Aggr_payload(uint64_t bytes, int parts, int parts_in_place)
{
    bool fits = bytes <= MPIR_Aggr_settings.max_bytes / (size_t) parts;

    return (MPIR_Aggr_payload_t) { bytes, fits ? (size_t) bytes * (size_t) parts_in_place : 0, fits };
}

#endif /* AGGR_COMM_H_INCLUDED */
