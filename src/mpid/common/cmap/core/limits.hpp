// SPDX-License-Identifier: BSD-3-Clause
// The limits in force: read once by each build, set by the C face.
#ifndef CMAP_CORE_LIMITS_HPP_INCLUDED
#define CMAP_CORE_LIMITS_HPP_INCLUDED

#include "cmap.h"

namespace cmap {

cmap_limits limits() noexcept;

}  // namespace cmap

#endif  // CMAP_CORE_LIMITS_HPP_INCLUDED
