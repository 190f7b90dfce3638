// SPDX-License-Identifier: BSD-3-Clause
// Every tuning constant of the module, each with the benchmark or the reason it comes from.
#ifndef CMAP_TUNING_HPP_INCLUDED
#define CMAP_TUNING_HPP_INCLUDED

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cmap_times.hpp"

namespace cmap {

// ---- building ----

// A builder turns to a plain array at so many pieces (80 KiB) when they hold fewer members each
// than the next line says.
constexpr uint32_t POOR_PIECES = 4096;
constexpr uint32_t POOR_MEMBERS_PER_PIECE = 8;
// Duplicates are searched with a bitmap over [min, max] up to this many bits a member, by sorting
// beyond.
constexpr uint64_t SORT_BITS = 24;
// ... a sort of at most so many members, with their ranks, stays in the cache, and is sooner
constexpr uint32_t SORT_IN_CACHE = 1u << 17;
constexpr uint64_t SORT_BITS_IN_CACHE = 6;
// ... and the members of sets that have bits are not sorted before there are so many.
constexpr uint64_t SORT_BITS_OF_SETS = 64;
// Pairs of runs compared with one another before the bitmap is taken for duplicates (a pair costs
// about 20 ns).
constexpr uint64_t DUPLICATE_RUN_PAIRS = 4096;
// ... and no more than so many for each member, or in all: marking and sorting costs about as much.
constexpr uint64_t DUPLICATE_RUN_PAIRS_SHARE = 2, DUPLICATE_RUN_PAIRS_LEAST = 128;
// Lists from so many members on are sorted by digits of 11 bits: their counters are 8 KiB.
constexpr uint32_t SORT_BY_DIGITS = 1024;

// Slices of another map are taken as pieces when it has at most so many, and as members when they
// are so few.
constexpr std::size_t SLICE_PIECES = 4096;
constexpr uint32_t SLICE_SMALL = 32;

// ---- lookups ----

// So many ranks in a row are decoded as a block where they are looked up together: the start of a
// decode costs about as much as four selects.
constexpr uint32_t DECODE_STRETCH = 4;

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

// From so many ns a select on an inverse holds the members, too: a search of 20 steps would take
// 10 us.
constexpr double INVERSE_SLOW_SELECT = 500;

// ---- representations ----

// Under hybrid a permutation of the parent's members shares its set, whatever else the formula
// says, where that takes at most this share of the bytes and at most so many times as long to
// select as the map that wins by the formula, and time weighs no more than space.  (Lists of 20
// bits a member in a random set of every twentieth index, of 16 in a permutation of it: 0.8 and 3.)
constexpr double SHARED_SET_ALPHA = 0.5;
constexpr double SHARED_SET_SPACE = 15.0 / 16;
constexpr double SHARED_SET_SLOWDOWN = 6;

// No select takes less than that, but those of affine maps, of arrays, and of maps that refer to a
// parent: what each of the other representations takes at least, those made of others in an affine
// one.  A function, because the calibration turns these times.
inline double time_without_parent() {
    return std::min({TIME_PACKED + TIME_ACCESS[0], TIME_RUNS[0] + TIME_ACCESS[0], TIME_BITMAP,
                     TIME_GAP, TIME_ELIASFANO, TIME_BDD + TIME_BDD_STEP, TIME_BDD_PATH, TIME_BWT,
                     TIME_WTR, TIME_PART + TIME_ACCESS[0] + TIME_AFFINE[1]});
}

// The same with those.
inline double time_not_affine() {
    return std::min(time_without_parent(), TIME_AFFINE[1] + std::min(TIME_SUB, TIME_SUB_LEVEL));
}

// A sub may take so many times as long to select as the best map without a parent.
constexpr double SUB_SLOWDOWN = 1.5;

// Beyond so many runs a select takes longer than in a bitmap or packed list of the same members.
constexpr uint64_t RUNS_LIMIT = 4096;
// rank() in a list of runs looks at them one by one up to this number, and keeps them in groups
// beyond: one search for each.  Beyond so many groups an inverse is faster; where there is none,
// groups are searched as long as they have so many runs on average.
constexpr uint32_t RUNS_SCAN = 64, RUNS_GROUPS = 32, RUNS_IN_GROUP = 12;

// Distances of neighbours are summed in lanes of twice their width: a block has at most 2^width.
// More than 64 a block save less than half a bit a member.  At least 4 bits: narrower ones want
// blocks so short that the set is smaller as a bitmap.
constexpr unsigned GAP_MIN_WIDTH = 4, GAP_MAX_BLOCK_BITS = 6;
// At most so many words are summed for a select: 16 take about 10 ns.
constexpr unsigned GAP_MAX_STEPS = 16;
// Words of digits in a block, two cache lines: half of those 3 % that the first members take more
// would save 1.5 % and double the time.
constexpr uint32_t GAP_WORDS = 32;
// Where time weighs more than this, the third of the bytes that digits save at most never pays for
// five to ten times the time: not even looked at.
constexpr double GAP_DIGITS_ALPHA = 0.125;

// A string of bits with select has one hint for so many words (4 bytes for 4096 bits: 0.8 %).
constexpr uint64_t SELECT_HINT_WORDS = 64;

// A diagram of more nodes than this for each byte that it may take is given up while it is being
// measured.  (Unions of faces, strides and thresholds have 0.14 to 0.21.)
constexpr double BDD_NODES_PER_BYTE = 0.25;
// One of so few nodes is always looked for: it may be a single path, which costs next to nothing.
constexpr uint32_t BDD_NODES_LEAST = 64;

// A select in any other visits so many cells.
constexpr double BDD_STEPS_LEAST = 3;
// Room for the nodes of a word when a stored diagram goes back into BuDDy; more is found then.
constexpr uint32_t BDD_NODES_IN_WORD = 8;

// bzip2 makes at least so many bytes of a block, with its entry in the directory.
constexpr std::size_t BWT_LEAST = 34;
// After so many blocks in a row that bzip2 did not make smaller, it tries one of as many only: a
// shuffled list would cost 0.2 us a member for nothing.
constexpr uint32_t BWT_PATIENCE = 8;
// rank() in a list looks through up to so many blocks that may hold the index, and takes the
// inverse beyond: a search through that touches about as many.
constexpr uint32_t BWT_SCAN = 8;

// The limits of cmap_limits until somebody sets others.
constexpr uint32_t BDD_NODES = 4096;  // as many times 8 bytes as a select may touch in a warm cache
constexpr uint32_t BDD_PATHS = 8192;
constexpr uint32_t WTR_RUNS = 4096;   // 12 levels
constexpr uint32_t BWT_BLOCK = 1000;  // the thesis's

// ---- algebra ----

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
// A lookup by MPIR_cmap_rank() takes about as long as decoding and testing so many members.
constexpr uint64_t ALGEBRA_DECODES_PER_LOOKUP = 8;
// A temporary bitmap is taken for up to so many bits per member involved: 8 bytes, twice a plain
// array.
constexpr uint64_t ALGEBRA_BITS_PER_MEMBER = 64;
// Two diagrams are worked on as such, by BuDDy, from so many indices between their ends on; below
// it is words that are combined.
constexpr uint64_t ALGEBRA_DIAGRAM_SPAN = uint64_t{1} << 20;
// Sorting a list of n ranks costs less than going through the whole map up to size / this.
constexpr uint64_t ALGEBRA_SORT_SHARE = 32;
// Runs of ranks from so many on are decoded; shorter ones are selected rank by rank.
constexpr int64_t ALGEBRA_DECODE_MIN = 16;
// Members decoded at a time: stays in the first-level cache with what is kept of it.
constexpr uint32_t ALGEBRA_BLOCK = 512;

}  // namespace cmap

#endif  // CMAP_TUNING_HPP_INCLUDED
