// SPDX-License-Identifier: BSD-3-Clause
// An allocator for a module's tests that counts what is alive and can be told to fail.
#ifndef TEST_UNIT_COUNTING_ALLOCATOR_HPP_INCLUDED
#define TEST_UNIT_COUNTING_ALLOCATOR_HPP_INCLUDED

#include <cstddef>
#include <cstdint>

namespace cmap_test {

// Installed by its constructor, taken out by its destructor.  REQUIRES at both that nothing of the
// module's is alive.
class CountingAllocator {
  public:
    // MPIR_cmap_set_allocator, for one.
    using Install = void (*)(void *(*allocate)(size_t), void (*deallocate)(void *));

    explicit CountingAllocator(Install install);
    ~CountingAllocator();
    CountingAllocator(const CountingAllocator &) = delete;
    CountingAllocator &operator=(const CountingAllocator &) = delete;

    // The k-th allocation from now on fails, once; every one from the k-th on fails.  0 is the next
    // one.
    void fail_at(uint64_t k);
    void fail_from(uint64_t k);
    void fail_never();
    bool has_failed() const;

    uint64_t blocks_alive() const;
    uint64_t bytes_alive() const;
    uint64_t bytes_peak() const;  // the most alive at once, since restart_peak()
    void restart_peak();
    uint64_t bytes_asked() const;  // ever, since the constructor

  private:
    Install install_;
};

}  // namespace cmap_test

#endif  // TEST_UNIT_COUNTING_ALLOCATOR_HPP_INCLUDED
