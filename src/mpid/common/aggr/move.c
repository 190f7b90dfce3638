/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data that move as they are.
 *
 * All are one scheme: some members put bytes into their place, some take bytes from others' places.  What is longer than a place
 * goes in chunks; a place that holds a part for each member has the parts of a chunk one after the other.
 */
#include "aggr_impl.h"

/* Parts of so many bytes, `parts` of them in a place: in the line when all of them fit. */
typedef struct cut {
    size_t chunk;               /* of each part */
    size_t place;               /* bytes that decide where it lies */
} cut_t;

static cut_t cut_for(const aggr_group_t * group, size_t bytes, int parts)
{
    cut_t cut = { bytes, bytes * (size_t) parts };
    if (cut.place > AGGR_DATUM)
        cut.chunk = aggr_least(bytes, group->shape.copy_bytes / (size_t) parts);
    return cut;
}

/* Puts `parts` pieces of `chunk` bytes, `stride` apart in `in`, into my place; in NULL: only says that I am here. */
static int put_parts(aggr_group_t * group, const char *in, size_t chunk, size_t stride, int parts, size_t place)
{
    int status = aggr_begin(group, in ? aggr_writes(place) : AGGR_NOTHING);
    if (status)
        return status;
    if (in) {
        char *at = aggr_place(group, group->me, place);
        for (int p = 0; p < parts; p++)
            aggr_copy(at + (size_t) p * chunk, in + (size_t) p * stride, chunk);
    }
    aggr_publish(aggr_my_line(group), group->seq);
    return AGGR_OK;
}

/* Part `part` of what `from` has put. */
static int take_part(aggr_group_t * group, int from, int part, char *out, size_t chunk, size_t place)
{
    int status = aggr_wait(group, aggr_now(group, from), group->seq);
    if (status == AGGR_OK)
        aggr_copy(out, (const char *) aggr_place(group, from, place) + (size_t) part * chunk, chunk);
    return status;
}

/* A broadcast's line has the length behind its datum. */
static unsigned char *length_in(aggr_line_t *line)
{
    return line->datum + AGGR_DATUM - sizeof(uint32_t);
}

static int send_chunk(aggr_group_t * group, const char *from, size_t chunk, size_t place, uint32_t length)
{
    int status = aggr_begin(group, AGGR_IN_LINE | aggr_writes(place));
    if (status)
        return status;
    aggr_copy(aggr_place(group, group->me, place), from, chunk);
    memcpy(length_in(aggr_my_line(group)), &length, sizeof length);
    aggr_publish(aggr_my_line(group), group->seq);
    return AGGR_OK;
}

static void take_copies(aggr_group_t * group, uint64_t block)
{
    group->no_copies = block == 0;
    group->copies_block = block;
    group->copies = block ? aggr_arena_at(group->arena, block) : NULL;
}

static int receive_chunk(aggr_group_t * group, char *to, size_t chunk, size_t place, uint32_t length, int root)
{
    uint64_t block;
    aggr_line_t *line;
    int status = put_parts(group, NULL, 0, 0, 0, 0);
    if (status)
        return status;
    line = aggr_now(group, root);
    status = aggr_wait(group, line, group->seq);
    if (status)
        return status;
    memcpy(&group->length, length_in(line), sizeof group->length);
    if (group->length == AGGR_LENGTH_OF_COPIES && length != AGGR_LENGTH_OF_COPIES) {
        memcpy(&block, line->datum, sizeof block);
        take_copies(group, block);
        return receive_chunk(group, to, chunk, place, length, root);
    }
    if (group->length != length)
        return group->length == AGGR_LENGTH_OF_FAILURE ? AGGR_ERR_ROOT : AGGR_ERR_LENGTH;
    aggr_copy(to, aggr_place(group, root, place), chunk);
    return AGGR_OK;
}

static int bcast_copies(aggr_group_t * group, uint64_t * block)
{
    if (group->me == 0)
        return send_chunk(group, (char *) block, sizeof *block, sizeof *block, AGGR_LENGTH_OF_COPIES);
    return receive_chunk(group, (char *) block, sizeof *block, sizeof *block, AGGR_LENGTH_OF_COPIES, 0);
}

/* Member 0 makes the buffers and tells the others where; all hear the same. */
static int make_copies(aggr_group_t * group)
{
    uint64_t block = 0;
    if (group->me == 0)
        block = aggr_arena_reserve(group->arena, aggr_copies_bytes(&group->shape));
    int status = bcast_copies(group, &block);
    if (status == AGGR_OK)
        take_copies(group, block);
    else if (group->me == 0)
        aggr_arena_release(group->arena, block, aggr_copies_bytes(&group->shape));
    return status;
}

int aggr_ready(aggr_group_t * group, size_t bytes, bool * ready)
{
    int status = AGGR_OK;
    if (bytes > AGGR_DATUM && !group->copies && !group->no_copies)
        status = make_copies(group);
    *ready = bytes <= AGGR_DATUM || group->copies;
    return status;
}

int aggr_bcast_failure(aggr_group_t * group)
{
    return send_chunk(group, NULL, 0, 0, AGGR_LENGTH_OF_FAILURE);
}

static int send_all(aggr_group_t * group, const char *from, size_t bytes)
{
    int status = AGGR_OK;
    for (size_t done = 0, chunk; done < bytes && status == AGGR_OK; done += chunk) {
        chunk = aggr_least(bytes - done, group->shape.copy_bytes);
        status = send_chunk(group, from + done, chunk, aggr_bcast_place(bytes), (uint32_t) bytes);
    }
    return status;
}

/* What has another length is received to its end, and dropped. */
static int receive_all(aggr_group_t * group, char *to, size_t bytes, int root)
{
    int status = AGGR_OK;
    size_t total = bytes;
    for (size_t done = 0; done < total; done += group->shape.copy_bytes) {
        size_t chunk = aggr_least(bytes - aggr_least(done, bytes), group->shape.copy_bytes);
        int now = receive_chunk(group, to + done, chunk, aggr_bcast_place(bytes), (uint32_t) bytes, root);
        if (now && now != AGGR_ERR_LENGTH)
            return now;
        if (now)
            total = group->length;
        status = now ? now : status;
    }
    return status;
}

int aggr_bcast(aggr_group_t * group, void *buffer, size_t bytes, int root)
{
    bool in_line = bytes > 0 && aggr_bcast_place(bytes) <= AGGR_DATUM;
    if (group->me != root)
        return receive_all(group, buffer, bytes, root);
    return in_line ? send_chunk(group, buffer, bytes, AGGR_DATUM, (uint32_t) bytes) : send_all(group, buffer, bytes);
}

/* Takes part `part` of everybody's place. */
static int take_all(aggr_group_t * group, int part, char *out, size_t stride, size_t chunk, size_t place)
{
    for (int m = 0; m < group->shape.members; m++) {
        int status = take_part(group, m, part, out + (size_t) m * stride, chunk, place);
        if (status)
            return status;
    }
    group->safe = group->seq;
    return AGGR_OK;
}

static int gather_to(aggr_group_t * group, const void *in, void *out, size_t bytes, bool wanted)
{
    cut_t cut = cut_for(group, bytes, 1);
    for (size_t done = 0, chunk; done < bytes; done += chunk) {
        chunk = aggr_least(bytes - done, cut.chunk);
        int status = put_parts(group, (const char *) in + done, chunk, 0, 1, cut.place);
        if (status == AGGR_OK && wanted)
            status = take_all(group, 0, (char *) out + done, bytes, chunk, cut.place);
        if (status)
            return status;
    }
    return AGGR_OK;
}

int aggr_allgather(aggr_group_t * group, const void *in, void *out, size_t bytes)
{
    return gather_to(group, in, out, bytes, true);
}

int aggr_gather(aggr_group_t * group, const void *in, void *out, size_t bytes, int root)
{
    return gather_to(group, in, out, bytes, group->me == root);
}

int aggr_exchange(aggr_group_t * group, const void *in, void *out, size_t bytes, int from)
{
    cut_t cut = cut_for(group, bytes, 1);
    for (size_t done = 0, chunk; done < bytes; done += chunk) {
        chunk = aggr_least(bytes - done, cut.chunk);
        int status = put_parts(group, (const char *) in + done, chunk, 0, 1, cut.place);
        if (status == AGGR_OK)
            status = take_part(group, from, 0, (char *) out + done, chunk, cut.place);
        if (status)
            return status;
    }
    return AGGR_OK;
}

int aggr_scatter(aggr_group_t * group, const void *in, void *out, size_t bytes, int root)
{
    int members = group->shape.members;
    cut_t cut = cut_for(group, bytes, members);
    for (size_t done = 0, chunk; done < bytes; done += chunk) {
        chunk = aggr_least(bytes - done, cut.chunk);
        int status = put_parts(group, group->me == root ? (const char *) in + done : NULL, chunk, bytes, members, cut.place);
        if (status == AGGR_OK)
            status = take_part(group, root, group->me, (char *) out + done, chunk, cut.place);
        if (status)
            return status;
    }
    return AGGR_OK;
}

int aggr_alltoall(aggr_group_t * group, const void *in, void *out, size_t bytes)
{
    int members = group->shape.members;
    cut_t cut = cut_for(group, bytes, members);
    for (size_t done = 0, chunk; done < bytes; done += chunk) {
        chunk = aggr_least(bytes - done, cut.chunk);
        int status = put_parts(group, (const char *) in + done, chunk, bytes, members, cut.place);
        if (status == AGGR_OK)
            status = take_all(group, group->me, (char *) out + done, bytes, chunk, cut.place);
        if (status)
            return status;
    }
    return AGGR_OK;
}
