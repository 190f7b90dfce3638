// SPDX-License-Identifier: BSD-3-Clause
#include "core/deposit.hpp"

#include "core/processor.hpp"

namespace cmap {

uint64_t deposit_portable(uint64_t value, uint64_t mask) noexcept {
    uint64_t out = 0;
    for (; mask != 0; mask &= mask - 1, value >>= 1)
        out |= (mask & (0 - mask)) & (0 - (value & 1));
    return out;
}

uint64_t extract_portable(uint64_t value, uint64_t mask) noexcept {
    uint64_t out = 0;
    for (unsigned at = 0; mask != 0; mask &= mask - 1, at++)
        out |= uint64_t{(value & mask & (0 - mask)) != 0} << at;
    return out;
}

#if CMAP_X86
namespace {

__attribute__((target("bmi2"))) uint64_t deposit_bmi2(uint64_t value, uint64_t mask) noexcept {
    return __builtin_ia32_pdep_di(value, mask);
}

__attribute__((target("bmi2"))) uint64_t extract_bmi2(uint64_t value, uint64_t mask) noexcept {
    return __builtin_ia32_pext_di(value, mask);
}

}  // namespace

uint64_t deposit(uint64_t value, uint64_t mask) noexcept {
    return fast_deposit ? deposit_bmi2(value, mask) : deposit_portable(value, mask);
}

uint64_t extract(uint64_t value, uint64_t mask) noexcept {
    return fast_deposit ? extract_bmi2(value, mask) : extract_portable(value, mask);
}
#else
uint64_t deposit(uint64_t value, uint64_t mask) noexcept { return deposit_portable(value, mask); }

uint64_t extract(uint64_t value, uint64_t mask) noexcept { return extract_portable(value, mask); }
#endif

}  // namespace cmap
