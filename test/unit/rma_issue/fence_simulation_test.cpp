// SPDX-License-Identifier: BSD-3-Clause Processes that end epochs by fences, on a network inside
// the test, in random order.  The oracle: an operation is done when its target is in its epoch, or
// at its end or beginning; behind all those of earlier epochs on that target; and before the target
// leaves.

#include <deque>
#include <map>
#include <random>
#include <vector>

#include "rma_issue_phase.h"
#include "rma_issue_sums.h"

namespace rma_issue_test {

struct FenceMessage {
    uint32_t epoch;
    bool counted, numbered;
    size_t from;
};

enum State { IN_EPOCH, IN_EXCHANGE, IN_BARRIER };

struct Member {
    rma_issue_phase_t phase;
    State state = IN_EPOCH;
    uint32_t entered = 0, left = 0;  // fences
    bool holds = false, exchanging = false, native = false, wants_native = false;
    uint32_t sent_in_round = 0, heard_in_round = 0;
    rma_issue_sums_t sums;
    std::vector<uint32_t> numbers, sent;
    uint32_t arrived = 0;
    unsigned unanswered = 0;
    std::vector<FenceMessage> early;
    std::map<uint32_t, unsigned> undone;  // operations on this process that are not done, by epoch
};

class Fences {
  public:
    Fences(uint64_t seed, uint32_t size) : random_(seed), members_(size) {
        for (auto &m : members_) {
            MPIR_rma_issue_phase_init(&m.phase, true);
            m.sent.resize(size);
        }
        radix_ = random_() % 2 || size < 2 ? 2 : size;
        longs_ = random_() % 3 ? unsigned(random_() % 10) : 0;
        slowness_ = 2 + unsigned(random_() % 60);
    }

    void run(uint32_t fences) {
        last_ = fences;
        for (size_t idle = 0; !all_done(); idle++) {
            ASSERT_LT(idle, 2000000u) << "nobody gets on";
            size_t who = random_() % members_.size();
            if (random_() % slowness_ == 0)
                deliver();
            else
                act(who);
        }
        for (auto &m : members_) {
            EXPECT_EQ(m.arrived, 0u);
            EXPECT_TRUE(m.early.empty());
        }
    }

  private:
    using Channel = std::pair<size_t, size_t>;

    bool all_done() const {
        for (auto &m : members_)
            if (m.phase.epoch < last_ || m.state != IN_EPOCH) return false;
        return true;
    }

    // then the epoch before has no operations
    bool precedes_nothing(uint32_t fence) const { return fence % 3 == 1; }

    void done(size_t target, uint32_t epoch) {
        Member &t = members_[target];
        EXPECT_GE(t.entered, epoch)
            << "an operation touches a process that is not at the fence before";
        EXPECT_LE(t.left, epoch) << "an operation touches a process that has left its epoch";
        EXPECT_GE(t.undone.begin()->first, epoch)
            << "an operation overtakes one of an earlier epoch";
        if (--t.undone[epoch] == 0) t.undone.erase(epoch);
    }

    void do_message(size_t target, const FenceMessage &message) {
        Member &t = members_[target];
        done(target, message.epoch);
        if (message.counted)
            t.arrived++;
        else
            members_[message.from].unanswered--;
    }

    void deliver() {
        if (channels_.empty()) return;
        auto at = std::next(channels_.begin(), long(random_() % channels_.size()));
        size_t to = at->first.second;
        Member &t = members_[to];
        FenceMessage message = at->second.front();
        at->second.pop_front();
        if (at->second.empty()) channels_.erase(at);
        if (message.numbered && MPIR_rma_issue_phase_is_ahead(&t.phase, message.epoch)) {
            t.early.push_back(message);
        } else {
            do_message(to, message);
        }
    }

    void send(size_t from) {
        Member &m = members_[from];
        size_t to = random_() % members_.size();
        bool counted = !MPIR_rma_issue_phase_is_barrier(&m.phase) && !m.exchanging;
        members_[to].undone[m.phase.epoch]++;
        m.sent[to] += counted;
        m.unanswered += !counted;
        channels_[{from, to}].push_back(
            {m.phase.epoch, counted, permission(m) == RI_MESSAGES, from});
    }

    void issue(size_t from) {
        Member &m = members_[from];
        size_t to = random_() % members_.size();
        ASSERT_EQ(permission(m), RI_GRANTED);
        members_[to].undone[m.phase.epoch]++;
        done(to, m.phase.epoch);  // at once is the worst
        m.native = true;
    }

    static rma_issue_permission_t permission(const Member &m) {
        if (m.exchanging && MPIR_rma_issue_sums_over(&m.sums) && m.sums.flags & RF_BARRIER)
            return RI_GRANTED;
        return MPIR_rma_issue_phase_permission(&m.phase);
    }

    void enter(size_t who, bool barrier) {
        Member &m = members_[who];
        size_t size = members_.size();
        m.numbers.assign(size, 0);
        MPIR_rma_issue_sums_begin(&m.sums, uint32_t(size), radix_, m.numbers.data());
        m.sums.flags = (barrier ? RF_BARRIER : 0) | (m.native ? RF_NATIVE : 0);
        for (size_t to = 0; to < size; to++) {
            m.numbers[(to + size - who) % size] = m.sent[to];
            m.sums.flags |= m.sent[to] ? unsigned(RF_MESSAGES) : 0;
            m.sent[to] = 0;
        }
        m.exchanging = true;
        m.sent_in_round = m.heard_in_round = 0;
    }

    // One of the messages of a round.
    void exchange(size_t who) {
        Member &m = members_[who];
        size_t size = members_.size();
        if (!m.exchanging || MPIR_rma_issue_sums_over(&m.sums)) return;
        uint32_t most = MPIR_rma_issue_sums_messages(&m.sums);
        if (m.sent_in_round < most) {
            uint32_t i = ++m.sent_in_round;
            std::vector<uint32_t> message(MPIR_rma_issue_sums_words(&m.sums, i));
            MPIR_rma_issue_sums_pack(&m.sums, i, message.data());
            rounds_[{who, (who + i * m.sums.distance) % size}].push_back(message);
        } else {
            uint32_t i = m.heard_in_round + 1;
            auto &messages = rounds_[{(who + size - i * m.sums.distance) % size, who}];
            if (messages.empty()) return;
            MPIR_rma_issue_sums_merge(&m.sums, i, messages.front().data());
            messages.pop_front();
            m.heard_in_round++;
        }
        if (m.sent_in_round == most && m.heard_in_round == most) {
            MPIR_rma_issue_sums_end_round(&m.sums);
            m.sent_in_round = m.heard_in_round = 0;
        }
    }

    void in_epoch(size_t who) {
        Member &m = members_[who];
        bool may_operate =
            m.holds && !precedes_nothing(m.phase.epoch + 1) && m.phase.epoch < last_ - 1;
        unsigned what = unsigned(random_() % 20);
        lock(m, members_[random_() % members_.size()]);
        if (may_operate && what < 6)
            send(who);
        else if (may_operate && what < 6 + longs_ && permission(m) == RI_GRANTED)
            issue(who);
        else if (may_operate && what < 6 + longs_)
            m.wants_native = true;
        if (m.wants_native && !m.exchanging && random_() % 2) enter(who, true);
        if (what == 19 && m.phase.epoch < last_) fence(who);
    }

    void fence(size_t who) {
        Member &m = members_[who];
        m.entered++;
        if (MPIR_rma_issue_phase_is_barrier(&m.phase)) {
            m.state = IN_BARRIER;
        } else if (precedes_nothing(m.phase.epoch + 1)) {
            MPIR_rma_issue_phase_passed_nothing(&m.phase);
            begin(who);
        } else {
            m.state = IN_EXCHANGE;
            if (!m.exchanging) enter(who, m.wants_native);
        }
    }

    // A request waits where the fence before it is not passed.
    static void lock(const Member &m, const Member &other) {
        EXPECT_TRUE(MPIR_rma_issue_phase_is_ahead(&other.phase, m.phase.epoch) ||
                    other.undone.empty() || other.undone.begin()->first >= m.phase.epoch)
            << "a lock meets operations of an epoch that is over";
    }

    void begin(size_t who) {
        Member &m = members_[who];
        EXPECT_TRUE(m.undone.empty() || m.undone.begin()->first > m.left)
            << "it leaves before all is done";
        for (const Member &other : members_)
            lock(m, other);
        m.left++;
        m.holds = true;
        m.native = m.wants_native = m.exchanging = false;
        m.state = IN_EPOCH;
        while (!m.early.empty() &&
               !MPIR_rma_issue_phase_is_ahead(&m.phase, m.early.front().epoch)) {
            do_message(who, m.early.front());
            m.early.erase(m.early.begin());
        }
    }

    void in_exchange(size_t who) {
        Member &m = members_[who];
        if (!MPIR_rma_issue_sums_over(&m.sums)) return;
        if (m.wants_native) {
            m.wants_native = false;
            issue(who);
        }
        if (m.arrived < m.sums.sums[0] || m.unanswered) return;
        m.arrived -= m.sums.sums[0];
        m.exchanging = false;
        if (!MPIR_rma_issue_phase_passed_exchange(&m.phase, m.sums.flags)) {
            begin(who);
        } else {
            m.state = IN_BARRIER;
            passed_[who] = true;
        }
    }

    // All are there: then all leave, each when it comes to it.
    void in_barrier(size_t who) {
        Member &m = members_[who];
        if (m.unanswered) return;
        if (!waiting_.count(who) && !leaving_.count(who)) {
            if (!passed_[who]) MPIR_rma_issue_phase_passed_barrier(&m.phase);
            passed_[who] = false;
            waiting_[who] = true;
        }
        if (waiting_.size() == members_.size()) std::swap(waiting_, leaving_);
        if (leaving_.erase(who)) begin(who);
    }

    void act(size_t who) {
        Member &m = members_[who];
        exchange(who);
        if (m.state == IN_EPOCH)
            in_epoch(who);
        else if (m.state == IN_EXCHANGE)
            in_exchange(who);
        else
            in_barrier(who);
    }

    std::mt19937_64 random_;
    std::vector<Member> members_;
    std::map<Channel, std::deque<FenceMessage>> channels_;
    std::map<Channel, std::deque<std::vector<uint32_t>>> rounds_;
    std::map<size_t, bool> waiting_, leaving_, passed_;
    uint32_t radix_;
    unsigned longs_ = 0;     // how often there are long operations
    unsigned slowness_ = 1;  // of messages
    uint32_t last_ = 0;
};

TEST(FenceSimulation, OperationsAreDoneInTheirEpochs) {
    for (uint64_t seed = 1; seed <= 300; seed++) {
        SCOPED_TRACE(seed);
        Fences(seed, 1 + uint32_t(seed % 9)).run(40);
        if (::testing::Test::HasFailure()) break;
    }
}

}  // namespace rma_issue_test
