// SPDX-License-Identifier: BSD-3-Clause
// Who owns the engine when: all orders of steps of short programs, random ones of longer programs,
// and faults that these must find.
#include <gtest/gtest.h>

#include <memory>

#include "machine.hpp"

extern "C" {
void simulated_enter(handover_t *handover);
void simulated_leave(handover_t *handover);
decltype(MPIR_handover_take) simulated_take;
decltype(MPIR_handover_give) simulated_give;
decltype(MPIR_handover_ask) simulated_ask;
decltype(MPIR_handover_stop) simulated_stop;
decltype(MPIR_handover_serve) simulated_serve;
}

namespace handover_test {
namespace {

// An engine, of which a thread's use takes a step.
struct Engine {
    handover_t handover{};
    int users = 0;

    void use() {
        Machine::check(++users == 1);
        Machine::step();
        users--;
    }
};

// Keeps what the threads share as long as the machine.
template <class Shared>
std::shared_ptr<Machine> machine_of(const std::shared_ptr<Shared> &shared, Mutation mutation) {
    struct Both {
        std::shared_ptr<Shared> shared;
        Machine machine;
    };
    auto both = std::make_shared<Both>(Both{shared, Machine(&shared->handover, mutation)});
    both->machine.watch(&shared->users);
    return {both, &both->machine};
}

// The program calls, and the helper tries.  With `nests`, both call once more from inside.
Scenario calls_and_takes(int calls, int tries, bool nests) {
    return [=](Mutation mutation) {
        auto engine = std::make_shared<Engine>();
        auto machine = machine_of(engine, mutation);
        Engine *e = engine.get();
        machine->add([=] {
            for (int i = 0; i < calls; i++) {
                simulated_enter(&e->handover);
                if (nests) simulated_enter(&e->handover);
                if (nests) simulated_leave(&e->handover);
                e->use();
                simulated_leave(&e->handover);
            }
        });
        machine->add([=] {
            for (int i = 0; i < tries; i++) {
                if (!simulated_take(&e->handover)) continue;
                if (nests) simulated_enter(&e->handover);
                if (nests) simulated_leave(&e->handover);
                e->use();
                simulated_give(&e->handover);
            }
        });
        return machine;
    };
}

// A helper that sleeps while the program is inside takes the engine in the end, after the last
// call; or, with `stops`, it ends.
Scenario calls_and_asks(int calls, bool stops) {
    return [=](Mutation mutation) {
        auto engine = std::make_shared<Engine>();
        auto machine = machine_of(engine, mutation);
        Engine *e = engine.get();
        machine->add([=] {
            for (int i = 0; i < calls; i++) {
                simulated_enter(&e->handover);
                e->use();
                if (stops && i == calls - 1) simulated_stop(&e->handover);
                if (!stops || i < calls - 1) simulated_leave(&e->handover);
            }
        });
        machine->add([=] {
            for (;;) {
                if (simulated_take(&e->handover)) {
                    e->use();
                    simulated_give(&e->handover);
                    if (!stops) break;
                    Machine::pause();
                } else {
                    simulated_ask(&e->handover);
                    if (stops && Machine::running->load(&e->handover.stop)) break;
                }
            }
        });
        return machine;
    };
}

// An engine to which events come.  Who uses it takes all that are there.
struct Network : Engine {
    int events = 0;    // that nobody has taken
    int is_armed = 0;  // the next one rings
    int rings = 0;     // an event ends a sleep
    int is_over = 0;   // there is no more sleep

    void come() {
        Machine::step();
        events++;
        if (is_armed) rings = 1;
        is_armed = 0;
    }
    bool take_one() {
        Machine::check(++users == 1);
        Machine::step();
        const bool any = events > 0;
        Machine::note(any);
        if (any) events--;
        users--;
        return any;
    }

    static bool work(void *context) { return static_cast<Network *>(context)->take_one(); }
    static bool arm(void *context) {
        auto *me = static_cast<Network *>(context);
        Machine::check(++me->users == 1);
        Machine::step();
        me->users--;
        me->is_armed = me->events == 0;
        me->rings = 0;
        Machine::note(static_cast<uint64_t>(me->is_armed));
        return me->is_armed;
    }
    static void sleep(void *context) {
        auto *me = static_cast<Network *>(context);
        Machine::wait_until([me] { return me->rings + me->is_over != 0; });
    }
    static bool pause(void *, unsigned) {
        Machine::pause();
        return false;
    }
};

// A network, its program and its helper.
std::shared_ptr<Machine> machine_with_helper(Network *n, std::shared_ptr<Network> keep,
                                             Mutation mutation, std::function<void()> program) {
    auto machine = machine_of(std::move(keep), mutation);
    for (const int *shared : {&n->events, &n->is_armed, &n->rings, &n->is_over})
        machine->watch(shared);
    machine->add(std::move(program));
    machine->add([=] {
        const handover_work_t how = {Network::work, Network::arm, Network::sleep, Network::pause,
                                     n};
        simulated_serve(&n->handover, &how);
    });
    return machine;
}

// The program computes until all events are taken, and ends the helper.
void compute_and_stop(Network *n) {
    Machine::wait_until([n] { return n->events == 0; });
    simulated_stop(&n->handover);
    Machine::step();
    n->is_over = 1;
}

// An event comes while the program is inside, and it leaves without a look.
std::shared_ptr<Machine> left_behind(Mutation mutation) {
    auto network = std::make_shared<Network>();
    Network *n = network.get();
    return machine_with_helper(n, network, mutation, [=] {
        simulated_enter(&n->handover);
        n->come();
        simulated_leave(&n->handover);
        compute_and_stop(n);
    });
}

// An event comes while the program computes.
std::shared_ptr<Machine> outside(Mutation mutation) {
    auto network = std::make_shared<Network>();
    Network *n = network.get();
    return machine_with_helper(n, network, mutation, [=] {
        n->come();
        compute_and_stop(n);
    });
}

// Events come at any time.  The program calls and takes at most one in a call, in which it polls
// so often.  More come while it computes.
Scenario served(int calls, int events, int polls) {
    return [=](Mutation mutation) {
        auto network = std::make_shared<Network>();
        Network *n = network.get();
        auto machine = machine_with_helper(n, network, mutation, [=] {
            for (int i = 0; i < calls; i++) {
                simulated_enter(&n->handover);
                for (int j = 0; j < polls && !n->take_one(); j++)
                    Machine::pause();
                simulated_leave(&n->handover);
            }
            for (int i = 0; i < events; i++) {
                n->come();
                Machine::wait_until([n] { return n->events == 0; });
            }
            compute_and_stop(n);
        });
        machine->add([=] {
            for (int i = 0; i < events; i++)
                n->come();
        });
        return machine;
    };
}

constexpr size_t MANY = 4000000;

void expect_right(const char *what, const Scenario &scenario) {
    const Outcome outcome = all_orders(scenario, NONE, MANY);
    EXPECT_TRUE(outcome.right) << what << ", after " << outcome.runs << " runs";
    EXPECT_GT(outcome.runs, 100u) << what;
}

TEST(Simulation, OneOwnerInAllOrders) {
    expect_right("a call and a try, nested", calls_and_takes(1, 1, true));
    expect_right("two calls and a try", calls_and_takes(2, 1, false));
    expect_right("two calls and two tries", calls_and_takes(2, 2, false));
}

TEST(Simulation, AnAskingHelperIsWokenInAllOrders) {
    expect_right("a call", calls_and_asks(1, false));
    expect_right("a call with the helper's end", calls_and_asks(1, true));
}

TEST(Simulation, NoEventIsLeftInAllOrders) {
    expect_right("an event that is left behind", left_behind);
    expect_right("an event while the program computes", outside);
}

TEST(Simulation, LongerProgramsInRandomOrders) {
    for (uint64_t seed = 1; seed <= 4; seed++) {
        EXPECT_TRUE(random_orders(calls_and_takes(12, 12, seed % 2 != 0), NONE, 500, seed).right)
            << seed;
        EXPECT_TRUE(random_orders(calls_and_asks(8, seed % 2 == 0), NONE, 500, seed).right) << seed;
        EXPECT_TRUE(random_orders(served(6, 4, 2), NONE, 500, seed).right) << seed;
        // calls in which the helper goes to sleep until the program leaves
        EXPECT_TRUE(random_orders(served(3, 2, 20), NONE, 500, seed).right) << seed;
    }
}

bool finds(Mutation mutation) {
    for (const Scenario &scenario : {calls_and_takes(1, 2, false), calls_and_takes(1, 1, true),
                                     calls_and_asks(1, false), calls_and_asks(1, true)})
        if (!all_orders(scenario, mutation, MANY).right) return true;
    return !random_orders(served(3, 2, 2), mutation, 1000, 1).right ||
           !random_orders(served(2, 2, 20), mutation, 1000, 2).right;
}

TEST(Simulation, FindsEachFault) {
    for (int mutation = NONE + 1; mutation < MUTATIONS; mutation++)
        EXPECT_TRUE(finds(static_cast<Mutation>(mutation))) << "fault number " << mutation;
    EXPECT_FALSE(finds(NONE));
}

}  // namespace
}  // namespace handover_test
