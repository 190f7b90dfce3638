// SPDX-License-Identifier: BSD-3-Clause
// A growable array of plain values on the module's allocator.  It never throws: what can fail
// returns false.
#ifndef CMAP_CORE_BUFFER_HPP_INCLUDED
#define CMAP_CORE_BUFFER_HPP_INCLUDED

#include <cassert>
#include <cstring>
#include <type_traits>

#include "core/memory.hpp"

namespace cmap {

template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable<T>::value, "grown by memcpy");

  public:
    Buffer() noexcept = default;
    Buffer(Buffer &&other) noexcept { swap(other); }
    Buffer &operator=(Buffer &&other) noexcept {
        swap(other);
        return *this;
    }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    ~Buffer() { deallocate(data_); }

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    std::size_t bytes() const noexcept { return capacity_ * sizeof(T); }
    T *data() noexcept { return data_; }
    const T *data() const noexcept { return data_; }
    T *begin() noexcept { return data_; }
    T *end() noexcept { return data_ + size_; }
    const T *begin() const noexcept { return data_; }
    const T *end() const noexcept { return data_ + size_; }
    T &operator[](std::size_t i) noexcept {
        assert(i < size_);
        return data_[i];
    }
    const T &operator[](std::size_t i) const noexcept {
        assert(i < size_);
        return data_[i];
    }
    T &back() noexcept { return (*this)[size_ - 1]; }
    const T &back() const noexcept { return (*this)[size_ - 1]; }

    [[nodiscard]] bool reserve(std::size_t wanted) noexcept {
        if (wanted <= capacity_) return true;
        if (wanted > SIZE_MAX / sizeof(T)) return false;
        T *grown = static_cast<T *>(allocate(wanted * sizeof(T)));
        if (grown == nullptr) return false;
        if (size_ != 0) std::memcpy(static_cast<void *>(grown), data_, size_ * sizeof(T));
        deallocate(data_);
        data_ = grown;
        capacity_ = wanted;
        return true;
    }
    // New elements are not set.
    [[nodiscard]] bool resize(std::size_t wanted) noexcept {
        if (!reserve(wanted)) return false;
        size_ = wanted;
        return true;
    }
    [[nodiscard]] bool resize_zeroed(std::size_t wanted) noexcept {
        const std::size_t before = size_;
        if (!resize(wanted)) return false;
        if (wanted > before)
            std::memset(static_cast<void *>(data_ + before), 0, (wanted - before) * sizeof(T));
        return true;
    }
    [[nodiscard]] bool push(const T &value) noexcept {
        const T copy = value;  // it may live in here
        if (size_ == capacity_ && !reserve(capacity_ < 8 ? 8 : capacity_ + capacity_ / 2))
            return false;
        data_[size_++] = copy;
        return true;
    }
    [[nodiscard]] bool append(const T *values, std::size_t n) noexcept {
        if (n == 0) return true;
        if (n > capacity_ - size_) {
            const std::size_t grown = capacity_ + capacity_ / 2;
            if (!reserve(grown > size_ + n ? grown : size_ + n)) return false;
        }
        std::memcpy(static_cast<void *>(data_ + size_), values, n * sizeof(T));
        size_ += n;
        return true;
    }
    void pop() noexcept {
        assert(size_ > 0);
        --size_;
    }
    // Keeps the memory.
    void clear() noexcept { size_ = 0; }
    // Gives the memory back.
    void free() noexcept {
        deallocate(data_);
        data_ = nullptr;
        size_ = capacity_ = 0;
    }
    void swap(Buffer &other) noexcept {
        T *const data = data_;
        const std::size_t size = size_, capacity = capacity_;
        data_ = other.data_, size_ = other.size_, capacity_ = other.capacity_;
        other.data_ = data, other.size_ = size, other.capacity_ = capacity;
    }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace cmap

#endif  // CMAP_CORE_BUFFER_HPP_INCLUDED
