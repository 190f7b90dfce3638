/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines, and the two questions that members ask of them.
 *
 * A member's counter is the number of operations it has begun.  It is written into the operation's
 * line, so the lines of a member hold its last numbers.  Two rules make it safe to read a line in
 * place:
 *
 *   A member that has begun operation n has read all it needs of earlier operations. A datum
 *   replaces that of an earlier operation only when all members have begun the operation after the
 *   earlier one.
 *
 * Order of memory.  The number is stored with release and read with acquire; all else in a line and
 * in the copy buffers is plain.  Acquire shows a reader the datum.  Release also keeps a member's
 * reads of an operation before the number of its next one, and so before a datum that replaces what
 * it read.  Where there are leaders, both hold along the chain of member, leader and reader.
 *
 * Numbers wrap.  Members are never 2^31 operations apart, so the sign of a difference orders two
 * numbers.
 */
#ifndef AGGR_IMPL_H_INCLUDED
#define AGGR_IMPL_H_INCLUDED

#include <string.h>
#include "aggr.h"

typedef struct aggr_line {
    unsigned char datum[AGGR_DATUM];
    uint32_t length; /* of the payload, in the line or not; or a special one below */
    uint32_t seq;
} __attribute__((aligned(AGGR_LINE))) aggr_line_t;

/* At the start of a group's block; the lines follow. */
typedef struct aggr_block {
    uint32_t left;              /* members that are gone */
    uint32_t recalled;          /* a member has left a loan: see loan.c */
    uint64_t ring, ring_copies; /* see ring.c */
    uint64_t given_up;          /* the last ring that was given up, which leads to the others */
    unsigned char copies[];     /* does the member copy, in a loan? */
} aggr_block_t;

/* Of a block before the lines; prefetchers load two lines at a time. */
static inline size_t MPIR_aggr_head_bytes(int members)
{
    const size_t unit = 2 * AGGR_LINE;
    return (sizeof(aggr_block_t) + (size_t) members + unit - 1) / unit * unit;
}

static inline aggr_block_t *MPIR_aggr_block(const aggr_group_t *group)
{
    return (aggr_block_t *) MPIR_aggr_arena_at(group->arena, group->block);
}

/* A point at which a simulation may switch to another member; empty in a library. */
#ifdef AGGR_SIMULATED
void MPIR_aggr_step(void);
#define AGGR_STEP() MPIR_aggr_step()
#else
#define AGGR_STEP() ((void) 0)
#endif

/* Of `lines`: the members', or the leaders'. */
static inline aggr_line_t *MPIR_aggr_line_of(const aggr_group_t *group, aggr_line_t *lines,
                                             int member, uint32_t seq)
{
    uint32_t count = (uint32_t) group->shape.lines;
    return &lines[(uint32_t) member * count + (seq & (count - 1))];
}

/* A member's line of the operation in progress. */
static inline aggr_line_t *MPIR_aggr_now(const aggr_group_t *group, int member)
{
    return MPIR_aggr_line_of(group, group->lines, member, group->seq);
}

static inline aggr_line_t *MPIR_aggr_my_line(const aggr_group_t *group)
{
    return MPIR_aggr_now(group, group->me);
}

/* Of all members' copy buffers, two for each. */
static inline size_t MPIR_aggr_copies_bytes(const aggr_shape_t *shape)
{
    return (size_t) shape->members * 2 * shape->copy_bytes;
}

static inline char *MPIR_aggr_on_desk(const aggr_group_t *group, int member, uint32_t seq)
{
    int number = group->shape.seats.of(group->shape.seats.context, member);

    return (char *) MPIR_aggr_arena_desk(group->arena, number) + (seq & 1) * group->desk_bytes;
}

static inline char *MPIR_aggr_copy_of(const aggr_group_t *group, int member, uint32_t seq)
{
    if (group->desk_bytes)
        return MPIR_aggr_on_desk(group, member, seq);
    return group->copies + ((size_t) 2 * (size_t) member + (seq & 1)) * group->shape.copy_bytes;
}

/* Of the buffers in which the payload in progress lies. */
static inline size_t MPIR_aggr_buffer_bytes(const aggr_group_t *group)
{
    return group->desk_bytes ? group->desk_bytes : group->shape.copy_bytes;
}

static inline bool MPIR_aggr_reached(const aggr_line_t *line, uint32_t seq)
{
    AGGR_STEP();
    return (int32_t) (__atomic_load_n(&line->seq, __ATOMIC_ACQUIRE) - seq) >= 0;
}

static inline void MPIR_aggr_publish(aggr_line_t *line, uint32_t seq)
{
    AGGR_STEP();
    __atomic_store_n(&line->seq, seq, __ATOMIC_RELEASE);
}

static inline void MPIR_aggr_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield" ::: "memory");
#endif
}

int MPIR_aggr_wait_slowly(aggr_group_t *group, const aggr_line_t *line, uint32_t seq);

/* Until the line has the operation's number: then its datum can be read. */
static inline int MPIR_aggr_wait(aggr_group_t *group, const aggr_line_t *line, uint32_t seq)
{
    return MPIR_aggr_reached(line, seq) ? AGGR_OK : MPIR_aggr_wait_slowly(group, line, seq);
}

/* Operations between two lifts of what may lie far behind; less than 2^31. */
#define AGGR_LIFT (UINT32_C(1) << 30)

/* Special lengths; a payload is shorter. */
/* the datum is the block of the copy buffers; the broadcast follows */
#define AGGR_LENGTH_OF_COPIES UINT32_MAX
#define AGGR_LENGTH_OF_FAILURE (UINT32_MAX - 1)
#define AGGR_LENGTH_ELSEWHERE (UINT32_MAX - 2) /* the datum is an aggr_elsewhere_t */
/* in a leader's part; the datum is one of the lengths, as an aggr_elsewhere_t */
#define AGGR_LENGTHS_DIFFER (UINT32_MAX - 3)
#define AGGR_LENGTH_LONG (UINT32_MAX - 4) /* of a broadcast; the datum is an aggr_elsewhere_t */

/* The length of a payload that does not go by lines.  A member that writes nothing leaves an old
 * datum in its line; the number of the operation distinguishes it. */
typedef struct aggr_elsewhere {
    uint64_t bytes;
    uint32_t seq;
    uint32_t how; /* a row of bits: AGGR_ON_DESK, AGGR_LENDS */
} aggr_elsewhere_t;

enum {
    AGGR_ON_DESK = 1, /* the first chunk is on the member's desk, or will be */
    AGGR_LENDS = 2    /* and it can read what others lend */
};

/* Where a member's datum goes in an operation. */
enum { AGGR_NOTHING = 0, AGGR_IN_LINE = 1, AGGR_IN_COPY = 2 };

/* Does a payload lie in the line?  A long one does not: its first line has the lengths. */
static inline bool MPIR_aggr_fits_line(const aggr_group_t *group, size_t bytes)
{
    return bytes <= AGGR_DATUM && !group->desk_bytes;
}

static inline int MPIR_aggr_writes(const aggr_group_t *group, size_t bytes)
{
    return MPIR_aggr_fits_line(group, bytes) ? AGGR_IN_LINE : AGGR_IN_COPY;
}

/* Begins an operation.  With a datum, it waits until all members have read the datum that it
 * replaces. */
int MPIR_aggr_begin(aggr_group_t *group, int writes);

/* Waits until all members have begun the operation in progress. */
int MPIR_aggr_wait_all(aggr_group_t *group);

/* The address of a member's datum of the operation in progress. */
static inline void *MPIR_aggr_place(aggr_group_t *group, int member, size_t bytes)
{
    if (MPIR_aggr_fits_line(group, bytes))
        return MPIR_aggr_now(group, member)->datum;
    return MPIR_aggr_copy_of(group, member, group->seq);
}

/* Notes the line's length and returns AGGR_ERR_LENGTH; AGGR_OK in the first operation of a long
 * payload, in which the members have compared their lengths. */
int MPIR_aggr_differs(aggr_group_t *group, const aggr_line_t *line);

/* Publishes my line of the operation in progress, and compares the lengths of all members. */
int MPIR_aggr_tell_first(aggr_group_t *group, uint64_t bytes);

/* Publishes my line, with the length of my payload. */
static inline int MPIR_aggr_tell(aggr_group_t *group, size_t bytes)
{
    if (group->desk_bytes && group->seq == group->first)
        return MPIR_aggr_tell_first(group, bytes);
    MPIR_aggr_my_line(group)->length = (uint32_t) bytes;
    MPIR_aggr_publish(MPIR_aggr_my_line(group), group->seq);
    return AGGR_OK;
}

/* Begins an operation in which this member puts nothing: only says that it is here. */
int MPIR_aggr_put_nothing(aggr_group_t *group);
/* Gives the blocks of the ring back. */
void MPIR_aggr_ring_release(const aggr_group_t *group);
/* Gives the block back when all others have left. */
void MPIR_aggr_leave_now(aggr_group_t *group);
uint32_t MPIR_aggr_count_left(const aggr_group_t *group);

/* Compares the length that a member's line has with that of the same operation here. */
static inline int MPIR_aggr_compare(aggr_group_t *group, const aggr_line_t *line, uint32_t length)
{
    if (line->length == length)
        return AGGR_OK;
    return MPIR_aggr_differs(group, line);
}

/* Most data have 4 or 8 bytes, which are copied without a call. */
static inline void MPIR_aggr_copy(void *to, const void *from, size_t bytes)
{
    if (bytes == 8)
        memcpy(to, from, 8);
    else if (bytes == 4)
        memcpy(to, from, 4);
    else if (bytes > 0)
        memcpy(to, from, bytes);
}

static inline size_t MPIR_aggr_least(size_t a, size_t b) { return a < b ? a : b; }

/* ---- loans: see loan.c ----------------------------------------------------------------------- */

/* So many times the least loan is worth that both members of a pair copy. */
enum { AGGR_WORTH_SHARING = 4 };

/* May parts of so many bytes be lent in the long payload in progress?  All members know it. */
static inline bool MPIR_aggr_may_lend(const aggr_group_t *group, size_t part)
{
    return group->desk_bytes && group->shape.least_loan > 0 && part >= group->shape.least_loan &&
           group->loans != AGGR_LOANS_NEVER;
}

/* Says where my buffers are, and compares the lengths as the first chunk of a payload does.  If
 * then *lent, MPIR_aggr_end_loan or an operation of MPIR_aggr_tell_all must follow.  REQUIRES
 * MPIR_aggr_may_lend */
int MPIR_aggr_lend(aggr_group_t *group, const void *in, void *out, uint64_t length, bool *lent);
/* The operation in progress lends.  `place`: others may write into memory of mine. */
static inline void MPIR_aggr_begin_loan(aggr_group_t *group, bool place)
{
    group->lent = group->seq;
    group->lends_place = place;
}
/* Of the operation in progress: in it, my line says where my buffers are; after it, what all
 * members know of loans, and this one for the next. */
void MPIR_aggr_describe_loan(aggr_group_t *group, const void *in, void *out);
void MPIR_aggr_conclude(aggr_group_t *group, bool all_lend);
/* This member leaves a loan.  Nobody begins to copy any more; waits for those that are copying. */
void MPIR_aggr_recall(const aggr_group_t *group);
/* Bytes of a member's `in`, or into its `out`, if it has one.  False: they are out of reach. */
bool MPIR_aggr_borrow(const aggr_group_t *group, int member, size_t from, void *to, size_t bytes);
bool MPIR_aggr_give(const aggr_group_t *group, int member, const void *from, size_t to,
                    size_t bytes);
/* The same bytes as MPIR_aggr_borrow: my own where they lie, others' in `room`.  NULL: they are out
 * of reach. */
const void *MPIR_aggr_borrowed(const aggr_group_t *group, int member, size_t from, void *room,
                               size_t bytes);
bool MPIR_aggr_takes(const aggr_group_t *group, int member); /* has it an `out`? */
/* Around my copies.  False: a member has left the loan, and none may be made. */
bool MPIR_aggr_start_copies(const aggr_group_t *group);
void MPIR_aggr_stop_copies(const aggr_group_t *group);
/* Waits until all have what they need.  *done: the least of what the members say, `all` if nothing
 * was out of reach. */
int MPIR_aggr_end_loan(aggr_group_t *group, size_t mine, size_t all, size_t *done);
/* An operation of a loan in which all members say a number, and learn the least of them. */
int MPIR_aggr_tell_all(aggr_group_t *group, uint64_t mine, int writes, uint64_t *least);

#endif /* AGGR_IMPL_H_INCLUDED */
