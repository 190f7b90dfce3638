// SPDX-License-Identifier: BSD-3-Clause
#include "rep/bwt_codec.hpp"

#include <sched.h>

#include <atomic>

#include "cmap_tuning.hpp"

namespace cmap {
namespace {

// The format's name, the smallest block size of its nine, and the mark of a part.
constexpr unsigned char OPENING[] = {'B', 'Z', 'h', '1', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59};
constexpr std::size_t CLOSING = 10;  // bytes, of which the first may begin with bits of the data

// Room for libbzip2's state of 64 KB and 4 bytes for each of the 100,000 that a part may have.
struct Reserve {
    alignas(16) unsigned char memory[(64u << 10) + 400000 + (16u << 10)];
    std::atomic<bool> taken;

    bool take() noexcept { return !taken.exchange(true, std::memory_order_acquire); }
    void give_back() noexcept { taken.store(false, std::memory_order_release); }
    bool holds(const void *p) const noexcept {
        return p >= static_cast<const void *>(memory) && p < static_cast<const void *>(&taken);
    }
};

Reserve reserve;

uint32_t zigzag(uint32_t from, uint32_t to) noexcept {
    const int32_t step = static_cast<int32_t>(to - from);
    return static_cast<uint32_t>(step) << 1 ^ static_cast<uint32_t>(step >> 31);
}

uint32_t unzigzag(uint32_t code) noexcept { return code >> 1 ^ (0u - (code & 1)); }

char *chars(const unsigned char *bytes) noexcept {
    return reinterpret_cast<char *>(const_cast<unsigned char *>(bytes));
}

bool append_packed(const uint32_t *members, uint32_t n, uint32_t low, unsigned width,
                   Buffer<unsigned char> &out) noexcept {
    const std::size_t before = out.size(), bytes = (uint64_t{n} * width + 7) / 8;
    if (!out.resize_zeroed(before + 1 + bytes + BWT_SLACK)) return false;
    out[before] = static_cast<unsigned char>(width);
    for (uint32_t i = 0; width != 0 && i < n; i++)
        packed_put(&out[before + 1], width, i, members[i] - low);
    return out.resize(before + 1 + bytes);
}

}  // namespace

// ---- encoder

BwtEncoder::~BwtEncoder() {
    for (Kept &kept : kept_)
        deallocate(kept.memory);
}

void *BwtEncoder::allocate_kept(void *self, int items, int size) noexcept {
    BwtEncoder &encoder = *static_cast<BwtEncoder *>(self);
    const std::size_t bytes = static_cast<std::size_t>(items) * static_cast<std::size_t>(size);
    for (Kept &kept : encoder.kept_) {
        if (kept.used || (kept.memory != nullptr && kept.bytes != bytes)) continue;
        if (kept.memory == nullptr) kept.memory = allocate(bytes);
        kept.bytes = bytes;
        kept.used = kept.memory != nullptr;
        return kept.memory;
    }
    return nullptr;
}

void BwtEncoder::free_kept(void *self, void *memory) noexcept {
    for (Kept &kept : static_cast<BwtEncoder *>(self)->kept_)
        if (kept.memory == memory) kept.used = false;
}

bool BwtEncoder::differences(const uint32_t *members, uint32_t n) noexcept {
    uint32_t all = 0;
    for (uint32_t i = 1; i < n; i++)
        all |= zigzag(members[i - 1], members[i]);
    wide_ = (bits_for(uint64_t{all} + 1) + 7) / 8;
    if (wide_ == 0) wide_ = 1;
    plain_.clear();
    if (!plain_.resize(std::size_t{n} * wide_)) return false;
    unsigned char *at = plain_.data();
    for (uint32_t i = 0; i < n; i++) {
        uint32_t code = i == 0 ? 0 : zigzag(members[i - 1], members[i]);
        for (unsigned k = 0; k < wide_; k++, code >>= 8)
            *at++ = static_cast<unsigned char>(code);
    }
    return true;
}

// False: more than `room` bytes, or no memory; then `out` is as it was.
bool BwtEncoder::squeeze(std::size_t room, Buffer<unsigned char> &out) noexcept {
    const std::size_t before = out.size(), frame = sizeof OPENING + CLOSING;
    bz_stream stream = {};
    stream.bzalloc = allocate_kept;
    stream.bzfree = free_kept;
    stream.opaque = this;
    no_memory_ = !out.reserve(before + 1 + room + frame) ||
                 BZ2_bzCompressInit(&stream, 1, 0, 0) != BZ_OK || !out.resize(before + 1);
    if (no_memory_) return false;
    (void)out.resize(before + 1 + room + frame);
    stream.next_in = chars(plain_.data());
    stream.avail_in = static_cast<unsigned>(plain_.size());
    stream.next_out = chars(&out[before + 1]);
    stream.avail_out = static_cast<unsigned>(room + frame);
    const bool done = BZ2_bzCompress(&stream, BZ_FINISH) == BZ_STREAM_END;
    const std::size_t made = stream.total_out_lo32;
    BZ2_bzCompressEnd(&stream);
    unsigned char *const bytes = &out[before];
    const bool kept = done && std::memcmp(bytes + 1, OPENING, sizeof OPENING) == 0;
    if (kept) {
        bytes[0] = static_cast<unsigned char>(BWT_SQUEEZED + wide_);
        std::memmove(bytes + 1, bytes + 1 + sizeof OPENING, made - frame);
    }
    return out.resize(before + (kept ? 1 + made - frame : 0)) && kept;
}

bool BwtEncoder::append(const uint32_t *members, uint32_t n, uint32_t low, uint32_t high,
                        Buffer<unsigned char> &out) noexcept {
    const unsigned width = bits_for(uint64_t{high} - low + 1);
    const std::size_t packed = (uint64_t{n} * width + 7) / 8;
    const bool hopeless = losses_ >= BWT_PATIENCE && seen_ % BWT_PATIENCE != 0;
    seen_++;
    if (packed > BWT_LEAST && !hopeless) {
        if (!out.reserve(out.size() + packed + BWT_ROOM) || !differences(members, n)) return false;
        if (squeeze(packed - 1, out)) {
            losses_ = 0;
            squeezed_members_ += n;
            return true;
        }
        if (no_memory_) return false;
        losses_++;
    }
    return append_packed(members, n, low, width, out);
}

// ---- decoder

BwtDecoder::BwtDecoder(const BwtBlock &block) noexcept : block_(block), last_(block.base) {
    start(reserve.take());
}

BwtDecoder::~BwtDecoder() { stop(); }

void *BwtDecoder::allocate_here(void *opaque, int items, int size) noexcept {
    Arena &arena = *static_cast<Arena *>(opaque);
    const std::size_t bytes = static_cast<std::size_t>(items) * static_cast<std::size_t>(size);
    const std::size_t taken = (bytes + 15) & ~std::size_t{15};
    if (arena.at == nullptr || taken > static_cast<std::size_t>(arena.end - arena.at))
        return allocate(bytes);
    unsigned char *const memory = arena.at;
    arena.at += taken;
    return memory;
}

void BwtDecoder::free_here(void *, void *memory) noexcept {
    if (!reserve.holds(memory)) deallocate(memory);
}

void BwtDecoder::start(bool in_reserve) noexcept {
    arena_ = in_reserve ? Arena{reserve.memory, reserve.memory + sizeof reserve.memory}
                        : Arena{nullptr, nullptr};
    stream_ = bz_stream();
    stream_.bzalloc = allocate_here;
    stream_.bzfree = free_here;
    stream_.opaque = &arena_;
    begun_ = BZ2_bzDecompressInit(&stream_, 0, 0) == BZ_OK;
    stream_.next_in = chars(OPENING);
    stream_.avail_in = sizeof OPENING;
    char none;
    stream_.next_out = &none;
    stream_.avail_out = 0;
    // The opening makes it allocate the rest.
    int status = begun_ ? BZ2_bzDecompress(&stream_) : BZ_MEM_ERROR;
    if (status == BZ_MEM_ERROR && !in_reserve) {
        stop();
        while (!reserve.take())
            sched_yield();
        start(true);
        return;
    }
    damaged_ = status != BZ_OK;
    stream_.next_in = chars(block_.bytes + 1);
    stream_.avail_in = static_cast<unsigned>(block_.length - 1);
}

void BwtDecoder::stop() noexcept {
    if (begun_) BZ2_bzDecompressEnd(&stream_);
    begun_ = false;
    if (arena_.at != nullptr) reserve.give_back();
    arena_.at = nullptr;
}

// Without the closing the stream never ends: what is there has come out when nothing moves.
std::size_t BwtDecoder::read(unsigned char *bytes, std::size_t room) noexcept {
    stream_.next_out = chars(bytes);
    stream_.avail_out = static_cast<unsigned>(room);
    while (!damaged_ && stream_.avail_out != 0) {
        const unsigned in = stream_.avail_in, out = stream_.avail_out;
        damaged_ = BZ2_bzDecompress(&stream_) != BZ_OK;
        if (stream_.avail_in == in && stream_.avail_out == out) break;
    }
    return room - stream_.avail_out;
}

uint32_t BwtDecoder::next(uint32_t *members, uint32_t room) noexcept {
    unsigned char bytes[1024];
    const unsigned wide = (block_.bytes[0] - BWT_SQUEEZED) & 7;
    const uint32_t most = wide == 0 ? 0 : sizeof bytes / wide, left = block_.members - done_;
    uint32_t n = left < room ? left : room;
    n = most != 0 && n > most ? most : n;
    const std::size_t wanted = std::size_t{n} * wide, got = read(bytes, wanted);
    damaged_ = damaged_ || got != wanted || wide == 0 || wide > 4;
    std::memset(bytes + got, 0, wanted - got);
    const unsigned char *at = bytes;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t code = 0;
        for (unsigned k = 0; k < wide; k++)
            code |= static_cast<uint32_t>(*at++) << (8 * (k & 3));
        members[i] = last_ += unzigzag(code);
    }
    done_ += n;
    return n;
}

bool BwtDecoder::intact() noexcept {
    unsigned char more;
    return read(&more, 1) == 0 && !damaged_ && stream_.avail_in <= 1;
}

}  // namespace cmap
