// SPDX-License-Identifier: BSD-3-Clause
// The memory of a table: counted, and with an allocator that tests can make fail.
#ifndef CID_HEAP_HPP_INCLUDED
#define CID_HEAP_HPP_INCLUDED

#include <cstddef>
#include <new>

namespace cid {

void *allocate(std::size_t bytes) noexcept;  // nullptr when there is no memory
void deallocate(void *memory) noexcept;
void set_allocator(void *(*allocate)(std::size_t), void (*deallocate)(void *)) noexcept;

// What one table has allocated.
class Heap {
  public:
    void *take(std::size_t bytes) noexcept {
        void *memory = allocate(bytes);
        if (memory != nullptr) bytes_ += bytes;
        return memory;
    }
    void give(void *memory, std::size_t bytes) noexcept {
        deallocate(memory);
        bytes_ -= bytes;
    }
    std::size_t bytes() const noexcept { return bytes_; }

  private:
    std::size_t bytes_ = 0;
};

// The same for the standard library's containers, which know failure as an exception only.
template <class T>
struct HeapAllocator {
    using value_type = T;

    explicit HeapAllocator(Heap &heap) noexcept : heap(&heap) {}
    template <class U>
    HeapAllocator(const HeapAllocator<U> &other) noexcept : heap(other.heap) {}

    T *allocate(std::size_t n) {
        void *memory = heap->take(n * sizeof(T));
        if (memory == nullptr) throw std::bad_alloc();
        return static_cast<T *>(memory);
    }
    void deallocate(T *memory, std::size_t n) noexcept { heap->give(memory, n * sizeof(T)); }

    Heap *heap;
};

template <class T, class U>
bool operator==(const HeapAllocator<T> &one, const HeapAllocator<U> &other) noexcept {
    return one.heap == other.heap;
}
template <class T, class U>
bool operator!=(const HeapAllocator<T> &one, const HeapAllocator<U> &other) noexcept {
    return one.heap != other.heap;
}

}  // namespace cid

#endif  // CID_HEAP_HPP_INCLUDED
