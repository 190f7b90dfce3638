/* SPDX-License-Identifier: BSD-3-Clause */

#include "colours_piece.h"

/* No description has values or ranks beyond these. */
#define MOST_RANKS 0x7fffffffu
#define MOST_STEP (INT64_C(1) << 33)

enum { AT_VERSION, AT_FLAGS, AT_ZERO, AT_BYTES = 4, AT_OFFER = 8 };

static uint64_t get(const uint8_t *at, int bytes)
{
    uint64_t value = 0;

    for (int i = 0; i < bytes; i++)
        value |= (uint64_t) at[i] << (8 * i);
    return value;
}

static uint8_t *bytes_put(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *at++ = (uint8_t) (value >> (8 * i));
    return at;
}

/* ---- header ---------------------------------------------------------------------------------- */

size_t MPIR_colours_bytes(const uint8_t *description)
{
    return (size_t) get(description + AT_BYTES, 4);
}

uint64_t MPIR_colours_offer(const uint8_t *description) { return get(description + AT_OFFER, 8); }

uint32_t MPIR_colours_flags(const uint8_t *description) { return description[AT_FLAGS]; }

void MPIR_colours_write_header(uint8_t *out, size_t bytes, uint64_t offer, uint32_t flags)
{
    bytes_put(out, 0, AT_BYTES);
    out[AT_VERSION] = COLOURS_VERSION;
    out[AT_FLAGS] = (uint8_t) flags;
    bytes_put(out + AT_BYTES, bytes, 4);
    bytes_put(out + AT_OFFER, offer, 8);
}

bool MPIR_colours_check_header(const uint8_t *description, size_t bytes, uint32_t n)
{
    size_t all;

    if (bytes < COLOURS_HEADER || description[AT_VERSION] != COLOURS_VERSION ||
        description[AT_FLAGS] > COLOURS_FAILED || get(description + AT_ZERO, 2))
        return false;
    all = MPIR_colours_bytes(description);
    if (description[AT_FLAGS] & COLOURS_FAILED)
        return all == COLOURS_HEADER;
    return all > COLOURS_HEADER && all <= (size_t) n * COLOURS_ROW + COLOURS_EXTRA;
}

/* ---- rows ------------------------------------------------------------------------------------ */

uint8_t *MPIR_colours_write_row(uint8_t *at, colours_row row)
{
    return bytes_put(bytes_put(at, (uint32_t) row.colour, 4), (uint32_t) row.key, 4);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool read_number(colours_reader *reader, uint64_t most, uint64_t *number)
{
    *number = 0;
    for (int shift = 0; shift < 42 && reader->at < reader->end; shift += 7) {
        uint8_t byte = *reader->at++;
        *number |= (uint64_t) (byte & 0x7f) << shift;
        if (byte < 0x80)
            return *number <= most && (byte != 0 || shift == 0);
    }
    return false;
}

static bool read_signed(colours_reader *reader, int64_t *value)
{
    uint64_t number;

    if (!read_number(reader, 2 * MOST_STEP, &number))
        return false;
    *value = (int64_t) (number >> 1) ^ -(int64_t) (number & 1);
    return true;
}

static uint8_t *write_number(uint8_t *at, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        *at++ = (uint8_t) (number | 0x80);
    *at++ = (uint8_t) number;
    return at;
}

static uint8_t *write_signed(uint8_t *at, int64_t value)
{
    return write_number(at, ((uint64_t) value << 1) ^ (value < 0 ? UINT64_MAX : 0));
}

static bool read_pair(colours_reader *reader, colours_pair *pair)
{
    return read_signed(reader, &pair->colour) && read_signed(reader, &pair->key);
}

static uint8_t *write_pair(uint8_t *at, colours_pair pair)
{
    return write_signed(write_signed(at, pair.colour), pair.key);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static bool is_int(colours_pair pair)
{
    return pair.colour == (int32_t) pair.colour && pair.key == (int32_t) pair.key;
}

static bool is_small(int64_t step, int64_t digits)
{
    return digits == 0 || (step < 0 ? -step : step) <= MOST_STEP / digits;
}

/* No sum of steps overflows, wherever the piece begins and ends. */
static bool has_small_steps(const colours_piece *piece)
{
    for (uint32_t k = 0; k < piece->levels; k++) {
        const colours_pair *step = &piece->level[k].step;
        int64_t digits = k + 1 < piece->levels
                             ? piece->level[k + 1].weight / piece->level[k].weight - 1
                             : (piece->phase + piece->length - 1) / piece->level[k].weight;
        if (!is_small(step->colour, digits) || !is_small(step->key, digits))
            return false;
    }
    return true;
}

static bool read_levels(colours_reader *reader, colours_piece *piece)
{
    uint64_t number;

    for (uint32_t k = 0; k < piece->levels; k++) {
        int64_t weight = 1;
        if (k > 0) {
            weight = piece->level[k - 1].weight;
            if (!read_number(reader, MOST_RANKS / (uint64_t) weight, &number) || number < 2)
                return false;
            weight *= (int64_t) number;
        }
        piece->level[k].weight = weight;
        if (!read_pair(reader, &piece->level[k].step))
            return false;
    }
    piece->phase = 0;
    if (piece->levels > 1) {
        if (!read_number(reader, (uint64_t) piece->level[piece->levels - 1].weight - 1, &number))
            return false;
        piece->phase = (int64_t) number;
    }
    return has_small_steps(piece);
}

static bool read_rows(colours_reader *reader, colours_piece *piece)
{
    piece->rows = reader->at;
    if (piece->length > (size_t) (reader->end - reader->at) / COLOURS_ROW)
        return false;
    reader->at += (size_t) piece->length * COLOURS_ROW;
    return true;
}

static bool read_piece(colours_reader *reader, colours_piece *piece)
{
    uint64_t number;

    piece->levels = *reader->at++;
    if (piece->levels > COLOURS_LEVELS || !read_number(reader, MOST_RANKS, &number) || number == 0)
        return false;
    piece->length = (uint32_t) number;
    if (piece->levels == 0)
        return read_rows(reader, piece);
    return read_pair(reader, &piece->first) && is_int(piece->first) && read_levels(reader, piece);
}

/* A reader whose piece is wrong stays in front of it. */
bool MPIR_colours_read(colours_reader *reader, colours_piece *piece)
{
    colours_reader next = *reader;

    if (reader->at == reader->end || !read_piece(&next, piece))
        return false;
    *reader = next;
    return true;
}

uint8_t *MPIR_colours_write_rows(uint8_t *at, uint32_t n)
{
    *at++ = 0;
    return write_number(at, n);
}

uint8_t *MPIR_colours_write(uint8_t *at, const colours_piece *piece)
{
    *at++ = (uint8_t) piece->levels;
    at = write_number(at, piece->length);
    at = write_pair(at, piece->first);
    for (uint32_t k = 0; k < piece->levels; k++) {
        if (k > 0)
            at = write_number(at, (uint64_t) (piece->level[k].weight / piece->level[k - 1].weight));
        at = write_pair(at, piece->level[k].step);
    }
    return piece->levels > 1 ? write_number(at, (uint64_t) piece->phase) : at;
}

uint32_t MPIR_colours_ranks(const uint8_t *description)
{
    colours_reader reader = MPIR_colours_pieces_of(description);
    colours_piece piece;
    uint32_t ranks = 0;

    while (MPIR_colours_read(&reader, &piece))
        ranks += piece.length;
    return ranks;
}

/* Arbitrary bytes may have more ranks than fit 32 bits. */
static bool check_pieces(const uint8_t *description, uint64_t least, uint64_t most)
{
    colours_reader reader = MPIR_colours_pieces_of(description);
    colours_piece piece;
    uint64_t ranks = 0;

    if (MPIR_colours_flags(description) & COLOURS_FAILED)
        return true;
    while (MPIR_colours_read(&reader, &piece))
        ranks += piece.length;
    return reader.at == reader.end && ranks >= least && ranks <= most;
}

bool MPIR_colours_check(const uint8_t *description, size_t bytes, uint32_t n)
{
    return MPIR_colours_check_header(description, bytes, n) &&
           MPIR_colours_bytes(description) == bytes && check_pieces(description, n, n);
}

bool MPIR_colours_check_most(const uint8_t *description, size_t bytes, uint32_t n)
{
    return MPIR_colours_check_header(description, bytes, n) &&
           MPIR_colours_bytes(description) == bytes && check_pieces(description, 1, n);
}
