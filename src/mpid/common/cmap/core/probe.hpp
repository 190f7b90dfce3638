// SPDX-License-Identifier: BSD-3-Clause
// Has a set a pattern?  A few hundred of its aligned blocks, looked at before the whole.
#ifndef CMAP_CORE_PROBE_HPP_INCLUDED
#define CMAP_CORE_PROBE_HPP_INCLUDED

#include "core/content.hpp"

namespace cmap {

// True: the blocks of some size are almost certainly more than `limit` different ones, so that a
// diagram of the set has more than `limit` nodes.  By the birthday paradox: of s blocks drawn from
// d different ones at least s^2 / 2d meet their like.  False says nothing.
bool has_many_blocks(const Content &content, uint32_t min, uint32_t max, uint32_t limit) noexcept;

}  // namespace cmap

#endif  // CMAP_CORE_PROBE_HPP_INCLUDED
