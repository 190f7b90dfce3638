// SPDX-License-Identifier: BSD-3-Clause
// Bits dealt out to the positions of a mask and gathered from them: one instruction where the
// processor has it.
#ifndef CMAP_CORE_DEPOSIT_HPP_INCLUDED
#define CMAP_CORE_DEPOSIT_HPP_INCLUDED

#include <cstdint>

namespace cmap {

// The low bits of `value` at the positions where `mask` has ones, the lowest first.
uint64_t deposit(uint64_t value, uint64_t mask) noexcept;
// The bits of `value` where `mask` has ones, next to one another.
uint64_t extract(uint64_t value, uint64_t mask) noexcept;
// The same two without the instruction: what the others come to elsewhere, and what tests compare.
uint64_t deposit_portable(uint64_t value, uint64_t mask) noexcept;
uint64_t extract_portable(uint64_t value, uint64_t mask) noexcept;

}  // namespace cmap

#endif  // CMAP_CORE_DEPOSIT_HPP_INCLUDED
