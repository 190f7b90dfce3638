/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The board: who reads a bid must find it whole, and of the right reduction.
 *
 * A process counts its reductions, and its post holds the bids of the last two.  A bid goes when
 * all members of its reduction have read it: each says how far it has come (`over`), and the
 * writer, who saw the numbers that they have for the same reduction, waits until they are that far.
 * A bid with the right key that is not newer than the last one taken from its writer belongs to an
 * earlier reduction of the same members: two processes that reduce together have taken each other's
 * bids of all that they reduced together before.
 */
#include <stdlib.h>
#include "aggr_impl.h"

/* `state` of a post: twice the number of its newest bid, and 1 while the next one is written
 * over the one before. */
struct aggr_known {
    uint64_t taken; /* number of the last bid that I took from it */
    /* its number of the reduction in which it reads my bid; 0: none to wait for */
    uint64_t reads[2];
};

int MPIR_aggr_board_open(aggr_board_t *board, aggr_post_t *posts, int processes, int me,
                         const aggr_waiting_t *waiting)
{
    memset(board, 0, sizeof *board);
    board->known = calloc((size_t) processes, sizeof *board->known);
    if (!board->known)
        return AGGR_ERR_MEMORY;
    board->posts = posts;
    board->processes = processes;
    board->me = me;
    board->waiting = waiting;
    return AGGR_OK;
}

void MPIR_aggr_board_close(aggr_board_t *board)
{
    free(board->known);
    board->known = NULL;
}

static void idle(aggr_board_t *board, int *trouble)
{
    int status = MPIR_aggr_give_way(board->waiting, &board->turns);
    if (*trouble == AGGR_OK)
        *trouble = status;
}

static bool is_over(const aggr_post_t *post, uint64_t number)
{
    AGGR_STEP();
    return __atomic_load_n(&post->over, __ATOMIC_ACQUIRE) >= number;
}

/* Until all who read my bid before the last one have done so: they have all they wait for. */
static void make_room(aggr_board_t *board, int *trouble)
{
    for (int p = 0; p < board->processes; p++) {
        uint64_t *reads = &board->known[p].reads[board->number & 1];
        while (*reads > 0 && !is_over(&board->posts[p], *reads))
            idle(board, trouble);
        *reads = 0;
    }
}

/* The first state is stored with release, too: who reads it also takes the bid before this one. */
static void put_up(aggr_board_t *board, uint64_t key, const uint64_t bid[AGGR_BID])
{
    aggr_post_t *mine = &board->posts[board->me];
    aggr_notice_t *notice = &mine->notices[board->number & 1];
    AGGR_STEP();
    __atomic_store_n(&mine->state, 2 * (board->number - 1) + 1, __ATOMIC_RELEASE);
    AGGR_STEP();
    __atomic_store_n(&notice->key, key, __ATOMIC_RELEASE);
    AGGR_STEP();
    for (int i = 0; i < AGGR_BID; i++)
        __atomic_store_n(&notice->bid[i], bid[i], __ATOMIC_RELEASE);
    AGGR_STEP();
    __atomic_store_n(&mine->state, 2 * board->number, __ATOMIC_RELEASE);
}

/* Who sees a part of a new bid sees the state that was set before it: hence release and acquire at
 * each.
 *
 * Is this, read while the post was in this state, bid `number` with that key, newer than the
 * last one taken? */
static bool read_bid(const aggr_post_t *post, uint64_t state, uint64_t number, uint64_t key,
                     uint64_t taken, uint64_t bid[AGGR_BID])
{
    const aggr_notice_t *notice = &post->notices[number & 1];
    bool is_newest = number == state / 2;
    AGGR_STEP();
    if ((int64_t) (number - taken) <= 0 || (!is_newest && state % 2) ||
        __atomic_load_n(&notice->key, __ATOMIC_ACQUIRE) != key)
        return false;
    AGGR_STEP();
    for (int i = 0; i < AGGR_BID; i++)
        bid[i] = __atomic_load_n(&notice->bid[i], __ATOMIC_ACQUIRE);
    AGGR_STEP();
    uint64_t now = __atomic_load_n(&post->state, __ATOMIC_RELAXED);
    return is_newest ? now / 2 == number : now == state;
}

/* When both fit, it has begun the next reduction of the same members, and the older one is
 * meant. */
static bool line_look(aggr_board_t *board, int process, uint64_t state, uint64_t key,
                      uint64_t bid[AGGR_BID])
{
    struct aggr_known *known = &board->known[process];
    uint64_t newest = state / 2;
    for (uint64_t number = newest - 1; number != newest + 1; number++) {
        if (!read_bid(&board->posts[process], state, number, key, known->taken, bid))
            continue;
        known->taken = number;
        known->reads[board->number & 1] = number;
        return true;
    }
    return false;
}

static bool is_stopped(const aggr_board_t *board)
{
    return board->stop && __atomic_load_n(board->stop, __ATOMIC_RELAXED) != 0;
}

/* False: stopped before the bid came. */
static bool board_take(aggr_board_t *board, int process, uint64_t key, uint64_t bid[AGGR_BID],
                       int *trouble)
{
    const uint64_t *state = &board->posts[process].state;
    for (unsigned polls = 0;;) {
        AGGR_STEP();
        uint64_t seen = __atomic_load_n(state, __ATOMIC_ACQUIRE);
        if (line_look(board, process, seen, key, bid))
            return true;
        if (__atomic_load_n(state, __ATOMIC_RELAXED) != seen)
            continue; /* it has moved on meanwhile */
        MPIR_aggr_relax();
        if (polls++ >= board->waiting->polls) {
            if (is_stopped(board))
                return false;
            idle(board, trouble);
            polls = 0;
        }
    }
}

void MPIR_aggr_board_died(aggr_board_t *board, int process)
{
    __atomic_store_n(&board->posts[process].over, UINT64_MAX, __ATOMIC_RELEASE);
}

int MPIR_aggr_board_reduce(aggr_board_t *board, const int *members, int n, uint64_t key,
                           uint64_t bid[AGGR_BID], void (*fold)(uint64_t *all, const uint64_t *one))
{
    int trouble = AGGR_OK;
    uint64_t one[AGGR_BID];
    board->number++;
    make_room(board, &trouble);
    put_up(board, key, bid);
    for (int m = 0; m < n; m++) {
        if (members[m] == board->me)
            continue;
        if (!board_take(board, members[m], key, one, &trouble)) {
            trouble = AGGR_ERR_STOPPED;
            break;
        }
        fold(bid, one);
    }
    /* A stopped member reads no more bids, so those of the others need not stay for it. */
    AGGR_STEP();
    /* release, with acquire in is_over: a writer that sees this writes after all reads above */
    __atomic_store_n(&board->posts[board->me].over, board->number, __ATOMIC_RELEASE);
    return trouble;
}
