/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Barriers, reductions and scans.
 *
 * Folds go from the last member to the first, because a fold keeps its result on the right:  x0 (x1
 * (x2 ...)).
 */
#include "aggr_impl.h"

/* A payload that fits a line, and the length that all lines must have with it. */
typedef struct payload {
    size_t bytes;
    uint32_t length;
} payload_t;

static payload_t payload_of(size_t bytes) { return (payload_t){bytes, (uint32_t) bytes}; }

/* Folds members first .. last of `lines` (the members' or the leaders') into `out` as their data
 * arrive. */
static int fold_lines(aggr_group_t *group, aggr_line_t *lines, int first, int last, void *out,
                      payload_t payload, const aggr_fold_t *fold)
{
    size_t bytes = payload.bytes;
    for (int m = last; m >= first; m--) {
        const aggr_line_t *line = MPIR_aggr_line_of(group, lines, m, group->seq);
        int status = MPIR_aggr_wait(group, line, group->seq);
        if (status == AGGR_OK)
            status = MPIR_aggr_compare(group, line, payload.length);
        if (status)
            return status;
        if (bytes == 0)
            continue;
        if (m == last)
            MPIR_aggr_copy(out, line->datum, bytes);
        else
            fold->fold(line->datum, out, bytes, fold->context);
    }
    return AGGR_OK;
}

/* A leader that has no datum of its part tells those that wait for one, who have other lengths
 * than this. */
static void leave_stage(aggr_group_t *group, uint64_t bytes)
{
    aggr_elsewhere_t other = {.bytes = bytes, .seq = group->seq};
    if (group->parts.count == 0 || group->me != group->parts.first)
        return;
    aggr_line_t *line = MPIR_aggr_line_of(group, group->stage, group->parts.mine, group->seq);
    memcpy(line->datum, &other, sizeof other);
    line->length = AGGR_LENGTHS_DIFFER;
    MPIR_aggr_publish(line, group->seq);
}

/* A leader folds the data of its part of the members into its line among the leaders'. */
static int lead(aggr_group_t *group, payload_t payload, const aggr_fold_t *fold)
{
    const aggr_parts_t *parts = &group->parts;
    if (group->me != parts->first)
        return AGGR_OK;
    aggr_line_t *line = MPIR_aggr_line_of(group, group->stage, parts->mine, group->seq);
    int status =
        fold_lines(group, group->lines, parts->first, parts->last, line->datum, payload, fold);
    if (status == AGGR_ERR_LENGTH)
        leave_stage(group, group->length);
    if (status)
        return status;
    line->length = payload.length;
    MPIR_aggr_publish(line, group->seq);
    return AGGR_OK;
}

static void tell_datum(aggr_group_t *group, const void *in, payload_t payload)
{
    MPIR_aggr_copy(MPIR_aggr_my_line(group)->datum, in, payload.bytes);
    MPIR_aggr_my_line(group)->length = payload.length;
    MPIR_aggr_publish(MPIR_aggr_my_line(group), group->seq);
}

static int payload_put(aggr_group_t *group, const void *in, payload_t payload)
{
    int status = MPIR_aggr_begin(group, AGGR_IN_LINE);
    if (status == AGGR_OK)
        tell_datum(group, in, payload);
    return status;
}

/* Everybody's data, by way of the leaders where there are any; who returns knows that all have
 * begun. */
static int fold_all(aggr_group_t *group, void *out, payload_t payload, const aggr_fold_t *fold)
{
    int status;
    if (group->parts.count)
        status = fold_lines(group, group->stage, 0, group->parts.count - 1, out, payload, fold);
    else
        status = fold_lines(group, group->lines, 0, group->shape.members - 1, out, payload, fold);
    if (status == AGGR_OK)
        group->safe = group->seq;
    return status;
}

static int reduce_datum(aggr_group_t *group, const void *in, void *out, payload_t payload,
                        const aggr_fold_t *fold, bool wanted)
{
    int status = payload_put(group, in, payload);
    if (status == AGGR_OK && group->parts.count)
        status = lead(group, payload, fold);
    if (status == AGGR_OK && wanted)
        status = fold_all(group, out, payload, fold);
    return status;
}

/* ---- barriers: lines without a datum --------------------------------------------------------- */

static int wait_lines(aggr_group_t *group, aggr_line_t *lines, int first, int last)
{
    int status = AGGR_OK;
    for (int m = last; m >= first && status == AGGR_OK; m--)
        status = MPIR_aggr_wait(group, MPIR_aggr_line_of(group, lines, m, group->seq), group->seq);
    return status;
}

/* A leader waits for its part of the members, and everybody for the leaders. */
static int wait_stage(aggr_group_t *group)
{
    const aggr_parts_t *parts = &group->parts;
    if (group->me == parts->first) {
        int status = wait_lines(group, group->lines, parts->first, parts->last);
        if (status)
            return status;
        MPIR_aggr_publish(MPIR_aggr_line_of(group, group->stage, parts->mine, group->seq),
                          group->seq);
    }
    return wait_lines(group, group->stage, 0, parts->count - 1);
}

int MPIR_aggr_barrier(aggr_group_t *group)
{
    int status = MPIR_aggr_begin(group, AGGR_NOTHING);
    if (status)
        return status;
    MPIR_aggr_publish(MPIR_aggr_my_line(group), group->seq);
    status = group->parts.count ? wait_stage(group)
                                : wait_lines(group, group->lines, 0, group->shape.members - 1);
    if (status == AGGR_OK)
        group->safe = group->seq;
    return status;
}

/* Keeps what is the same, and the operation's number with it. */
static void fold_same(const void *left, void *inout, size_t bytes, void *context)
{
    const aggr_elsewhere_t *a = left;
    aggr_elsewhere_t *b = inout;
    (void) bytes;
    (void) context;
    if (a->seq != b->seq || a->bytes != b->bytes)
        *b = (aggr_elsewhere_t){.bytes = a->bytes, .seq = b->seq - 1};
    b->how &= a->how;
}

/* Members in other functions may wait for a leader's line, or have leaders that write none: all
 * members' lines are read. */
static int compare_all(aggr_group_t *group, uint64_t bytes, uint32_t *how)
{
    static const aggr_fold_t same = {fold_same, NULL, sizeof(aggr_elsewhere_t)};
    aggr_elsewhere_t all, mine = {.bytes = bytes, .seq = group->seq, .how = *how};
    const payload_t payload = {sizeof mine, AGGR_LENGTH_ELSEWHERE};
    tell_datum(group, &mine, payload);
    leave_stage(group, bytes);
    int status = fold_lines(group, group->lines, 0, group->shape.members - 1, &all, payload, &same);
    if (status)
        return status;
    group->length = all.bytes;
    if (all.seq != mine.seq || all.bytes != bytes)
        return AGGR_ERR_LENGTH;
    group->safe = group->seq;
    *how = all.how;
    return (all.how & AGGR_ON_DESK) == (mine.how & AGGR_ON_DESK) ? AGGR_OK : AGGR_ELSEWHERE;
}

int MPIR_aggr_agree(aggr_group_t *group, uint64_t bytes)
{
    uint32_t how = 0;
    int status = MPIR_aggr_begin(group, AGGR_IN_LINE);
    return status ? status : compare_all(group, bytes, &how);
}

static int tell_long(aggr_group_t *group, uint64_t bytes, uint32_t *how)
{
    int status = compare_all(group, bytes, how);
    group->compared = status == AGGR_OK;
    return status;
}

int MPIR_aggr_tell_first(aggr_group_t *group, uint64_t bytes)
{
    uint32_t how = AGGR_ON_DESK;
    return tell_long(group, bytes, &how);
}

int MPIR_aggr_lend(aggr_group_t *group, const void *in, void *out, uint64_t length, bool *lent)
{
    bool works = group->loans == AGGR_LOANS_WORK || group->loans == AGGR_LOANS_AGREED;
    uint32_t how = AGGR_ON_DESK | (works ? AGGR_LENDS : 0);
    int status = MPIR_aggr_begin(group, AGGR_IN_LINE);
    if (status)
        return status;
    MPIR_aggr_describe_loan(group, in, out);
    status = tell_long(group, length, &how);
    *lent = status == AGGR_OK && (how & AGGR_LENDS);
    if (status == AGGR_OK)
        MPIR_aggr_conclude(group, *lent);
    else if (group->broken)
        MPIR_aggr_recall(group);
    return status;
}

/* ---- payloads -------------------------------------------------------------------------------- */

/* Always by the buffers, also a last chunk that would fit a line.  The line has the length of
 * all chunks. */
static int put_copy(aggr_group_t *group, const void *in, size_t bytes, size_t all)
{
    int status = MPIR_aggr_begin(group, AGGR_IN_LINE | AGGR_IN_COPY);
    if (status)
        return status;
    memcpy(MPIR_aggr_copy_of(group, group->me, group->seq), in, bytes);
    status = MPIR_aggr_tell(group, all);
    leave_stage(group, all);
    return status;
}

/* Bytes from .. from + bytes of what members first .. last have in their places for a payload of
 * `place` bytes, if that is as long as mine. */
static int fold_places(aggr_group_t *group, int first, int last, size_t place, void *out,
                       size_t from, size_t bytes, const aggr_fold_t *fold)
{
    uint32_t length = MPIR_aggr_my_line(group)->length;
    for (int m = last; m >= first; m--) {
        const aggr_line_t *line = MPIR_aggr_now(group, m);
        int status = MPIR_aggr_wait(group, line, group->seq);
        if (status == AGGR_OK)
            status = MPIR_aggr_compare(group, line, length);
        if (status)
            return status;
        const char *at = (const char *) MPIR_aggr_place(group, m, place) + from;
        if (m == last)
            MPIR_aggr_copy(out, at, bytes);
        else if (bytes > 0)
            fold->fold(at, out, bytes, fold->context);
    }
    return AGGR_OK;
}

static int fold_copies(aggr_group_t *group, int first, int last, void *out, size_t from,
                       size_t bytes, const aggr_fold_t *fold)
{
    return fold_places(group, first, last, AGGR_DATUM + 1, out, from, bytes, fold);
}

/* Who has folded all members' data knows that all have begun. */
static int fold_all_places(aggr_group_t *group, size_t place, void *out, size_t from, size_t bytes,
                           const aggr_fold_t *fold)
{
    int status = fold_places(group, 0, group->shape.members - 1, place, out, from, bytes, fold);
    if (status == AGGR_OK)
        group->safe = group->seq;
    return status;
}

static int fold_all_copies(aggr_group_t *group, void *out, size_t bytes, const aggr_fold_t *fold)
{
    return fold_all_places(group, AGGR_DATUM + 1, out, 0, bytes, fold);
}

/* Bounds of a member's slice, in whole elements. */
static size_t slice_begin(const aggr_group_t *group, int member, size_t bytes, size_t unit)
{
    return bytes / unit * (size_t) member / (size_t) group->shape.members * unit;
}

/* That of a member, from its buffer. */
static void collect_slice(const aggr_group_t *group, int member, char *out, size_t bytes,
                          size_t unit)
{
    size_t begin = slice_begin(group, member, bytes, unit);
    size_t end = slice_begin(group, member + 1, bytes, unit);
    MPIR_aggr_copy(out + begin, MPIR_aggr_copy_of(group, member, group->seq), end - begin);
}

/* Each member folds a slice, in the buffer of the next operation, in which all collect the
 * slices. */
static int allreduce_slices(aggr_group_t *group, void *out, size_t bytes, const aggr_fold_t *fold)
{
    size_t begin = slice_begin(group, group->me, bytes, fold->unit);
    size_t end = slice_begin(group, group->me + 1, bytes, fold->unit);
    int members = group->shape.members;
    int status = MPIR_aggr_wait_all(group);
    if (status)
        return status;
    char *mine = MPIR_aggr_copy_of(group, group->me, group->seq + 1);
    status = fold_copies(group, 0, members - 1, mine, begin, end - begin, fold);
    if (status == AGGR_OK)
        status = MPIR_aggr_begin(group, AGGR_IN_COPY);
    if (status)
        return status;
    MPIR_aggr_publish(MPIR_aggr_my_line(group), group->seq);
    for (int m = 0; m < members; m++) {
        status = MPIR_aggr_wait(group, MPIR_aggr_now(group, m), group->seq);
        if (status)
            return status;
        collect_slice(group, m, out, bytes, fold->unit);
    }
    group->safe = group->seq;
    return AGGR_OK;
}

/* With slices everybody folds 1/p of p vectors and copies one; without, p vectors: worth a
 * second turn from here on. */
static bool worth_slices(const aggr_group_t *group, size_t bytes)
{
    return group->shape.members >= 4 && bytes * (size_t) group->shape.members >= 16384;
}

/* ---- payloads that are lent ---- */

/* The fold of so many bytes of all members' `in`, from `at` on. */
static bool fold_lent(const aggr_group_t *group, size_t at, char *out, char *scratch, size_t bytes,
                      const aggr_fold_t *fold)
{
    int last = group->shape.members - 1;
    if (!MPIR_aggr_borrow(group, last, at, out, bytes))
        return false;
    for (int m = last - 1; m >= 0; m--) {
        const char *left = MPIR_aggr_borrowed(group, m, at, scratch, bytes);
        if (!left)
            return false;
        fold->fold(left, out, bytes, fold->context);
    }
    return true;
}

static void collect_slices(aggr_group_t *group, char *out, size_t bytes, size_t unit)
{
    for (int m = 0; m < group->shape.members; m++)
        collect_slice(group, m, out, bytes, unit);
}

/* In each round every member folds a slice, in half of a desk's buffer, and `wanted` collects the
 * slices.  All stop where one cannot go on, so `in` may be `out`. */
static int reduce_lent(aggr_group_t *group, char *out, size_t bytes, const aggr_fold_t *fold,
                       bool wanted, size_t *done)
{
    size_t half = MPIR_aggr_buffer_bytes(group) / 2, slice = half / fold->unit * fold->unit;
    while (*done < bytes) {
        size_t round = MPIR_aggr_least(bytes - *done, slice * (size_t) group->shape.members);
        size_t begin = slice_begin(group, group->me, round, fold->unit);
        size_t end = slice_begin(group, group->me + 1, round, fold->unit);
        char *mine = MPIR_aggr_copy_of(group, group->me, group->seq + 1);
        uint64_t all_can = MPIR_aggr_start_copies(group) &&
                           fold_lent(group, *done + begin, mine, mine + half, end - begin, fold);
        MPIR_aggr_stop_copies(group);
        int status = MPIR_aggr_tell_all(group, all_can, AGGR_IN_COPY, &all_can);
        if (status)
            return status;
        if (!all_can) {
            group->loans = AGGR_LOANS_NEVER;
            return AGGR_OK;
        }
        if (wanted)
            collect_slices(group, out + *done, round, fold->unit);
        *done += round;
    }
    return AGGR_OK;
}

/* Who gets the result: the root, or with `root` < 0 all. */
static bool is_taker(int member, int root) { return root < 0 || member == root; }

/* As slice_begin; but the other member of a pair, who has to give what it folds, folds less than
 * the root, and of few bytes none. */
static size_t lent_slice_begin(const aggr_group_t *group, int member, size_t bytes, size_t unit,
                               int root)
{
    enum { SHARE = 4 };
    if (group->shape.members != 2 || root < 0 || member != 1)
        return slice_begin(group, member, bytes, unit);
    bool shares = bytes >= AGGR_WORTH_SHARING * group->shape.least_loan;
    size_t of_other = shares ? bytes / unit / SHARE * unit : 0;
    return root == 0 ? bytes - of_other : of_other;
}

static bool give_piece(const aggr_group_t *group, const char *sum, size_t at, size_t bytes,
                       int root)
{
    for (int m = 0; m < group->shape.members; m++) {
        if (m != group->me && is_taker(m, root) && !MPIR_aggr_give(group, m, sum, at, bytes))
            return false;
    }
    return true;
}

/* Each member folds a slice, piece by piece, and gives it to the takers.  Returns the bytes of the
 * payload that are done, as far as this member knows: all or none. */
static size_t fold_and_give(aggr_group_t *group, char *out, size_t bytes, const aggr_fold_t *fold,
                            int root)
{
    bool takes = is_taker(group->me, root); /* then the sum is in its place, and not on my desk */
    size_t room = MPIR_aggr_buffer_bytes(group) / (takes ? 1 : 2), piece;
    size_t end = lent_slice_begin(group, group->me + 1, bytes, fold->unit, root);
    char *scratch = MPIR_aggr_copy_of(group, group->me, group->seq);
    for (size_t at = lent_slice_begin(group, group->me, bytes, fold->unit, root); at < end;
         at += piece) {
        char *sum = takes ? out + at : scratch + room;
        piece = MPIR_aggr_least(end - at, room / fold->unit * fold->unit);
        if (!fold_lent(group, at, sum, scratch, piece, fold) ||
            !give_piece(group, sum, at, piece, root))
            return 0;
    }
    return bytes;
}

/* *done: bytes of the payload that need not go by desks.  Who reduces in place takes nothing before
 * all have read. */
static int reduce_by_loan(aggr_group_t *group, const void *in, void *out, size_t bytes,
                          const aggr_fold_t *fold, int root, size_t *done)
{
    bool lent, in_place = false;
    size_t members = (size_t) group->shape.members;
    if (!MPIR_aggr_may_lend(group, members == 2 ? bytes : bytes / members))
        return AGGR_OK;
    int status = MPIR_aggr_lend(group, in, in == out ? NULL : out, bytes, &lent);
    if (status || !lent)
        return status;
    for (int m = 0; m < group->shape.members; m++)
        in_place = in_place || (is_taker(m, root) && !MPIR_aggr_takes(group, m));
    if (in_place)
        return reduce_lent(group, out, bytes, fold, is_taker(group->me, root), done);
    if (MPIR_aggr_start_copies(group))
        *done = fold_and_give(group, out, bytes, fold, root);
    MPIR_aggr_stop_copies(group);
    return MPIR_aggr_end_loan(group, *done, bytes, done);
}

static size_t chunk_of(const aggr_group_t *group, const aggr_fold_t *fold)
{
    return MPIR_aggr_buffer_bytes(group) / fold->unit * fold->unit;
}

int MPIR_aggr_allreduce(aggr_group_t *group, const void *in, void *out, size_t bytes,
                        const aggr_fold_t *fold)
{
    if (bytes <= AGGR_DATUM)
        return reduce_datum(group, in, out, payload_of(bytes), fold, true);
    size_t done = 0, chunk;
    int status = reduce_by_loan(group, in, out, bytes, fold, -1, &done);
    for (; status == AGGR_OK && done < bytes; done += chunk) {
        chunk = MPIR_aggr_least(bytes - done, chunk_of(group, fold));
        status = put_copy(group, (const char *) in + done, chunk, bytes);
        if (status == AGGR_OK)
            status = worth_slices(group, chunk)
                         ? allreduce_slices(group, (char *) out + done, chunk, fold)
                         : fold_all_copies(group, (char *) out + done, chunk, fold);
    }
    return status;
}

int MPIR_aggr_reduce(aggr_group_t *group, const void *in, void *out, size_t bytes,
                     const aggr_fold_t *fold, int root)
{
    bool wanted = group->me == root;
    if (bytes <= AGGR_DATUM)
        return reduce_datum(group, in, out, payload_of(bytes), fold, wanted);
    size_t done = 0, chunk;
    int status = reduce_by_loan(group, in, wanted ? out : NULL, bytes, fold, root, &done);
    for (; status == AGGR_OK && done < bytes; done += chunk) {
        chunk = MPIR_aggr_least(bytes - done, chunk_of(group, fold));
        status = put_copy(group, (const char *) in + done, chunk, bytes);
        if (status == AGGR_OK && wanted)
            status = fold_all_copies(group, (char *) out + done, chunk, fold);
    }
    return status;
}

/* Data of the members up to `last`. */
static int scan_to(aggr_group_t *group, const void *in, void *out, size_t bytes,
                   const aggr_fold_t *fold, int last)
{
    if (bytes <= AGGR_DATUM) {
        payload_t payload = payload_of(bytes);
        int status = payload_put(group, in, payload);
        return status ? status : fold_lines(group, group->lines, 0, last, out, payload, fold);
    }
    for (size_t done = 0, chunk; done < bytes; done += chunk) {
        chunk = MPIR_aggr_least(bytes - done, chunk_of(group, fold));
        int status = put_copy(group, (const char *) in + done, chunk, bytes);
        if (status == AGGR_OK)
            status = fold_copies(group, 0, last, (char *) out + done, 0, chunk, fold);
        if (status)
            return status;
    }
    return AGGR_OK;
}

int MPIR_aggr_scan(aggr_group_t *group, const void *in, void *out, size_t bytes,
                   const aggr_fold_t *fold)
{
    return scan_to(group, in, out, bytes, fold, group->me);
}

int MPIR_aggr_exscan(aggr_group_t *group, const void *in, void *out, size_t bytes,
                     const aggr_fold_t *fold)
{
    return scan_to(group, in, out, bytes, fold, group->me - 1);
}

/* ---- a part for each ------------------------------------------------------------------------- */

/* Parts of a vector, in bytes. */
typedef struct parts {
    aggr_counts_t in;
    size_t unit, all, longest;
    size_t begin, mine; /* my part */
} parts_t;

static size_t part_of(const parts_t *parts, int member)
{
    size_t count = parts->in.counts ? (size_t) parts->in.counts[member] : parts->in.count;
    return count * parts->unit;
}

static parts_t measure(const aggr_group_t *group, aggr_counts_t in, size_t unit)
{
    parts_t parts = {.in = in, .unit = unit};
    for (int m = 0; m < group->shape.members; m++) {
        size_t bytes = part_of(&parts, m);
        if (m == group->me)
            parts.begin = parts.all;
        parts.longest = bytes > parts.longest ? bytes : parts.longest;
        parts.all += bytes;
    }
    parts.mine = part_of(&parts, group->me);
    return parts;
}

static int reduce_scatter_at_once(aggr_group_t *group, const void *in, void *out,
                                  const parts_t *parts, const aggr_fold_t *fold)
{
    int status = MPIR_aggr_begin(group, AGGR_IN_LINE | MPIR_aggr_writes(group, parts->all));
    if (status)
        return status;
    MPIR_aggr_copy(MPIR_aggr_place(group, group->me, parts->all), in, parts->all);
    status = MPIR_aggr_tell(group, parts->all);
    return status ? status
                  : fold_all_places(group, parts->all, out, parts->begin, parts->mine, fold);
}

/* A chunk has a piece of each part, so that all members fold at the same time. */
static int put_pieces(aggr_group_t *group, const char *in, const parts_t *parts, size_t done,
                      size_t piece)
{
    int status = MPIR_aggr_begin(group, AGGR_IN_LINE | AGGR_IN_COPY);
    if (status)
        return status;
    char *to = MPIR_aggr_copy_of(group, group->me, group->seq);
    for (int m = 0; m < group->shape.members; m++, to += piece) {
        size_t bytes = part_of(parts, m);
        if (done < bytes)
            memcpy(to, in + done, MPIR_aggr_least(bytes - done, piece));
        in += bytes;
    }
    return MPIR_aggr_tell(group, parts->all);
}

static int reduce_scatter_by_pieces(aggr_group_t *group, const void *in, char *out,
                                    const parts_t *parts, const aggr_fold_t *fold)
{
    size_t room = MPIR_aggr_buffer_bytes(group) / (size_t) group->shape.members;
    size_t piece = room / parts->unit * parts->unit;
    for (size_t done = 0; done < parts->longest; done += piece) {
        size_t mine = done < parts->mine ? MPIR_aggr_least(parts->mine - done, piece) : 0;
        int status = put_pieces(group, in, parts, done, piece);
        if (status == AGGR_OK)
            status = fold_all_places(group, parts->all, mine ? out + done : NULL,
                                     piece * (size_t) group->me, mine, fold);
        if (status)
            return status;
    }
    return AGGR_OK;
}

int MPIR_aggr_reduce_scatter(aggr_group_t *group, const void *in, void *out, aggr_counts_t in_parts,
                             const aggr_fold_t *fold)
{
    parts_t parts = measure(group, in_parts, fold->unit);
    return MPIR_aggr_fits_line(group, parts.all) || parts.all <= MPIR_aggr_buffer_bytes(group)
               ? reduce_scatter_at_once(group, in, out, &parts, fold)
               : reduce_scatter_by_pieces(group, in, out, &parts, fold);
}
