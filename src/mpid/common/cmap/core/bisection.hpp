// SPDX-License-Identifier: BSD-3-Clause
// The search among things in order that all directories and all sets share.
#ifndef CMAP_CORE_BISECTION_HPP_INCLUDED
#define CMAP_CORE_BISECTION_HPP_INCLUDED

#include <cstdint>

namespace cmap {

// Of n things from `first` on, numbers or pointers, the last for which reached(thing) holds.
// REQUIRES one, and that it holds for the first and for none behind one for which it does not.
// The comparison moves a number instead of making a branch, which would be a guess each time.
template <class At, class Reached>
inline At bisect(At first, uint32_t n, Reached &&reached) noexcept {
    while (n > 1) {
        const uint32_t half = n / 2;
        first += reached(first + half) ? half : 0;
        n -= half;
    }
    return first;
}

// How many of n things, which a number from 0 on stands for, come before those for which it holds
// no more.
template <class Reached>
inline uint32_t count_reached(uint32_t n, Reached &&reached) noexcept {
    return n > 0 && reached(uint32_t{0}) ? bisect(uint32_t{0}, n, reached) + 1 : 0;
}

// The last of n increasing numbers that is not beyond `x`.  REQUIRES that the first is not.
inline uint32_t last_up_to(const uint32_t *numbers, uint32_t n, uint32_t x) noexcept {
    return bisect(uint32_t{0}, n, [=](uint32_t i) { return numbers[i] <= x; });
}

}  // namespace cmap

#endif  // CMAP_CORE_BISECTION_HPP_INCLUDED
