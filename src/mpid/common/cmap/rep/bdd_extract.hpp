// SPDX-License-Identifier: BSD-3-Clause
// From a function in BuDDy, or in the core's own diagram, to the stored forms.
#ifndef CMAP_REP_BDD_EXTRACT_HPP_INCLUDED
#define CMAP_REP_BDD_EXTRACT_HPP_INCLUDED

#include "core/diagram.hpp"
#include "rep/bdd_body.hpp"
#include "rep/bdd_package.hpp"

namespace cmap {

// What a function takes as cells.  False: no memory.
bool count_cells(BddPackage &package, BddPackage::Node root, uint32_t &cells,
                 uint32_t &words) noexcept;
// The function of a stored body among the variables of a block of 2^levels positions from `base` on
// that holds the body's own.
BddPackage::Node load_body(BddPackage &package, const BddBody &body, uint32_t base,
                           unsigned levels) noexcept;

// Fills body.data, which has room for what the body says of cells, words or paths.  False: no
// memory, or that is not what there is.
bool extract(BddPackage &package, BddPackage::Node root, BddBody &body) noexcept;
bool extract(const Diagram &diagram, BddBody &body) noexcept;

}  // namespace cmap

#endif  // CMAP_REP_BDD_EXTRACT_HPP_INCLUDED
