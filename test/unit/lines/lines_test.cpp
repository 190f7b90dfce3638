// SPDX-License-Identifier: BSD-3-Clause
// Boxes: lengths, room and wrapped counters; senders that run as threads and as processes.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "box.hpp"

namespace lines_test {
namespace {

TEST(Lines, a_message_of_any_length_arrives_as_it_was_sent) {
    Box box;
    Sender sender(box);
    Receiver receiver(box);
    for (uint32_t length = 0; length <= LINES_MOST; length += length < 300 ? 1 : 997) {
        ASSERT_TRUE(sender.send(length, length));
        ASSERT_EQ(receiver.take(), (Message{length, length}));
        ASSERT_FALSE(receiver.has());
    }
}

TEST(Lines, the_datum_fills_the_slot) {
    EXPECT_EQ(sizeof(lines_slot_t), size_t{LINES_SLOT * LINES_LINE});
    EXPECT_EQ(offsetof(lines_slot_t, datum) + LINES_FIRST, size_t{LINES_LINE});
    EXPECT_EQ(MPIR_lines_units(LINES_DATUM), 0u);
    EXPECT_EQ(MPIR_lines_units(LINES_DATUM + 1), 5u);
    EXPECT_EQ(MPIR_lines_units(6 * LINES_LINE), 6u);
}

TEST(Lines, a_full_ring_takes_no_more_until_one_is_taken) {
    Box box;
    Sender sender(box);
    Receiver receiver(box);
    for (uint32_t i = 0; i < LINES_COUNT; i++)
        ASSERT_TRUE(sender.send(8, i));
    for (int round = 0; round < 200; round++) {
        ASSERT_FALSE(sender.send(8, 0));
        ASSERT_EQ(receiver.take(), (Message{8, static_cast<uint64_t>(round)}));
        ASSERT_TRUE(sender.send(8, static_cast<uint64_t>(LINES_COUNT + round)));
    }
}

TEST(Lines, a_full_pool_has_room_for_short_ones_only) {
    Box box;
    Sender sender(box);
    Receiver receiver(box);
    const uint32_t fit = LINES_POOL * LINES_LINE / LINES_MOST;
    for (uint32_t i = 0; i < fit; i++)
        ASSERT_TRUE(sender.send(LINES_MOST, i));
    EXPECT_FALSE(sender.send(LINES_DATUM + 1, 0));
    EXPECT_TRUE(sender.send(LINES_DATUM, fit));
    for (uint32_t i = 0; i < fit; i++)
        ASSERT_EQ(receiver.take(), (Message{LINES_MOST, i}));
    EXPECT_TRUE(sender.send(LINES_MOST, fit + 1));
    EXPECT_EQ(receiver.take(), (Message{LINES_DATUM, fit}));
    EXPECT_EQ(receiver.take(), (Message{LINES_MOST, fit + 1}));
}

TEST(Lines, no_message_lies_across_the_end_of_the_pool) {
    std::mt19937 random(1);
    Box box;
    Sender sender(box);
    Receiver receiver(box);
    for (uint64_t i = 0; i < 20000; i++) {
        const uint32_t length = static_cast<uint32_t>(random() % (LINES_MOST + 1));
        ASSERT_TRUE(sender.send(length, i));
        ASSERT_EQ(receiver.take(), (Message{length, i}));
    }
}

// The units are just before 2^16.
void pass_from(uint64_t ticket) {
    Box box(uint64_t{UINT16_MAX - LINES_POOL + 1} << LINES_TICKET_BITS | ticket);
    Sender sender(box);
    Receiver receiver(box);
    uint64_t sent = 0, taken = 0;
    std::mt19937 random(2);
    while (taken < 1000) {
        while (sender.send(length_of(sent), sent))
            sent++;
        for (uint64_t n = random() % 70; n > 0 && taken < sent; n--, taken++) {
            ASSERT_FALSE(sender.are_taken());
            ASSERT_EQ(receiver.take(), (Message{length_of(taken), taken}));
        }
        ASSERT_EQ(sender.are_taken(), taken == sent);
    }
    EXPECT_EQ(MPIR_lines_ticket(box->head), MPIR_lines_ticket(ticket + sent));
    EXPECT_LT(MPIR_lines_unit(box->head), UINT16_MAX - LINES_POOL);
}

TEST(Lines, tickets_in_slots_wrap) { pass_from(uint64_t{UINT32_MAX} - LINES_COUNT + 1); }

TEST(Lines, tickets_wrap) {
    pass_from((uint64_t{1} << LINES_TICKET_BITS) - LINES_COUNT);
    pass_from((uint64_t{1} << LINES_TICKET_BITS) - 1);
}

TEST(Lines, a_sender_knows_whether_its_own_messages_are_taken) {
    Box box;
    Sender one(box), other(box);
    Receiver receiver(box);
    ASSERT_TRUE(one.send(8, 1));
    ASSERT_TRUE(other.send(100, 2));
    EXPECT_FALSE(one.are_taken());
    receiver.take();
    EXPECT_TRUE(one.are_taken());
    EXPECT_FALSE(other.are_taken());
    receiver.take();
    EXPECT_TRUE(other.are_taken());
}

// A message of sender s that has number i carries s << 32 | i; each sender's come in order.
bool take_in_order(Receiver &receiver, unsigned senders, uint64_t each) {
    std::vector<uint64_t> next(senders, 0);
    for (uint64_t left = senders * each; left > 0;) {
        if (!receiver.has()) {
            std::this_thread::yield();
            continue;
        }
        const Message message = receiver.take();
        const uint64_t sender = message.word >> 32, i = message.word & UINT32_MAX;
        if (sender >= senders || next[sender] != i || message.length != length_of(message.word))
            return false;
        next[sender]++;
        left--;
    }
    return !receiver.has();
}

void send_all(Box &box, uint64_t me, uint64_t count) {
    Sender sender(box);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t word = me << 32 | i;
        while (!sender.send(length_of(word), word))
            std::this_thread::yield();
    }
}

TEST(Threads, senders_at_once) {
    Box box;
    Receiver receiver(box);
    std::vector<std::thread> senders;
    for (uint64_t me = 0; me < 4; me++)
        senders.emplace_back([&box, me] { send_all(box, me, 5000); });
    EXPECT_TRUE(take_in_order(receiver, 4, 5000));
    for (auto &sender : senders)
        sender.join();
}

// What was written before the question was answered with "taken" has been read.
TEST(Threads, taken_means_read) {
    Box box;
    std::atomic<bool> wrong{false};
    uint64_t read = 0;  // no atomic: "taken" orders it
    std::thread thread([&] {
        Receiver receiver(box);
        for (uint64_t i = 0; i < 3000; i++) {
            while (!receiver.has())
                std::this_thread::yield();
            read = receiver.look() + 1;
            receiver.take();
        }
    });
    Sender sender(box);
    for (uint64_t i = 0; i < 3000; i++) {
        while (!sender.send(length_of(i), i))
            std::this_thread::yield();
        while (!sender.are_taken())
            std::this_thread::yield();
        if (read != i + 1) wrong = true;
    }
    thread.join();
    EXPECT_FALSE(wrong);
}

TEST(Lines, processes) {
    Box box;
    Receiver receiver(box);
    for (uint64_t me = 0; me < 3; me++) {
        if (fork() == 0) {
            send_all(box, me, 3000);
            _exit(0);
        }
    }
    EXPECT_TRUE(take_in_order(receiver, 3, 3000));
    while (wait(nullptr) > 0)
        ;
}

// Who is killed between two messages leaves a box that others use.
TEST(Lines, a_sender_that_is_killed) {
    Box box;
    const pid_t child = fork();
    if (child == 0) {
        Sender sender(box);
        sender.send(100, 7);
        kill(getpid(), SIGKILL);
    }
    waitpid(child, nullptr, 0);
    Receiver receiver(box);
    Sender sender(box);
    EXPECT_TRUE(sender.send(8, 8));
    EXPECT_EQ(receiver.take(), (Message{100, 7}));
    EXPECT_EQ(receiver.take(), (Message{8, 8}));
}

TEST(Death, leaves_room_for_others) {
    Box box;
    lines_receiver_t receiver = box.receiver();
    const uint32_t claims[] = {1, 0};
    const bool dead[] = {true, false};
    for (int i = 0; i < 3 * LINES_COUNT; i++) {
        lines_sender_t killed = box.sender();
        lines_letter_t letter;
        ASSERT_TRUE(MPIR_lines_begin(&killed, LINES_MOST, &letter)) << "death " << i;
        ASSERT_FALSE(MPIR_lines_look(&receiver));
        ASSERT_TRUE(MPIR_lines_skip(&receiver, claims, dead, 2));
        ASSERT_FALSE(MPIR_lines_skip(&receiver, claims, dead, 2));
        MPIR_lines_give_back(&receiver);
    }
}

}  // namespace
}  // namespace lines_test
