// SPDX-License-Identifier: BSD-3-Clause
#include "core/rank_select.hpp"

#include "cmap_tuning.hpp"

namespace cmap {
namespace {

constexpr uint32_t BLOCK_WORDS = 32, QUARTER_WORDS = 8;
constexpr uint32_t GUARDS = 2;  // behind the last block; no one is beyond: select1 needs no bound

// Ones in the first 0 .. 3 quarters of a block.
inline uint32_t quarter_ones(uint64_t entry, uint32_t quarters) noexcept {
    // Field 0 is an empty one below the three: shifts 32 - 0, 32, 42, 53 and their masks.
    constexpr uint32_t shift[] = {32, 32, 42, 53}, mask[] = {0, 0x3ff, 0x7ff, 0x7ff};
    return static_cast<uint32_t>(entry >> shift[quarters]) & mask[quarters];
}

inline uint32_t block_count(const RankSelect &bits) noexcept {
    return (bits.word_count - 1) / BLOCK_WORDS + 1;
}

inline uint32_t *zero_hints(const RankSelect &bits) noexcept {
    return reinterpret_cast<uint32_t *>(bits.blocks + block_count(bits) + GUARDS);
}

}  // namespace

namespace rank_select {

#define CMAP_KERNEL portable
#define CMAP_KERNEL_TARGET
#define CMAP_KERNEL_PDEP 0
#include "core/rank_select_kernel.hpp"
#undef CMAP_KERNEL
#undef CMAP_KERNEL_TARGET
#undef CMAP_KERNEL_PDEP

#if CMAP_X86
#define CMAP_KERNEL bmi2
#define CMAP_KERNEL_TARGET __attribute__((target("bmi,bmi2,popcnt")))
#define CMAP_KERNEL_PDEP 1
#include "core/rank_select_kernel.hpp"
#undef CMAP_KERNEL
#undef CMAP_KERNEL_TARGET
#undef CMAP_KERNEL_PDEP
#else
namespace bmi2 {

uint64_t select1(const RankSelect &bits, uint32_t k) noexcept { return portable::select1(bits, k); }
uint64_t select1_sampled(const RankSelect &bits, uint32_t k) noexcept {
    return portable::select1_sampled(bits, k);
}
uint64_t select0(const RankSelect &bits, uint64_t k) noexcept { return portable::select0(bits, k); }
uint32_t select_side(const RankSelect &bits, bool one, uint32_t k) noexcept {
    return portable::select_side(bits, one, k);
}
void select_increasing(const RankSelect &bits, bool one, uint32_t *k, uint32_t n) noexcept {
    portable::select_increasing(bits, one, k, n);
}
uint32_t rank1(const RankSelect &bits, uint64_t position) noexcept {
    return portable::rank1(bits, position);
}
void fill(RankSelect &bits) noexcept { portable::fill(bits); }

}  // namespace bmi2
#endif

}  // namespace rank_select

namespace {

// The least shift with which there is at most one hint for so many words; 0 marks need none.
uint32_t hints_for(uint64_t words, uint64_t marks, uint8_t &shift) noexcept {
    for (shift = 0; words << shift < marks * SELECT_HINT_WORDS;)
        shift++;
    return marks == 0 ? 0 : static_cast<uint32_t>(((marks - 1) >> shift) + 1);
}

}  // namespace

RankSelectLayout rank_select_layout(uint64_t bits, uint64_t ones, bool zeros) noexcept {
    RankSelectLayout layout;
    layout.words = static_cast<uint32_t>((bits + 63) / 64);
    if (layout.words <= BLOCK_WORDS) return layout;
    layout.blocks = (layout.words - 1) / BLOCK_WORDS + 1;
    layout.hints = hints_for(layout.words, ones, layout.hint_shift);
    if (zeros) layout.zero_hints = hints_for(layout.words, bits - ones, layout.zero_shift);
    return layout;
}

RankSelectLayout rank_select_sampled(uint64_t bits, uint64_t ones, unsigned shift) noexcept {
    RankSelectLayout layout = rank_select_layout(bits, ones, true);
    if (layout.blocks == 0) return layout;
    layout.sampled = true;
    layout.hint_shift = static_cast<uint8_t>(shift);
    layout.hints = static_cast<uint32_t>((ones - 1) >> shift) + 1;
    return layout;
}

uint64_t RankSelectLayout::bytes() const noexcept {
    const uint64_t large = uint64_t{words} + blocks + (blocks != 0 ? GUARDS : 0);
    return large * 8 + (uint64_t{zero_hints} + hints) * 4;
}

void RankSelect::lay_out(uint64_t *memory, const RankSelectLayout &layout) noexcept {
    words = memory;
    word_count = layout.words;
    hint_shift = layout.hint_shift;
    zero_shift = layout.zero_shift;
    sampled = layout.sampled;
    blocks = nullptr;
    hints = nullptr;
    if (layout.blocks == 0) return;
    blocks = memory + layout.words;
    hints = zero_hints(*this) + layout.zero_hints;
}

void RankSelect::fill_directories() noexcept {
    if (blocks == nullptr) return;
    fast_deposit ? rank_select::bmi2::fill(*this) : rank_select::portable::fill(*this);
}

const char *RankSelect::validate(uint64_t ones) const noexcept {
    uint64_t before = 0;
    for (uint32_t w = 0; w < word_count; w++) {
        if (blocks != nullptr && w % QUARTER_WORDS == 0) {
            const uint64_t entry = blocks[w / BLOCK_WORDS];
            const uint32_t quarter = w / QUARTER_WORDS % (BLOCK_WORDS / QUARTER_WORDS);
            if (static_cast<uint32_t>(entry) + quarter_ones(entry, quarter) != before)
                return "the rank directory is wrong";
        }
        before += static_cast<unsigned>(__builtin_popcountll(words[w]));
    }
    return before == ones ? nullptr
                          : "the number of ones is wrong";  // a wrong hint shows in select
}

bool rank_select_use_portable(bool portable) noexcept {
    const bool before = !fast_deposit;
    fast_deposit = !portable && has_fast_deposit();
    return before;
}

}  // namespace cmap
