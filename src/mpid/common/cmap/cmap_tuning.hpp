// SPDX-License-Identifier: BSD-3-Clause
// Every tuning constant of the module, each with the benchmark or the reason it comes from.
#ifndef CMAP_TUNING_HPP_INCLUDED
#define CMAP_TUNING_HPP_INCLUDED

#include <cstddef>
#include <cstdint>

namespace cmap {

// ---- building ----

// A builder turns to a plain array at so many pieces (80 KiB) when they hold fewer members each
// than the next line says.
constexpr uint32_t POOR_PIECES = 4096;
constexpr uint32_t POOR_MEMBERS_PER_PIECE = 8;
// Duplicates are searched with a bitmap over [min, max] up to this many bits a member, by sorting
// beyond.
constexpr uint64_t SORT_BITS_PER_MEMBER = 64;
// Pairs of runs compared with one another before the bitmap is taken for duplicates (a pair costs
// about 20 ns).
constexpr uint64_t DUPLICATE_RUN_PAIRS = 4096;

// Slices of another map are taken as pieces when it has at most so many, and as members when they
// are so few.
constexpr std::size_t SLICE_PIECES = 4096;
constexpr uint32_t SLICE_SMALL = 32;

// ---- interning ----

// 2^this locks: creations in as many threads seldom meet.
constexpr unsigned INTERN_SHARD_BITS = 4;

// ---- rank of lists ----

// Lists up to this size are scanned: as fast as the search through an inverse and without its
// memory.
constexpr uint32_t INVERSE_MIN_MEMBERS = 64;
// A Ranker builds an inverse of its own from so many queries on: building costs about as much as 40
// scans.
constexpr uint64_t INVERSE_MIN_QUERIES = 40;

// ---- representations ----

// Beyond so many runs a select takes longer than in a bitmap or packed list of the same members.
constexpr uint64_t RUNS_LIMIT = 4096;
// rank() in a list of runs looks at them one by one up to this number, and keeps them in order
// beyond.
constexpr uint32_t RUNS_SCAN = 64;

// A bitmap has one select hint for so many words (4 bytes for 4096 bits: 0.8 %).
constexpr uint64_t BITMAP_HINT_WORDS = 64;

// ---- times: ns of a dependent random select (make times prints this table) ----

constexpr double TIME_AFFINE[] = {0, 1.4, 2.5, 2.8, 3.0, 3.5, 3.5};  // by levels

// Beside the access to the payload.
constexpr double TIME_PACKED = 1.4;
constexpr double TIME_RUNS = 0.8;
constexpr double TIME_RUNS_STEP = 1.6;  // for each doubling of the number of runs
constexpr double TIME_BITMAP = 12.9;
constexpr double TIME_PART = 0.7;  // a level of indirection: pperm, concat

// ns of one random access to a payload of up to 2^k bytes: TIME_ACCESS[k - 12], the last one
// beyond.  From 1 MiB on smoothed by hand: there it is the neighbours on the machine that count.
constexpr double TIME_ACCESS[] = {1.9, 1.9, 1.9,  1.9,  2.5,  3.4,  3.8,  4.5,
                                  6.0, 9.0, 12.0, 14.0, 18.0, 30.0, 60.0, 80.0};

inline double time_access(uint64_t bytes) noexcept {
    unsigned k = 0;
    constexpr unsigned last = sizeof TIME_ACCESS / sizeof *TIME_ACCESS - 1;
    while (k < last && uint64_t{1} << (k + 12) < bytes)
        k++;
    return TIME_ACCESS[k];
}

// Group algebra, from maps in a world of 2^20.

// Closed forms stop at so many pieces: about 0.2 ms, the time of decoding 2^17 members.
constexpr size_t ALGEBRA_MAX_PIECES = 4096;
// Operands below so many pieces are always tried in closed form, however few members they have.
constexpr size_t ALGEBRA_MIN_PIECES = 64;
// Otherwise a piece must stand for so many members: working on one takes the time of decoding about
// as many.
constexpr size_t ALGEBRA_MEMBERS_PER_PIECE = 8;
// Work (pairs, rows, pieces made) per piece allowed before giving up.
constexpr size_t ALGEBRA_WORK_PER_PIECE = 4;
// A lookup by cmap_rank() takes about as long as decoding and testing so many members.
constexpr uint64_t ALGEBRA_DECODES_PER_LOOKUP = 8;
// A temporary bitmap is taken for up to so many bits per member involved: 8 bytes, twice a plain
// array.
constexpr uint64_t ALGEBRA_BITS_PER_MEMBER = 64;
// Sorting a list of n ranks costs less than going through the whole map up to size / this.
constexpr uint64_t ALGEBRA_SORT_SHARE = 32;
// Runs of ranks from so many on are decoded; shorter ones are selected rank by rank.
constexpr int64_t ALGEBRA_DECODE_MIN = 16;
// Members decoded at a time: stays in the first-level cache with what is kept of it.
constexpr uint32_t ALGEBRA_BLOCK = 512;

}  // namespace cmap

#endif  // CMAP_TUNING_HPP_INCLUDED
