// SPDX-License-Identifier: BSD-3-Clause
#include "core/limits.hpp"

#include <mutex>

#include "cmap_tuning.hpp"

namespace cmap {
namespace {

std::mutex limits_lock;
cmap_limits current = {BDD_NODES, BDD_PATHS, WTR_RUNS, BWT_BLOCK};

}  // namespace

cmap_limits limits() noexcept {
    const std::lock_guard<std::mutex> guard(limits_lock);
    return current;
}

}  // namespace cmap

using namespace cmap;

void MPIR_cmap_limits_get(cmap_limits *out) noexcept {
    if (out != nullptr) *out = limits();
}

cmap_status MPIR_cmap_limits_set(const cmap_limits *wanted) noexcept {
    if (wanted == nullptr || wanted->bwt_block < CMAP_BWT_BLOCK_MIN ||
        wanted->bwt_block > CMAP_BWT_BLOCK_MAX)
        return CMAP_ERR_ARG;
    const std::lock_guard<std::mutex> guard(limits_lock);
    current = *wanted;
    return CMAP_OK;
}
