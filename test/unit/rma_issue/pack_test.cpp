// SPDX-License-Identifier: BSD-3-Clause
// Short operations that the caller packs, among others, in epochs of fences and in random order.

#include <gtest/gtest.h>
#include <algorithm>
#include <deque>
#include <random>
#include <vector>

#include "rma_issue.h"

namespace rma_issue_test {

// One operation, or several that were packed.
struct Element {
    rma_issue_op_t op;
    std::vector<int> serials;
};

class PackingOrigin {
  public:
    explicit PackingOrigin(uint64_t seed) : random_(seed) {
        const size_t longest[] = {0, 8, 128, 4096};
        const unsigned most[] = {1, 3, 64};
        settings_ = {random_() % 3 ? RI_HYBRID : RI_LAZY, 1, longest[random_() % 4],
                     most[random_() % 3], random_() % 2 == 0};
        MPIR_rma_issue_target_init(&target_, ROOM);
    }

    void epoch() {
        MPIR_rma_issue_open(&target_, random_() % 2 ? RI_GRANTED : RI_MESSAGES);
        for (int steps = 1 + int(random_() % 60); steps > 0; steps--) {
            add();
            if (target_.permission == RI_MESSAGES && random_() % 20 == 0)
                MPIR_rma_issue_granted(&target_);
            if (random_() % 10 == 0) settle();
            reach(random_() % 2 ? RI_GATHER : RI_GO_ON);
            if (random_() % 20 == 0) reach(random_() % 2 ? RI_FLUSH : RI_FENCE);
        }
        if (target_.permission == RI_MESSAGES) MPIR_rma_issue_granted(&target_);
        EXPECT_EQ(reach(RI_FENCE), RI_DONE);
        settle();
        EXPECT_EQ(target_.waiting, 0u);
        EXPECT_EQ(target_.bytes + target_.wire + target_.answer + target_.bound, 0u);
        EXPECT_EQ(left_, serial_) << "an operation is lost";
        MPIR_rma_issue_close(&target_);
    }

    int packed = 0;

  private:
    enum { ROOM = 256, PACK_ROOM = 64 };

    // The bytes of an operation are any, its bytes in a message are few, many or none.
    void add() {
        const size_t bytes[] = {8, 100, 1000};
        const size_t wires[] = {16, 24, 112, 0};
        rma_issue_op_t op = {nullptr, bytes[random_() % 3], wires[random_() % 4],
                             random_() % 8 ? 0u : 8u, 0};
        bool packs = op.wire <= 24 && MPIR_rma_issue_packs(&target_, &settings_, &op);
        if (packs && target_.tail && target_.tail->wire + op.wire <= PACK_ROOM) {
            MPIR_rma_issue_pack_more(&target_, op.bytes, op.wire);
            elements_.back().serials.push_back(serial_++);
            packed++;
            return;
        }
        op.packed = packs;
        elements_.push_back({op, {serial_++}});
        MPIR_rma_issue_add(&target_, &elements_.back().op);
    }

    const Element &take() {
        auto *element = reinterpret_cast<Element *>(MPIR_rma_issue_take(&target_));
        EXPECT_EQ(size_t(std::max(element->op.packed, 1u)), element->serials.size());
        for (int serial : element->serials)
            EXPECT_EQ(serial, left_++) << "operations leave in another order";
        return *element;
    }

    void send(const rma_issue_step_t &step) {
        size_t wire = 0, answer = 0, ops = 0;
        EXPECT_GT(step.ops, 0u);
        EXPECT_FALSE(MPIR_rma_issue_has_native(&target_)) << "a message overtakes what is native";
        while (ops < step.ops) {
            const Element &element = take();
            EXPECT_GT(element.op.wire, 0u);
            wire += element.op.wire;
            answer += element.op.answer;
            ops += element.serials.size();
        }
        EXPECT_EQ(ops, step.ops) << "the step divides packed operations";
        EXPECT_LE(wire, size_t(ROOM));
        EXPECT_LE(answer, size_t(ROOM));
    }

    void settle() { MPIR_rma_issue_settled(&target_, target_.issued); }

    rma_issue_what_t reach(rma_issue_goal_t goal) {
        for (;;) {
            rma_issue_step_t step = MPIR_rma_issue_next(&target_, &settings_, goal);
            if (step.what == RI_SEND) {
                send(step);
            } else if (step.what == RI_ISSUE) {
                EXPECT_EQ(take().op.packed, 0u) << "packed operations are issued natively";
                MPIR_rma_issue_went_out(&target_);
            } else if (step.what == RI_SETTLE) {
                settle();
            } else {
                return step.what;
            }
        }
    }

    std::mt19937_64 random_;
    rma_issue_settings_t settings_;
    rma_issue_target_t target_;
    std::deque<Element> elements_;  // also those that have left
    int serial_ = 0, left_ = 0;
};

TEST(Pack, OperationsTravelInMessagesAndInOrder) {
    int packed = 0;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        SCOPED_TRACE(seed);
        PackingOrigin origin(seed);
        for (int epochs = 0; epochs < 5; epochs++)
            origin.epoch();
        packed += origin.packed;
        if (::testing::Test::HasFailure()) break;
    }
    EXPECT_GT(packed, 1000) << "hardly any operation was packed";
}

TEST(Pack, FullPacksFillOneMessage) {
    rma_issue_settings_t settings{RI_HYBRID, 1, 128, 64, false};
    rma_issue_target_t target;
    std::deque<rma_issue_op_t> packs;
    MPIR_rma_issue_target_init(&target, 256);
    MPIR_rma_issue_open(&target, RI_MESSAGES);
    for (int i = 0; i < 16; i++) {
        if (i % 4) {
            MPIR_rma_issue_pack_more(&target, 8, 16);
        } else {
            packs.push_back({nullptr, 8, 16, 0, 1});
            MPIR_rma_issue_add(&target, &packs.back());
        }
        EXPECT_EQ(MPIR_rma_issue_next(&target, &settings, RI_GATHER).what, RI_DONE);
    }
    packs.push_back({nullptr, 8, 16, 0, 1});
    MPIR_rma_issue_add(&target, &packs.back());
    rma_issue_step_t step = MPIR_rma_issue_next(&target, &settings, RI_GATHER);
    EXPECT_EQ(step.what, RI_SEND);
    EXPECT_EQ(step.ops, 16u);
}

}  // namespace rma_issue_test
