// SPDX-License-Identifier: BSD-3-Clause
// A growable array of plain values on the module's allocator, the first few of them in the object
// itself where it says so.  It never throws: what can fail returns false.
#ifndef CMAP_CORE_BUFFER_HPP_INCLUDED
#define CMAP_CORE_BUFFER_HPP_INCLUDED

#include <cassert>
#include <cstring>
#include <type_traits>

#include "core/memory.hpp"

namespace cmap {

// Room for so many values in an object.
template <class T, std::size_t INSIDE>
struct Room {
    alignas(T) unsigned char bytes[INSIDE * sizeof(T)];

    T *values() noexcept { return reinterpret_cast<T *>(bytes); }
    void swap(Room &other) noexcept {
        const Room kept = *this;
        *this = other;
        other = kept;
    }
};
template <class T>
struct Room<T, 0> {
    T *values() noexcept { return nullptr; }
    void swap(Room &) noexcept {}
};

template <class T, std::size_t INSIDE = 0>
class Buffer : Room<T, INSIDE> {
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
    ~Buffer() { give_back(); }

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    // Beside the object.
    std::size_t bytes() const noexcept { return capacity_ <= INSIDE ? 0 : capacity_ * sizeof(T); }
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
        give_back();
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
        give_back();
        data_ = this->values();
        size_ = 0;
        capacity_ = INSIDE;
    }
    void swap(Buffer &other) noexcept {
        T *const data = outside();
        const std::size_t size = size_, capacity = capacity_;
        take(other.outside(), other.size_, other.capacity_);
        other.take(data, size, capacity);
        Room<T, INSIDE>::swap(other);
    }

  private:
    // nullptr: the values are in the object.
    T *outside() noexcept { return capacity_ > INSIDE ? data_ : nullptr; }
    void take(T *data, std::size_t size, std::size_t capacity) noexcept {
        data_ = data != nullptr ? data : this->values();
        size_ = size;
        capacity_ = capacity;
    }
    void give_back() noexcept {
        if (T *const memory = outside()) deallocate(memory);
    }

    T *data_ = this->values();
    std::size_t size_ = 0;
    std::size_t capacity_ = INSIDE;
};

}  // namespace cmap

#endif  // CMAP_CORE_BUFFER_HPP_INCLUDED
