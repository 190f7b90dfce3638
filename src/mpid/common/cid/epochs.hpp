// SPDX-License-Identifier: BSD-3-Clause
// Memory that lookups may still be reading is freed when none of them can be (after Fraser,
// "Practical lock-freedom", 2004, with counted readers in place of a list of threads).  A lookup is
// counted in the even or in the odd epoch, the one it takes for the present one.  What is taken out
// of the table in an epoch is freed after both counts have been seen at 0 since, one to end that
// epoch, the other to end the next: whoever saw the block was in one of them.
#ifndef CID_EPOCHS_HPP_INCLUDED
#define CID_EPOCHS_HPP_INCLUDED

#include <atomic>
#include <cstdint>

#include "heap.hpp"

namespace cid {

// Begins every block that lookups read.
struct Retired {
    Retired *next;
    std::size_t bytes;
};

class Epochs {
  public:
    explicit Epochs(Heap &heap) noexcept : heap_(heap) {}
    // REQUIRES that no lookup is under way.
    ~Epochs();
    Epochs(const Epochs &) = delete;
    Epochs &operator=(const Epochs &) = delete;

    // Blocks that were reachable when it was made stay until it is destroyed.
    class Reader {
      public:
        explicit Reader(const Epochs &epochs) noexcept : inside_(&epochs.enter()) {}
        ~Reader() { inside_->fetch_sub(1, std::memory_order_release); }
        Reader(const Reader &) = delete;
        Reader &operator=(const Reader &) = delete;

      private:
        std::atomic<uint32_t> *inside_;
    };

    // The block is out of the readers' reach since before this call.  REQUIRES the table's lock,
    // here and below.
    void retire(Retired *block) noexcept;
    // Frees what can be freed now.
    void collect() noexcept;

  private:
    std::atomic<uint32_t> &enter() const noexcept;
    void free_all(Retired *&blocks) noexcept;

    Heap &heap_;
    std::atomic<uint32_t> now_{0};                  // epochs are told apart by their lowest bit
    mutable std::atomic<uint32_t> inside_[2] = {};  // lookups under way, by the epoch they entered
    Retired *retired_[2] = {};                      // by the epoch they were retired in
};

// All in one order (seq_cst): who is not counted yet when a count is seen at 0 comes too late to
// see what had been taken out by then.  A count in an epoch that has just ended delays, and is
// safe.
inline std::atomic<uint32_t> &Epochs::enter() const noexcept {
    std::atomic<uint32_t> &inside = inside_[now_.load(std::memory_order_relaxed) & 1];
    inside.fetch_add(1);
    return inside;
}

}  // namespace cid

#endif  // CID_EPOCHS_HPP_INCLUDED
