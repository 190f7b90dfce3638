/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Aggregates: small collectives of the processes of a node, where the datum arrives with the
 * barrier's flag.
 *
 * Each member of a group has cache lines of its own, which it alone writes: a counter of operations
 * and, in the same line, a datum.  A process that reads the counter has read the datum, too.  So a
 * reduction costs what a barrier costs (Quevedo, "Hierarchical implementation of aggregate
 * functions", University of Kentucky 2017, section 4.1).
 *
 * A member has two or more lines, and successive operations use them in turn.  So a member that
 * runs ahead does not overwrite what others still read.  With many lines, the root of a broadcast
 * rarely checks the others' progress; nor does a sender to one root.  Only the set-up uses an
 * atomic read-modify-write.
 *
 *   up to `fan` members    each member reads each line
 *   more members           up to `fan` consecutive members, of one cache if these are few, have a
 *                          leader.  It folds their data, and each member reads the leaders' lines
 *   more than AGGR_DATUM   data lie in copy buffers beside the lines; a reduction of many is cut
 *                          into slices
 *   long payloads          go through the desks of the processes, chunk by chunk: one copy by who
 *                          has the data, one by each who needs them
 *   long parts             are lent where the kernel allows it: one copy, by who needs the data
 *
 * Conventions
 *  1. Members are 0 .. members - 1, the same in all processes.  A collective function is called by
 *     all members, in the same order, with the same root and fold.  `bytes` should be the same.  A
 *     line holds the length of its datum.  A member that reads another length than its own returns
 *     AGGR_ERR_LENGTH, and leaves its buffer as it is.  All members complete the operation, so the
 *     group stays usable.  A difference is reported to the members that read the line, and to no
 *     others.
 *  2. A status is AGGR_OK, one of the errors below, or a result of the caller's progress function.
 *     After the last one the group is broken: every later call returns the same status.
 *  3. Order.  A fold is always  x0 (x1 (x2 ...)): of members in their order, the same on all members and in all runs.
 *  4. Threads.  One thread at a time uses a group; several may use an arena.  Only the collective
 *     functions wait for other processes.
 *  5. Time.  The cost is the number of lines read from other cores.  Each of p members reads p
 *     lines up to the fan, and fan + p / fan above.  If a node has more members than cores, an
 *     operation takes one turn of all members on the cores, and two above the fan.
 *  6. Space.  members * lines * 64 bytes (and as much for each leader) for a group, 2 * members *
 *     copy_bytes after the first payload of more than AGGR_DATUM bytes.  A desk for a process after
 *     its first long payload, in any number of groups.
 */
#ifndef AGGR_H_INCLUDED
#define AGGR_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    AGGR_LINE = 64, /* bytes of a line; prefetchers load two at a time */
    /* bytes of a line for the datum; the rest are its length and the counter */
    AGGR_DATUM = 56,
    AGGR_LINES = 8 /* most lines of a member */
};

enum {
    AGGR_OK = 0,
    /* the arena has no room, or no memory behind it; nothing was sent */
    AGGR_ERR_FULL = -1,
    AGGR_ERR_ATTACH = -2, /* the arena of that name cannot be reached from this process */
    AGGR_ERR_MEMORY = -3, /* no memory in this process */
    AGGR_ERR_ARG = -4,
    /* another member has another length: group->length; the group stays usable */
    AGGR_ERR_LENGTH = -5,
    AGGR_ERR_ROOT = -6,    /* the root called MPIR_aggr_bcast_failure; the group stays usable */
    AGGR_ELSEWHERE = -7,   /* no error: group->length bytes go another way, as all members know */
    AGGR_ERR_STOPPED = -8, /* board->stop ended the reduction */
    AGGR_LONG = -9         /* no error: MPIR_aggr_bcast_rest has the root's group->length bytes */
};

/* ---- the arena: a node's shared memory, handed out in blocks --------------------------------- */

typedef struct aggr_arena aggr_arena_t;

/* How another process finds an arena.  It has no name in any file system, so it ends with the last
 * process that has it, even if that process is killed.  Only processes of the same user can open
 * it. */
typedef struct aggr_arena_name_t {
    int32_t process; /* the creator's number in /proc */
    int32_t descriptor;
    uint64_t nonce; /* 0: no arena */
} aggr_arena_name_t;

typedef struct aggr_arena_figures_t {
    size_t bytes; /* that can be handed out */
    size_t used;  /* that are */
} aggr_arena_figures_t;

/* Desks: see below. */
typedef struct aggr_desks_t {
    int count;
    size_t bytes; /* of each of the two buffers of a desk; a multiple of 64 */
} aggr_desks_t;

/* `bytes` of address space for blocks, and that of the desks; what is used takes memory.  REQUIRES
 * bytes >= 65,536, else AGGR_ERR_ARG. */
int MPIR_aggr_arena_create(size_t bytes, aggr_desks_t desks, aggr_arena_t **out);
aggr_arena_name_t MPIR_aggr_arena_name(const aggr_arena_t *arena);
int MPIR_aggr_arena_attach(const aggr_arena_name_t *name, aggr_arena_t **out);
void MPIR_aggr_arena_detach(
    aggr_arena_t *arena); /* NULL is fine; groups in it must have been left */
void MPIR_aggr_arena_figures(const aggr_arena_t *arena, aggr_arena_figures_t *out);
/* A block of zeros, aligned to 512 bytes; 0 if there is none.  Lock-free, so a process may die
 * at any moment. */
uint64_t MPIR_aggr_arena_reserve(aggr_arena_t *arena, size_t bytes);
/* block 0 is fine */
void MPIR_aggr_arena_release(aggr_arena_t *arena, uint64_t block, size_t bytes);
void *MPIR_aggr_arena_at(const aggr_arena_t *arena, uint64_t block);
/* Has the desk of this number memory?  It gets it with the first question of its process. */
bool MPIR_aggr_arena_has_desk(aggr_arena_t *arena, int number);
size_t MPIR_aggr_arena_desk_bytes(const aggr_arena_t *arena);
/* A desk's two buffers.  REQUIRES that it has memory. */
void *MPIR_aggr_arena_desk(const aggr_arena_t *arena, int number);

/* ---- groups ---------------------------------------------------------------------------------- */

/* How members wait.  A turn is `polls` reads of the line, and with `yields` a yield of the core.
 * After `turns` turns, progress(context) is called.  If it returns an error, the wait ends with
 * it. */
typedef struct aggr_waiting_t {
    unsigned polls, turns;
    bool yields;
    int (*progress)(void *context); /* may be NULL */
    void *context;
} aggr_waiting_t;

/* A turn but for the reads; *turns counts them.  Returns what the progress function does. */
int MPIR_aggr_give_way(const aggr_waiting_t *waiting, unsigned *turns);

/* Where members run.  Members with the same number share a cache or a memory; 0: not known.  All
 * processes get the same answers. */
enum { AGGR_LEVELS = 2 }; /* the nearest first: a cache, a memory */
typedef struct aggr_places_t {
    uint32_t (*of)(const void *context, int level, int member); /* NULL: nothing is known */
    const void *context;
} aggr_places_t;

/* The process of the node that a member is: the number of its desk. */
typedef struct aggr_seats_t {
    int (*of)(const void *context, int member); /* NULL: no payload is long */
    const void *context;
} aggr_seats_t;

typedef struct aggr_shape_t {
    int members;
    int fan;              /* 2 or more */
    size_t copy_bytes;    /* of one member's payload at a time; a multiple of 64 */
    int lines;            /* of a member: 2, 4 or 8 */
    aggr_places_t places; /* asked in the functions that are given the shape */
    aggr_seats_t seats;   /* asked while a payload is long */
    /* Parts of a long payload are read where they lie, from so many bytes on; 0: never. */
    size_t least_loan;
} aggr_shape_t;

/* Parts of the members with a leader each, its first one. */
typedef struct aggr_parts_t {
    int count;             /* 0: each member reads each line */
    int mine, first, last; /* the part of `me`, and its first and last member */
} aggr_parts_t;

/* The parts of a group of this shape.  REQUIRES 0 <= me < members */
aggr_parts_t MPIR_aggr_divide(const aggr_shape_t *shape, int me);

/* See "operations that nobody waits in". */
typedef struct aggr_ring_t {
    const struct aggr_group *group;
    uint64_t block; /* of a ring that is not the group's own */
    struct aggr_line *lines;
    char *copies;
    size_t copy_bytes;
    bool no_lines, no_copies;
    uint32_t begun, ended; /* operations begun here; all up to this one are over here */
    uint32_t safe;         /* and over in all members */
    uint32_t over;         /* bit i: operation  ended + 1 + i  is over here */
} aggr_ring_t;

/* Can lent buffers be read? */
typedef enum aggr_loans {
    AGGR_LOANS_UNTRIED,
    AGGR_LOANS_WORK, /* for this member */
    AGGR_LOANS_FAIL,
    AGGR_LOANS_AGREED, /* they work for all, as all know */
    AGGR_LOANS_NEVER   /* and for some member not */
} aggr_loans_t;

typedef struct aggr_group {
    aggr_arena_t *arena;
    uint64_t block, copies_block;
    struct aggr_line *lines, *stage;
    char *copies; /* NULL before the first payload of more than a line */
    const aggr_waiting_t *waiting;
    aggr_shape_t shape;
    aggr_parts_t parts;
    int me;
    int broken;                 /* the status that broke it, or 0 */
    bool no_copies;             /* the arena had no room for copies */
    uint32_t seq;               /* operations begun */
    uint32_t safe;              /* all members have begun this one */
    uint32_t wrote[AGGR_LINES]; /* my last operation with a datum in each line */
    uint32_t copied[2];         /* and in each copy buffer */
    struct aggr_desk *desk;     /* mine, while I put a long payload on it */
    size_t desk_bytes;          /* of a buffer, if the payload in progress is long; else 0 */
    uint32_t first;             /* the operation that has its first chunk */
    bool compared;              /* in that operation, all members' lengths are the same */
    bool desk_unused;           /* the payload in progress was lent (loan.c) */
    aggr_loans_t loans;
    uint32_t lent;    /* the operation of the last loan */
    bool lends_place; /* and whether others may write into memory of mine */
    unsigned turns;   /* of waiting, since the last progress */
    /* of the other member, or of the broadcast, with AGGR_ERR_LENGTH and AGGR_ELSEWHERE */
    uint64_t length;
    aggr_ring_t ring;
} aggr_group_t;

/* One member reserves the block and tells the others its number; then every member joins.  The
 * block is returned when all members that joined have left.  MPIR_aggr_group_cancel returns a block
 * that no member has joined. */
uint64_t MPIR_aggr_group_reserve(aggr_arena_t *arena, const aggr_shape_t *shape); /* 0: no room */
void MPIR_aggr_group_cancel(aggr_arena_t *arena, uint64_t block, const aggr_shape_t *shape);
/* `waiting` is the caller's and stays. */
void MPIR_aggr_group_join(aggr_group_t *group, aggr_arena_t *arena, uint64_t block,
                          const aggr_shape_t *shape, int me, const aggr_waiting_t *waiting);
/* Who still reads from `desk` reads on; NULL is fine. */
void MPIR_aggr_group_leave(aggr_group_t *group, struct aggr_desk *desk);

/* ---- collectives ----------------------------------------------------------------------------- */

/* inout[i] = left[i] (op) inout[i] for the elements in `bytes`, a multiple of `unit`.  Must be
 * associative; need not be commutative.  `left` is aligned to 64 bytes or to the unit's place in
 * it. */
typedef struct aggr_fold_t {
    void (*fold)(const void *left, void *inout, size_t bytes, void *context);
    void *context;
    size_t unit; /* bytes of an element; REQUIRES unit <= copy_bytes */
} aggr_fold_t;

/* Is there room for payloads of `bytes`?  If that is not known yet, the call is collective and
 * makes the copy buffers.  All members get the same answer.  All functions below except
 * broadcasts REQUIRE room for their payload. */
int MPIR_aggr_ready(aggr_group_t *group, size_t bytes, bool *ready);
/* Does MPIR_aggr_ready know without asking the others?  If not, the caller must not assume that the
 * others have the same bytes. */
static inline bool MPIR_aggr_knows_room(const aggr_group_t *group, size_t bytes)
{
    return bytes <= AGGR_DATUM || group->copies || group->no_copies;
}
/* A member calls this in place of a function below, except a barrier or a broadcast, if its payload
 * does not go by lines.  AGGR_OK: all members have called it with the same bytes.
 * AGGR_ERR_LENGTH: they have not; each caller is told.  Members that have begun a long payload of
 * these bytes get AGGR_ELSEWHERE. */
int MPIR_aggr_agree(aggr_group_t *group, uint64_t bytes);

/* Members may differ in `bytes` if none has more than copy_bytes in all its parts together. */
int MPIR_aggr_barrier(aggr_group_t *group);
/* `in` may be `out`. */
int MPIR_aggr_allreduce(aggr_group_t *group, const void *in, void *out, size_t bytes,
                        const aggr_fold_t *fold);
int MPIR_aggr_reduce(aggr_group_t *group, const void *in, void *out, size_t bytes,
                     const aggr_fold_t *fold, int root);
int MPIR_aggr_scan(aggr_group_t *group, const void *in, void *out, size_t bytes,
                   const aggr_fold_t *fold);
/* member 0's `out` stays */
int MPIR_aggr_exscan(aggr_group_t *group, const void *in, void *out, size_t bytes,
                     const aggr_fold_t *fold);
/* The elements that each member has: counts[m], or `count` of each if counts is NULL. */
typedef struct aggr_counts_t {
    const ptrdiff_t *counts;
    size_t count;
} aggr_counts_t;

/* The fold of everybody's `in`, which has the parts of all members; `out` gets my part.  `out` may
 * be `in` in an operation that is not long, or if counts is NULL. */
int MPIR_aggr_reduce_scatter(aggr_group_t *group, const void *in, void *out, aggr_counts_t parts,
                             const aggr_fold_t *fold);
/* The root makes the copy buffers; without room for them all members return AGGR_ELSEWHERE.  The
 * root's length decides.  REQUIRES bytes < 2^31 at the root. */
int MPIR_aggr_bcast(aggr_group_t *group, void *buffer, size_t bytes, int root);
/* A root that has failed calls this instead: the others get AGGR_ERR_ROOT. */
int MPIR_aggr_bcast_failure(aggr_group_t *group);
/* A root that sends its data another way calls this instead: all members get AGGR_ELSEWHERE. */
int MPIR_aggr_bcast_elsewhere(aggr_group_t *group, uint64_t bytes);
/* Tells the others, and sends.  They get AGGR_LONG from MPIR_aggr_bcast, and call
 * MPIR_aggr_bcast_rest; NULL drops the data.  REQUIRES bytes < 2^31, and what
 * MPIR_aggr_long_begin requires. */
int MPIR_aggr_bcast_long(aggr_group_t *group, struct aggr_desk *desk, const void *buffer,
                         size_t bytes);
int MPIR_aggr_bcast_rest(aggr_group_t *group, void *buffer, int root);
/* `bytes` of each member, in `out` at  member * bytes.  MPIR_aggr_gather: at the root alone. */
int MPIR_aggr_allgather(aggr_group_t *group, const void *in, void *out, size_t bytes);
int MPIR_aggr_gather(aggr_group_t *group, const void *in, void *out, size_t bytes, int root);
/* Where the data of members lie, in elements.  `size` bytes of each are data. */
typedef struct aggr_layout_t {
    const ptrdiff_t *counts, *places; /* places NULL: one part behind the other */
    size_t size, extent;
} aggr_layout_t;

/* Parts of different lengths.  REQUIRES the same counts * size on all members. */
int MPIR_aggr_allgatherv(aggr_group_t *group, const void *in, void *out,
                         const aggr_layout_t *layout);
/* `bytes` of member `from`, which each member chooses for itself.  REQUIRES in != out */
int MPIR_aggr_exchange(aggr_group_t *group, const void *in, void *out, size_t bytes, int from);
/* `bytes` for each member, in `in` at  member * bytes. */
int MPIR_aggr_scatter(aggr_group_t *group, const void *in, void *out, size_t bytes, int root);
/* REQUIRES in != out */
int MPIR_aggr_alltoall(aggr_group_t *group, const void *in, void *out, size_t bytes);

/* ---- operations that nobody waits in --------------------------------------------------------- */

/*
 * A ring is for nonblocking collectives, which overlap.  Each member has AGGR_RING lines of its own
 * in it, and copy buffers for what is longer.  All members begin the same operations in the same
 * order: the first one has the number 1.  A member puts its datum when it begins an operation, and
 * ends it when it has read what it needs of the others' data; operations end in any order.  None of
 * these functions waits: the caller asks again.  They may be called at any time between the
 * collectives above.
 *
 * An operation begins when all members have ended the one AGGR_RING before it, so its lines may be
 * written.
 *
 * A group has a ring of its own, group->ring.  What does not follow the group's order, such as the
 * starts of a persistent collective, has another one.
 */
enum { AGGR_RING = 4 };

/* May data have so many bytes in this ring?  The first question makes a group's own ring, for data
 * of at most copy_bytes of the group.  All members get the same answer.  REQUIRES the answer true
 * before the functions below. */
bool MPIR_aggr_ring_has(aggr_ring_t *ring, size_t bytes);
/* May the next operation begin? */
bool MPIR_aggr_ring_ready(aggr_ring_t *ring);
/* Where my datum of the next operation goes.  REQUIRES that it may begin. */
void *MPIR_aggr_ring_place(aggr_ring_t *ring, size_t bytes);
/* My datum is there.  Returns the operation's number. */
uint32_t MPIR_aggr_ring_begin(aggr_ring_t *ring, uint32_t length);
/* Has the member begun this operation?  Then its datum can be read until this member has ended
 * it. */
bool MPIR_aggr_ring_arrived(const aggr_ring_t *ring, uint32_t number, int member);
uint32_t MPIR_aggr_ring_length(const aggr_ring_t *ring, uint32_t number, int member);
const void *MPIR_aggr_ring_datum(const aggr_ring_t *ring, uint32_t number, int member,
                                 size_t bytes);
void MPIR_aggr_ring_end(aggr_ring_t *ring, uint32_t number);

/* A turn of waiting, for a caller that has looked at a ring and found nothing.  An error of the
 * progress function breaks the group. */
int MPIR_aggr_turn(aggr_group_t *group);

/* Another ring, for data of at most `bytes`.  One member reserves its block and tells the others;
 * then every member joins.  The block returns when all have left.  0: no room. */
uint64_t MPIR_aggr_ring_reserve(const aggr_group_t *group, size_t bytes);
void MPIR_aggr_ring_join(aggr_ring_t *ring, const aggr_group_t *group, uint64_t block,
                         size_t bytes);
void MPIR_aggr_ring_leave(aggr_ring_t *ring);
/* The member that has reserved it calls this and does not leave, or has not joined: perhaps others
 * have not.  The block returns with the group's. */
void MPIR_aggr_ring_give_up(const aggr_group_t *group, uint64_t block, size_t bytes);

/* ---- meetings: members that wait for nobody agree on a group --------------------------------- */

/*
 * A member cannot tell the others where the group's block is, and go on: they may come to the same
 * operation before they hear of it.  Nor can it wait for them.  So the members make attempts, in
 * operations that have the same number for all of them.  The member that comes first to an attempt
 * decides it for all: the group has this block, or the attempt has failed.  None of these functions
 * waits.
 *
 * Meetings are in the hall, a block of the arena.  A process enters it when it has all that a
 * member needs.  An attempt fails while some member's process has not.
 */
enum { AGGR_PARTY = 64 }; /* most members */

typedef struct aggr_hall {
    aggr_arena_t *arena;
    uint64_t block;
} aggr_hall_t;

/* Who the members are.  REQUIRES that a party has the key of an earlier one with the same members
 * only when all of these have made the same attempts there, and left. */
typedef struct aggr_party {
    uint64_t key;
    int members;
    uint32_t seats[AGGR_PARTY]; /* their processes */
} aggr_party_t;

typedef struct aggr_offer {
    uint64_t block; /* a group's, or 0 */
    int fan;        /* below 65,536 */
    bool rooted;
} aggr_offer_t;

uint64_t MPIR_aggr_hall_reserve(aggr_arena_t *arena, int processes); /* 0: no room */
/* that no process has entered; 0 is fine */
void MPIR_aggr_hall_release(aggr_arena_t *arena, uint64_t block, int processes);
void MPIR_aggr_hall_enter(aggr_hall_t *hall, aggr_arena_t *arena, uint64_t block, int me);

/* The meeting of a party.  0: there is no room, and this attempt has failed. */
uint64_t MPIR_aggr_meeting(const aggr_hall_t *hall, const aggr_party_t *party);
/* Has the attempt been decided?  Then *offer is what all members get.  Attempts are 1, 2 .. 255;
 * each member makes all of them, until one does not fail. */
bool MPIR_aggr_meeting_decided(const aggr_hall_t *hall, uint64_t block, unsigned attempt,
                               aggr_offer_t *offer);
/* May this attempt succeed? */
bool MPIR_aggr_meeting_is_complete(const aggr_hall_t *hall, const aggr_party_t *party);
/* Decides it.  False: somebody was faster; *offer is what he has decided. */
bool MPIR_aggr_meeting_decide(const aggr_hall_t *hall, uint64_t block, unsigned attempt,
                              aggr_offer_t *offer);
/* This member, of rank `me`, makes no more attempts.  The memory returns when all have left. */
void MPIR_aggr_meeting_leave(const aggr_hall_t *hall, uint64_t block, int me);

/* ---- long payloads --------------------------------------------------------------------------- */

/*
 * A desk is a pair of buffers of one process, which all its groups use in turn: long payloads take
 * as much memory with a thousand groups as with one.
 *
 * A collective above, except a barrier and a broadcast, has a long payload if it stands between
 * MPIR_aggr_long_begin and MPIR_aggr_long_end.  With its first chunk all members compare their
 * lengths, so that no operation is needed for that.  It returns AGGR_ERR_LENGTH or AGGR_ELSEWHERE
 * on all members, or on none; no data have moved then.  A member that cannot take part calls
 * MPIR_aggr_agree instead of the three.
 *
 * The end does not wait: it says that this member has read all.  The first long payload of another
 * group waits for those who still read.
 */

typedef struct aggr_desk {
    int number;          /* of the process */
    aggr_group_t *group; /* whose members may still read from it, or NULL */
    aggr_group_t left;   /* that group, when this process has left it */
    uint32_t put[2];     /* the group's last operation with data in each buffer */
    uint32_t end;        /* who has begun this operation reads no more */
} aggr_desk_t;

/* REQUIRES that the desk has memory; AGGR_DATUM < bytes of all parts < 2^31; one byte of each
 * member, and in reductions one element of each, fit into a desk's buffer. */
int MPIR_aggr_long_begin(aggr_group_t *group, aggr_desk_t *desk);
/* Returns the status that it is given, or one of its own. */
int MPIR_aggr_long_end(aggr_group_t *group, int status);
/* At the end of MPI: nobody uses this desk any more. */
void MPIR_aggr_desk_close(aggr_desk_t *desk);

/* ---- the board: a reduction among any processes of the node, without a group ----------------- */

enum { AGGR_BID = 2 }; /* numbers of each process */

typedef struct aggr_notice_t {
    uint64_t key, bid[AGGR_BID];
} aggr_notice_t;

/* A line of a process, in memory that all processes share; zero at first. */
typedef struct aggr_post_t {
    uint64_t state, over;
    aggr_notice_t notices[2];
} aggr_post_t;

typedef struct aggr_board {
    aggr_post_t *posts; /* one for each process of the node */
    int processes, me;
    uint64_t number; /* reductions begun */
    unsigned turns;  /* of waiting, since the last progress */
    /* how far each process has read my line, and I have read its line */
    struct aggr_known *known;
    const aggr_waiting_t *waiting;
    const int *stop; /* NULL, or not 0: ends the reduction in progress */
} aggr_board_t;

/* AGGR_OK or AGGR_ERR_MEMORY.  `posts` and `waiting` stay the caller's. */
int MPIR_aggr_board_open(aggr_board_t *board, aggr_post_t *posts, int processes, int me,
                         const aggr_waiting_t *waiting);
void MPIR_aggr_board_close(aggr_board_t *board);
/* Reduces among n members, of which this process is one: `bid` becomes the fold of all bids, in any
 * order.  REQUIRES the same key on all of them.  Reductions of the same members come in the same
 * order on all of them.  Other reductions may overlap if their keys differ.  A status comes from
 * the progress function; the reduction is complete even then.  AGGR_ERR_STOPPED: it is not,
 * because *board->stop is not 0.  REQUIRES then that each member waiting in it is stopped, too,
 * and that the key is not used again. */
int MPIR_aggr_board_reduce(aggr_board_t *board, const int *members, int n, uint64_t key,
                           uint64_t bid[AGGR_BID],
                           void (*fold)(uint64_t *all, const uint64_t *one));
/* The process has ended, and nobody waits until it has read a bid.  Who waits for its own bid waits
 * on, until board->stop. */
void MPIR_aggr_board_died(aggr_board_t *board, int process);

#ifdef __cplusplus
}
#endif

#endif /* AGGR_H_INCLUDED */
