/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loans: long payloads that are read where they lie, by one copy.
 *
 * All members say in their lines where their buffers are.  Then each copies from others' memory
 * what it needs, and last, all say that they are done: until then a buffer is lent.  So a loan
 * takes two operations, in which everybody waits for everybody.
 *
 * The kernel copies (process_vm_readv), if it lets these processes.  A group's first loan is a
 * trial: each member reads a mark of each other one, and the payload goes by desks.  In the second,
 * members say whether they have read all marks, and only if all have, data are lent.  The kernel
 * may still refuse some memory, such as that of a device.  Then the member says so in its last
 * line, the desks serve what is left of this payload, and there are no more loans.
 *
 * A member whose wait ends with an error leaves, and its caller may use its buffers again.  So it
 * recalls the loan first: from then on nobody begins to copy, and who has copied waits for the
 * error to reach it, too.  Then it waits for those who are copying.  Who has died copies no more;
 * its memory cannot be read.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <sys/uio.h>
#include <unistd.h>
#include "aggr_impl.h"

/* In a member's line, behind what is compared. */
typedef struct loan {
    aggr_elsewhere_t compared;
    uint64_t in, out, mark; /* addresses in its process */
    int32_t process;
} loan_t;

_Static_assert(sizeof(loan_t) <= AGGR_DATUM, "a loan fits a line");

static const loan_t *loan_of(const aggr_group_t *group, int member)
{
    return (const loan_t *) MPIR_aggr_line_of(group, group->lines, member, group->lent)->datum;
}

/* No other memory at this address has the same number, if this is no member's. */
static uint64_t mark_of(const aggr_group_t *group, int member)
{
    return MPIR_aggr_arena_name(group->arena).nonce ^
           (group->block * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t) member);
}

#ifdef AGGR_SIMULATED
bool simulated_copy(void *to, uint64_t from, size_t bytes);
static bool copy_from(int32_t process, void *to, uint64_t from, size_t bytes)
{
    (void) process;
    AGGR_STEP();
    return simulated_copy(to, from, bytes);
}
static bool copy_to(int32_t process, uint64_t to, const void *from, size_t bytes)
{
    (void) process;
    AGGR_STEP();
    return simulated_copy((void *) (uintptr_t) to, (uint64_t) (uintptr_t) from, bytes);
}
static bool is_alive(int32_t process) { return process != 0; }
#elif defined(__linux__)
/* Has the process memory?  One that has ended has none, even if nobody has waited for it. */
static bool is_alive(int32_t process)
{
    char byte;
    struct iovec mine = {&byte, 1}, theirs = {NULL, 1};
    return process_vm_readv(process, &mine, 1, &theirs, 1, 0) >= 0 || errno != ESRCH;
}

typedef ssize_t (*move_t)(pid_t, const struct iovec *, unsigned long, const struct iovec *,
                          unsigned long, unsigned long);

/* The kernel copies less than it is told if it is interrupted. */
static bool copy_all(move_t move, int32_t process, void *here, uint64_t there, size_t bytes)
{
    while (bytes > 0) {
        struct iovec mine = {here, bytes}, theirs = {(void *) (uintptr_t) there, bytes};
        ssize_t copied = move(process, &mine, 1, &theirs, 1, 0);
        if (copied <= 0)
            return false;
        here = (char *) here + copied;
        there += (uint64_t) copied;
        bytes -= (size_t) copied;
    }
    return true;
}

static bool copy_from(int32_t process, void *to, uint64_t from, size_t bytes)
{
    return copy_all(process_vm_readv, process, to, from, bytes);
}

static bool copy_to(int32_t process, uint64_t to, const void *from, size_t bytes)
{
    return copy_all(process_vm_writev, process, (void *) (uintptr_t) from, to, bytes);
}
#else
static bool copy_from(int32_t process, void *to, uint64_t from, size_t bytes)
{
    (void) process, (void) to, (void) from, (void) bytes;
    return false;
}
static bool copy_to(int32_t process, uint64_t to, const void *from, size_t bytes)
{
    (void) process, (void) to, (void) from, (void) bytes;
    return false;
}
static bool is_alive(int32_t process)
{
    (void) process;
    return false;
}
#endif

const void *MPIR_aggr_borrowed(const aggr_group_t *group, int member, size_t from, void *room,
                               size_t bytes)
{
    const loan_t *loan = loan_of(group, member);
    if (member == group->me)
        return (const char *) (uintptr_t) loan->in + from;
    return copy_from(loan->process, room, loan->in + from, bytes) ? room : NULL;
}

bool MPIR_aggr_borrow(const aggr_group_t *group, int member, size_t from, void *to, size_t bytes)
{
    const void *there = MPIR_aggr_borrowed(group, member, from, to, bytes);
    if (there && there != to && bytes > 0)
        memcpy(to, there, bytes);
    return there != NULL;
}

/* REQUIRES member is not this one */
bool MPIR_aggr_give(const aggr_group_t *group, int member, const void *from, size_t to,
                    size_t bytes)
{
    const loan_t *loan = loan_of(group, member);
    return loan->out == 0 || copy_to(loan->process, loan->out + to, from, bytes);
}

bool MPIR_aggr_takes(const aggr_group_t *group, int member)
{
    return loan_of(group, member)->out != 0;
}

static bool can_borrow_from_all(const aggr_group_t *group)
{
    for (int m = 0; m < group->shape.members; m++) {
        const loan_t *loan = loan_of(group, m);
        uint64_t mark = 0;
        if (m != group->me && !(copy_from(loan->process, &mark, loan->mark, sizeof mark) &&
                                mark == mark_of(group, m)))
            return false;
    }
    return true;
}

void MPIR_aggr_describe_loan(aggr_group_t *group, const void *in, void *out)
{
    loan_t *loan = (loan_t *) MPIR_aggr_my_line(group)->datum;
    group->lent = group->seq;
    group->mark = mark_of(group, group->me);
    loan->in = (uint64_t) (uintptr_t) in;
    loan->out = (uint64_t) (uintptr_t) out;
    loan->mark = (uint64_t) (uintptr_t) &group->mark;
    loan->process = (int32_t) getpid();
}

void MPIR_aggr_conclude(aggr_group_t *group, bool all_lend)
{
    if (group->loans == AGGR_LOANS_UNTRIED)
        group->loans = can_borrow_from_all(group) ? AGGR_LOANS_WORK : AGGR_LOANS_FAIL;
    else
        group->loans = all_lend ? AGGR_LOANS_AGREED : AGGR_LOANS_NEVER;
}

/* Both in one order for all members, as in MPIR_aggr_recall. */
bool MPIR_aggr_start_copies(const aggr_group_t *group)
{
    aggr_block_t *block = MPIR_aggr_block(group);
    AGGR_STEP();
    __atomic_fetch_add(&block->copying, 1, __ATOMIC_SEQ_CST);
    AGGR_STEP();
    return !__atomic_load_n(&block->recalled, __ATOMIC_SEQ_CST);
}

void MPIR_aggr_stop_copies(const aggr_group_t *group)
{
    AGGR_STEP();
    __atomic_fetch_sub(&MPIR_aggr_block(group)->copying, 1, __ATOMIC_RELEASE);
}

/* Members that may be counted as copying for ever. */
static uint32_t count_dead(const aggr_group_t *group)
{
    uint32_t dead = 0, after = group->seq == group->lent ? group->seq + 1 : group->seq;
    for (int m = 0; m < group->shape.members; m++) {
        dead += m != group->me &&
                !MPIR_aggr_reached(MPIR_aggr_line_of(group, group->lines, m, after), after) &&
                MPIR_aggr_reached(MPIR_aggr_line_of(group, group->lines, m, group->lent),
                                  group->lent) &&
                !is_alive(loan_of(group, m)->process);
    }
    return dead;
}

void MPIR_aggr_recall(const aggr_group_t *group)
{
    enum { POLLS = 1000 };
    aggr_block_t *block = MPIR_aggr_block(group);
    AGGR_STEP();
    __atomic_store_n(&block->recalled, 1, __ATOMIC_SEQ_CST);
    for (unsigned polls = 1;; polls++) {
        AGGR_STEP();
        uint32_t copying = __atomic_load_n(&block->copying, __ATOMIC_SEQ_CST);
        if (copying == 0 || (polls % POLLS == 0 && copying <= count_dead(group)))
            return;
        MPIR_aggr_relax();
        if (polls % POLLS == 0)
            sched_yield();
    }
}

static int tell_all(aggr_group_t *group, uint64_t mine, int writes, uint64_t *least)
{
    int status = MPIR_aggr_begin(group, AGGR_IN_LINE | writes);
    if (status)
        return status;
    memcpy(MPIR_aggr_my_line(group)->datum, &mine, sizeof mine);
    MPIR_aggr_publish(MPIR_aggr_my_line(group), group->seq);
    *least = mine;
    for (int m = 0; m < group->shape.members; m++) {
        const aggr_line_t *line = MPIR_aggr_now(group, m);
        uint64_t theirs;
        status = MPIR_aggr_wait(group, line, group->seq);
        if (status)
            return status;
        memcpy(&theirs, line->datum, sizeof theirs);
        *least = theirs < *least ? theirs : *least;
    }
    group->safe = group->seq;
    return AGGR_OK;
}

int MPIR_aggr_tell_all(aggr_group_t *group, uint64_t mine, int writes, uint64_t *least)
{
    int status = tell_all(group, mine, writes, least);
    if (status)
        MPIR_aggr_recall(group);
    while (status == AGGR_OK &&
           __atomic_load_n(&MPIR_aggr_block(group)->recalled, __ATOMIC_ACQUIRE))
        status = MPIR_aggr_turn(group);
    return status;
}

int MPIR_aggr_end_loan(aggr_group_t *group, size_t mine, size_t all, size_t *done)
{
    uint64_t least = 0;
    int status = MPIR_aggr_tell_all(group, mine, 0, &least);
    *done = (size_t) least;
    if (least < all)
        group->loans = AGGR_LOANS_NEVER;
    group->desk_unused = status == AGGR_OK && least == all;
    return status;
}
