// SPDX-License-Identifier: BSD-3-Clause
#include "core/probe.hpp"

namespace cmap {
namespace {

// Of `limit` different blocks 6 or more pairs are expected among the samples; with none or one
// there are more (probability of an error below 2 %, and then a map takes more bytes than it need).
constexpr uint64_t EXPECTED_PAIRS = 6;
constexpr uint32_t FEW_PAIRS = 1;
constexpr uint32_t MOST_SAMPLES = 448;
// Members of a block on average: first so many, then as many times more.
constexpr uint32_t MEMBERS = 24, STEP_LEVELS = 2;
// Where there are too few blocks of so many, they may have as few as this.
constexpr uint32_t LEAST_MEMBERS = 4;
// Blocks that do not tell: one in so many may be empty or full.
constexpr uint32_t SPARE_SHARE = 8;

class Sieve {
  public:
    // Was it there before?
    bool insert(uint32_t tag) noexcept {
        uint32_t at = tag & (SLOTS - 1);
        for (; slots_[at] != 0; at = (at + 1) & (SLOTS - 1))
            if (slots_[at] == tag) return true;
        slots_[at] = tag;
        return false;
    }

  private:
    static constexpr uint32_t SLOTS = 1024;
    uint32_t slots_[SLOTS] = {};
};

uint64_t mix(uint64_t value) noexcept {
    value *= 0x9e3779b97f4a7c15u;
    return value ^ value >> 29;
}

// 0: an empty or full block.
uint32_t tag_of(uint64_t sum, bool constant) noexcept {
    return constant ? 0 : static_cast<uint32_t>(mix(sum) >> 16) | 1;
}

struct Sample {
    const Content &content;
    uint32_t level;

    // The block of the member at a rank.
    uint32_t of_array(uint32_t rank) const noexcept {
        const uint32_t *const members = content.array();
        const uint32_t block = members[rank] >> level, n = content.size();
        uint32_t first = rank, i = rank;
        while (first > 0 && members[first - 1] >> level == block)
            --first;
        uint64_t sum = 0;
        for (i = first; i < n && members[i] >> level == block; i++)
            sum += mix(members[i] & ((uint32_t{1} << level) - 1));
        return tag_of(sum, i - first == uint32_t{1} << level);
    }
    uint32_t of_words(uint32_t word) const noexcept {
        const BitSet &set = content.bits(0);
        const uint32_t words = uint32_t{1} << (level - 6);
        const uint32_t first = word & ~(words - 1);
        uint64_t sum = 0, any = 0, all = ~uint64_t{0};
        for (uint32_t w = first; w < first + words && w < set.count; w++) {
            sum += mix(set.words[w] + w - first);
            any |= set.words[w], all &= set.words[w];
        }
        return tag_of(sum, any == 0 || all == ~uint64_t{0});
    }
};

enum class Finding { many, perhaps, few };

// `range`: of what the samples are numbers, spread evenly and a little irregularly.
Finding draw(const Sample &sample, uint32_t range, uint32_t samples, uint64_t needed) noexcept {
    Sieve sieve;
    uint32_t pairs = 0, told = 0;
    for (uint32_t i = 0; i < samples; i++) {
        const uint64_t part = (uint64_t{range} << 8) / samples, within = mix(i) >> 56;
        const uint32_t at = static_cast<uint32_t>((i * part + (part * within >> 8)) >> 8);
        const uint32_t tag =
            sample.content.array() != nullptr ? sample.of_array(at) : sample.of_words(at);
        if (tag == 0) continue;
        ++told;
        pairs += sieve.insert(tag);
        if (pairs > told / 8 + 2 * FEW_PAIRS) return Finding::few;
    }
    return pairs <= FEW_PAIRS && uint64_t{told} * told >= needed ? Finding::many : Finding::perhaps;
}

// Blocks of MEMBERS members on average, or smaller ones if those are too few to draw from.  Equal
// blocks are one node of the diagram, whatever their size.
uint32_t first_level(uint32_t size, uint64_t span, uint32_t samples) noexcept {
    uint32_t level = 6;
    while (level < 31 && (uint64_t{size} << level) < span * MEMBERS)
        level++;
    while (level > 6 && span >> level < 2 * uint64_t{samples} &&
           (uint64_t{size} << (level - 1)) >= span * LEAST_MEMBERS)
        level--;
    return level;
}

}  // namespace

bool has_many_blocks(const Content &content, uint32_t min, uint32_t max, uint32_t limit) noexcept {
    const bool array = content.array() != nullptr;
    if (!array && content.bit_sets() == 0) return false;
    const uint64_t needed = 2 * EXPECTED_PAIRS * limit;
    uint32_t samples = 16;
    while (uint64_t{samples} * samples < needed)
        samples += 16;
    samples += samples / SPARE_SHARE;
    const uint64_t span = uint64_t{max} - min + 1;
    uint32_t level = first_level(content.size(), span, samples);
    const uint32_t range = array ? content.size() : content.bits(0).count;
    for (unsigned round = 0; round < 2; round++, level += STEP_LEVELS) {
        if (samples > MOST_SAMPLES || level > 30 || span >> level < 2 * uint64_t{samples}) break;
        if (draw(Sample{content, level}, range, samples, needed) == Finding::many) return true;
    }
    return false;
}

}  // namespace cmap
