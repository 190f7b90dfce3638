// SPDX-License-Identifier: BSD-3-Clause
// gap: a set as the distances of neighbours, in fixed width.
//
// Blocks of B members.  Each has its first member, 32 bits, and for the others the distance to the
// one before less 1, in w = lg(largest distance) bits, rounded up and at least GAP_MIN_WIDTH.
// Payload n * w + n / B * (32 - w) bits; B goes with w, see below.  select sums up to B - 1
// numbers, several at a time in one word; rank is bisection of the blocks and a walk through one of
// them.  Where bytes weigh enough, distances are digits to the base of the largest one instead: see
// gap_digits.hpp.
//
// S. Mir Taheri, "Scalability of communicators in MPI", UBC 2011, section 4.1.4.
#include <cstdio>

#include "cmap_tuning.hpp"
#include "core/bisection.hpp"
#include "core/bits.hpp"
#include "core/map.hpp"
#include "core/sequence.hpp"
#include "core/strategy.hpp"
#include "rep/gap_digits.hpp"

namespace cmap {
namespace {

constexpr uint32_t INSIDE_BYTES = 32;

// A load at any bit is good for so many bits.
constexpr unsigned LOAD_BITS = 57;

struct Shape {
    unsigned width;       // bits of a gap
    unsigned step;        // gaps that one load gets
    unsigned block_bits;  // lg of the members of a block
};

Shape shape_of(uint32_t largest_gap) noexcept {
    Shape shape;
    const unsigned wanted = bits_for(largest_gap);  // 1 is stored as 0
    shape.width = wanted < GAP_MIN_WIDTH ? GAP_MIN_WIDTH : wanted;
    shape.step = LOAD_BITS / shape.width;
    shape.block_bits = shape.width < GAP_MAX_BLOCK_BITS ? shape.width : GAP_MAX_BLOCK_BITS;
    while (1u << shape.block_bits > GAP_MAX_STEPS * shape.step)
        shape.block_bits--;
    return shape;
}

struct GapBody {
    uint32_t *firsts;     // of each block
    unsigned char *gaps;  // behind them: one less than the block has members, for each block
    uint64_t lanes;       // ones in the lower half of each lane of twice the width
    uint64_t gather;      // the factor that brings the sum of the lanes to the top
    uint8_t width, step, block_bits;
    uint8_t top;  // the shift that brings it down from there
    unsigned char inside[INSIDE_BYTES];

    uint64_t first_gap(uint32_t block) const noexcept {
        return uint64_t{block} * ((1u << block_bits) - 1);
    }
};

uint32_t blocks_of(uint32_t size, const Shape &shape) noexcept {
    return ((size - 1) >> shape.block_bits) + 1;
}

uint64_t payload(uint32_t size, const Shape &shape) noexcept {
    const uint32_t blocks = blocks_of(size, shape);
    return uint64_t{blocks} * 4 + packed_bytes(size - blocks, shape.width);
}

Estimate estimate_widths(const Stats &stats) noexcept {
    const Shape shape = shape_of(stats.largest_gap);
    const double time = TIME_GAP + TIME_GAP_STEP * ((1u << shape.block_bits) / shape.step);
    return estimate_of(stats.size, payload(stats.size, shape), INSIDE_BYTES, time);
}

// Digits are smaller, but slow.
bool prefers_digits(const Analysis &analysis) noexcept {
    if (analysis.stats.size <= CMAP_INLINE_MEMBERS) return false;
    if (analysis.policy.alpha > GAP_DIGITS_ALPHA) return false;
    const Estimate digits = gap_digits::estimate(analysis.stats);
    const Estimate widths = estimate_widths(analysis.stats);
    return digits.fits && digits.space < widths.space &&
           cost_of(digits, analysis.policy) < cost_of(widths, analysis.policy);
}

Estimate estimate(const Analysis &analysis) noexcept {
    const Stats &stats = analysis.stats;
    if (!stats.is_set || stats.size == 0) return cannot();
    return prefers_digits(analysis) ? gap_digits::estimate(stats) : estimate_widths(stats);
}

bool in_digits(const cmap_t *map) noexcept { return map->width == 0; }

void take_shape(GapBody &body, const Shape &shape) noexcept {
    const unsigned lane = 2 * shape.width, highest = (shape.step - 1) / 2 * lane;
    uint64_t ones = 0;
    for (unsigned position = 0; position <= highest; position += lane)
        ones |= uint64_t{1} << position;
    body.width = static_cast<uint8_t>(shape.width);
    body.step = static_cast<uint8_t>(shape.step);
    body.block_bits = static_cast<uint8_t>(shape.block_bits);
    body.lanes = ones * ((uint64_t{1} << shape.width) - 1);
    body.top = static_cast<uint8_t>(highest + lane < 64 ? 64 - lane : highest);
    body.gather = ones << (body.top - highest);  // what is above the highest lane falls out
}

// Blocks of the content and blocks of the map may end anywhere: up to what ends first at a time.
void fill(GapBody &body, const Content &content) noexcept {
    const uint32_t members_each = 1u << body.block_bits;
    PackedWriter gaps(body.gaps, body.width);
    uint32_t rank = 0, last = 0;
    content.each_block([&](const uint32_t *members, uint32_t n) {
        for (uint32_t i = 0; i < n;) {
            const uint32_t skip = rank & (members_each - 1);
            const uint32_t room = members_each - skip, some = n - i < room ? n - i : room;
            if (skip == 0)
                body.firsts[rank >> body.block_bits] = members[i];
            else
                gaps.put(1, [&](uint32_t) { return uint64_t{members[i] - last - 1}; });
            pack_gaps(gaps, members + i + 1, some - 1);
            rank += some, i += some;
            last = members[i - 1];
        }
        return true;
    });
    const uint32_t blocks = ((rank - 1) >> body.block_bits) + 1;
    gaps.finish(packed_bytes(rank - blocks, body.width));
}

cmap_status build(cmap_t *map, const Analysis &analysis) noexcept {
    map->width = 0;
    if (prefers_digits(analysis)) return gap_digits::build(map, analysis);
    const Shape shape = shape_of(analysis.stats.largest_gap);
    const uint64_t bytes = payload(map->size, shape);
    GapBody &body = make_body<GapBody>(map);
    void *const memory = inside(map) ? body.inside : allocate(bytes);
    if (memory == nullptr) return CMAP_ERR_NOMEM;
    take_shape(body, shape);
    map->width = body.width;
    body.firsts = static_cast<uint32_t *>(memory);
    body.gaps = static_cast<unsigned char *>(memory) + blocks_of(map->size, shape) * uint64_t{4};
    fill(body, analysis.content);
    return CMAP_OK;
}

void release(cmap_t *map) noexcept {
    if (in_digits(map)) return gap_digits::release(map);
    if (!inside(map)) deallocate(body_of<GapBody>(map).firsts);
}

// The sum of n gaps from number `gap` on, as stored: as many as one load gets at a time, neighbours
// added to each other and then lane by lane; a product gathers the lanes at the top.  Nothing
// runs over: see GAP_MIN_WIDTH.
uint32_t sum(const GapBody &body, uint64_t gap, uint32_t n) noexcept {
    const unsigned width = body.width, step = body.step;
    uint64_t sums = 0;
    for (uint64_t bit = gap * width; n > 0; bit += step * width) {
        const uint32_t some = n < step ? n : step;
        const uint64_t gaps = MPIR_cmap_load64le(body.gaps + (bit >> 3)) >> (bit & 7) &
                              ((uint64_t{1} << some * width) - 1);
        sums += (gaps & body.lanes) + (gaps >> width & body.lanes);
        n -= some;
    }
    return static_cast<uint32_t>(sums * body.gather >> body.top);
}

uint32_t select(const cmap_t *map, uint32_t rank) noexcept {
    if (in_digits(map)) return gap_digits::select(map, rank);
    const GapBody &body = body_of<GapBody>(map);
    const uint32_t block = rank >> body.block_bits, n = rank & ((1u << body.block_bits) - 1);
    return body.firsts[block] + n + sum(body, body.first_gap(block), n);
}

uint32_t block_with(const cmap_t *map, const GapBody &body, uint32_t index) noexcept {
    return last_up_to(body.firsts, ((map->size - 1) >> body.block_bits) + 1, index);
}

uint32_t rank(const cmap_t *map, uint32_t index) noexcept {
    if (in_digits(map)) return gap_digits::rank(map, index);
    const GapBody &body = body_of<GapBody>(map);
    const PackedView gaps = packed_view(body.gaps, body.width);
    const uint32_t block = block_with(map, body, index);
    const uint32_t first = block << body.block_bits;
    const uint32_t left = map->size - first, members = 1u << body.block_bits;
    const uint32_t last = left < members ? left - 1 : members - 1;
    const uint64_t gap = body.first_gap(block);
    uint32_t at = body.firsts[block], i = 0;
    while (at < index && i < last)
        at += gaps[gap + i++] + 1;
    return at == index ? first + i : CMAP_NONE;
}

void decode_block(const cmap_t *map, uint32_t first, uint32_t count, uint32_t *indices) noexcept {
    if (in_digits(map)) return gap_digits::decode(map, first, count, indices);
    const GapBody &body = body_of<GapBody>(map);
    const PackedView gaps = packed_view(body.gaps, body.width);
    const uint32_t members = 1u << body.block_bits;
    uint32_t block = first >> body.block_bits, skip = first & (members - 1);
    for (uint32_t at = select(map, first); count > 0; at = body.firsts[++block], skip = 0) {
        const uint32_t room = members - skip, n = count < room ? count : room;
        const uint64_t gap = body.first_gap(block) + skip;
        indices[0] = at;
        for (uint32_t i = 1; i < n; i++)
            indices[i] = at += gaps[gap + i - 1] + 1;
        indices += n, count -= n;
        if (count == 0) break;  // there may be no further block
    }
}

std::size_t bytes(const cmap_t *map) noexcept {
    if (in_digits(map)) return gap_digits::bytes(map);
    const GapBody &body = body_of<GapBody>(map);
    return inside(map) ? 0 : payload(map->size, Shape{body.width, body.step, body.block_bits});
}

const char *validate(const cmap_t *map) noexcept {
    const GapBody &body = body_of<GapBody>(map);
    if (!is_set(map)) return "gap: this is no set";
    if (in_digits(map)) return gap_digits::validate(map);
    if (body.width < GAP_MIN_WIDTH || body.width > 31) return "gap: the width is out of range";
    if (body.firsts[0] != map->min)
        return "gap: the first block does not start at the least member";
    for (uint32_t b = 1; b <= (map->size - 1) >> body.block_bits; b++)
        if (body.firsts[b] <= body.firsts[b - 1]) return "gap: the blocks do not increase";
    return nullptr;
}

int describe(const cmap_t *map, char *text, std::size_t room) noexcept {
    if (in_digits(map)) return gap_digits::describe(map, text, room);
    const GapBody &body = body_of<GapBody>(map);
    return std::snprintf(text, room, "%u x %u bits in blocks of %u from %u", map->size, body.width,
                         1u << body.block_bits, map->min);
}

const void *payload_of(const cmap_t *map) noexcept {
    if (in_digits(map)) return gap_digits::payload_of(map);
    return inside(map) ? nullptr : body_of<GapBody>(map).firsts;
}

void relocate(cmap_t *map, const Relocation &move) noexcept {
    if (in_digits(map)) return gap_digits::relocate(map, move);
    GapBody &body = changing_body_of<GapBody>(map);
    move(body.firsts);
    move(body.gaps);
}

}  // namespace

constexpr Representation gap_representation = representation_with([](Representation &rep) {
    rep.name = "gap";
    CMAP_FUNCTIONS(rep);
    CMAP_ONE_PAYLOAD(rep);
});

}  // namespace cmap
