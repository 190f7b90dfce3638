// SPDX-License-Identifier: BSD-3-Clause
// bwt: blocks of members, each compressed by libbzip2, for lists with a pattern that no other
// representation knows.
//
// Payload: of every `bwt_block` members (cmap_limits; the map keeps the value it was built with)
// what bzip2 makes of their differences, or their bits in the block's own width when that is less
// (bwt_codec.hpp); 8 bytes a block of directory, 16 in a list, and 16.  So a shuffled list takes at
// most what `packed` does and the directory, and less where members lie near one another.  select
// decompresses a block, 4 to 40 microseconds, unless it is the one that was decompressed last; of a
// block in its own width O(1).  rank is a search of one block in a set; in a list of the few blocks
// that may hold the index, or through the inverse.
//
// The last block decompressed is kept, in its own width, as long as all together is not more than a
// plain array; it counts as payload.  A thread takes it out of its slot by an exchange and puts it
// back: nobody else can free it meanwhile, nobody waits, and who finds the slot empty decompresses
// into a block of his own.
//
// What bzip2 will make of a block only bzip2 can tell, and a sample of blocks says nothing about
// the others.  So the estimator is the builder: it compresses, once, what it made is what the
// builder takes, and its size is exact.  That takes 10 to 300 ns a member, so it happens only where
// bytes alone count: under the space strategy, and there only for maps without a closed form or
// very few runs, or when the representation is forced.  For the others there is no bwt.
// (Mir Taheri, "Scalability of communicators in MPI", 2011, section 4.3.2; Burrows and Wheeler, "A
// block-sorting lossless data compression algorithm", 1994.)
#include <algorithm>
#include <cstdio>

#include "cmap_tuning.hpp"
#include "core/bisection.hpp"
#include "core/inverse.hpp"
#include "core/map.hpp"
#include "rep/bwt_codec.hpp"

namespace cmap {
namespace {

// In the directory, a block has 2 numbers in a set, where its members end before the next block
// begins, and 4 in a list.
enum Entry { OFFSET, BASE, LOW, HIGH };

// The payload: the slot, then the directory, then the blocks.  The slot is not in the header, of
// which there may be copies.
struct BwtBody {
    unsigned char *image;
    uint64_t image_bytes;
    uint32_t block;  // members in each but the last
    uint32_t count;
    uint32_t entry;  // numbers a block in the directory

    const uint32_t *directory() const noexcept {
        return reinterpret_cast<const uint32_t *>(image + sizeof(void *));
    }
    uint32_t get(uint32_t b, Entry what) const noexcept { return directory()[b * entry + what]; }
    std::size_t blocks_at() const noexcept {
        return sizeof(void *) + sizeof(uint32_t) * count * entry;
    }
    std::size_t end_of(uint32_t b) const noexcept {
        return b + 1 < count ? get(b + 1, OFFSET) : image_bytes - blocks_at() - BWT_SLACK;
    }
};

uint32_t entry_numbers(bool set) noexcept { return set ? 2 : 4; }

BwtBlock block_of(const cmap_t *map, const BwtBody &body, uint32_t b) noexcept {
    const bool set = body.entry == 2, last = b + 1 == body.count;
    BwtBlock block;
    block.bytes = body.image + body.blocks_at() + body.get(b, OFFSET);
    block.length = body.end_of(b) - body.get(b, OFFSET);
    block.members = last ? map->size - b * body.block : body.block;
    block.base = body.get(b, BASE);
    block.low = set ? block.base : body.get(b, LOW);
    block.high = !set ? body.get(b, HIGH) : last ? map->max : body.get(b + 1, BASE) - 1;
    return block;
}

// ---- building

// Only compressing tells the size: the whole payload, made for the estimate.
struct BwtPlan {
    static constexpr cmap_rep KIND = CMAP_REP_BWT;

    Buffer<unsigned char> image;  // empty: no memory, or too large
    uint32_t block = 0;
    double squeezed = 0;  // share of the members that lies in squeezed blocks
};

// Fills the directory and the blocks while members come.
class ImageWriter {
  public:
    ImageWriter(Buffer<unsigned char> &image, uint32_t block, bool set) noexcept
        : out_(image), block_(block), entry_(entry_numbers(set)) {}

    // Room for all blocks as they are at worst: growing would copy, and take as much again.
    bool start(const Stats &stats) noexcept {
        const uint32_t count = (stats.size - 1) / block_ + 1;
        const uint64_t bits = bits_for(uint64_t{stats.max} - stats.min + 1);
        const uint64_t payload = uint64_t{count} * 2 + (stats.size * bits + 7) / 8;
        out_.clear();
        blocks_at_ = sizeof(void *) + sizeof(uint32_t) * uint64_t{count} * entry_;
        return pending_.reserve(std::min(block_, stats.size)) &&
               out_.reserve(blocks_at_ + payload + BWT_ROOM) && out_.resize_zeroed(blocks_at_);
    }
    bool add(const uint32_t *members, uint32_t n) noexcept {
        for (uint32_t i = 0; i < n;) {
            const uint32_t room = block_ - static_cast<uint32_t>(pending_.size());
            const uint32_t some = n - i < room ? n - i : room;
            if (!pending_.append(members + i, some)) return false;
            if (some == room && !close()) return false;
            i += some;
        }
        return true;
    }
    bool finish() noexcept {
        return (pending_.empty() || close()) && out_.resize_zeroed(out_.size() + BWT_SLACK);
    }
    uint64_t squeezed_members() const noexcept { return encoder_.squeezed_members(); }

  private:
    bool close() noexcept {
        const uint32_t n = static_cast<uint32_t>(pending_.size());
        const auto ends = std::minmax_element(pending_.begin(), pending_.end());
        const uint32_t low = *ends.first, high = *ends.second;
        const std::size_t offset = out_.size() - blocks_at_;
        if (offset > UINT32_MAX || !encoder_.append(pending_.data(), n, low, high, out_))
            return false;
        const bool squeezed = out_[blocks_at_ + offset] >= BWT_SQUEEZED;
        const uint32_t numbers[] = {static_cast<uint32_t>(offset), squeezed ? pending_[0] : low,
                                    low, high};
        std::memcpy(&out_[sizeof(void *) + sizeof(uint32_t) * entry_ * made_++], numbers,
                    sizeof(uint32_t) * entry_);
        pending_.clear();
        return true;
    }

    Buffer<unsigned char> &out_;
    const uint32_t block_, entry_;
    uint64_t blocks_at_ = 0, made_ = 0;
    Buffer<uint32_t> pending_;
    BwtEncoder encoder_;
};

bool make(BwtPlan &plan, const Analysis &analysis) noexcept {
    const Stats &stats = analysis.stats;
    plan.block = analysis.limits.bwt_block;
    ImageWriter writer(plan.image, plan.block, stats.is_set);
    const bool done = writer.start(stats) &&
                      analysis.content.each_block([&](const uint32_t *members, uint32_t n) {
                          return writer.add(members, n);
                      }) &&
                      writer.finish();
    plan.squeezed = static_cast<double>(writer.squeezed_members()) / stats.size;
    return done;
}

// nullptr: no memory, or too large.
const BwtPlan *plan_of(const Analysis &analysis) noexcept {
    if (const BwtPlan *const plan = analysis.plans.find<BwtPlan>())
        return plan->image.empty() ? nullptr : plan;
    BwtPlan *const plan = analysis.plans.add<BwtPlan>();
    if (plan == nullptr) return nullptr;
    if (make(*plan, analysis)) return plan;
    plan->image.free();
    return nullptr;
}

// Does time count for nothing?
bool bytes_alone(const cmap_policy &policy) noexcept {
    return policy.strategy == CMAP_STRATEGY_SPACE ||
           (policy.strategy == CMAP_STRATEGY_HYBRID && policy.alpha == 0);
}

// A squeezed block is a mark of bzip2's and its tables at least: nothing that a form without
// payload or that few runs would not be better for.
bool pointless(const Stats &stats, uint32_t block) noexcept {
    const uint64_t blocks = (uint64_t{stats.size} - 1) / block + 1;
    return stats.affine.levels != 0 || stats.runs * 12 <= blocks * BWT_LEAST;
}

Estimate estimate(const Analysis &analysis) noexcept {
    const Stats &stats = analysis.stats;
    const bool forced = analysis.policy.force == CMAP_REP_BWT;
    const uint32_t block = analysis.limits.bwt_block;
    if (stats.size <= CMAP_INLINE_MEMBERS || analysis.content.size() != stats.size) return cannot();
    if (!forced && (!bytes_alone(analysis.policy) || pointless(stats, block))) return cannot();
    const BwtPlan *const plan = plan_of(analysis);
    if (plan == nullptr) return cannot();
    const uint64_t space = plan->image.size();
    const double members = std::min(plan->block, stats.size);
    const double bytes = members * static_cast<double>(space) / stats.size;
    const double decode = TIME_BWT_BLOCK + TIME_BWT_MEMBER * members + TIME_BWT_BYTE * bytes;
    return Estimate{true, space, TIME_BWT + time_access(space) + plan->squeezed * decode};
}

cmap_status build(cmap_t *map, const Analysis &analysis) noexcept {
    const BwtPlan *const plan = plan_of(analysis);
    if (plan == nullptr) return CMAP_ERR_INVALID;
    BwtBody &body = make_body<BwtBody>(map);
    body.image_bytes = plan->image.size();
    body.image = static_cast<unsigned char *>(allocate(body.image_bytes));
    if (body.image == nullptr) return CMAP_ERR_NOMEM;
    std::memcpy(body.image, plan->image.data(), body.image_bytes);
    body.block = plan->block;
    body.count = (map->size - 1) / body.block + 1;
    body.entry = entry_numbers(analysis.stats.is_set);
    return CMAP_OK;
}

// ---- the block decompressed last

struct Kept {
    uint32_t block, low, width, members;

    // The bits follow.
    static std::size_t bytes_for(uint32_t members, unsigned width) noexcept {
        return sizeof(Kept) + packed_bytes(members, width);
    }
    unsigned char *bits() noexcept { return reinterpret_cast<unsigned char *>(this + 1); }
    PackedView view() noexcept { return packed_view(bits(), width); }
};

void **slot_of(const BwtBody &body) noexcept { return reinterpret_cast<void **>(body.image); }

Kept *take(const BwtBody &body) noexcept {
    return static_cast<Kept *>(__atomic_exchange_n(slot_of(body), nullptr, __ATOMIC_ACQUIRE));
}

// Whatever another thread has put there meanwhile is as good as this.
void put_back(const BwtBody &body, Kept *kept) noexcept {
    void *nobody = nullptr;
    if (!__atomic_compare_exchange_n(slot_of(body), &nobody, kept, false, __ATOMIC_RELEASE,
                                     __ATOMIC_RELAXED))
        deallocate(kept);
}

// nullptr: there is no memory, or it would be more than an array takes.
Kept *decompress(const cmap_t *map, const BwtBody &body, uint32_t b,
                 const BwtBlock &block) noexcept {
    const unsigned width = bits_for(uint64_t{block.high} - block.low + 1);
    const std::size_t bytes = Kept::bytes_for(block.members, width);
    if (body.image_bytes + bytes > uint64_t{map->size} * sizeof(uint32_t)) return nullptr;
    Kept *const kept = static_cast<Kept *>(allocate(bytes));
    if (kept == nullptr) return nullptr;
    std::memset(static_cast<void *>(kept), 0, bytes);
    new (kept) Kept{b, block.low, width, block.members};
    BwtDecoder decoder(block);
    uint32_t members[256];
    const uint32_t mask = kept->view().mask;
    for (uint32_t i = 0, n; (n = decoder.next(members, 256)) != 0;)
        for (uint32_t j = 0; j < n; j++)
            packed_put(kept->bits(), width, i++, (members[j] - block.low) & mask);
    return kept;
}

// ---- reading

void unpack(const PackedView &view, uint32_t low, uint32_t from, uint32_t n,
            uint32_t *out) noexcept {
    for (uint32_t i = 0; i < n; i++)
        out[i] = low + view[uint64_t{from} + i];
}

// Members from .. from+n-1 of a squeezed block, which is not kept.
void stream(const BwtBlock &block, uint32_t from, uint32_t n, uint32_t *out) noexcept {
    BwtDecoder decoder(block);
    uint32_t members[256];
    for (uint32_t skipped = 0, some; skipped < from; skipped += some)
        some = decoder.next(members, std::min(from - skipped, uint32_t{256}));
    for (uint32_t done = 0; done < n;)
        done += decoder.next(out + done, n - done);
}

void read(const cmap_t *map, const BwtBody &body, uint32_t b, uint32_t from, uint32_t n,
          uint32_t *out) noexcept {
    const BwtBlock block = block_of(map, body, b);
    if (!block.squeezed()) return unpack(block.packed(), block.low, from, n, out);
    Kept *kept = take(body);
    if (kept == nullptr || kept->block != b) {
        Kept *const fresh = n < block.members ? decompress(map, body, b, block) : nullptr;
        if (fresh == nullptr) {
            if (kept != nullptr) put_back(body, kept);
            return stream(block, from, n, out);
        }
        deallocate(kept);
        kept = fresh;
    }
    unpack(kept->view(), kept->low, from, n, out);
    put_back(body, kept);
}

void decode_block(const cmap_t *map, uint32_t first, uint32_t count, uint32_t *indices) noexcept {
    const BwtBody &body = body_of<BwtBody>(map);
    for (uint32_t b = first / body.block, from = first % body.block; count > 0; b++, from = 0) {
        const uint32_t room = body.block - from, n = count < room ? count : room;
        read(map, body, b, from, n, indices);
        indices += n, count -= n;
    }
}

uint32_t select(const cmap_t *map, uint32_t rank) noexcept {
    uint32_t index;
    decode_block(map, rank, 1, &index);
    return index;
}

uint32_t rank_in(const cmap_t *map, const BwtBody &body, uint32_t b, uint32_t index) noexcept {
    const uint32_t members = block_of(map, body, b).members;
    uint32_t some[256];
    for (uint32_t from = 0, n; from < members; from += n) {
        n = std::min(members - from, uint32_t{256});
        read(map, body, b, from, n, some);
        for (uint32_t i = 0; i < n; i++)
            if (some[i] == index) return b * body.block + from + i;
    }
    return CMAP_NONE;
}

// The last block that does not begin beyond the index.
uint32_t block_with(const BwtBody &body, uint32_t index) noexcept {
    return bisect(uint32_t{0}, body.count, [&](uint32_t b) { return body.get(b, BASE) <= index; });
}

uint32_t rank(const cmap_t *map, uint32_t index) noexcept {
    const BwtBody &body = body_of<BwtBody>(map);
    if (is_set(map)) return rank_in(map, body, block_with(body, index), index);
    uint32_t found[BWT_SCAN], n = 0;
    for (uint32_t b = 0; b < body.count; b++) {
        if (index < body.get(b, LOW) || index > body.get(b, HIGH)) continue;
        if (n == BWT_SCAN) return list_rank(map, index);
        found[n++] = b;
    }
    uint32_t rank = CMAP_NONE;
    for (uint32_t i = 0; i < n && rank == CMAP_NONE; i++)
        rank = rank_in(map, body, found[i], index);
    return rank;
}

// ---- the rest

void release(cmap_t *map) noexcept {
    const BwtBody &body = body_of<BwtBody>(map);
    deallocate(take(body));
    deallocate(body.image);
}

std::size_t cached(const cmap_t *map) noexcept {
    const BwtBody &body = body_of<BwtBody>(map);
    Kept *const kept = take(body);
    if (kept == nullptr) return 0;
    const std::size_t bytes = Kept::bytes_for(kept->members, kept->width);
    put_back(body, kept);
    return bytes;
}

std::size_t bytes(const cmap_t *map) noexcept {
    return body_of<BwtBody>(map).image_bytes + cached(map);
}

const char *validate_block(const cmap_t *map, const BwtBody &body, uint32_t b) noexcept {
    const BwtBlock block = block_of(map, body, b);
    if (block.low > block.high || block.low < map->min || block.high > map->max)
        return "bwt: the ends of a block are wrong";
    if (!block.squeezed()) {
        const std::size_t bits = uint64_t{block.members} * block.bytes[0];
        return block.length == 1 + (bits + 7) / 8 ? nullptr
                                                  : "bwt: a packed block's length is wrong";
    }
    if (block.bytes[0] < BWT_SQUEEZED + 1 || block.bytes[0] > BWT_SQUEEZED + 4)
        return "bwt: the head of a block is wrong";
    BwtDecoder decoder(block);
    uint32_t members[256];
    bool within = true;
    for (uint32_t n; (n = decoder.next(members, 256)) != 0;)
        for (uint32_t i = 0; i < n; i++)
            within = within && members[i] >= block.low && members[i] <= block.high;
    if (!decoder.intact()) return "bwt: a compressed block is damaged";
    return within ? nullptr : "bwt: a member lies outside its block's ends";
}

const char *validate(const cmap_t *map) noexcept {
    const BwtBody &body = body_of<BwtBody>(map);
    if (body.block < CMAP_BWT_BLOCK_MIN || body.block > CMAP_BWT_BLOCK_MAX)
        return "bwt: the size of the blocks is out of range";
    if (map->size == 0 || body.count != (map->size - 1) / body.block + 1)
        return "bwt: the number of blocks is wrong";
    if (body.entry != entry_numbers(is_set(map))) return "bwt: the directory is of another kind";
    for (uint32_t b = 0; b < body.count; b++)
        if (body.get(b, OFFSET) >= body.end_of(b)) return "bwt: the offsets do not increase";
    for (uint32_t b = 0; b < body.count; b++)
        if (const char *reason = validate_block(map, body, b)) return reason;
    return nullptr;
}

int describe(const cmap_t *map, char *text, std::size_t room) noexcept {
    const BwtBody &body = body_of<BwtBody>(map);
    uint32_t squeezed = 0;
    for (uint32_t b = 0; b < body.count; b++)
        squeezed += block_of(map, body, b).squeezed();
    return std::snprintf(text, room, "%u blocks of %u in %llu bytes, %u by bzip2", body.count,
                         body.block, static_cast<unsigned long long>(body.image_bytes), squeezed);
}

}  // namespace

constexpr Representation bwt_representation = representation_with([](Representation &rep) {
    rep.name = "bwt";
    rep.list = true;
    CMAP_FUNCTIONS(rep);
    rep.cached = cached;
});

}  // namespace cmap
