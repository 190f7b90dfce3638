// SPDX-License-Identifier: BSD-3-Clause Classes and functions of a program, in namespaces of the
// names that the MPI library uses inside; none of them may be called by it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace cmap {

void *allocate(std::size_t) noexcept { std::abort(); }
void deallocate(void *) noexcept { std::abort(); }

class Diagram {
  public:
    void clear() noexcept;
};
void Diagram::clear() noexcept { std::abort(); }

}  // namespace cmap

namespace cid {

class BitTree {
  public:
    void set(uint32_t) noexcept;
};
void BitTree::set(uint32_t) noexcept { std::abort(); }

}  // namespace cid
