// SPDX-License-Identifier: BSD-3-Clause
// A private BuDDy, taken for the time of one operation on diagrams and put away again.
//
// Its memory is reserved before the work starts, since BuDDy does not survive a failed allocation;
// nothing of the process is touched, and an application's own BuDDy is another one.  It works for
// one of our threads at a time.
#ifndef CMAP_REP_BDD_PACKAGE_HPP_INCLUDED
#define CMAP_REP_BDD_PACKAGE_HPP_INCLUDED

#include <cstdint>
#include <mutex>

namespace cmap {

class BddPackage {
  public:
    using Node = int;  // 0 and 1 are the constants
    enum class Operation { unite, intersect, subtract };

    BddPackage() noexcept;
    ~BddPackage();
    BddPackage(const BddPackage &) = delete;
    BddPackage &operator=(const BddPackage &) = delete;

    // For functions of so many variables with about so many nodes, and at most `limit`.  False: no
    // memory.
    bool start(unsigned variables, uint32_t nodes, uint32_t limit) noexcept;
    // False: out of nodes somewhere since start(), and nothing that came back is right.
    bool right() const noexcept;
    void fail() noexcept;  // the caller has run out of memory: the same

    // Variables count from below here: block size 2^level is the node of variable level - 1.
    Node node(unsigned level, Node low, Node high) noexcept;
    Node apply(Operation operation, Node a, Node b) noexcept;

    unsigned level(Node node) const noexcept;
    Node low(Node node) const noexcept;
    Node high(Node node) const noexcept;
    // All nodes are below this.
    uint32_t room() const noexcept;

  private:
    std::unique_lock<std::mutex> lock_;
    unsigned variables_ = 0;
    bool running_ = false;
};

}  // namespace cmap

#endif  // CMAP_REP_BDD_PACKAGE_HPP_INCLUDED
