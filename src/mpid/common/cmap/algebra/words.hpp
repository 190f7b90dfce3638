// SPDX-License-Identifier: BSD-3-Clause
// The group algebra on dense sets, 64 members at a time.
#ifndef CMAP_ALGEBRA_WORDS_HPP_INCLUDED
#define CMAP_ALGEBRA_WORDS_HPP_INCLUDED

#include "algebra/membership.hpp"

namespace cmap {

// Two sets, dense enough that going through all words between their ends is less work than going
// through their members.
bool worth_words(const cmap_t *a, const cmap_t *b) noexcept;

// A set's bits: those of a bitmap, or bits made for the purpose.  The map must outlive this.
class SetBits {
  public:
    bool load(const cmap_t *set) noexcept;  // false: no memory
    const BitSet &operator*() const noexcept { return view_; }

  private:
    Bits own_;
    Buffer<uint64_t> words_;
    BitSet view_;
};

// The members of `a` that are (are not) in `b`, without empty words at the ends, in memory of
// `words`.  False: no memory.
bool part_by_words(const BitSet &a, const BitSet &b, bool wanted, Buffer<uint64_t> &words,
                   BitSet &out) noexcept;
// All members of both.  REQUIRES that `b` begins behind a's first word or in it.
bool join_by_words(const BitSet &a, const BitSet &b, Buffer<uint64_t> &words, BitSet &out) noexcept;

}  // namespace cmap

#endif  // CMAP_ALGEBRA_WORDS_HPP_INCLUDED
