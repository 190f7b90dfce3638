// SPDX-License-Identifier: BSD-3-Clause
// BuDDy, which is one per process: taken for the time of one piece of work and put away again, so
// that an application which uses it itself finds it as if nobody had.
//
// A lock keeps our own threads apart.  An application that has BuDDy running keeps it: start()
// says no.  (One that calls bdd_init() in another thread just while we work is refused by BuDDy,
// as any second caller is.)
#ifndef CMAP_REP_BDD_PACKAGE_HPP_INCLUDED
#define CMAP_REP_BDD_PACKAGE_HPP_INCLUDED

#include <mutex>

#include "core/diagram.hpp"

namespace cmap {

class BddPackage {
  public:
    using Node = int;  // 0 and 1 are the constants
    enum class Operation { unite, intersect, subtract };

    BddPackage() noexcept;
    ~BddPackage();
    BddPackage(const BddPackage &) = delete;
    BddPackage &operator=(const BddPackage &) = delete;

    // For functions of so many variables with about so many nodes, and at most `limit`.  False: the
    // application has BuDDy, or there is no memory.
    bool start(unsigned variables, uint32_t nodes, uint32_t limit) noexcept;
    // False: out of memory or nodes somewhere since start(), and nothing that came back is right.
    bool right() const noexcept;
    void fail() noexcept;  // the caller has run out of memory: the same

    // Variables count from below here: block size 2^level is the node of variable level - 1.
    Node node(unsigned level, Node low, Node high) noexcept;
    Node load(const Diagram &diagram) noexcept;
    Node apply(Operation operation, Node a, Node b) noexcept;

    uint32_t count(Node root) noexcept;  // nodes without the constants
    unsigned level(Node node) const noexcept;
    Node low(Node node) const noexcept;
    Node high(Node node) const noexcept;
    // All nodes are below this.
    uint32_t room() const noexcept;
    // visit(symbols, variables, data) for each path to true in increasing order; a symbol for each
    // variable, the highest first: 0, 1 or -1 where it does not matter.
    using Visit = void (*)(const char *symbols, int variables, void *data);
    void each_path(Node root, Visit visit, void *data) noexcept;

  private:
    std::unique_lock<std::mutex> lock_;
    unsigned variables_ = 0;
    bool running_ = false;
    // BuDDy draws from rand() when it looks for a prime table size: from here, so that the
    // application's numbers stay as they are.
    char random_[32];
    char *random_before_ = nullptr;
};

}  // namespace cmap

#endif  // CMAP_REP_BDD_PACKAGE_HPP_INCLUDED
