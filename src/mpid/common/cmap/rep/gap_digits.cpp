// SPDX-License-Identifier: BSD-3-Clause
#include "rep/gap_digits.hpp"

#include <algorithm>
#include <cstdio>

#include "cmap_tuning.hpp"
#include "core/bisection.hpp"
#include "core/map.hpp"

namespace cmap {
namespace gap_digits {
namespace {

constexpr unsigned LEAST_IN_WORD = 2;

// For MPIR_cmap_mulhi(): exact for numbers below 2^32 and a divisor from 2 on.
uint64_t reciprocal(uint32_t divisor) noexcept { return UINT64_MAX / divisor + 1; }

// 0: the base is none.
unsigned digits_in_word(uint32_t base) noexcept {
    if (base < 2) return 0;
    unsigned digits = 0;
    for (uint64_t power = base; power <= uint64_t{1} << 32; power *= base)
        digits++;
    return digits;
}

struct Body {
    uint32_t *firsts;     // of each block
    uint32_t *words;      // behind them
    uint64_t of_base;     // reciprocals: of the base,
    uint64_t of_word;     // of the digits of a word,
    uint64_t of_members;  // of the members of a block
    uint32_t base;
    uint32_t in_word;
    uint32_t members;

    uint32_t digit(uint32_t &word) const noexcept {
        const uint32_t rest = MPIR_cmap_mulhi(of_base, word), lowest = word - rest * base;
        word = rest;
        return lowest;
    }
};

uint32_t members_in_block(unsigned in_word) noexcept { return 1 + GAP_WORDS * in_word; }

uint32_t blocks_of(uint32_t size, uint32_t members) noexcept { return (size - 1) / members + 1; }

uint64_t payload(uint32_t size, unsigned in_word) noexcept {
    const uint32_t blocks = blocks_of(size, members_in_block(in_word));
    return 4 * (uint64_t{blocks} + (size - blocks + in_word - 1) / in_word);
}

// The digits of the words one after the other.
class Writer {
  public:
    explicit Writer(const Body &body) noexcept
        : at_(body.words), base_(body.base), in_word_(body.in_word) {}

    void put(uint32_t digit) noexcept {
        word_ += digit * weight_;
        weight_ *= base_;
        if (++used_ == in_word_) finish();
    }
    void finish() noexcept {
        if (used_ != 0) *at_++ = static_cast<uint32_t>(word_);
        word_ = 0, weight_ = 1, used_ = 0;
    }

  private:
    uint32_t *at_;
    const uint32_t base_, in_word_;
    uint64_t word_ = 0, weight_ = 1;
    uint32_t used_ = 0;
};

void fill(Body &body, const Content &content) noexcept {
    Writer writer(body);
    uint32_t in_block = 0, block = 0, last = 0;
    content.each_block([&](const uint32_t *members, uint32_t n) {
        for (uint32_t i = 0; i < n; i++) {
            if (in_block == 0)
                body.firsts[block++] = members[i];
            else
                writer.put(members[i] - last - 1);
            last = members[i];
            in_block = in_block + 1 == body.members ? 0 : in_block + 1;
        }
        return true;
    });
    writer.finish();
}

// The sum of all digits of n words: so many at a time, as none waits for another.
uint64_t sum_of(const Body &body, const uint32_t *words, uint32_t n) noexcept {
    constexpr uint32_t LANES = 4;
    uint64_t sum = 0, quotients = 0;
    for (uint32_t i = 0; i < n; i += LANES) {
        uint32_t lane[LANES] = {};
        for (uint32_t k = 0; k < LANES; k++) {
            lane[k] = i + k < n ? words[i + k] : 0;
            sum += lane[k];
        }
        for (uint32_t digit = 1; digit < body.in_word; digit++)
            for (uint32_t k = 0; k < LANES; k++) {
                lane[k] = MPIR_cmap_mulhi(body.of_base, lane[k]);
                quotients += lane[k];
            }
    }
    return sum - (body.base - 1) * quotients;
}

uint32_t sum_of(const Body &body, uint32_t word) noexcept {
    uint64_t sum = word, quotients = 0;
    for (uint32_t digit = 1; digit < body.in_word; digit++)
        quotients += word = MPIR_cmap_mulhi(body.of_base, word);
    return static_cast<uint32_t>(sum - (body.base - 1) * quotients);
}

const uint32_t *words_of(const Body &body, uint32_t block) noexcept {
    return body.words + uint64_t{block} * GAP_WORDS;
}

}  // namespace

Estimate estimate(const Stats &stats) noexcept {
    const unsigned in_word = digits_in_word(stats.largest_gap);
    if (in_word < LEAST_IN_WORD) return cannot();
    const uint64_t space = payload(stats.size, in_word);
    const uint32_t most = std::min(stats.size, members_in_block(in_word));
    return Estimate{true, space, TIME_GAP + TIME_GAP_DIGIT * most / 2 + time_access(space)};
}

cmap_status build(cmap_t *map, const Analysis &analysis) noexcept {
    Body &body = make_body<Body>(map);
    body.base = analysis.stats.largest_gap;
    body.in_word = digits_in_word(body.base);
    body.members = members_in_block(body.in_word);
    body.of_base = reciprocal(body.base);
    body.of_word = reciprocal(body.in_word);
    body.of_members = reciprocal(body.members);
    body.firsts = static_cast<uint32_t *>(allocate(payload(map->size, body.in_word)));
    if (body.firsts == nullptr) return CMAP_ERR_NOMEM;
    body.words = body.firsts + blocks_of(map->size, body.members);
    fill(body, analysis.content);
    return CMAP_OK;
}

void release(cmap_t *map) noexcept { deallocate(body_of<Body>(map).firsts); }

const void *payload_of(const cmap_t *map) noexcept { return body_of<Body>(map).firsts; }

void relocate(cmap_t *map, const Relocation &move) noexcept {
    Body &body = changing_body_of<Body>(map);
    move(body.firsts);
    move(body.words);
}

uint32_t select(const cmap_t *map, uint32_t rank) noexcept {
    const Body &body = body_of<Body>(map);
    const uint32_t block = MPIR_cmap_mulhi(body.of_members, rank), n = rank - block * body.members;
    const uint32_t whole = MPIR_cmap_mulhi(body.of_word, n);
    const uint32_t *words = words_of(body, block);
    uint64_t sum = body.firsts[block] + n + sum_of(body, words, whole);
    uint32_t left = n - whole * body.in_word;
    if (left == 0) return static_cast<uint32_t>(sum);
    for (uint32_t word = words[whole]; left > 0; left--)
        sum += body.digit(word);
    return static_cast<uint32_t>(sum);
}

uint32_t rank(const cmap_t *map, uint32_t index) noexcept {
    const Body &body = body_of<Body>(map);
    const uint32_t block = last_up_to(body.firsts, blocks_of(map->size, body.members), index);
    const uint32_t begin = block * body.members, left = map->size - begin;
    const uint32_t last = std::min(left, body.members) - 1;
    const uint32_t *word = words_of(body, block);
    uint32_t at = body.firsts[block], i = 0;
    for (; last - i >= body.in_word; word++, i += body.in_word) {
        const uint32_t next = at + body.in_word + sum_of(body, *word);
        if (next > index) break;
        at = next;
    }
    if (at == index) return begin + i;
    if (i == last) return CMAP_NONE;
    for (uint32_t digits = *word; at < index && i < last; i++)
        at += body.digit(digits) + 1;
    return at == index ? begin + i : CMAP_NONE;
}

void decode(const cmap_t *map, uint32_t first, uint32_t count, uint32_t *indices) noexcept {
    const Body &body = body_of<Body>(map);
    uint32_t block = first / body.members, in_block = first % body.members;
    uint32_t at = select(map, first);
    for (uint32_t done = 0; done < count; block++, in_block = 0) {
        if (in_block == 0) at = body.firsts[block];
        indices[done++] = at;
        const uint32_t *word = words_of(body, block) + in_block / body.in_word;
        uint32_t skip = in_block % body.in_word;
        const uint32_t room = body.members - 1 - in_block;
        uint32_t n = std::min(count - done, room);
        while (n > 0) {
            uint32_t digits = *word++;
            for (uint32_t i = 0; i < skip; i++)
                body.digit(digits);
            for (uint32_t some = std::min(n, body.in_word - skip); some > 0; some--, n--)
                indices[done++] = at += body.digit(digits) + 1;
            skip = 0;
        }
    }
}

std::size_t bytes(const cmap_t *map) noexcept {
    return payload(map->size, body_of<Body>(map).in_word);
}

const char *validate(const cmap_t *map) noexcept {
    const Body &body = body_of<Body>(map);
    if (body.in_word < LEAST_IN_WORD || body.in_word != digits_in_word(body.base))
        return "gap: the base is wrong";
    if (body.firsts[0] != map->min)
        return "gap: the first block does not start at the least member";
    for (uint32_t b = 1; b < blocks_of(map->size, body.members); b++)
        if (body.firsts[b] <= body.firsts[b - 1]) return "gap: the blocks do not increase";
    return nullptr;
}

int describe(const cmap_t *map, char *text, std::size_t room) noexcept {
    const Body &body = body_of<Body>(map);
    return std::snprintf(text, room, "%u digits to base %u in blocks of %u from %u", map->size,
                         body.base, body.members, map->min);
}

}  // namespace gap_digits
}  // namespace cmap
