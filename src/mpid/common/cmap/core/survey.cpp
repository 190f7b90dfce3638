// SPDX-License-Identifier: BSD-3-Clause
#include "core/survey.hpp"

#include <algorithm>

#include "cmap_tuning.hpp"
#include "core/sequence.hpp"

namespace cmap {
namespace {

constexpr uint32_t BLOCK = Fingerprint::BLOCK;

// Do the members from `first` on go on as the two before them, as far as the last of `n` tells?
bool seem_to_go_on(const uint32_t *members, uint32_t first, uint32_t n) noexcept {
    const uint32_t *const next = members + first;
    const int64_t step = static_cast<int32_t>(next[-1] - next[-2]), last = next[-1] + step * n;
    return last >= 0 && last < CMAP_MAX_SIZE && next[n - 1] == last;
}

uint32_t length_of_progression(const uint32_t *members, uint32_t first, uint32_t end) noexcept {
    const uint32_t *const next = members + first, step = next[-1] - next[-2];
    if (!seem_to_go_on(members, first, BLOCK)) return 0;
    const uint32_t n = length_of_run(next, end - first, next[-1] + step, step);
    return n >= BLOCK && seem_to_go_on(members, first, n) ? n : 0;
}

}  // namespace

// `times` steps like this one, the first of them at that rank.
inline void Survey::see_step(uint32_t from, uint32_t to, uint32_t rank, uint64_t times) noexcept {
    if (to > from)
        see_gap(to - from);
    else
        see_descents(rank, times);
}

// Without branches that depend on the members.
void Survey::add_singly(const uint32_t *members, uint32_t first, uint32_t end) noexcept {
    uint32_t descents = 0, bends = 0, largest = largest_gap_, low = min_, high = max_;
    for (uint32_t i = first; i < end; i++) {
        const uint32_t member = members[i], before = i > 0 ? members[i - 1] : 0;
        const uint32_t gap = i > 0 && member > before ? member - before : 0;
        low = member < low ? member : low;
        high = member > high ? member : high;
        largest = gap > largest ? gap : largest;
        descents += i > 0 && member <= before;
        bends += i > 1 && member - before != before - members[i - 2];
    }
    min_ = low, max_ = high;
    see_gap(largest);
    see_descents_from(members, first, descents);
    bends_ += bends;
    hash_.add(members + first, end - first);
}

// Once a set is known to have more runs than anybody wants, they are not counted any more.
bool Survey::add_blocks(const uint32_t *members, uint32_t first, uint32_t n) noexcept {
    BlocksSurvey blocks;
    const bool crooked = descents_ == 0 && bends_ / 2 > RUNS_LIMIT && n >= BLOCK;
    if (!(crooked && survey_increasing(members + first, n, blocks)) &&
        !survey_blocks(members + first, n, blocks))
        return false;
    widen(blocks.min, blocks.max);
    see_gap(blocks.largest_gap);
    see_descents_from(members, first, blocks.descents);
    bends_ += blocks.bends;
    hash_.add_blocks(blocks.low, blocks.high, n, blocks.base);
    return true;
}

// So many, from that rank on.
void Survey::see_descents_from(const uint32_t *members, uint32_t rank, uint32_t n) noexcept {
    if (n == 0) return;
    if (descents_ == 0)
        for (rank += rank == 0; members[rank] > members[rank - 1];)
            rank++;
    see_descents(rank, n);
}

// Of which the first is no bend.
void Survey::add_progression(const uint32_t *members, uint32_t first, uint32_t n) noexcept {
    const uint32_t before = members[first - 1], step = before - members[first - 2];
    const Run run{before + step, static_cast<int32_t>(step), n};
    widen(run.low(), run.high());
    see_step(before, run.first, first, n);
    hash_.add(piece_of(run));
}

// Long progressions are recognized and cost no more than that.
void Survey::add(const uint32_t *members, uint32_t n) noexcept {
    uint32_t i = n < 2 ? n : 2;
    add_singly(members, 0, i);
    while (n - i >= SURVEY_STEP) {
        const uint32_t left = n - i;
        uint32_t done = left < BLOCK ? 0 : length_of_progression(members, i, n);
        if (done != 0) {
            add_progression(members, i, done);
        } else {
            done = left < BLOCK ? left - left % SURVEY_STEP
                                : BLOCK * std::min(left / BLOCK, Fingerprint::MOST_BLOCKS);
            if (!add_blocks(members, i, done)) add_singly(members, i, i + done);
        }
        i += done;
    }
    add_singly(members, i, n);
    size_ = n;
}

void Survey::add(const Piece &piece) noexcept {
    const Run &run = piece.run, end = piece.repeat(piece.repeats - 1);
    widen(run.low() < end.low() ? run.low() : end.low(),
          run.high() > end.high() ? run.high() : end.high());
    if (size_ != 0) see_step(last_, run.first, size_, 1);
    if (run.count > 1)
        see_step(run.first, run.at(1), size_ + 1, uint64_t{run.count - 1} * piece.repeats);
    if (piece.repeats > 1)
        see_step(run.last(), piece.repeat(1).first, size_ + run.count, piece.repeats - 1);
    last_ = end.last();
    size_ += static_cast<uint32_t>(piece.members());
    hash_.add(piece);
}

// The gaps within a word, unless they are all known to be small: each one is smeared over as many
// positions as the largest gap has, and where a position remains empty below another one, there is
// a larger gap.
void Survey::see_gaps(uint64_t word) noexcept {
    if ((word & (word - 1)) == 0) return;
    see_gap(1);
    while (largest_gap_ < 63) {
        uint64_t smeared = word;
        unsigned positions = 1;
        for (; positions * 2 <= largest_gap_; positions *= 2)
            smeared |= smeared << positions;
        smeared |= smeared << (largest_gap_ - positions);
        const uint64_t empty = ~smeared & ~((word & ~(word - 1)) - 1);  // none below the first one
        if (empty == 0) return;
        const uint64_t above = word >> __builtin_ctzll(empty);
        if (above == 0) return;
        largest_gap_ += static_cast<unsigned>(__builtin_ctzll(above));
    }
}

void Survey::add(const BitSet &set) noexcept {
    for (uint32_t w = 0; w < set.count; w++) {
        const uint64_t word = set.words[w];
        if (word == 0) continue;
        const uint32_t base = set.base + w * 64;
        const uint32_t first = base + static_cast<unsigned>(__builtin_ctzll(word));
        if (size_ != 0) see_step(last_, first, size_, 1);
        see_gaps(word);
        last_ = base + 63 - static_cast<unsigned>(__builtin_clzll(word));
        widen(first, last_);
        size_ += static_cast<uint32_t>(__builtin_popcountll(word));
    }
    hash_.add(set);
}

}  // namespace cmap
