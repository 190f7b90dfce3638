// SPDX-License-Identifier: BSD-3-Clause
#include "rep/bdd_package.hpp"

// What BuDDy includes, here outside of a namespace.
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <algorithm>

#include "core/memory.hpp"

namespace cmap {
namespace {

// BuDDy's memory: one block, reserved before it starts and handed out from front to back.  What it
// asks for first, the table of nodes, has room to grow where it is.
class Arena {
  public:
    bool reserve(std::size_t table, std::size_t others) noexcept {
        table_ = rounded(table);
        bytes_ = table_ + others;
        used_ = 0;
        memory_ = static_cast<unsigned char *>(allocate(bytes_));
        return memory_ != nullptr;
    }
    void release() noexcept {
        deallocate(memory_);
        memory_ = nullptr;
    }
    void *take(std::size_t bytes) noexcept {
        const std::size_t at = used_, room = at == 0 ? table_ : rounded(bytes);
        if (room > bytes_ - at) return nullptr;
        used_ += room;
        return memory_ + at;
    }
    void *grow(void *block, std::size_t bytes) noexcept {
        return block == memory_ && bytes <= table_ ? block : nullptr;
    }
    // What one block takes of the others' share.
    static constexpr std::size_t rounded(std::size_t bytes) noexcept {
        return (bytes + 15) & ~std::size_t{15};
    }

  private:
    unsigned char *memory_ = nullptr;
    std::size_t bytes_ = 0, table_ = 0, used_ = 0;
};

// With the lock held: BuDDy's memory, its random numbers, and whether it reported an error.
std::mutex package_lock;
Arena arena;
uint32_t random_state;
bool trouble;

// For the search of a prime table size (numbers of Marsaglia's xorshift).
int draw() noexcept {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return static_cast<int>(random_state >> 1);
}

void note_trouble(int) { trouble = true; }

// BuDDy as it is, in this file alone: in an unnamed namespace it shares neither names nor state
// with an application's.  It is C, and what it would use of the process is replaced: memory, random
// numbers, time, output, exit.
namespace buddy {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wwrite-strings"
#pragma GCC diagnostic ignored "-Wbuiltin-macro-redefined"
#pragma push_macro("__cplusplus")
#pragma push_macro("assert")
#undef __cplusplus
#define register
#define malloc(bytes) arena.take(bytes)
#define realloc(block, bytes) arena.grow(block, bytes)
#define free(block) static_cast<void>(block)
#define rand() draw()
#define clock() 0
#define exit(status) static_cast<void>(0)
#define printf(...) static_cast<void>(0)
#define fprintf(...) static_cast<void>(0)

#include "buddy/bddop.c"
#include "buddy/cache.c"
#include "buddy/kernel.c"
#include "buddy/prime.c"

#undef register
#undef malloc
#undef realloc
#undef free
#undef rand
#undef clock
#undef exit
#undef printf
#undef fprintf
#undef static_assert  // assert.h defines it for C
#pragma pop_macro("assert")
#pragma pop_macro("__cplusplus")
#pragma GCC diagnostic pop

// What is left out: another order of the variables, pairs of variables, finite domains.
void bdd_reorder_init() {}
void bdd_reorder_done() {}
void bdd_enable_reorder() {}
void bdd_disable_reorder() {}
int bdd_reorder_ready() { return 0; }
void bdd_reorder_auto() {}
int bdd_reorder_gain() { return 0; }
void bdd_pairs_init() {}
void bdd_pairs_done() {}
int bdd_pairs_resize(int, int) { return 0; }
void bdd_fdd_init() {}
void bdd_fdd_done() {}

}  // namespace buddy

constexpr uint32_t LEAST_NODES = 64;
constexpr uint32_t MOST_NODES = 1u << 26;
// BuDDy begins with six caches of this size, one of which is used here and gets its own.
constexpr uint32_t CACHES = 6, LEAST_CACHE = 3;
constexpr uint32_t VARIABLE_ARRAYS = 5;

std::size_t cache_bytes(uint32_t entries) noexcept {
    return Arena::rounded(entries * sizeof(buddy::BddCacheData));
}

// What BuDDy asks for beside its table, at most.
std::size_t bytes_beside_table(uint32_t cache, uint32_t variables) noexcept {
    return CACHES * cache_bytes(LEAST_CACHE) + cache_bytes(cache) +
           VARIABLE_ARRAYS * Arena::rounded((2 * std::size_t{variables} + 4) * sizeof(int));
}

}  // namespace

BddPackage::BddPackage() noexcept : lock_(package_lock) {}

BddPackage::~BddPackage() {
    if (running_) buddy::bdd_done();
    arena.release();
}

bool BddPackage::start(unsigned variables, uint32_t nodes, uint32_t limit) noexcept {
    const uint64_t room = uint64_t{nodes} * 2 + 2 * variables + LEAST_NODES;
    if (std::max<uint64_t>(limit, room) > MOST_NODES) return false;
    random_state = 1;
    trouble = false;
    const uint32_t table = buddy::bdd_prime_gte(static_cast<uint32_t>(room));
    const uint32_t most = std::max(limit, table);
    const uint32_t cache = buddy::bdd_prime_gte(table / 2);
    if (!arena.reserve(most * sizeof(buddy::BddNode), bytes_beside_table(cache, variables)))
        return false;
    running_ = buddy::bdd_init(static_cast<int>(table), LEAST_CACHE) == 0;
    if (!running_) return false;
    variables_ = variables;
    buddy::bdd_error_hook(note_trouble);  // bdd_init set those that print and exit
    buddy::bdd_gbc_hook(nullptr);
    buddy::bdd_setmaxnodenum(static_cast<int>(std::max(limit, table + 1)));
    buddy::BddCache_resize(&buddy::applycache, static_cast<int>(cache));
    buddy::bdd_setvarnum(static_cast<int>(variables));
    return right();
}

bool BddPackage::right() const noexcept { return running_ && !trouble; }

void BddPackage::fail() noexcept { trouble = true; }

BddPackage::Node BddPackage::node(unsigned level, Node low, Node high) noexcept {
    return buddy::bdd_addref(buddy::bdd_makenode(variables_ - level, low, high));
}

BddPackage::Node BddPackage::apply(Operation operation, Node a, Node b) noexcept {
    constexpr int operators[] = {bddop_or, bddop_and, bddop_diff};
    return buddy::bdd_addref(buddy::bdd_apply(a, b, operators[static_cast<unsigned>(operation)]));
}

unsigned BddPackage::level(Node node) const noexcept {
    return variables_ - static_cast<unsigned>(buddy::bdd_var(node));
}

BddPackage::Node BddPackage::low(Node node) const noexcept { return buddy::bdd_low(node); }

BddPackage::Node BddPackage::high(Node node) const noexcept { return buddy::bdd_high(node); }

uint32_t BddPackage::room() const noexcept {
    return static_cast<uint32_t>(buddy::bdd_getallocnum());
}

}  // namespace cmap
