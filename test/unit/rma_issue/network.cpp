// SPDX-License-Identifier: BSD-3-Clause

#include "network.hpp"

#include <gtest/gtest.h>
#include <algorithm>

namespace rma_issue_test {

Epochs::Epochs(Network &network, int origin, const rma_issue_settings_t &settings, size_t room)
    : network_(network), origin_(origin), settings_(settings) {
    MPIR_rma_issue_target_init(&target, room);
    EXPECT_EQ(network.origins_.size(), size_t(origin));
    network.origins_.push_back(this);
    network.channels_.emplace_back();
}

Epochs::~Epochs() {
    while (target.waiting)
        delete reinterpret_cast<Op *>(MPIR_rma_issue_take(&target));
}

void Epochs::open(bool exclusive) {
    exclusive_ = exclusive;
    MPIR_rma_issue_open(&target, RI_NOTED);
}

void Epochs::put(size_t bytes, size_t wire, size_t answer) {
    if (MPIR_rma_issue_passes(&target, &settings_, wire)) {
        MPIR_rma_issue_issued(&target);
        counts.natives++;
        natives_.push_back(serial_++);
        MPIR_rma_issue_went_out(&target);
        return;
    }
    MPIR_rma_issue_add(&target, &(new Op{{nullptr, bytes, wire, answer, 0}, serial_++})->op);
    reach(RI_GO_ON);
}

void Epochs::send(const rma_issue_step_t &step) {
    Message message{origin_, step.flags, exclusive_, {}};
    size_t wire = 0, answer = 0;
    for (unsigned i = 0; i < step.ops; i++) {
        std::unique_ptr<Op> op(reinterpret_cast<Op *>(MPIR_rma_issue_take(&target)));
        EXPECT_GT(op->op.wire, 0u);
        wire += op->op.wire;
        answer += op->op.answer;
        message.serials.push_back(op->serial);
    }
    EXPECT_LE(wire, target.room);
    EXPECT_LE(answer, target.room);
    EXPECT_TRUE(natives_.empty()) << "a message overtakes what was issued natively";
    counts.messages++;
    counts.asked += (step.flags & RI_ASK) != 0;
    counts.ended += (step.flags & RI_END_EPOCH) != 0;
    unanswered_++;
    network_.channels_[origin_].push_back(message);
}

void Epochs::settle() {
    while (!natives_.empty())
        network_.native(*this);
    MPIR_rma_issue_settled(&target, target.issued);
}

void Epochs::flush() {
    reach(RI_FLUSH);
    settle();
    MPIR_rma_issue_flushed(&target, &settings_);
}

void Epochs::reach(rma_issue_goal_t goal) {
    for (;;) {
        rma_issue_step_t step = MPIR_rma_issue_next(&target, &settings_, goal);
        switch (step.what) {
            case RI_SEND: send(step); break;
            case RI_ISSUE: {
                std::unique_ptr<Op> op(reinterpret_cast<Op *>(MPIR_rma_issue_take(&target)));
                counts.natives++;
                natives_.push_back(op->serial);
                MPIR_rma_issue_went_out(&target);
                break;
            }
            case RI_SETTLE: settle(); break;
            case RI_WAIT: ASSERT_TRUE(network_.progress()) << "waits for nothing"; break;
            case RI_DONE:
                EXPECT_LE(target.waiting, goal == RI_GO_ON ? settings_.queue : 0);
                EXPECT_TRUE(goal != RI_CLEAR || target.permission == RI_GRANTED);
                return;
        }
    }
}

void Epochs::close() {
    reach(RI_END);
    while (unanswered_)
        ASSERT_TRUE(network_.progress());
    EXPECT_EQ(target.waiting, 0u);
    EXPECT_EQ(target.bytes + target.wire + target.answer, 0u);
    EXPECT_FALSE(network_.holds(origin_));
    MPIR_rma_issue_close(&target);
}

bool Network::idle() const {
    return std::all_of(channels_.begin(), channels_.end(),
                       [](const auto &channel) { return channel.empty(); }) &&
           std::all_of(origins_.begin(), origins_.end(),
                       [](const Epochs *one) { return one->natives_.empty(); });
}

bool Network::progress() {
    if (idle()) return false;
    for (;;) {
        size_t origin = random_() % origins_.size();
        if (!origins_[origin]->natives_.empty()) {
            native(*origins_[origin]);
            return true;
        }
        if (!channels_[origin].empty()) {
            Message message = channels_[origin].front();
            channels_[origin].pop_front();
            arrive(message);
            return true;
        }
    }
}

bool Network::holds(int origin) const {
    return std::count(target.holders.begin(), target.holders.end(), origin) > 0;
}

void Network::native(Epochs &epochs) {
    EXPECT_TRUE(holds(epochs.origin_)) << "access without permission";
    for (auto &channel = channels_[epochs.origin_]; !channel.empty(); channel.pop_front())
        arrive(channel.front());
    target.log.push_back({epochs.origin_, epochs.natives_.front()});
    epochs.natives_.pop_front();
}

void Network::arrive(Message message) {
    if (message.flags & RI_ASK) {
        EXPECT_FALSE(holds(message.origin));
        target.waiting.push_back(message);
        grant();
    } else {
        perform(message);
    }
}

void Network::grant() {
    while (!target.waiting.empty() &&
           (target.holders.empty() || (!target.exclusive && !target.waiting.front().exclusive))) {
        Message message = target.waiting.front();
        target.waiting.pop_front();
        target.holders.push_back(message.origin);
        target.exclusive = message.exclusive;
        perform(message);
    }
}

void Network::perform(const Message &message) {
    Epochs &origin = *origins_[message.origin];
    EXPECT_TRUE(holds(message.origin)) << "access without permission";
    for (int serial : message.serials)
        target.log.push_back({message.origin, serial});
    origin.unanswered_--;
    if (message.flags & RI_END_EPOCH)
        target.holders.erase(
            std::find(target.holders.begin(), target.holders.end(), message.origin));
    else if (message.flags & RI_ASK)
        MPIR_rma_issue_granted(&origin.target);
    if (message.flags & RI_END_EPOCH) grant();
}

}  // namespace rma_issue_test
