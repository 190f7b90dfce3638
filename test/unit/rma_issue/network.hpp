// SPDX-License-Identifier: BSD-3-Clause Processes, channels and locks of a network that lives in
// the test: what the module decides is carried out in random order.
#ifndef RMA_ISSUE_TEST_NETWORK_HPP
#define RMA_ISSUE_TEST_NETWORK_HPP

#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "rma_issue.h"

namespace rma_issue_test {

// Operation `serial` of its origin.  It writes serial to the log of its target.
struct Op {
    rma_issue_op_t op;
    int serial;
};

struct Message {
    int origin;
    unsigned flags;
    bool exclusive;
    std::vector<int> serials;
};

struct Done {
    int origin, serial;
};

// A target: its lock with the queue of those who wait, and what was done on it.
struct Target {
    std::deque<Message> waiting;
    std::vector<int> holders;
    bool exclusive = false;
    std::vector<Done> log;
};

struct Counts {
    unsigned messages = 0, natives = 0, asked = 0, ended = 0;
};

class Network;

// One origin's view of one target.
class Epochs {
  public:
    Epochs(Network &network, int origin, const rma_issue_settings_t &settings, size_t room);
    ~Epochs();
    void open(bool exclusive);
    void put(size_t bytes, size_t wire, size_t answer = 0);
    // All steps towards the goal; waits as long as it takes.
    void reach(rma_issue_goal_t goal);
    // A flush: the queue is empty, and what was issued natively is done.
    void flush();
    void close();

    Counts counts;
    rma_issue_target_t target;

  private:
    friend class Network;
    void send(const rma_issue_step_t &step);
    void settle();

    Network &network_;
    int origin_;
    const rma_issue_settings_t &settings_;
    bool exclusive_ = false;
    int serial_ = 0;
    unsigned unanswered_ = 0;
    std::deque<int> natives_;  // on their way
};

// One target and its origins.  Messages of an origin arrive in order; native operations whenever
// they like before they are settled, but after what went out before them.
class Network {
  public:
    explicit Network(uint64_t seed) : random_(seed) {}
    // Something arrives.  False when nothing is on its way.
    bool progress();
    bool idle() const;
    std::mt19937_64 &random() { return random_; }

    Target target;

  private:
    friend class Epochs;
    bool holds(int origin) const;
    void arrive(Message message);
    void grant();
    void perform(const Message &message);
    void native(Epochs &epochs);

    std::mt19937_64 random_;
    std::vector<Epochs *> origins_;
    std::vector<std::deque<Message>> channels_;
};

}  // namespace rma_issue_test

#endif
