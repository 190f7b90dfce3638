// SPDX-License-Identifier: BSD-3-Clause
// The group algebra on two sets that are held as decision diagrams, by BuDDy: its work is in the
// number of nodes, however many members there are.
#ifndef CMAP_ALGEBRA_DIAGRAMS_HPP_INCLUDED
#define CMAP_ALGEBRA_DIAGRAMS_HPP_INCLUDED

#include "core/bit_set.hpp"
#include "core/buffer.hpp"
#include "rep/bdd_body.hpp"
#include "rep/bdd_package.hpp"

namespace cmap {

// Worth while, and not better done word by word?
bool worth_diagrams(const cmap_t *a, const cmap_t *b) noexcept;

// A set that comes out of BuDDy, as cells.
class DiagramSet {
  public:
    // False: nodes or memory run out; then it is done another way.
    // REQUIRES two maps of the kind bdd.
    bool make(BddPackage::Operation operation, const cmap_t *a, const cmap_t *b) noexcept;
    uint32_t size() const noexcept { return size_; }
    uint32_t min() const noexcept;  // REQUIRES a member
    uint32_t max() const noexcept;
    // Bits in `words`.  False: no memory.
    bool mark(Buffer<uint64_t> &words, BitSet &out) const noexcept;
    bool decode(Buffer<uint32_t> &members) const noexcept;

  private:
    bool keep(BddPackage &package, BddPackage::Node root) noexcept;

    BddBody body_ = BddBody();
    uint32_t size_ = 0;
    Buffer<uint64_t> cells_;
};

}  // namespace cmap

#endif  // CMAP_ALGEBRA_DIAGRAMS_HPP_INCLUDED
