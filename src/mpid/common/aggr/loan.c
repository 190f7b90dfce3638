/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loans: long payloads that are read where they lie, by one copy.
 *
 * All members say in their lines where their buffers are.  Then each copies from others' memory
 * what it needs, and last, all say that they are done: until then a buffer is lent.  So a loan
 * takes two operations, in which everybody waits for everybody.
 *
 * The kernel copies, if it lets these processes (reach.h).  In a group's first loan each member
 * learns whether it reaches the others, and the payload goes by desks.  In the second, members say
 * whether they reach all, and only if all do, data are lent.  The kernel may still refuse some
 * memory, such as that of a device.  Then the member says so in its last line, the desks serve what
 * is left of this payload, and there are no more loans.
 *
 * A member whose wait ends with an error leaves, and its caller may use its buffers again.  So it
 * recalls the loan first: from then on nobody begins to copy, and who has copied waits for the
 * error to reach it, too: what it has read does not count.  But others may be writing.  So a member
 * that has lent them a place for the result waits until nobody copies who is alive.
 */
#include <sched.h>
#include "aggr_impl.h"
#include "reach.h"

/* In a member's line, behind what is compared. */
typedef struct loan {
    aggr_elsewhere_t compared;
    uint64_t in, out; /* addresses in its process */
    reach_process_t process;
} loan_t;

_Static_assert(sizeof(loan_t) <= AGGR_DATUM, "a loan fits a line");

static const loan_t *loan_of(const aggr_group_t *group, int member)
{
    return (const loan_t *) MPIR_aggr_line_of(group, group->lines, member, group->lent)->datum;
}

#ifdef AGGR_SIMULATED
bool simulated_copy(void *to, uint64_t from, size_t bytes);
static bool loan_copy(const loan_t *loan, bool is_given, void *mine, uint64_t theirs, size_t bytes)
{
    (void) loan;
    AGGR_STEP();
    return is_given ? simulated_copy((void *) (uintptr_t) theirs, (uintptr_t) mine, bytes)
                    : simulated_copy(mine, theirs, bytes);
}
static bool leads(const loan_t *loan)
{
    uint64_t number = 0;
    return loan_copy(loan, false, &number, loan->process.number_at, sizeof number) &&
           number == loan->process.number;
}
static bool is_alive(const loan_t *loan) { return loan->process.id != 0; }
#else
static bool loan_copy(const loan_t *loan, bool is_given, void *mine, uint64_t theirs, size_t bytes)
{
    struct iovec here = {mine, bytes}, there = {(void *) (uintptr_t) theirs, bytes};
    return bytes == 0 || MPIR_reach_copy(loan->process.id, is_given, &here, &there, 1) == 0;
}
static bool leads(const loan_t *loan) { return MPIR_reach_leads(&loan->process); }
static bool is_alive(const loan_t *loan) { return MPIR_reach_is_alive(loan->process.id); }
#endif

const void *MPIR_aggr_borrowed(const aggr_group_t *group, int member, size_t from, void *room,
                               size_t bytes)
{
    const loan_t *loan = loan_of(group, member);
    if (member == group->me)
        return (const char *) (uintptr_t) loan->in + from;
    return loan_copy(loan, false, room, loan->in + from, bytes) ? room : NULL;
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
    return loan->out == 0 ||
           loan_copy(loan, true, (void *) (uintptr_t) from, loan->out + to, bytes);
}

bool MPIR_aggr_takes(const aggr_group_t *group, int member)
{
    return loan_of(group, member)->out != 0;
}

static bool reaches_all(const aggr_group_t *group)
{
    for (int m = 0; m < group->shape.members; m++) {
        if (m != group->me && !leads(loan_of(group, m)))
            return false;
    }
    return true;
}

void MPIR_aggr_describe_loan(aggr_group_t *group, const void *in, void *out)
{
    loan_t *loan = (loan_t *) MPIR_aggr_my_line(group)->datum;
    MPIR_aggr_begin_loan(group, out != NULL);
    loan->in = (uintptr_t) in;
    loan->out = (uintptr_t) out;
    loan->process = MPIR_reach_self();
}

void MPIR_aggr_conclude(aggr_group_t *group, bool all_lend)
{
    if (group->loans == AGGR_LOANS_UNTRIED)
        group->loans = reaches_all(group) ? AGGR_LOANS_WORK : AGGR_LOANS_FAIL;
    else
        group->loans = all_lend ? AGGR_LOANS_AGREED : AGGR_LOANS_NEVER;
}

/* Both in one order for all members, as in MPIR_aggr_recall. */
bool MPIR_aggr_start_copies(const aggr_group_t *group)
{
    aggr_block_t *block = MPIR_aggr_block(group);
    AGGR_STEP();
    __atomic_store_n(&block->copies[group->me], 1, __ATOMIC_SEQ_CST);
    AGGR_STEP();
    return !__atomic_load_n(&block->recalled, __ATOMIC_SEQ_CST);
}

void MPIR_aggr_stop_copies(const aggr_group_t *group)
{
    AGGR_STEP();
    __atomic_store_n(&MPIR_aggr_block(group)->copies[group->me], 0, __ATOMIC_RELEASE);
}

static void await_copies(const aggr_group_t *group, int member)
{
    enum { POLLS = 1000 };
    const unsigned char *copies = &MPIR_aggr_block(group)->copies[member];
    for (unsigned polls = 1;; polls++) {
        AGGR_STEP();
        if (!__atomic_load_n(copies, __ATOMIC_SEQ_CST) ||
            (polls % POLLS == 0 && !is_alive(loan_of(group, member))))
            return;
        MPIR_aggr_relax();
        if (polls % POLLS == 0)
            sched_yield();
    }
}

void MPIR_aggr_recall(const aggr_group_t *group)
{
    AGGR_STEP();
    __atomic_store_n(&MPIR_aggr_block(group)->recalled, 1, __ATOMIC_SEQ_CST);
    /* before the caller changes what others read */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (int m = 0; m < group->shape.members && group->lends_place; m++)
        await_copies(group, m);
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
