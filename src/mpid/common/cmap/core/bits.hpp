// SPDX-License-Identifier: BSD-3-Clause
// Strings of fixed-width numbers, little endian, read by one unaligned 64-bit load each.
#ifndef CMAP_CORE_BITS_HPP_INCLUDED
#define CMAP_CORE_BITS_HPP_INCLUDED

#include <cstddef>
#include <cstring>

#include "cmap_lookup.h"

namespace cmap {

// ceil(lg(values)): bits that tell `values` numbers apart; 0 for none and one.
inline unsigned bits_for(uint64_t values) noexcept {
    return values <= 1 ? 0u : 64u - static_cast<unsigned>(__builtin_clzll(values - 1));
}

// Bytes of n numbers, with what the last 64-bit load reads beyond its own.
inline std::size_t packed_bytes(uint64_t n, unsigned width) noexcept {
    return n == 0 ? 0 : static_cast<std::size_t>(((n - 1) * width >> 3) + 8);
}

struct PackedView {
    const unsigned char *bits;
    uint32_t mask;
    unsigned width;

    uint32_t operator[](uint64_t i) const noexcept {
        const uint64_t bit = i * width;
        return static_cast<uint32_t>(MPIR_cmap_load64le(bits + (bit >> 3)) >> (bit & 7)) & mask;
    }
};

inline PackedView packed_view(const unsigned char *bits, unsigned width) noexcept {
    return PackedView{bits, static_cast<uint32_t>((uint64_t{1} << width) - 1), width};
}

inline void store64le(unsigned char *p, uint64_t v) noexcept {
#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    std::memcpy(p, &v, sizeof v);
#else
    for (int i = 0; i < 8; i++, v >>= 8)
        p[i] = static_cast<unsigned char>(v);
#endif
}

// Writes number i of a string that was zero there.  REQUIRES room as packed_bytes() says.
inline void packed_put(unsigned char *bits, unsigned width, uint64_t i, uint32_t value) noexcept {
    const uint64_t bit = i * width;
    unsigned char *p = bits + (bit >> 3);
    store64le(p, MPIR_cmap_load64le(p) | static_cast<uint64_t>(value) << (bit & 7));
}

// Writes the numbers of a string one after the other, whatever was there.  REQUIRES room as
// packed_bytes() says, and a width up to 56.
class PackedWriter {
  public:
    PackedWriter(unsigned char *bits, unsigned width) noexcept
        : begin_(bits), at_(bits), mask_((uint64_t{1} << width) - 1), width_(width) {}

    // Numbers at(0) .. at(n - 1), their lowest bits: as many as fit are put together first.
    template <class At>
    void put(uint32_t n, At &&at) noexcept {
        const uint32_t most = width_ == 0 ? n : 56 / width_;
        for (uint32_t i = 0; i < n;) {
            const uint32_t end = n - i < most ? n : i + most;
            uint64_t some = 0;
            unsigned bits = 0;
            for (; i < end; i++, bits += width_)
                some |= (at(i) & mask_) << bits;
            append(some, bits);
        }
    }
    // What is still held back.
    void finish() noexcept {
        for (; used_ > 0; used_ -= used_ < 8 ? used_ : 8, open_ >>= 8)
            *at_++ = static_cast<unsigned char>(open_);
        open_ = 0;
    }
    // ... and nothing behind it, in a string of so many bytes.
    void finish(std::size_t bytes) noexcept {
        finish();
        const std::size_t done = static_cast<std::size_t>(at_ - begin_);
        if (done < bytes) std::memset(at_, 0, bytes - done);
    }

    // The lowest `bits` bits, at most 56; the others must be 0.
    void append(uint64_t some, unsigned bits) noexcept {
        open_ |= some << used_;
        used_ += bits;
        if (used_ < 64) return;
        store64le(at_, open_);
        at_ += 8;
        used_ -= 64;
        open_ = some >> (bits - used_);
    }
    unsigned width() const noexcept { return width_; }

    // Where the next number begins, for somebody who writes whole bytes of numbers there; nullptr
    // when it begins within a byte.
    unsigned char *open_bytes() noexcept {
        if (used_ % 8 != 0) return nullptr;
        finish();
        return at_;
    }
    // He has written so many.
    void skip(std::size_t bytes) noexcept { at_ += bytes; }

  private:
    unsigned char *begin_, *at_;
    uint64_t mask_, open_ = 0;
    unsigned width_, used_ = 0;  // bits of open_, below 64
};

}  // namespace cmap

#endif  // CMAP_CORE_BITS_HPP_INCLUDED
