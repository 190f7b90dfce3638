// SPDX-License-Identifier: BSD-3-Clause
#include "core/policy.hpp"

#include <atomic>
#include <cstring>
#include <mutex>

#include "core/registry.hpp"

namespace cmap {
namespace {

// Every builder reads it, hardly anybody writes it: readers take no lock, but look again when the
// version has changed meanwhile or is odd, which it is while the parts change.
class DefaultPolicy {
  public:
    cmap_policy load() const noexcept {
        for (;;) {
            const uint32_t version = version_.load(std::memory_order_acquire);
            const cmap_policy policy = {strategy_.load(std::memory_order_acquire),
                                        alpha_.load(std::memory_order_acquire),
                                        force_.load(std::memory_order_acquire)};
            if (version % 2 == 0 && version_.load(std::memory_order_relaxed) == version)
                return policy;
        }
    }
    void store(const cmap_policy &policy) noexcept {
        const std::lock_guard<std::mutex> guard(lock_);
        const uint32_t version = version_.load(std::memory_order_relaxed);
        version_.store(version + 1, std::memory_order_relaxed);
        strategy_.store(policy.strategy, std::memory_order_release);
        alpha_.store(policy.alpha, std::memory_order_release);
        force_.store(policy.force, std::memory_order_release);
        version_.store(version + 2, std::memory_order_release);
    }

  private:
    std::mutex lock_;
    std::atomic<uint32_t> version_{0};
    std::atomic<cmap_strategy> strategy_{CMAP_STRATEGY_HYBRID};
    std::atomic<double> alpha_{CMAP_ALPHA_DEFAULT};
    std::atomic<cmap_rep> force_{CMAP_REP_ANY};
};

DefaultPolicy default_policy;

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
    return default_policy.load();
}

cmap_policy policy_normal(const cmap_policy &policy) noexcept {
    const bool counts =
        policy.strategy == CMAP_STRATEGY_HYBRID && policy.alpha != 0;  // and no -0.0
    return {policy.strategy, counts ? policy.alpha : 0.0, policy.force};
}

}  // namespace cmap

using namespace cmap;

void MPIR_cmap_policy_default(cmap_policy *out) noexcept {
    if (out != nullptr) *out = policy_or_default(nullptr);
}

cmap_status MPIR_cmap_policy_set_default(const cmap_policy *policy) noexcept {
    if (policy == nullptr || !policy_valid(*policy)) return CMAP_ERR_ARG;
    default_policy.store(*policy);
    return CMAP_OK;
}

void MPIR_cmap_policy_of(const cmap_t *map, cmap_policy *out) noexcept {
    if (map == nullptr || out == nullptr) return;
    *out = {static_cast<cmap_strategy>(map->strategy), map->alpha,
            static_cast<cmap_rep>(map->force)};
}

const char *MPIR_cmap_rep_name(cmap_rep rep) noexcept { return rep_name(number_of(rep)); }

int MPIR_cmap_rep_available(cmap_rep rep) noexcept {
    const unsigned number = number_of(rep);
    return number < CMAP_REP_COUNT && !is_left_out(representation(number));
}

const char *MPIR_cmap_strategy_name(cmap_strategy strategy) noexcept {
    const unsigned number = number_of(strategy);
    return number < STRATEGIES ? strategy_names[number] : "unknown";
}

cmap_status MPIR_cmap_rep_from_name(const char *name, cmap_rep *out) noexcept {
    if (name == nullptr || out == nullptr) return CMAP_ERR_ARG;
    for (unsigned rep = 0; rep <= CMAP_REP_ANY; rep++)
        if (std::strcmp(name, rep_name(rep)) == 0) {
            *out = static_cast<cmap_rep>(rep);
            return CMAP_OK;
        }
    return CMAP_ERR_ARG;
}

cmap_status MPIR_cmap_strategy_from_name(const char *name, cmap_strategy *out) noexcept {
    if (name == nullptr || out == nullptr) return CMAP_ERR_ARG;
    for (unsigned strategy = 0; strategy < STRATEGIES; strategy++)
        if (std::strcmp(name, strategy_names[strategy]) == 0) {
            *out = static_cast<cmap_strategy>(strategy);
            return CMAP_OK;
        }
    return CMAP_ERR_ARG;
}
