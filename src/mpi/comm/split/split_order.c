/* SPDX-License-Identifier: BSD-3-Clause */

#include "split_order.h"

/* A pair has the distance of the key to the least one above the rank: sorting by whole pairs is
 * sorting stably by key. */
#define RANK_BITS 32
#define FEW_PAIRS 32u    /* sorted by insertion */
#define MANY_PAIRS 4096u /* from here on wide digits pay */
#define DIGIT_BITS 8
#define WIDE_DIGIT_BITS 11
/* Ranges take more work for each than ranks do: they pay when they have this many members on the
 * average. */
#define RANGE_MEMBERS 4u

/* ---- ranges ---- */

static bool has_few_runs(const split_view *view)
{
    return view->runs == 1 || view->runs <= view->members / RANGE_MEMBERS;
}

/* Cuts the members' ranks as MPIR_split_look() counts them.  A range is smaller than a row, and
 * each begins at another row, so that what is written has been read. */
static uint32_t write_ranges(split_row table[], const split_view *view)
{
    cmap_rank_range *ranges = (cmap_rank_range *) table, now = {.first = 0};
    uint32_t n = 0, members = 0;

    for (uint32_t rank = 0; rank < view->rows && members < view->members; rank++) {
        if (table[rank].colour != view->colour)
            continue;
        int32_t step = (int32_t) (rank - now.last);
        if (members++ > 0 && (now.stride == 0 || now.stride == step)) {
            now.stride = step;
            now.last = rank;
            continue;
        }
        if (members > 1)
            ranges[n++] = now;
        now.first = now.last = rank;
        now.stride = 0;
    }
    ranges[n++] = now;
    return n;
}

static cmap_rank_range turned(cmap_rank_range range)
{
    cmap_rank_range back = {.first = range.last, .last = range.first, .stride = -range.stride};
    return back;
}

static void turn_ranges(cmap_rank_range ranges[], uint32_t n)
{
    for (uint32_t i = 0, j = n; i < j; i++) {
        cmap_rank_range front = turned(ranges[i]);
        ranges[i] = turned(ranges[--j]);
        ranges[j] = front;
    }
}

/* A single member has no stride, but a range needs one. */
static void complete_strides(cmap_rank_range ranges[], uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (ranges[i].stride == 0)
            ranges[i].stride = 1;
    }
}

static split_plan arrange_ranges(split_row table[], const split_view *view)
{
    uint32_t n = write_ranges(table, view);
    cmap_rank_range *ranges = (cmap_rank_range *) table;

    if (!view->ascending)
        turn_ranges(ranges, n);
    complete_strides(ranges, n);
    split_plan plan = {.form = SPLIT_RANGES, .count = n, .bytes = n * sizeof(cmap_rank_range)};
    return plan;
}

/* ---- ranks ---- */

static void write_ranks(split_row table[], const split_view *view)
{
    int *ranks = (int *) table;

    for (uint32_t rank = 0, n = 0; rank < view->rows; rank++) {
        if (table[rank].colour == view->colour)
            ranks[n++] = (int) rank;
    }
}

static void turn_ranks(int ranks[], uint32_t n)
{
    for (uint32_t i = 0, j = n; i < j; i++) {
        int front = ranks[i];
        ranks[i] = ranks[--j];
        ranks[j] = front;
    }
}

static void write_pairs(split_row table[], const split_view *view)
{
    uint64_t *pairs = (uint64_t *) table;

    for (uint32_t rank = 0, n = 0; rank < view->rows; rank++) {
        if (table[rank].colour == view->colour) {
            uint32_t distance = (uint32_t) table[rank].key - (uint32_t) view->least;
            pairs[n++] = (uint64_t) distance << RANK_BITS | rank;
        }
    }
}

/* For keys that may be n consecutive numbers.  `slots` has room for as many ranks; false when a
 * key came twice. */
static bool place(const uint64_t pairs[], uint32_t n, int slots[])
{
    memset(slots, 0xff, n * sizeof(int));
    for (uint32_t i = 0; i < n; i++) {
        int *slot = &slots[pairs[i] >> RANK_BITS];
        if (*slot >= 0)
            return false;
        *slot = (int) (uint32_t) pairs[i];
    }
    return true;
}

static void sort_few(uint64_t pairs[], uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        uint64_t pair = pairs[i];
        uint32_t j = i;
        for (; j > 0 && pairs[j - 1] > pair; j--)
            pairs[j] = pairs[j - 1];
        pairs[j] = pair;
    }
}

/* One digit; false when all pairs have the same one, and nothing is done. */
static bool sort_by_digit(const uint64_t from[], uint64_t to[], uint32_t n, int shift, int width)
{
    uint32_t start[1 << WIDE_DIGIT_BITS], mask = (1u << width) - 1, sum = 0;

    memset(start, 0, (mask + 1) * sizeof(start[0]));
    for (uint32_t i = 0; i < n; i++)
        start[(from[i] >> shift) & mask]++;
    if (start[(from[0] >> shift) & mask] == n)
        return false;

    for (uint32_t digit = 0; digit <= mask; digit++) {
        uint32_t count = start[digit];
        start[digit] = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < n; i++)
        to[start[(from[i] >> shift) & mask]++] = from[i];
    return true;
}

static int bit_length(uint32_t value)
{
    int bits = 0;

    for (; value != 0; value >>= 1)
        bits++;
    return bits;
}

/* Where the pairs are in the end: in one of the two arrays. */
static uint64_t *sort_many(uint64_t pairs[], uint64_t scratch[], uint32_t n, uint32_t greatest)
{
    int bits = bit_length(greatest), most = (n < MANY_PAIRS) ? DIGIT_BITS : WIDE_DIGIT_BITS;
    int passes = (bits + most - 1) / most;
    int width = passes ? (bits + passes - 1) / passes : 0;

    for (int pass = 0; pass < passes; pass++) {
        if (sort_by_digit(pairs, scratch, n, RANK_BITS + pass * width, width)) {
            uint64_t *sorted = scratch;
            scratch = pairs;
            pairs = sorted;
        }
    }
    return pairs;
}

/* `ranks` may begin where the pairs do: a rank is smaller. */
static void unpack(const uint64_t pairs[], uint32_t n, int ranks[])
{
    for (uint32_t i = 0; i < n; i++)
        ranks[i] = (int) (uint32_t) pairs[i];
}

static void arrange_by_keys(split_row table[], const split_view *view)
{
    uint64_t *pairs = (uint64_t *) table;
    uint32_t n = view->members, span = (uint32_t) view->greatest - (uint32_t) view->least;

    write_pairs(table, view);
    if (span == n - 1 && place(pairs, n, (int *) (pairs + n))) {
        memmove(table, pairs + n, n * sizeof(int));
        return;
    }
    if (n <= FEW_PAIRS)
        sort_few(pairs, n);
    else
        pairs = sort_many(pairs, pairs + n, n, span);
    unpack(pairs, n, (int *) table);
}

static split_plan arrange_ranks(split_row table[], const split_view *view)
{
    if (view->ascending || view->descending)
        write_ranks(table, view);
    else
        arrange_by_keys(table, view);
    if (view->descending && !view->ascending)
        turn_ranks((int *) table, view->members);

    split_plan plan = {
        .form = SPLIT_RANKS, .count = view->members, .bytes = view->members * sizeof(int)};
    return plan;
}

/* ---- the face ---- */

split_plan MPIR_split_arrange(split_row table[], const split_view *view)
{
    split_plan same = {.form = SPLIT_SAME, .count = view->members};

    if (view->ascending && view->members == view->rows)
        return same;
    if ((view->ascending || view->descending) && has_few_runs(view))
        return arrange_ranges(table, view);
    return arrange_ranks(table, view);
}

static uint32_t rank_in_ranges(const cmap_rank_range ranges[], uint32_t n, uint32_t member)
{
    uint32_t before = 0;

    for (uint32_t i = 0; i < n; i++) {
        int64_t stride = ranges[i].stride;
        int64_t count = ((int64_t) ranges[i].last - ranges[i].first) / stride + 1;
        int64_t distance = (int64_t) member - ranges[i].first;
        if (distance % stride == 0 && distance / stride >= 0 && distance / stride < count)
            return before + (uint32_t) (distance / stride);
        before += (uint32_t) count;
    }
    return CMAP_NONE;
}

uint32_t MPIR_split_rank_of(const split_row table[], const split_plan *plan, uint32_t member)
{
    const int *ranks = (const int *) table;

    if (plan->form == SPLIT_SAME)
        return member;
    if (plan->form == SPLIT_RANGES)
        return rank_in_ranges((const cmap_rank_range *) table, plan->count, member);
    for (uint32_t i = 0; i < plan->count; i++) {
        if (ranks[i] == (int) member)
            return i;
    }
    return CMAP_NONE;
}

/* Every rank is its own index then. */
static bool is_identity(const cmap_t *map)
{
    return MPIR_cmap_is_set(map) && MPIR_cmap_min(map) == 0 &&
           MPIR_cmap_max(map) == MPIR_cmap_size(map) - 1;
}

cmap_status MPIR_split_map(const cmap_t *parent, const split_row table[], const split_plan *plan,
                           cmap_t **out)
{
    switch (plan->form) {
        case SPLIT_SAME: return MPIR_cmap_with_policy(parent, NULL, out);
        case SPLIT_RANGES:
            return MPIR_cmap_range_incl(parent, (const cmap_rank_range *) table, plan->count, NULL,
                                        out);
        case SPLIT_RANKS: break;
    }
    /* The array is borrowed there, which saves a copy. */
    if (is_identity(parent))
        return MPIR_cmap_from_array((const uint32_t *) table, plan->count, MPIR_cmap_size(parent),
                                    NULL, out);
    return MPIR_cmap_incl(parent, (const int *) table, plan->count, NULL, out);
}
