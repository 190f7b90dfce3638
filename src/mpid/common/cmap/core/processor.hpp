// SPDX-License-Identifier: BSD-3-Clause
// What the processor has of what faster kernels are written for: looked up once, when the library
// is loaded.
#ifndef CMAP_CORE_PROCESSOR_HPP_INCLUDED
#define CMAP_CORE_PROCESSOR_HPP_INCLUDED

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define CMAP_X86 1
#else
#define CMAP_X86 0
#endif

namespace cmap {

bool has_fast_deposit() noexcept;  // pdep and pext that are not in microcode, and popcnt
bool has_fast_vectors() noexcept;  // AVX2 and BMI2

// The kernels go by these, so that tests can have the portable ones.  Until the look-up has run at
// load time they read false, which is slower and no less right.
extern bool fast_deposit, fast_vectors;

}  // namespace cmap

#endif  // CMAP_CORE_PROCESSOR_HPP_INCLUDED
