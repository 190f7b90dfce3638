// SPDX-License-Identifier: BSD-3-Clause
#include "core/processor.hpp"

namespace cmap {

#if CMAP_X86
// AMD before family 19h has both in microcode: hundreds of cycles.
bool has_fast_deposit() noexcept {
    __builtin_cpu_init();
    const bool slow = __builtin_cpu_is("amdfam15h") || __builtin_cpu_is("amdfam17h");
    return __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") && !slow;
}

bool has_fast_vectors() noexcept {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
}
#else
bool has_fast_deposit() noexcept { return false; }

bool has_fast_vectors() noexcept { return false; }
#endif

bool fast_deposit = has_fast_deposit();
bool fast_vectors = has_fast_vectors();

}  // namespace cmap
