// SPDX-License-Identifier: BSD-3-Clause
// The fingerprint of a member sequence: the sum of member(r) * k^r modulo 2^61 - 1, with a k drawn
// at random when the process starts (Rabin and Karp's).  It comes to the same however the members
// are given - some ns for a piece or a word of bits, a third of one for a member - so that nothing
// need be brought into canonical form to be recognized.  Two sequences of n members, chosen without
// knowledge of k, have the same one with probability n / 2^61: no input makes the chains of the
// intern table long.
#ifndef CMAP_CORE_FINGERPRINT_HPP_INCLUDED
#define CMAP_CORE_FINGERPRINT_HPP_INCLUDED

#include "core/affine_form.hpp"
#include "core/bit_set.hpp"

namespace cmap {

// Arithmetic modulo 2^61 - 1; numbers are below it.
namespace residue {

constexpr uint64_t MODULUS = (uint64_t{1} << 61) - 1;

inline uint64_t reduced(uint64_t a) noexcept {
    a = (a & MODULUS) + (a >> 61);
    return a >= MODULUS ? a - MODULUS : a;
}
inline uint64_t plus(uint64_t a, uint64_t b) noexcept { return reduced(a + b); }
inline uint64_t minus(uint64_t a, uint64_t b) noexcept { return reduced(a + MODULUS - b); }
inline uint64_t of_signed(int32_t a) noexcept {
    return a < 0 ? MODULUS - static_cast<uint64_t>(-int64_t{a}) : static_cast<uint64_t>(a);
}

// a = a1 2^31 + a0, and b: what stands beyond 2^61 counts from 1 on again.
inline uint64_t times_portable(uint64_t a, uint64_t b) noexcept {
    const uint64_t a1 = a >> 31, a0 = a & 0x7fffffff, b1 = b >> 31, b0 = b & 0x7fffffff;
    const uint64_t middle = a1 * b0 + a0 * b1;
    return reduced(2 * (a1 * b1) + (middle >> 30) + ((middle & 0x3fffffff) << 31) +
                   reduced(a0 * b0));
}

// A sum of up to 32 products of numbers below 2^61.
class Products {
  public:
#if defined(__SIZEOF_INT128__) && !defined(CMAP_NO_INT128)
    void add(uint64_t a, uint64_t b) noexcept { sum_ += static_cast<Wide>(a) * b; }
    uint64_t value() const noexcept {
        const auto low = static_cast<uint64_t>(sum_) & MODULUS;
        return plus(low, reduced(static_cast<uint64_t>(sum_ >> 61) & MODULUS) +
                             static_cast<uint64_t>(sum_ >> 122));
    }

  private:
    __extension__ typedef unsigned __int128 Wide;
    Wide sum_ = 0;
#else
    void add(uint64_t a, uint64_t b) noexcept { sum_ = plus(sum_, times_portable(a, b)); }
    uint64_t value() const noexcept { return sum_; }

  private:
    uint64_t sum_ = 0;
#endif
};

inline uint64_t times(uint64_t a, uint64_t b) noexcept {
    Products product;
    product.add(a, b);
    return product.value();
}

}  // namespace residue

class Fingerprint {
  public:
    // Members of a block that a vector loop multiplies with the first powers of k itself.
    static constexpr uint32_t BLOCK = 128;
    // Those powers, in halves of 31 and 30 bits, each in a 64-bit lane: of the members at even
    // positions and of those at odd ones, as their lanes come.
    struct Weights {
        uint64_t low[2][BLOCK / 2], high[2][BLOCK / 2];
    };
    static const Weights &weights() noexcept;
    // Whole blocks, or a part of one, of n members: by the sums of the products with the halves of
    // what the members are above `base`.
    static constexpr uint32_t MOST_BLOCKS = 8;
    void add_blocks(const uint64_t *low, const uint64_t *high, uint32_t n, uint32_t base) noexcept;

    void add(const uint32_t *members, uint32_t n) noexcept;
    void add(const Piece &piece) noexcept;
    void add(const AffineForm &form) noexcept;  // REQUIRES a whole one with a member
    void add(const BitSet &set) noexcept;
    uint64_t value() const noexcept { return sum_; }

  private:
    void join(uint64_t part, uint64_t power) noexcept;

    uint64_t sum_ = 0;
    uint64_t power_ = 1;  // of k: the next member's
};

// One step of a hash: order matters.
inline uint64_t hash_step(uint64_t hash, uint64_t word) noexcept {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

}  // namespace cmap

#endif  // CMAP_CORE_FINGERPRINT_HPP_INCLUDED
