// SPDX-License-Identifier: BSD-3-Clause
#include "core/policy.hpp"

#include <cstring>
#include <mutex>

#include "core/registry.hpp"

namespace cmap {
namespace {

std::mutex default_lock;
cmap_policy default_policy = {CMAP_STRATEGY_HYBRID, CMAP_ALPHA_DEFAULT, CMAP_REP_ANY};

constexpr const char *strategy_names[] = {"hybrid", "time", "space"};
constexpr unsigned STRATEGIES = sizeof strategy_names / sizeof *strategy_names;

const char *rep_name(unsigned rep) noexcept {
    return rep < CMAP_REP_COUNT ? representation(rep).name : "any";
}

}  // namespace

bool policy_valid(const cmap_policy &policy) noexcept {
    const bool alpha = policy.alpha >= 0 && policy.alpha <= 1;  // false for a NaN
    return alpha && number_of(policy.strategy) < STRATEGIES &&
           number_of(policy.force) <= CMAP_REP_ANY;
}

cmap_policy policy_or_default(const cmap_policy *policy) noexcept {
    if (policy != nullptr) return *policy;
    const std::lock_guard<std::mutex> guard(default_lock);
    return default_policy;
}

cmap_policy policy_normal(const cmap_policy &policy) noexcept {
    const bool counts =
        policy.strategy == CMAP_STRATEGY_HYBRID && policy.alpha != 0;  // and no -0.0
    return {policy.strategy, counts ? policy.alpha : 0.0, policy.force};
}

}  // namespace cmap

using namespace cmap;

void cmap_policy_default(cmap_policy *out) noexcept {
    if (out != nullptr) *out = policy_or_default(nullptr);
}

cmap_status cmap_policy_set_default(const cmap_policy *policy) noexcept {
    if (policy == nullptr || !policy_valid(*policy)) return CMAP_ERR_ARG;
    const std::lock_guard<std::mutex> guard(default_lock);
    default_policy = *policy;
    return CMAP_OK;
}

void cmap_policy_of(const cmap_t *map, cmap_policy *out) noexcept {
    if (map == nullptr || out == nullptr) return;
    *out = {static_cast<cmap_strategy>(map->strategy), map->alpha,
            static_cast<cmap_rep>(map->force)};
}

const char *cmap_rep_name(cmap_rep rep) noexcept { return rep_name(number_of(rep)); }

const char *cmap_strategy_name(cmap_strategy strategy) noexcept {
    const unsigned number = number_of(strategy);
    return number < STRATEGIES ? strategy_names[number] : "unknown";
}

cmap_status cmap_rep_from_name(const char *name, cmap_rep *out) noexcept {
    if (name == nullptr || out == nullptr) return CMAP_ERR_ARG;
    for (unsigned rep = 0; rep <= CMAP_REP_ANY; rep++)
        if (std::strcmp(name, rep_name(rep)) == 0) {
            *out = static_cast<cmap_rep>(rep);
            return CMAP_OK;
        }
    return CMAP_ERR_ARG;
}

cmap_status cmap_strategy_from_name(const char *name, cmap_strategy *out) noexcept {
    if (name == nullptr || out == nullptr) return CMAP_ERR_ARG;
    for (unsigned strategy = 0; strategy < STRATEGIES; strategy++)
        if (std::strcmp(name, strategy_names[strategy]) == 0) {
            *out = static_cast<cmap_strategy>(strategy);
            return CMAP_OK;
        }
    return CMAP_ERR_ARG;
}
