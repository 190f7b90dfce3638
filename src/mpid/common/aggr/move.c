/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data that move as they are.
 *
 * All are one scheme: some members put bytes into their place, some take bytes from others' places.
 * What is longer than a place goes in chunks; a place that holds a part for each member has the
 * parts of a chunk one after the other.
 */
#include "aggr_impl.h"

/* Parts of so many bytes, `parts` of them in a place: in the line when all of them fit. */
typedef struct cut {
    size_t chunk; /* of each part */
    size_t place; /* bytes that decide where it lies */
} cut_t;

static cut_t cut_for(const aggr_group_t *group, size_t bytes, int parts)
{
    cut_t cut = {bytes, bytes * (size_t) parts};
    if (!MPIR_aggr_fits_line(group, cut.place))
        cut.chunk = MPIR_aggr_least(bytes, MPIR_aggr_buffer_bytes(group) / (size_t) parts);
    return cut;
}

/* Puts `parts` pieces of `chunk` bytes, `stride` apart in `in`, into my place. */
static int put_parts(aggr_group_t *group, const char *in, size_t chunk, size_t stride, int parts,
                     size_t place)
{
    int status = MPIR_aggr_begin(group, AGGR_IN_LINE | MPIR_aggr_writes(group, place));
    if (status)
        return status;
    char *at = MPIR_aggr_place(group, group->me, place);
    for (int p = 0; p < parts; p++)
        MPIR_aggr_copy(at + (size_t) p * chunk, in + (size_t) p * stride, chunk);
    return MPIR_aggr_tell(group, stride);
}

/* Part `part` of what `from` has put, when its parts are of `length` bytes as mine are. */
static int take_part(aggr_group_t *group, int from, int part, char *out, size_t chunk, size_t place,
                     size_t length)
{
    const aggr_line_t *line = MPIR_aggr_now(group, from);
    int status = MPIR_aggr_wait(group, line, group->seq);
    if (status == AGGR_OK)
        status = MPIR_aggr_compare(group, line, (uint32_t) length);
    if (status == AGGR_OK)
        MPIR_aggr_copy(
            out, (const char *) MPIR_aggr_place(group, from, place) + (size_t) part * chunk, chunk);
    return status;
}

/* ---- what is lent: one copy, by who needs the data ------------------------------------------- */

typedef struct move {
    /* Does my share of the copies.  False: some memory is out of reach. */
    bool (*copy)(const aggr_group_t *group, const struct move *move);
    const void *in;
    void *out;
    size_t bytes; /* of a part */
    int root;
    const aggr_layout_t *layout;
} move_t;

/* The part of which a loan is worth it, when each other member reads it.  For many of them a copy
 * from a desk that is in the cache costs less than the kernel's. */
static size_t part_for_all(const aggr_group_t *group, size_t bytes)
{
    enum { MOST_MEMBERS = 4 };
    return group->shape.members <= MOST_MEMBERS ? bytes : 0;
}

/* After all have said where their buffers are.  *done: nothing is left for the desks. */
static int copy_lent(aggr_group_t *group, const move_t *move, bool *done)
{
    size_t moved = MPIR_aggr_start_copies(group) && move->copy(group, move);
    MPIR_aggr_stop_copies(group);
    int status = MPIR_aggr_end_loan(group, moved, true, &moved);
    *done = moved > 0;
    return status;
}

static int move_by_loan(aggr_group_t *group, const move_t *move, size_t part, size_t length,
                        bool *done)
{
    bool lent;
    *done = false;
    if (!MPIR_aggr_may_lend(group, part))
        return AGGR_OK;
    int status = MPIR_aggr_lend(group, move->in, move->out, length, &lent);
    return status || !lent ? status : copy_lent(group, move, done);
}

/* The first of others' parts that a member takes is its right neighbour's: not all begin with the
 * same. */
static int after_me(const aggr_group_t *group, int turn)
{
    return (group->me + 1 + turn) % group->shape.members;
}

static bool copy_all(const aggr_group_t *group, const move_t *move)
{
    for (int t = 0; t < group->shape.members; t++) {
        int m = after_me(group, t);
        if (!MPIR_aggr_borrow(group, m, 0, (char *) move->out + (size_t) m * move->bytes,
                              move->bytes))
            return false;
    }
    return true;
}

static bool copy_mine_of_all(const aggr_group_t *group, const move_t *move)
{
    for (int t = 0; t < group->shape.members; t++) {
        int m = after_me(group, t);
        if (!MPIR_aggr_borrow(group, m, (size_t) group->me * move->bytes,
                              (char *) move->out + (size_t) m * move->bytes, move->bytes))
            return false;
    }
    return true;
}

static bool copy_mine_of_root(const aggr_group_t *group, const move_t *move)
{
    return MPIR_aggr_borrow(group, move->root, (size_t) group->me * move->bytes, move->out,
                            move->bytes);
}

/* Everybody gives, so that all copy at the same time. */
static bool copy_to_root(const aggr_group_t *group, const move_t *move)
{
    size_t at = (size_t) group->me * move->bytes;
    if (group->me == move->root)
        return MPIR_aggr_borrow(group, group->me, 0, (char *) move->out + at, move->bytes);
    return MPIR_aggr_give(group, move->root, move->in, at, move->bytes);
}

/* ---- broadcasts, and what members are told by them ------------------------------------------- */

static int send_chunk(aggr_group_t *group, const void *from, size_t chunk, size_t place,
                      uint32_t length)
{
    int status = MPIR_aggr_begin(group, AGGR_IN_LINE | MPIR_aggr_writes(group, place));
    if (status)
        return status;
    MPIR_aggr_copy(MPIR_aggr_place(group, group->me, place), from, chunk);
    MPIR_aggr_my_line(group)->length = length;
    MPIR_aggr_publish(MPIR_aggr_my_line(group), group->seq);
    return AGGR_OK;
}

static void take_copies(aggr_group_t *group, uint64_t block)
{
    group->no_copies = block == 0;
    group->copies_block = block;
    group->copies = block ? MPIR_aggr_arena_at(group->arena, block) : NULL;
}

/* Makes the buffers and tells the others where; they hear it from `listen`. */
static int make_copies(aggr_group_t *group)
{
    uint64_t block = MPIR_aggr_arena_reserve(group->arena, MPIR_aggr_copies_bytes(&group->shape));
    int status = send_chunk(group, &block, sizeof block, sizeof block, AGGR_LENGTH_OF_COPIES);
    if (status == AGGR_OK)
        take_copies(group, block);
    else
        MPIR_aggr_arena_release(group->arena, block, MPIR_aggr_copies_bytes(&group->shape));
    return status;
}

/* Begins an operation, and waits for what the root says in it. */
static int listen(aggr_group_t *group, int root)
{
    uint64_t block;
    const aggr_line_t *line;
    int status = MPIR_aggr_put_nothing(group);
    if (status)
        return status;
    line = MPIR_aggr_now(group, root);
    status = MPIR_aggr_wait(group, line, group->seq);
    if (status == AGGR_OK && line->length == AGGR_LENGTH_OF_COPIES) {
        memcpy(&block, line->datum, sizeof block);
        take_copies(group, block);
    }
    return status;
}

int MPIR_aggr_ready(aggr_group_t *group, size_t bytes, bool *ready)
{
    int status = AGGR_OK;
    if (!MPIR_aggr_knows_room(group, bytes))
        status = group->me == 0 ? make_copies(group) : listen(group, 0);
    *ready = bytes <= AGGR_DATUM || group->copies;
    return status;
}

int MPIR_aggr_bcast_failure(aggr_group_t *group)
{
    return send_chunk(group, NULL, 0, 0, AGGR_LENGTH_OF_FAILURE);
}

int MPIR_aggr_bcast_elsewhere(aggr_group_t *group, uint64_t bytes)
{
    aggr_elsewhere_t elsewhere = {.bytes = bytes, .seq = group->seq + 1};
    int status =
        send_chunk(group, &elsewhere, sizeof elsewhere, sizeof elsewhere, AGGR_LENGTH_ELSEWHERE);
    group->length = bytes;
    return status ? status : AGGR_ELSEWHERE;
}

static int send_all(aggr_group_t *group, const char *from, size_t bytes)
{
    int status = AGGR_OK;
    size_t done = 0, chunk;
    do {
        chunk = MPIR_aggr_least(bytes - done, MPIR_aggr_buffer_bytes(group));
        status = send_chunk(group, from + done, chunk, bytes, (uint32_t) bytes);
        done += chunk;
    } while (done < bytes && status == AGGR_OK);
    return status;
}

static int send_where_there_is_room(aggr_group_t *group, const char *from, size_t bytes)
{
    int status = MPIR_aggr_knows_room(group, bytes) ? AGGR_OK : make_copies(group);
    if (status)
        return status;
    return bytes <= AGGR_DATUM || group->copies ? send_all(group, from, bytes)
                                                : MPIR_aggr_bcast_elsewhere(group, bytes);
}

/* What the root's line means for a member that expects so many bytes. */
static int judge(aggr_group_t *group, const aggr_line_t *line, size_t bytes)
{
    if (line->length == AGGR_LENGTH_OF_FAILURE)
        return AGGR_ERR_ROOT;
    if (line->length == bytes && line->length != AGGR_LENGTH_ELSEWHERE)
        return AGGR_OK;
    MPIR_aggr_differs(group, line);
    if (line->length == AGGR_LENGTH_LONG)
        return AGGR_LONG;
    return line->length == AGGR_LENGTH_ELSEWHERE ? AGGR_ELSEWHERE : AGGR_ERR_LENGTH;
}

static int receive_chunk(aggr_group_t *group, char *to, size_t chunk, size_t bytes, int root)
{
    const aggr_line_t *line;
    int status;
    do {
        status = listen(group, root);
        if (status)
            return status;
        line = MPIR_aggr_now(group, root);
    } while (line->length == AGGR_LENGTH_OF_COPIES);
    status = judge(group, line, bytes);
    if (status == AGGR_OK && to)
        MPIR_aggr_copy(to, MPIR_aggr_place(group, root, bytes), chunk);
    return status;
}

/* What has another length is received to its end, and dropped. */
static int receive_all(aggr_group_t *group, char *to, size_t bytes, int root)
{
    size_t total = bytes, done = 0;
    int status;
    do {
        size_t chunk =
            MPIR_aggr_least(bytes - MPIR_aggr_least(done, bytes), MPIR_aggr_buffer_bytes(group));
        status = receive_chunk(group, to ? to + done : NULL, chunk, bytes, root);
        if (status && status != AGGR_ERR_LENGTH)
            return status;
        if (status)
            total = (size_t) group->length;
        done += MPIR_aggr_buffer_bytes(group);
    } while (done < total);
    return status;
}

/* The root has nothing to do. */
static bool copy_from_root(const aggr_group_t *group, const move_t *move)
{
    return !move->out || MPIR_aggr_borrow(group, move->root, 0, move->out, move->bytes);
}

/* Each of two members copies a half. */
static bool copy_half(const aggr_group_t *group, const move_t *move)
{
    size_t half = move->bytes / 2;
    if (group->me == move->root)
        return MPIR_aggr_give(group, 1 - group->me, (const char *) move->in + half, half,
                              move->bytes - half);
    return !move->out || MPIR_aggr_borrow(group, move->root, 0, move->out, half);
}

/* Does the line that announces the payload lend it, too?  Of a pair with much more, both copy; so
 * the other member has to say where its buffer is. */
static bool is_announced_as_loan(const aggr_group_t *group, size_t bytes)
{
    size_t least = group->shape.least_loan;
    return group->loans == AGGR_LOANS_AGREED && least > 0 && part_for_all(group, bytes) >= least &&
           (group->shape.members > 2 || bytes < AGGR_WORTH_SHARING * least);
}

static int announce(aggr_group_t *group, const void *buffer, size_t bytes)
{
    aggr_elsewhere_t what = {.bytes = bytes, .seq = group->seq + 1, .how = AGGR_ON_DESK};
    int status = MPIR_aggr_begin(group, AGGR_IN_LINE);
    if (status)
        return status;
    MPIR_aggr_describe_loan(group, buffer, NULL);
    memcpy(MPIR_aggr_my_line(group)->datum, &what, sizeof what);
    MPIR_aggr_my_line(group)->length = AGGR_LENGTH_LONG;
    MPIR_aggr_publish(MPIR_aggr_my_line(group), group->seq);
    return AGGR_OK;
}

/* The root's, or with `out` another member's, part in a broadcast of a long payload that has been
 * announced. */
static int bcast_by_loan(aggr_group_t *group, const void *in, void *out, size_t bytes, int root,
                         bool *done)
{
    move_t move = {.copy = copy_from_root, .in = in, .out = out, .bytes = bytes, .root = root};
    if (is_announced_as_loan(group, bytes)) {
        MPIR_aggr_begin_loan(group, false);
        return copy_lent(group, &move, done);
    }
    if (group->shape.members == 2)
        move.copy = copy_half;
    return move_by_loan(group, &move, part_for_all(group, bytes), bytes, done);
}

int MPIR_aggr_bcast_long(aggr_group_t *group, aggr_desk_t *desk, const void *buffer, size_t bytes)
{
    bool done;
    int status = MPIR_aggr_long_begin(group, desk);
    if (status == AGGR_OK)
        status = announce(group, buffer, bytes);
    if (status)
        return status;
    group->first = group->seq; /* the length is told */
    status = bcast_by_loan(group, buffer, NULL, bytes, group->me, &done);
    if (status == AGGR_OK && !done)
        status = send_all(group, buffer, bytes);
    return MPIR_aggr_long_end(group, status);
}

int MPIR_aggr_bcast_rest(aggr_group_t *group, void *buffer, int root)
{
    size_t bytes = (size_t) group->length;
    bool done;
    group->desk_bytes = MPIR_aggr_arena_desk_bytes(group->arena);
    group->first = group->seq;
    group->desk_unused = false;
    int status = bcast_by_loan(group, NULL, buffer, bytes, root, &done);
    if (status == AGGR_OK && !done)
        status = receive_all(group, buffer, bytes, root);
    return MPIR_aggr_long_end(group, status);
}

int MPIR_aggr_bcast(aggr_group_t *group, void *buffer, size_t bytes, int root)
{
    if (group->me != root)
        return receive_all(group, buffer, bytes, root);
    if (bytes <= AGGR_DATUM)
        return send_chunk(group, buffer, bytes, bytes, (uint32_t) bytes);
    return send_where_there_is_room(group, buffer, bytes);
}

/* ---- parts of all, or for all ---------------------------------------------------------------- */

/* Takes part `part` of everybody's place. */
static int take_all(aggr_group_t *group, int part, char *out, size_t stride, size_t chunk,
                    size_t place)
{
    for (int m = 0; m < group->shape.members; m++) {
        int status = take_part(group, m, part, out + (size_t) m * stride, chunk, place, stride);
        if (status)
            return status;
    }
    group->safe = group->seq;
    return AGGR_OK;
}

static int gather_to(aggr_group_t *group, const void *in, void *out, size_t bytes, bool wanted)
{
    cut_t cut = cut_for(group, bytes, 1);
    size_t done = 0, chunk;
    do {
        chunk = MPIR_aggr_least(bytes - done, cut.chunk);
        int status = put_parts(group, (const char *) in + done, chunk, bytes, 1, cut.place);
        if (status == AGGR_OK && wanted)
            status = take_all(group, 0, (char *) out + done, bytes, chunk, cut.place);
        if (status)
            return status;
        done += chunk;
    } while (done < bytes);
    return AGGR_OK;
}

int MPIR_aggr_allgather(aggr_group_t *group, const void *in, void *out, size_t bytes)
{
    const move_t move = {.copy = copy_all, .in = in, .out = out, .bytes = bytes};
    bool done;
    int status = move_by_loan(group, &move, part_for_all(group, bytes), bytes, &done);
    return status || done ? status : gather_to(group, in, out, bytes, true);
}

int MPIR_aggr_gather(aggr_group_t *group, const void *in, void *out, size_t bytes, int root)
{
    const move_t move = {.copy = copy_to_root, .in = in, .out = out, .bytes = bytes, .root = root};
    bool done;
    int status = move_by_loan(group, &move, bytes, bytes, &done);
    return status || done ? status : gather_to(group, in, out, bytes, group->me == root);
}

int MPIR_aggr_exchange(aggr_group_t *group, const void *in, void *out, size_t bytes, int from)
{
    cut_t cut = cut_for(group, bytes, 1);
    size_t done = 0, chunk;
    do {
        chunk = MPIR_aggr_least(bytes - done, cut.chunk);
        int status = put_parts(group, (const char *) in + done, chunk, bytes, 1, cut.place);
        if (status == AGGR_OK)
            status = take_part(group, from, 0, (char *) out + done, chunk, cut.place, bytes);
        if (status)
            return status;
        done += chunk;
    } while (done < bytes);
    return AGGR_OK;
}

static int scatter_by_places(aggr_group_t *group, const void *in, void *out, size_t bytes, int root)
{
    int members = group->shape.members;
    cut_t cut = cut_for(group, bytes, members);
    size_t done = 0, chunk;
    do {
        chunk = MPIR_aggr_least(bytes - done, cut.chunk);
        int status;
        if (group->me == root)
            status = put_parts(group, (const char *) in + done, chunk, bytes, members, cut.place);
        else if (group->desk_bytes) /* its line has its length */
            status = put_parts(group, NULL, 0, bytes, 0, cut.place);
        else
            status = MPIR_aggr_put_nothing(group);
        if (status == AGGR_OK)
            status =
                take_part(group, root, group->me, (char *) out + done, chunk, cut.place, bytes);
        if (status)
            return status;
        done += chunk;
    } while (done < bytes);
    return AGGR_OK;
}

int MPIR_aggr_scatter(aggr_group_t *group, const void *in, void *out, size_t bytes, int root)
{
    const move_t move = {
        .copy = copy_mine_of_root, .in = in, .out = out, .bytes = bytes, .root = root};
    bool done;
    int status = move_by_loan(group, &move, bytes, bytes, &done);
    return status || done ? status : scatter_by_places(group, in, out, bytes, root);
}

static int alltoall_by_places(aggr_group_t *group, const void *in, void *out, size_t bytes)
{
    int members = group->shape.members;
    cut_t cut = cut_for(group, bytes, members);
    size_t done = 0, chunk;
    do {
        chunk = MPIR_aggr_least(bytes - done, cut.chunk);
        int status = put_parts(group, (const char *) in + done, chunk, bytes, members, cut.place);
        if (status == AGGR_OK)
            status = take_all(group, group->me, (char *) out + done, bytes, chunk, cut.place);
        if (status)
            return status;
        done += chunk;
    } while (done < bytes);
    return AGGR_OK;
}

int MPIR_aggr_alltoall(aggr_group_t *group, const void *in, void *out, size_t bytes)
{
    const move_t move = {.copy = copy_mine_of_all, .in = in, .out = out, .bytes = bytes};
    bool done;
    int status = move_by_loan(group, &move, bytes, bytes, &done);
    return status || done ? status : alltoall_by_places(group, in, out, bytes);
}

/* ---- parts of different lengths -------------------------------------------------------------- */

static size_t bytes_at(const aggr_layout_t *layout, int member)
{
    return (size_t) layout->counts[member] * layout->size;
}

/* Puts my bytes from `done` on.  The first line of a long payload has the length of all parts. */
static int put_from(aggr_group_t *group, const char *in, size_t bytes, size_t done, size_t all)
{
    size_t chunk = done < bytes ? MPIR_aggr_least(bytes - done, MPIR_aggr_buffer_bytes(group)) : 0;
    int status = MPIR_aggr_begin(group, AGGR_IN_LINE | MPIR_aggr_writes(group, bytes));
    if (status)
        return status;
    if (chunk > 0)
        MPIR_aggr_copy(MPIR_aggr_place(group, group->me, bytes), in + done, chunk);
    return MPIR_aggr_tell(group, group->desk_bytes ? all : bytes);
}

/* Where a member's part goes; `place` counts the elements before it. */
static char *part_in(const aggr_layout_t *layout, void *out, int member, size_t place)
{
    ptrdiff_t at = layout->places ? layout->places[member] : (ptrdiff_t) place;
    return (char *) out + at * (ptrdiff_t) layout->extent;
}

static bool copy_parts(const aggr_group_t *group, const move_t *move)
{
    size_t place = 0;
    for (int m = 0; m < group->shape.members; m++) {
        if (!MPIR_aggr_borrow(group, m, 0, part_in(move->layout, move->out, m, place),
                              bytes_at(move->layout, m)))
            return false;
        place += (size_t) move->layout->counts[m];
    }
    return true;
}

static int take_from_all(aggr_group_t *group, char *out, const aggr_layout_t *layout, size_t done,
                         size_t all)
{
    size_t place = 0; /* in elements */
    for (int m = 0; m < group->shape.members; m++) {
        size_t bytes = bytes_at(layout, m);
        size_t chunk =
            done < bytes ? MPIR_aggr_least(bytes - done, MPIR_aggr_buffer_bytes(group)) : 0;
        char *to = chunk ? part_in(layout, out, m, place) + done : NULL;
        int status = take_part(group, m, 0, to, chunk, bytes, group->desk_bytes ? all : bytes);
        if (status)
            return status;
        place += (size_t) layout->counts[m];
    }
    group->safe = group->seq;
    return AGGR_OK;
}

int MPIR_aggr_allgatherv(aggr_group_t *group, const void *in, void *out,
                         const aggr_layout_t *layout)
{
    size_t all = 0, longest = 0, done = 0;
    for (int m = 0; m < group->shape.members; m++) {
        size_t bytes = bytes_at(layout, m);
        all += bytes;
        longest = bytes > longest ? bytes : longest;
    }
    const move_t move = {.copy = copy_parts, .in = in, .out = out, .layout = layout};
    bool lent;
    int status = move_by_loan(group, &move, part_for_all(group, longest), all, &lent);
    if (status || lent)
        return status;
    do {
        status = put_from(group, in, bytes_at(layout, group->me), done, all);
        if (status == AGGR_OK)
            status = take_from_all(group, out, layout, done, all);
        if (status)
            return status;
        done += MPIR_aggr_buffer_bytes(group);
    } while (done < longest);
    return AGGR_OK;
}
