// SPDX-License-Identifier: BSD-3-Clause
// A machine that runs some threads step by step, in an order that is chosen.  Its memory has the
// order of x86: a store waits in a buffer of its thread, from which it may reach the memory at any
// later time, in the order of the stores.  A thread sees its own stores at once.  Atomic operations
// empty the buffer of their thread, and membarrier empties all.
#ifndef MACHINE_HPP_INCLUDED
#define MACHINE_HPP_INCLUDED

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "handover.h"

namespace handover_test {

// What may be wrong with the module: the tests must find each of these.
enum Mutation {
    NONE,
    NO_BARRIER,
    NO_WAKE_OF_PROGRAM,
    NO_WAKE_OF_HELPER,
    GIVE_SEES_NO_SLEEPER,
    ENTRY_DOES_NOT_LOOK,
    EXIT_DOES_NOT_LOOK,
    HELPER_LOOKS_ONCE,
    HELPER_KEEPS_IT,
    SLEEPS_WITHOUT_LOOK,
    HELPER_COUNTS_AS_PROGRAM,
    STOP_IS_NOT_SEEN,
    MUTATIONS
};

class Machine {
  public:
    // The first thread is the program, the second the helper.
    explicit Machine(handover_t *handover, Mutation mutation = NONE)
        : handover_(handover), mutation_(mutation) {}

    void add(std::function<void()> body);
    void watch(const int *shared) { watched_.push_back(shared); }  // what the threads share, too

    // Who goes on: one of `actions`.  `state` tells states apart.
    using Choice = std::function<size_t(size_t actions, uint64_t state)>;

    // True: nothing was wrong, and all threads came to their end.
    bool go(const Choice &choose);

    // Of the thread that runs.
    static void step();
    static void wait_until(std::function<bool()> condition);
    static void pause();              // until another thread has done something, or all wait
    static void note(uint64_t what);  // that it has seen, and on which its future depends
    static void check(bool is_right);

    uint32_t load(const uint32_t *word);
    void store(uint32_t *word, uint32_t value);
    uint32_t exchange(uint32_t *word, uint32_t value);
    bool replace(uint32_t *word, uint32_t *old, uint32_t value);
    void barrier();
    void sleep_while(uint32_t *word, uint32_t value);
    void wake(const uint32_t *word);
    bool is_helper() const;

    static Machine *running;

  private:
    struct Thread {
        std::function<void()> body;
        ucontext_t context;
        std::unique_ptr<char[]> stack;
        bool done = false, pauses = false;
        std::function<bool()> condition;
        const uint32_t *sleeps_on = nullptr;
        std::deque<std::pair<uint32_t *, uint32_t>> buffer;
        uint64_t history = 0;
        unsigned loads_of_mark = 0;
    };

    static void start();
    bool can_run(const Thread &thread) const;
    bool does_nothing() const;
    uint64_t state() const;
    void drain_one(Thread &thread);
    void drain(Thread &thread);
    uint32_t seen(const uint32_t *word) const;
    Thread &current() { return *threads_[current_]; }
    const Thread &current() const { return *threads_[current_]; }

    handover_t *handover_;
    Mutation mutation_;
    std::vector<std::unique_ptr<Thread>> threads_;
    ucontext_t scheduler_;
    std::vector<const int *> watched_;
    size_t current_ = 0, steps_ = 0;
    bool right_ = true;
};

struct Outcome {
    bool right;
    size_t runs;
};

// Makes a machine with its threads, and what they share.
using Scenario = std::function<std::shared_ptr<Machine>(Mutation mutation)>;

// All orders of steps.
Outcome all_orders(const Scenario &scenario, Mutation mutation, size_t most_runs);
Outcome random_orders(const Scenario &scenario, Mutation mutation, size_t runs, uint64_t seed);

}  // namespace handover_test
#endif  // MACHINE_HPP_INCLUDED
