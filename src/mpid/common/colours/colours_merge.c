/* SPDX-License-Identifier: BSD-3-Clause */

#include "colours_piece.h"

#include <string.h>

/* Pieces beside the border of two blocks that may become one */
#define SIDE 4
/* Bytes that pieces save, or else rows stay rows: more than the head of the rows beside them. */
#define LEAST_GAIN 16
/* Any two rows are a line: with fewer ranks a piece some bytes are saved, and much time is lost. */
#define LEAST_RANKS 4

size_t MPIR_colours_failure(uint8_t *out, uint64_t offer, uint32_t flags)
{
    MPIR_colours_write_header(out, COLOURS_HEADER, offer, flags | COLOURS_FAILED);
    return COLOURS_HEADER;
}

size_t MPIR_colours_rows(uint8_t *out, const colours_row rows[], uint32_t n, uint64_t offer,
                         uint32_t flags)
{
    uint8_t *end = MPIR_colours_write_rows(out + COLOURS_HEADER, n);

    if (flags & COLOURS_FAILED)
        return MPIR_colours_failure(out, offer, flags);
    for (uint32_t i = 0; i < n; i++)
        end = MPIR_colours_write_row(end, rows[i]);
    MPIR_colours_write_header(out, (size_t) (end - out), offer, flags);
    return (size_t) (end - out);
}

size_t MPIR_colours_leaf(uint8_t *out, colours_row row, uint64_t offer, uint32_t flags)
{
    return MPIR_colours_rows(out, &row, 1, offer, flags);
}

/* ---- rows become pieces ---------------------------------------------------------------------- */

/* The ranks of a description of rows and nothing else, if they are few; 0 for any other. */
static uint32_t few_rows(const uint8_t *description, const uint8_t **rows)
{
    colours_reader reader = MPIR_colours_pieces_of(description);
    colours_piece piece;

    if (!MPIR_colours_read(&reader, &piece) || piece.levels > 0 || reader.at != reader.end ||
        piece.length >= COLOURS_PARSE)
        return 0;
    *rows = piece.rows;
    return piece.length;
}

static colours_piece piece_of_row(colours_row row)
{
    colours_piece piece;

    memset(&piece, 0, sizeof(piece));
    piece.length = piece.levels = 1;
    piece.level[0].weight = 1;
    piece.first.colour = row.colour;
    piece.first.key = row.key;
    return piece;
}

/* Lines, each as long as it can be. */
static uint32_t add_rows(colours_piece pieces[], uint32_t n, const uint8_t *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        pieces[n] = piece_of_row(MPIR_colours_read_row(rows + i * COLOURS_ROW));
        if (n == 0 || MPIR_colours_reduce(&pieces[n - 1], 2) == 2)
            n++;
    }
    return n;
}

/* Behind the pieces, or NULL: plain rows are shorter, or there are more pieces than that. */
static uint8_t *write_parsed(uint8_t *out, const uint8_t *rows[2], const uint32_t n[2],
                             uint32_t most_pieces)
{
    colours_piece pieces[2 * COLOURS_PARSE];
    uint8_t *at = out;
    size_t most = (n[0] + n[1]) * COLOURS_ROW;
    uint32_t count = add_rows(pieces, add_rows(pieces, 0, rows[0], n[0]), rows[1], n[1]);

    count = MPIR_colours_reduce(pieces, count);
    if (count > most_pieces)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        at = MPIR_colours_write(at, &pieces[i]);
        if ((size_t) (at - out) + LEAST_GAIN > most)
            return NULL;
    }
    return at;
}

static uint8_t *write_plain(uint8_t *at, const uint8_t *rows[2], const uint32_t n[2])
{
    at = MPIR_colours_write_rows(at, n[0] + n[1]);
    for (int side = 0; side < 2; side++) {
        memcpy(at, rows[side], n[side] * COLOURS_ROW);
        at += n[side] * COLOURS_ROW;
    }
    return at;
}

static uint8_t *merge_rows(uint8_t *at, const uint8_t *rows[2], const uint32_t n[2])
{
    uint32_t ranks = n[0] + n[1];
    uint8_t *end = (ranks >= COLOURS_PARSE) ? write_parsed(at, rows, n, ranks / LEAST_RANKS) : NULL;

    return end ? end : write_plain(at, rows, n);
}

/* ---- pieces meet ----------------------------------------------------------------------------- */

/* The first pieces of a description; *rest: where those begin that are left. */
static uint32_t first_pieces(const uint8_t *description, colours_piece pieces[SIDE],
                             const uint8_t **rest)
{
    colours_reader reader = MPIR_colours_pieces_of(description);
    uint32_t n = 0;

    while (n < SIDE && MPIR_colours_read(&reader, &pieces[n]))
        n++;
    *rest = reader.at;
    return n;
}

/* The last ones; *first: where they begin. */
static uint32_t last_pieces(const uint8_t *description, colours_piece pieces[SIDE],
                            const uint8_t **first)
{
    colours_reader reader = MPIR_colours_pieces_of(description);
    const uint8_t *begin[SIDE];
    colours_piece piece;
    uint32_t n = 0;

    for (const uint8_t *at = reader.at; MPIR_colours_read(&reader, &piece); at = reader.at)
        begin[n++ % SIDE] = at;
    uint32_t some = n < SIDE ? n : SIDE;
    *first = begin[(n - some) % SIDE];
    reader.at = *first;
    for (uint32_t i = 0; i < some; i++)
        MPIR_colours_read(&reader, &pieces[i]);
    return some;
}

static uint8_t *copy(uint8_t *at, const uint8_t *from, const uint8_t *end)
{
    memcpy(at, from, (size_t) (end - from));
    return at + (end - from);
}

/* Neighbouring rows get one head. */
static uint8_t *write_pieces(uint8_t *at, const colours_piece pieces[], uint32_t n)
{
    for (uint32_t i = 0, next; i < n; i = next) {
        uint32_t rows = 0;
        for (next = i; next < n && pieces[next].levels == 0; next++)
            rows += pieces[next].length;
        if (next > i)
            at = MPIR_colours_write_rows(at, rows);
        for (uint32_t j = i; j < next; j++)
            at = copy(at, pieces[j].rows, pieces[j].rows + (size_t) pieces[j].length * COLOURS_ROW);
        if (next == i)
            at = MPIR_colours_write(at, &pieces[next++]);
    }
    return at;
}

static uint8_t *merge_pieces(uint8_t *at, const uint8_t *low, const uint8_t *high)
{
    colours_piece pieces[2 * SIDE];
    const uint8_t *first, *rest;
    uint32_t n = last_pieces(low, pieces, &first);

    n += first_pieces(high, pieces + n, &rest);
    at = copy(at, low + COLOURS_HEADER, first);
    at = write_pieces(at, pieces, MPIR_colours_reduce(pieces, n));
    return copy(at, rest, high + MPIR_colours_bytes(high));
}

/* Rows that were too few to be pieces, beside a block that has pieces. */
static const uint8_t *parse_late(const uint8_t *description, uint8_t *room)
{
    const uint8_t *rows[2] = {NULL, NULL};
    uint32_t n[2] = {few_rows(description, &rows[0]), 0};
    uint8_t *end = n[0] ? write_parsed(room + COLOURS_HEADER, rows, n, n[0]) : NULL;

    if (!end)
        return description;
    MPIR_colours_write_header(room, (size_t) (end - room), 0, 0);
    return room;
}

static void add_row(void *context, colours_row row)
{
    uint8_t **at = context;

    *at = MPIR_colours_write_row(*at, row);
}

/* Pieces that fit badly may take more bytes than rows would. */
static uint8_t *merge_any(uint8_t *at, const uint8_t *low, const uint8_t *high)
{
    uint8_t room[2][COLOURS_HEADER + COLOURS_PARSE * COLOURS_ROW + COLOURS_SLACK];
    uint8_t *end = merge_pieces(at, parse_late(low, room[0]), parse_late(high, room[1]));
    uint32_t ranks;

    if ((size_t) (end - at) < COLOURS_PARSE * COLOURS_ROW)
        return end;
    ranks = MPIR_colours_ranks(low) + MPIR_colours_ranks(high);
    if ((size_t) (end - at) + COLOURS_HEADER <= (size_t) ranks * COLOURS_ROW + COLOURS_EXTRA)
        return end;
    at = MPIR_colours_write_rows(at, ranks);
    MPIR_colours_decode(low, add_row, &at);
    MPIR_colours_decode(high, add_row, &at);
    return at;
}

/* ---- the face -------------------------------------------------------------------------------- */

size_t MPIR_colours_merge(const uint8_t *low, const uint8_t *high, MPIR_colours_fold *fold,
                          uint8_t *out)
{
    uint32_t flags = MPIR_colours_flags(low) | MPIR_colours_flags(high);
    uint64_t offer = 0;
    const uint8_t *rows[2];
    uint8_t *end = out + COLOURS_HEADER;

    fold(&offer, MPIR_colours_offer(low));
    fold(&offer, MPIR_colours_offer(high));
    if (flags & COLOURS_FAILED)
        return MPIR_colours_failure(out, offer, flags);
    uint32_t n[2] = {few_rows(low, &rows[0]), few_rows(high, &rows[1])};
    end = (n[0] && n[1]) ? merge_rows(end, rows, n) : merge_any(end, low, high);
    MPIR_colours_write_header(out, (size_t) (end - out), offer, flags);
    return (size_t) (end - out);
}
