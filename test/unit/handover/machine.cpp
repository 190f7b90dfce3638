// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <algorithm>
#include <random>
#include <unordered_set>

#include "machine.h"

namespace handover_test {

namespace {

constexpr size_t STACK_BYTES = 64 << 10, PROGRAM = 0, HELPER = 1;

// of a run; more mean that a thread goes round and round
constexpr size_t MOST_STEPS = 5000;

uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

}  // namespace

Machine *Machine::running;

void Machine::add(std::function<void()> body) {
    threads_.push_back(std::make_unique<Thread>());
    threads_.back()->body = std::move(body);
    threads_.back()->stack.reset(new char[STACK_BYTES]);
}

void Machine::start() {
    Thread &me = running->current();
    me.body();
    me.done = true;
    for (auto &thread : running->threads_)
        thread->pauses = false;
}

bool Machine::can_run(const Thread &thread) const {
    return !thread.done && !thread.pauses && !thread.sleeps_on &&
           (!thread.condition || thread.condition());
}

// All that is left are pauses, which end.
bool Machine::does_nothing() const {
    return std::none_of(threads_.begin(), threads_.end(), [this](const auto &thread) {
        return can_run(*thread) || !thread->buffer.empty();
    });
}

bool Machine::go(const Choice &choose) {
    running = this;
    for (auto &thread : threads_) {
        getcontext(&thread->context);
        thread->context.uc_stack.ss_sp = thread->stack.get();
        thread->context.uc_stack.ss_size = STACK_BYTES;
        thread->context.uc_link = &scheduler_;
        makecontext(&thread->context, &Machine::start, 0);
    }
    for (;;) {
        if (does_nothing())
            for (auto &thread : threads_)
                thread->pauses = false;
        std::vector<size_t> actions;
        for (size_t t = 0; t < threads_.size(); t++) {
            if (can_run(*threads_[t])) actions.push_back(t);
            if (!threads_[t]->buffer.empty()) actions.push_back(threads_.size() + t);
        }
        if (actions.empty() || !right_ || steps_++ > MOST_STEPS) break;
        size_t choice = actions.size() == 1 ? 0 : choose(actions.size(), state());
        if (actions[choice] >= threads_.size()) {
            drain_one(*threads_[actions[choice] - threads_.size()]);
        } else {
            current_ = actions[choice];
            swapcontext(&scheduler_, &current().context);
        }
    }
    return right_ && std::all_of(threads_.begin(), threads_.end(),
                                 [](const auto &thread) { return thread->done; });
}

uint64_t Machine::state() const {
    uint64_t hash = 0;
    for (uint32_t word :
         {handover_->mark, handover_->depth, handover_->owner, handover_->asks, handover_->stop})
        hash = mix(hash, word);
    for (const int *shared : watched_)
        hash = mix(hash, static_cast<uint64_t>(*shared));
    for (const auto &thread : threads_) {
        hash = mix(hash, thread->history);
        hash = mix(hash,
                   (thread->done ? 1 : 0) | (thread->pauses ? 2 : 0) | (thread->sleeps_on ? 4 : 0));
        for (const auto &store : thread->buffer)
            hash = mix(mix(hash, reinterpret_cast<uintptr_t>(store.first) -
                                     reinterpret_cast<uintptr_t>(handover_)),
                       store.second);
        hash = mix(hash, thread->buffer.size());
    }
    return hash;
}

void Machine::drain_one(Thread &thread) {
    *thread.buffer.front().first = thread.buffer.front().second;
    thread.buffer.pop_front();
    for (auto &other : threads_)
        other->pauses = false;
}

void Machine::drain(Thread &thread) {
    while (!thread.buffer.empty())
        drain_one(thread);
}

void Machine::step() {
    Machine &machine = *running;
    // what was done may be what others wait for
    for (auto &thread : machine.threads_)
        thread->pauses = false;
    machine.current().history = mix(machine.current().history, 1);
    swapcontext(&machine.current().context, &machine.scheduler_);
}

void Machine::pause() {
    Machine &machine = *running;
    machine.current().pauses = true;
    machine.current().history = mix(machine.current().history, 2);
    swapcontext(&machine.current().context, &machine.scheduler_);
}

void Machine::wait_until(std::function<bool()> condition) {
    Machine &machine = *running;
    machine.current().condition = std::move(condition);
    step();
    machine.current().condition = nullptr;
}

void Machine::note(uint64_t what) {
    running->current().history = mix(running->current().history, what);
}

void Machine::check(bool is_right) { running->right_ = running->right_ && is_right; }

uint32_t Machine::seen(const uint32_t *word) const {
    const auto &buffer = current().buffer;
    for (auto store = buffer.rbegin(); store != buffer.rend(); ++store)
        if (store->first == word) return store->second;
    return *word;
}

uint32_t Machine::load(const uint32_t *word) {
    step();
    uint32_t value = seen(word);
    const bool is_program = current_ == PROGRAM;
    if (mutation_ == ENTRY_DOES_NOT_LOOK && is_program && word == &handover_->owner)
        value = HANDOVER_NOBODY;
    if (mutation_ == EXIT_DOES_NOT_LOOK && is_program && word == &handover_->asks) value = 0;
    if (mutation_ == STOP_IS_NOT_SEEN && word == &handover_->stop) value = 0;
    if (mutation_ == HELPER_LOOKS_ONCE && !is_program && word == &handover_->mark &&
        handover_->owner != HANDOVER_NOBODY)
        value &= ~UINT32_C(1);
    note(value);
    return value;
}

void Machine::store(uint32_t *word, uint32_t value) {
    step();
    current().buffer.emplace_back(word, value);
}

uint32_t Machine::exchange(uint32_t *word, uint32_t value) {
    step();
    drain(current());
    std::swap(*word, value);
    if (word == &handover_->owner) {
        if (mutation_ == HELPER_KEEPS_IT) *word = HANDOVER_HELPER;
        if (mutation_ == GIVE_SEES_NO_SLEEPER) value = HANDOVER_HELPER;
    }
    note(value);
    return value;
}

bool Machine::replace(uint32_t *word, uint32_t *old, uint32_t value) {
    step();
    drain(current());
    const bool is_replaced = *word == *old;
    *old = *word;
    if (is_replaced) *word = value;
    note(*old);
    note(is_replaced);
    return is_replaced;
}

// The barriers of the other threads come at some time between the beginning and the end.
void Machine::barrier() {
    if (mutation_ == NO_BARRIER) return;
    step();
    drain(current());
    for (size_t t = 0; t < threads_.size(); t++) {
        if (t == current_) continue;
        step();
        drain(*threads_[t]);
    }
    step();
}

void Machine::sleep_while(uint32_t *word, uint32_t value) {
    step();
    drain(current());
    if (*word != value && mutation_ != SLEEPS_WITHOUT_LOOK) return;
    current().sleeps_on = word;
    step();
}

void Machine::wake(const uint32_t *word) {
    step();
    drain(current());
    if (mutation_ == NO_WAKE_OF_PROGRAM && word == &handover_->owner) return;
    if (mutation_ == NO_WAKE_OF_HELPER && word == &handover_->asks) return;
    for (auto &thread : threads_)
        if (thread->sleeps_on == word) thread->sleeps_on = nullptr;
}

bool Machine::is_helper() const {
    return current_ == HELPER && mutation_ != HELPER_COUNTS_AS_PROGRAM;
}

Outcome all_orders(const Scenario &scenario, Mutation mutation, size_t most_runs) {
    std::vector<size_t> path, widths;
    std::unordered_set<uint64_t> states;
    Outcome outcome = {true, 0};

    do {
        size_t depth = 0, turn = 0;
        bool is_known = false;
        auto machine = scenario(mutation);
        outcome.right = machine->go([&](size_t actions, uint64_t state) {
            if (depth < path.size()) return path[depth++];
            // what follows a known state is tried already: this run only comes to its end
            is_known = is_known || !states.insert(state).second;
            if (is_known) return turn++ % actions;
            path.push_back(0);
            widths.push_back(actions);
            depth++;
            return size_t(0);
        });
        outcome.runs++;
        while (!path.empty() && path.back() + 1 == widths.back()) {
            path.pop_back();
            widths.pop_back();
        }
        if (!path.empty()) path.back()++;
    } while (outcome.right && !path.empty() && outcome.runs < most_runs);
    outcome.right = outcome.right && (path.empty() || mutation != NONE);
    return outcome;
}

Outcome random_orders(const Scenario &scenario, Mutation mutation, size_t runs, uint64_t seed) {
    std::mt19937_64 random(seed);
    Outcome outcome = {true, 0};

    while (outcome.right && outcome.runs < runs) {
        // some orders change often, some seldom
        const uint64_t often = 1 + random() % 8;
        size_t last = 0;
        auto machine = scenario(mutation);
        outcome.right = machine->go([&](size_t actions, uint64_t) {
            if (last >= actions || random() % often == 0) last = random() % actions;
            return last;
        });
        outcome.runs++;
    }
    return outcome;
}

}  // namespace handover_test

using handover_test::Machine;

uint32_t machine_load(const uint32_t *word) { return Machine::running->load(word); }
void machine_store(uint32_t *word, uint32_t value) { Machine::running->store(word, value); }
uint32_t machine_exchange(uint32_t *word, uint32_t value) {
    return Machine::running->exchange(word, value);
}
bool machine_replace(uint32_t *word, uint32_t *old, uint32_t value) {
    return Machine::running->replace(word, old, value);
}
void machine_barrier(void) { Machine::running->barrier(); }
void machine_sleep_while(uint32_t *word, uint32_t value) {
    Machine::running->sleep_while(word, value);
}
void machine_wake(uint32_t *word) { Machine::running->wake(word); }
bool machine_is_helper(void) { return Machine::running->is_helper(); }
