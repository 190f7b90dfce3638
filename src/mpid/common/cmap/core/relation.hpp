// SPDX-License-Identifier: BSD-3-Clause
// What a builder was told of where its members come from: they are those of another map, the
// parent, at some of its ranks.
#ifndef CMAP_CORE_RELATION_HPP_INCLUDED
#define CMAP_CORE_RELATION_HPP_INCLUDED

#include <optional>

#include "core/registry.hpp"

namespace cmap {

// Could a map that refers to this one ever be worth its while?  `members`: at most so many.
bool worth_relating(const cmap_t *parent, uint32_t members, const cmap_policy &policy) noexcept;

class Relation {
  public:
    // Both must outlive this.
    Relation(const cmap_t *parent, const Content &ranks) noexcept
        : parent_(parent), ranks_(&ranks) {}

    // The set to share, when the child is a permutation of the parent: the parent itself, or what
    // it is a permutation of.  nullptr: it is none, or shares nothing.
    const cmap_t *shared_set(const Analysis &child) noexcept;
    // The members as positions in it, in the order of the child.  REQUIRES shared_set() before.
    const Content &permutation() const noexcept { return *permutation_; }

    // Finds out, once, which map to refer to: a set to share; otherwise, where the parent itself
    // refers to another one, that one is tried first.  False: there is no memory, or none may be
    // referred to.
    bool prepare(const Analysis &child) noexcept;

    // REQUIRES prepare() before.
    const cmap_t *parent() const noexcept { return parent_; }
    Analysis &inner() noexcept { return *inner_; }

  private:
    bool find_permutation(const cmap_t *set) noexcept;
    bool flatten(const cmap_t *&root, Content &ranks) const noexcept;
    void choose_root(const Analysis &child, const cmap_t *root) noexcept;

    const cmap_t *parent_;
    const Content *ranks_;
    Content flat_;
    Buffer<uint32_t> array_;  // that it borrows, where it has the permutation
    const cmap_t *set_ = nullptr;
    const Content *permutation_ = nullptr;
    bool looked_ = false;
    bool prepared_ = false;
    std::optional<Analysis> inner_;
};

}  // namespace cmap

#endif  // CMAP_CORE_RELATION_HPP_INCLUDED
