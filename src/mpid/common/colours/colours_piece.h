/* SPDX-License-Identifier: BSD-3-Clause */

/* Pieces of a description: what they are on the wire, and which neighbours are one. */
#ifndef COLOURS_PIECE_H_INCLUDED
#define COLOURS_PIECE_H_INCLUDED

#include "colours.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A value has 64 bits, so that a difference of two does not overflow. */
typedef struct colours_pair {
    int64_t colour, key;
} colours_pair;

typedef struct colours_level {
    int64_t weight; /* 1 in level 0, and a multiple of the one before */
    colours_pair step;
} colours_level;

typedef struct colours_piece {
    uint32_t length;    /* ranks, at least 1 */
    uint32_t levels;    /* 0: plain rows */
    int64_t phase;      /* of the first rank, below the last weight */
    colours_pair first; /* its values */
    colours_level level[COLOURS_LEVELS];
    const uint8_t *rows; /* plain ones, on the wire */
} colours_piece;

static inline bool MPIR_colours_equal(colours_pair a, colours_pair b)
{
    return a.colour == b.colour && a.key == b.key;
}

static inline colours_pair MPIR_colours_minus(colours_pair a, colours_pair b)
{
    colours_pair difference = {a.colour - b.colour, a.key - b.key};
    return difference;
}

static inline int64_t MPIR_colours_floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static inline int64_t MPIR_colours_floor_mod(int64_t a, int64_t b)
{
    return a % b < 0 ? a % b + b : a % b;
}

/* How many values digit k has, and the digit itself at a position; the last one is open. */
int64_t MPIR_colours_digit(const colours_piece *piece, uint32_t k, int64_t position);
/* Values of the rank at this offset in the piece; before and behind it those of its pattern.
 * REQUIRES levels > 0. */
colours_pair MPIR_colours_at(const colours_piece *piece, int64_t offset);

/* ---- which neighbours are one ---------------------------------------------------------------- */

/* Makes as few pieces of them as these rules allow, and returns how many:
 *
 *   neighbours   one goes on with the pattern of the other; two ranks are a line
 *   a border     a line of two ranks gives one to a neighbour that it fits better
 *   three        the middle one gives the length of a new level, and the others are parts of its
 *                neighbours on that level
 */
uint32_t MPIR_colours_reduce(colours_piece pieces[], uint32_t n);

/* ---- on the wire ----------------------------------------------------------------------------- */

typedef struct colours_reader {
    const uint8_t *at, *end;
} colours_reader;

static inline colours_reader MPIR_colours_pieces_of(const uint8_t *description)
{
    colours_reader reader = {description + COLOURS_HEADER,
                             description + MPIR_colours_bytes(description)};
    return reader;
}

/* The next piece; false at the end, and where there is none: then `at` is not at the end. */
bool MPIR_colours_read(colours_reader *reader, colours_piece *piece);
/* Behind what is written. */
uint8_t *MPIR_colours_write(uint8_t *at, const colours_piece *piece);
/* The head of so many plain rows. */
uint8_t *MPIR_colours_write_rows(uint8_t *at, uint32_t n);
/* Irregular splits read each row several times. */
static inline colours_row MPIR_colours_read_row(const uint8_t *at)
{
    uint32_t colour =
        at[0] | (uint32_t) at[1] << 8 | (uint32_t) at[2] << 16 | (uint32_t) at[3] << 24;
    uint32_t key = at[4] | (uint32_t) at[5] << 8 | (uint32_t) at[6] << 16 | (uint32_t) at[7] << 24;
    colours_row row = {(int32_t) colour, (int32_t) key};

    return row;
}
uint8_t *MPIR_colours_write_row(uint8_t *at, colours_row row);
/* Fills in a header. */
void MPIR_colours_write_header(uint8_t *out, size_t bytes, uint64_t offer, uint32_t flags);

#ifdef __cplusplus
}
#endif
#endif /* COLOURS_PIECE_H_INCLUDED */
