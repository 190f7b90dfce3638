// SPDX-License-Identifier: BSD-3-Clause
// One block of a bwt map as bytes, and back.
//
// A head byte says what follows: h < 32, the members less the block's least, h bits each; 32 + w,
// what bzip2 makes of the differences of neighbours as zigzag numbers of w bytes each.  The shorter
// of the two is taken: bzip2 never gets a shuffled block as small as its own width does, and on
// blocks with a pattern differences in place beat members, byte planes and differences in byte
// planes (each tried on permuted ranges, random sets, runs and repeated patterns).
//
// Of bzip2's format the first 10 bytes are constant in every stream, and the 80 bits at the end
// hold a constant and a check sum of the check sums of the parts: both are left out.
#ifndef CMAP_REP_BWT_CODEC_HPP_INCLUDED
#define CMAP_REP_BWT_CODEC_HPP_INCLUDED

#include <bzlib.h>

#include "core/bits.hpp"
#include "core/buffer.hpp"

namespace cmap {

constexpr unsigned BWT_SQUEEZED = 32;  // heads from here on: bzip2
// Readable bytes that must follow a block: a packed one is read by 64-bit loads.
constexpr std::size_t BWT_SLACK = 8;
// What making a block takes beyond the block itself: what bzip2 writes around it, and the slack.
constexpr std::size_t BWT_ROOM = 64 + BWT_SLACK;

// A block's numbers, known from the map's directory.
struct BwtBlock {
    const unsigned char *bytes;
    std::size_t length;
    uint32_t members;
    uint32_t base;       // the least member of a packed block, the first of a squeezed one
    uint32_t low, high;  // all members lie between

    bool squeezed() const noexcept { return bytes[0] >= BWT_SQUEEZED; }
    PackedView packed() const noexcept { return packed_view(bytes + 1, bytes[0]); }
};

// Compresses blocks one after the other.
class BwtEncoder {
  public:
    BwtEncoder() noexcept = default;
    ~BwtEncoder();
    BwtEncoder(const BwtEncoder &) = delete;
    BwtEncoder &operator=(const BwtEncoder &) = delete;

    // Appends a block of n > 0 members between low and high to `out`.  False: no memory.
    bool append(const uint32_t *members, uint32_t n, uint32_t low, uint32_t high,
                Buffer<unsigned char> &out) noexcept;
    uint64_t squeezed_members() const noexcept { return squeezed_members_; }

  private:
    static void *allocate_kept(void *self, int items, int size) noexcept;
    static void free_kept(void *self, void *memory) noexcept;
    bool differences(const uint32_t *members, uint32_t n) noexcept;
    bool squeeze(std::size_t room, Buffer<unsigned char> &out) noexcept;

    // What libbzip2 gives back is kept for the next block: it asks for the same four pieces, a
    // megabyte together, every time.
    struct Kept {
        void *memory;
        std::size_t bytes;
        bool used;
    };
    Kept kept_[4] = {};
    bool no_memory_ = false;
    unsigned wide_ = 0;               // bytes of a difference
    uint32_t losses_ = 0, seen_ = 0;  // blocks in a row that bzip2 did not make smaller; all blocks
    uint64_t squeezed_members_ = 0;
    Buffer<unsigned char> plain_;
};

// Decompresses a squeezed block member by member.  It cannot fail for want of memory: libbzip2
// works in one static place (no memory until it is first used), in allocated memory while another
// thread is at that, and waits for that when there is none.
class BwtDecoder {
  public:
    explicit BwtDecoder(const BwtBlock &block) noexcept;
    ~BwtDecoder();
    BwtDecoder(const BwtDecoder &) = delete;
    BwtDecoder &operator=(const BwtDecoder &) = delete;

    // The next members, up to `room`; 0 at the end.  Of damaged data nothing is promised but the
    // number of members.
    uint32_t next(uint32_t *members, uint32_t room) noexcept;
    // REQUIRES that next() has said 0: the data was whole, check sum included.
    bool intact() noexcept;

  private:
    struct Arena {
        unsigned char *at, *end;  // nullptr: memory from the allocator
    };
    static void *allocate_here(void *arena, int items, int size) noexcept;
    static void free_here(void *arena, void *memory) noexcept;
    void start(bool reserve) noexcept;
    void stop() noexcept;
    std::size_t read(unsigned char *bytes, std::size_t room) noexcept;

    BwtBlock block_;
    bz_stream stream_;
    Arena arena_{nullptr, nullptr};
    bool begun_ = false, damaged_ = false;
    uint32_t done_ = 0;
    uint32_t last_;
};

}  // namespace cmap

#endif  // CMAP_REP_BWT_CODEC_HPP_INCLUDED
