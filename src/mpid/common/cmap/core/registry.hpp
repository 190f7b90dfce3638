// SPDX-License-Identifier: BSD-3-Clause
// The table of representations: one entry each, in the order of cmap_rep.
//
// A new representation is its file under rep/, a tag in cmap.h, its name here and in registry.cpp,
// and its times in cmap_times.hpp: doc/contributing/adding_a_representation.md.
#ifndef CMAP_CORE_REGISTRY_HPP_INCLUDED
#define CMAP_CORE_REGISTRY_HPP_INCLUDED

#include <new>

#include "cmap_lookup.h"
#include "core/analysis.hpp"

namespace cmap {

struct Estimate {
    bool fits;  // false: this representation cannot hold the members (builders may still decline)
    uint64_t space;  // payload in bytes, exact or up to 10 % too much; headers of maps referred to
                     // included
    double time;     // ns of a dependent random select
    bool shares = false;  // the set of the parent that the members are a permutation of
};

inline Estimate cannot() noexcept { return Estimate{false, 0, 0}; }

// The payload of a small map lies in its header.
inline bool inside(uint32_t size) noexcept { return size <= CMAP_INLINE_MEMBERS; }
inline bool inside(const cmap_t *map) noexcept { return inside(map->size); }

// Of a map of `size` members with a payload of so many bytes, of which its header has room for
// `room`.  `time` is without the access to the payload.
Estimate estimate_of(uint32_t size, uint64_t bytes, uint64_t room, double time) noexcept;

// The memory of a payload comes to lie elsewhere: adds the distance to each pointer into it.
class Relocation {
  public:
    // To memory at `to`; nullptr: there is none any more, and the pointers become null.
    Relocation(const void *from, const void *to) noexcept
        : from_(reinterpret_cast<uintptr_t>(from)), to_(reinterpret_cast<uintptr_t>(to)) {}

    template <class T>
    void operator()(T *&pointer) const noexcept {
        if (pointer == nullptr) return;
        const uintptr_t at = reinterpret_cast<uintptr_t>(pointer) - from_;
        pointer = to_ == 0 ? nullptr : reinterpret_cast<T *>(to_ + at);
    }

  private:
    uintptr_t from_, to_;
};

// Every function is required unless marked.  All get maps of their own kind.
struct Representation {
    const char *name = nullptr;
    bool list = false;  // rank() of one that is no set goes through the inverse
    // Pure, but for a plan it may keep.  Sizes above CMAP_INLINE_MEMBERS; smaller ones fit when the
    // header has room for them.
    Estimate (*estimate)(const Analysis &) = nullptr;
    // Fills map->body; size, min, max, flags and policy are set.  CMAP_ERR_INVALID: declined, take
    // another.  On failure nothing is left behind.
    cmap_status (*build)(cmap_t *map, const Analysis &) = nullptr;
    void (*release)(cmap_t *map) = nullptr;  // optional: gives back the payload and the references
    uint32_t (*select)(const cmap_t *map, uint32_t rank) = nullptr;
    // min <= index <= max is known
    uint32_t (*rank)(const cmap_t *map, uint32_t index) = nullptr;
    void (*decode)(const cmap_t *map, uint32_t first, uint32_t count, uint32_t *indices) = nullptr;
    // Optional, see pieces.hpp.
    bool (*pieces)(const cmap_t *map, std::size_t limit, Pieces &out) = nullptr;
    // Optional: equal to members with the same size, min, max and hash?  By default the map is
    // decoded.
    bool (*equals)(const cmap_t *map, const Analysis &) = nullptr;
    std::size_t (*bytes)(const cmap_t *map) = nullptr;  // own payload
    // Optional: the maps referred to, one after the other, then nullptr.
    const cmap_t *(*part)(const cmap_t *map, uint32_t i) = nullptr;
    // Optional, of a permutation of the set that is part 0: the rank in that set of the member at
    // a rank.
    uint32_t (*position)(const cmap_t *map, uint32_t rank) = nullptr;
    // nullptr, or what is wrong with the body
    const char *(*validate)(const cmap_t *map) = nullptr;
    int (*describe)(const cmap_t *map, char *text, std::size_t room) = nullptr;  // without the name
    // Optional, of a set: marks its members, as positions from `base` on, in words that were zero.
    // REQUIRES a base that is a multiple of 64 and members within base .. base + 64 * count - 1.
    void (*mark)(const cmap_t *map, uint32_t base, uint64_t *words, uint32_t count) = nullptr;
    // Optional: what of `bytes` lookups have added.
    std::size_t (*cached)(const cmap_t *map) = nullptr;
    // Optional, of a payload that is `bytes` of memory without pointers, and does not change: where
    // it begins, and what moves the pointers to it.  The former is null when the map is in its
    // header.
    const void *(*payload)(const cmap_t *map) = nullptr;
    void (*relocate)(cmap_t *map, const Relocation &move) = nullptr;
    // Optional, of a list: should its members be sorted, so that analysis.set_stats and
    // analysis.sorter are there for the estimate?
    bool (*wants_order)(const Analysis &) = nullptr;
};

// The required functions of an entry and `release`, from the functions of these names where it is
// written.
#define CMAP_FUNCTIONS(entry)          \
    do {                               \
        (entry).estimate = estimate;   \
        (entry).build = build;         \
        (entry).release = release;     \
        (entry).select = select;       \
        (entry).rank = rank;           \
        (entry).decode = decode_block; \
        (entry).bytes = bytes;         \
        (entry).validate = validate;   \
        (entry).describe = describe;   \
    } while (0)

// The same for `payload` and `relocate`.
#define CMAP_ONE_PAYLOAD(entry)       \
    do {                              \
        (entry).payload = payload_of; \
        (entry).relocate = relocate;  \
    } while (0)

// The entry whose fields `fill` names.
template <class Fill>
constexpr Representation representation_with(Fill fill) noexcept {
    Representation rep;
    fill(rep);
    return rep;
}

// Of a representation that the library is built without there is the name, and it fits nothing.
constexpr Representation left_out(const char *name) noexcept {
    Representation rep;
    rep.name = name;
    rep.estimate = [](const Analysis &) { return cannot(); };
    return rep;
}

constexpr bool is_left_out(const Representation &rep) noexcept { return rep.build == nullptr; }

// The entries, each in the file of its name under rep/.
extern const Representation affine_representation, packed_representation, array_representation,
    runs_representation, bitmap_representation, pperm_representation, concat_representation,
    gap_representation, eliasfano_representation, bdd_representation, bwt_representation,
    wtr_representation, sub_representation;

const Representation &representation(unsigned kind) noexcept;

inline const Representation &representation(const cmap_t *map) noexcept {
    return representation(map->kind);
}

// The bodies of those that cmap_lookup.h does not know live in the opaque bytes.
template <class Body>
Body &make_body(cmap_t *map) noexcept {
    static_assert(sizeof(Body) <= CMAP_BODY_BYTES && alignof(Body) <= 8, "a body fits the header");
    return *new (map->body.opaque) Body();
}

template <class Body>
const Body &body_of(const cmap_t *map) noexcept {
    return *std::launder(reinterpret_cast<const Body *>(map->body.opaque));
}

// For a map that others do not have yet, or do not have any more.
template <class Body>
Body &changing_body_of(cmap_t *map) noexcept {
    return *std::launder(reinterpret_cast<Body *>(map->body.opaque));
}

}  // namespace cmap

#endif  // CMAP_CORE_REGISTRY_HPP_INCLUDED
