/* SPDX-License-Identifier: BSD-3-Clause */

/* What the aggregates of a process share: the node's arena and board, settings, counters. */
#ifndef AGGR_SHARED_H_INCLUDED
#define AGGR_SHARED_H_INCLUDED

#include "aggr.h"
#include "mpir_aggr_nodes.h"
#include "mpir_arena.h"

struct MPIR_Aggr {
    aggr_group_t group; /* of all of the communicator's processes */
    bool agreed;        /* the members have been asked, in a collective that waits for all */
    bool rooted;        /* rooted collectives go by lines */
    bool all_wait;      /* and so do the parts of the composition in progress */
    /* the collective in progress goes by messages, as its members know */
    bool by_messages;
    /* nonblocking collectives in progress, and the next communicator that has some */
    struct MPIR_Aggr_operation *queue;
    MPIR_Comm *next_waiting;
    /* the edges of its topology, once a collective of neighbours has used lines */
    struct MPIR_Aggr_neighbours *neighbours;
    /* before the members have agreed: collectives so far, and where they meet (aggr.h) */
    unsigned calls;
    uint64_t meeting;
};

/* The state of a communicator that cannot have aggregates. */
extern struct MPIR_Aggr MPIR_Aggr_never;

/* The variables as they were in MPI_Init. */
typedef struct MPIR_Aggr_settings_t {
    size_t max_bytes, long_bytes, lend_bytes, arena_bytes;
    int fan;
} MPIR_Aggr_settings_t;

extern MPIR_Aggr_settings_t MPIR_Aggr_settings;

/* MPI_T counters. */
typedef struct MPIR_Aggr_counts_t {
    unsigned long long calls; /* collectives done this way */
    unsigned long long bytes; /* of payload that this process put in */
    /* communicators without room, or with a member that cannot take part */
    unsigned long long refused;
    MPL_atomic_uint64_t direct; /* collectives by MPIR_Aggr_exchange: in any thread */
} MPIR_Aggr_counts_t;

extern MPIR_Aggr_counts_t MPIR_Aggr_counts;

/* The processes of a node say something in MPI_Init, and ask after a barrier. */
void MPIR_Aggr_say(uint64_t mine);
bool MPIR_Aggr_all_say(uint64_t mine); /* false also where a process is alone */

/* In the same way: says where this process runs, and asks where the process of a local rank runs
 * (aggr_places_t). */
void MPIR_Aggr_say_place(void);
uint32_t MPIR_Aggr_place(int local_rank, int level);

/* Do all processes of the node want aggregates, and have the same variables?  Each has said so
 * in MPI_Init. */
void MPIR_Aggr_say_terms(void);
bool MPIR_Aggr_all_take_part(void);
/* The same for payloads of `bytes`, and also for a process that is alone on its node. */
bool MPIR_Aggr_node_takes_part(size_t bytes);

/* Of the arena (mpir_arena.h). */
unsigned long long MPIR_Aggr_arena_used(void); /* in bytes; any thread may ask at any time */
void MPIR_Aggr_arena_close(void);

/* Where communicators agree on aggregates without waiting.  `has_memory`: this process has what it
 * needs itself.  The first answer stays; NULL: it takes part in no such agreement. */
const aggr_hall_t *MPIR_Aggr_hall(bool has_memory);

/* This process's desk for long payloads.  NULL: there is none, or no memory for it. */
aggr_desk_t *MPIR_Aggr_desk(void);
aggr_desk_t *MPIR_Aggr_desk_in_use(void); /* NULL also before the first question */

/* How processes wait for each other; does not change after MPI_Init. */
const aggr_waiting_t *MPIR_Aggr_waiting(void);

/* Memory of zeros that the members share, at a multiple of 64, for what they do without waiting.
 * They try it in attempts, which have the same numbers, 1, 2 .. 32, on all of them.  All members
 * get the same answer to an attempt.  NULL: they do without, perhaps because one of them has never
 * asked before.  It stays until MPI ends. */
void *MPIR_Aggr_shared_block(MPIR_Comm *comm, unsigned attempt, size_t bytes);
/* A turn of waiting for what others write there: yields, and makes progress from time to time.
 * `turns`: 0 at first. */
int MPIR_Aggr_turn(unsigned *turns);

/* For MPIR_Aggr_do_group.  False: no memory. */
bool MPIR_Aggr_board_open(void);
void MPIR_Aggr_board_close(void);
/* Of the world: no process of the node waits for it on the board. */
void MPIR_Aggr_board_died(int process);

/* max_bytes of this process's memory.  It exists once a communicator has aggregates. */
enum MPIR_Aggr_scratch { MPIR_AGGR_SCRATCH_IN, MPIR_AGGR_SCRATCH_OUT, MPIR_AGGR_SCRATCHES };
bool MPIR_Aggr_make_scratch(void);
void *MPIR_Aggr_scratch(enum MPIR_Aggr_scratch which);
void MPIR_Aggr_scratch_free(void);

/* Counts the call.  If calls follow each other without waiting, it calls the progress engine from
 * time to time, whose error becomes the call's unless the call has one.  Returns true. */
bool MPIR_Aggr_done(size_t bytes, int *mpi_errno);

#endif /* AGGR_SHARED_H_INCLUDED */
