// SPDX-License-Identifier: BSD-3-Clause
// The policy of a map: checking, the default, and one form for policies that mean the same.
#ifndef CMAP_CORE_POLICY_HPP_INCLUDED
#define CMAP_CORE_POLICY_HPP_INCLUDED

#include <cstring>

#include "cmap.h"

namespace cmap {

// The number behind an enum that came from C, where any number may be: reading it as the enum would
// be undefined.
template <class Enum>
unsigned number_of(const Enum &value) noexcept {
    unsigned number;
    static_assert(sizeof number == sizeof value, "enums of the C face are ints");
    std::memcpy(&number, &value, sizeof number);
    return number;
}

bool policy_valid(const cmap_policy &policy) noexcept;
// The policy given, or the default for nullptr.
cmap_policy policy_or_default(const cmap_policy *policy) noexcept;
// Without what has no effect: alpha counts under hybrid alone.
cmap_policy policy_normal(const cmap_policy &policy) noexcept;

}  // namespace cmap

#endif  // CMAP_CORE_POLICY_HPP_INCLUDED
