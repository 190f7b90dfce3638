// SPDX-License-Identifier: BSD-3-Clause
// From a function in BuDDy to the stored forms.
#ifndef CMAP_REP_BDD_EXTRACT_HPP_INCLUDED
#define CMAP_REP_BDD_EXTRACT_HPP_INCLUDED

#include "rep/bdd_body.hpp"
#include "rep/bdd_package.hpp"

namespace cmap {

// Fill body.data, which has room for what the body says of cells, words and paths.  False: no
// memory, or that is not what there is.
bool extract_cells(BddPackage &package, BddPackage::Node root, BddBody &body) noexcept;
bool extract_paths(BddPackage &package, BddPackage::Node root, BddBody &body) noexcept;

}  // namespace cmap

#endif  // CMAP_REP_BDD_EXTRACT_HPP_INCLUDED
