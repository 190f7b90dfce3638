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

    // Finds out, once, which map to refer to: where the parent itself refers to another one, that
    // one is tried first.  False: there is no memory, or none may be referred to.
    bool prepare(const Analysis &child) noexcept;

    // REQUIRES prepare() before.
    const cmap_t *parent() const noexcept { return parent_; }
    Analysis &inner() noexcept { return *inner_; }

  private:
    bool flatten(const cmap_t *&root, Content &ranks) const noexcept;
    void choose_root(const Analysis &child, const cmap_t *root) noexcept;

    const cmap_t *parent_;
    const Content *ranks_;
    Content flat_;
    bool prepared_ = false;
    std::optional<Analysis> inner_;
};

}  // namespace cmap

#endif  // CMAP_CORE_RELATION_HPP_INCLUDED
