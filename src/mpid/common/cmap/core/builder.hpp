// SPDX-License-Identifier: BSD-3-Clause
// The builder: collects members in rank order and makes one interned map of them.  The way of a set
// from its members to a map:
//
//   Builder             takes members, pieces and slices of maps, in rank order
//     Content           keeps them: canonical pieces while these are few, else an array; or borrows
//   Analysis            all that is known of a content, under one policy and one set of limits
//     Stats             one pass: size, least, largest, runs, descents, fingerprint
//     Relation          what map they were picked from, where the caller said so: the new map may
//                       refer to it, or share its set
//   intern()            an equal map alive?  Then that one is the result, and the way ends here
//     Sorter            a list's members in order: for duplicates, or where a kind wants_order()
//   map_create()        a header
//     choose()          the strategy: each Representation's estimate() of space and time, which
//                       the policy puts in order
//       Plans           what an estimate worked out that the builder of its kind goes by
//     build()           of the first kind in that order that does not decline: the payload
//   cmap_t              never changes again: cmap_lookup.h and rep/ answer select and rank
//
// Builder::finish() is these steps from Analysis on.  Inner maps, such as the set of a permutation,
// go the same way from Analysis on, with nothing forced on them.
#ifndef CMAP_CORE_BUILDER_HPP_INCLUDED
#define CMAP_CORE_BUILDER_HPP_INCLUDED

#include "core/content.hpp"

namespace cmap {

class Builder {
  public:
    // A null policy means the default one.  A wrong policy or universe shows in every later call's
    // status.
    Builder(uint32_t universe, const cmap_policy *policy) noexcept;
    Builder(const Builder &) = delete;
    Builder &operator=(const Builder &) = delete;

    // CMAP_ERR_RANGE for members outside the universe: such a call adds nothing and may be followed
    // by others. CMAP_ERR_NOMEM: the members so far are lost; finish() says so again and empties
    // the builder.
    cmap_status add(uint32_t index) noexcept;
    cmap_status add_block(const uint32_t *indices, uint32_t n) noexcept;
    cmap_status add_run(const Run &run) noexcept;
    cmap_status add_piece(const Piece &piece) noexcept;
    // Ranks first .. first+count-1 of a map; CMAP_ERR_RANGE when it has not so many.
    cmap_status add_slice(const cmap_t *map, uint32_t first, uint32_t count) noexcept;
    cmap_status add_map(const cmap_t *map) noexcept;
    // What MPIR_cmap_to_words() wrote (wire.cpp); CMAP_ERR_ARG for anything else.
    cmap_status add_words(const uint32_t *words, uint32_t n) noexcept;

    // All members at once, without a copy: instead of any add, and the array must stay until
    // finish().
    void borrow(const uint32_t *indices, uint32_t n) noexcept;
    // The same with one or two sets as bits: see Content.
    void borrow(const BitSet *sets, unsigned n) noexcept;

    // Optional, for members that are those of `parent` at some of its ranks: where to put those
    // ranks, all of them, before finish(), until which the map must stay.  nullptr: no use.
    Content *relate(const cmap_t *parent, uint32_t members) noexcept;
    // They are not all there.
    void unrelate() noexcept;

    uint32_t size() const noexcept { return content_.size(); }
    uint32_t universe() const noexcept { return universe_; }
    cmap_status status() const noexcept { return status_; }

    // The map of the members so far, with one reference for the caller; the builder is empty
    // afterwards.
    cmap_status finish(cmap_t **out) noexcept;

  private:
    cmap_status admit(uint64_t members) noexcept;
    cmap_status kept(bool done) noexcept;
    cmap_status check(const Piece &piece) const noexcept;  // REQUIRES a member
    cmap_status add_members(const cmap_t *map, uint32_t first, uint32_t count) noexcept;
    void empty() noexcept;

    uint32_t universe_;
    cmap_policy policy_;
    cmap_status status_;     // of the arguments of the constructor; never changes
    bool lost_ = false;      // memory failed during an add
    bool overfull_ = false;  // more members than the universe has: some came twice
    Content content_;
    const cmap_t *parent_ = nullptr;
    Content ranks_;  // in it
};

}  // namespace cmap

#endif  // CMAP_CORE_BUILDER_HPP_INCLUDED
