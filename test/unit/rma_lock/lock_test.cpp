// SPDX-License-Identifier: BSD-3-Clause
// The lock: who is granted when, in one thread that plays all; and many threads and processes at
// once.
#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rma_lock.h"

namespace {

constexpr bool EXCLUSIVE = true, SHARED = false;

struct Asker {
    rma_lock_t *lock;
    rma_lock_request_t request{};
    bool granted = false;

    void ask(bool exclusive) { granted = MPIR_rma_lock_ask(lock, exclusive, &request); }
    bool poll() {
        if (!granted) granted = MPIR_rma_lock_poll(lock, &request);
        return granted;
    }
    void wait() {
        while (!poll())
            sched_yield();
    }
    void release() {
        MPIR_rma_lock_release(lock);
        granted = false;
    }
};

bool is_free(const rma_lock_t &lock) { return lock.state == 0 && lock.next == lock.serving; }

// Longer than a shared request is patient.
void let_patience_end(Asker &asker) {
    for (int i = 0; i < 40 && !asker.poll(); i++)
        usleep(RMA_LOCK_PATIENCE / 1000 / 10);
}

TEST(Lock, IsSharedOrExclusive) {
    rma_lock_t lock{};
    Asker a{&lock}, b{&lock}, c{&lock};

    a.ask(SHARED);
    b.ask(SHARED);
    EXPECT_TRUE(a.granted && b.granted);
    EXPECT_FALSE(MPIR_rma_lock_try(&lock, EXCLUSIVE));
    c.ask(EXCLUSIVE);
    EXPECT_FALSE(c.granted);
    a.release();
    EXPECT_FALSE(c.poll());
    b.release();
    EXPECT_TRUE(c.poll());
    EXPECT_TRUE(MPIR_rma_lock_is_exclusive(&lock));
    EXPECT_FALSE(MPIR_rma_lock_try(&lock, SHARED));
    c.release();
    EXPECT_TRUE(is_free(lock));
}

TEST(Lock, ExclusiveRequestsComeInTheirOrder) {
    rma_lock_t lock{};
    lock.next = lock.serving = UINT32_MAX - 3;  // the numbers wrap
    std::vector<Asker> askers(10, Asker{&lock});

    for (auto &asker : askers)
        asker.ask(EXCLUSIVE);
    for (size_t turn = 0; turn < askers.size(); turn++) {
        for (size_t i = askers.size(); i-- > turn;)
            EXPECT_EQ(askers[i].poll(), i == turn) << i << " at turn " << turn;
        EXPECT_FALSE(MPIR_rma_lock_try(&lock, EXCLUSIVE));
        askers[turn].release();
    }
    EXPECT_TRUE(is_free(lock));
}

TEST(Lock, SharedRequestsThatMeetAHolderComeNextTogether) {
    rma_lock_t lock{};
    Asker holder{&lock}, second{&lock};
    std::vector<Asker> readers(5, Asker{&lock});

    holder.ask(EXCLUSIVE);
    second.ask(EXCLUSIVE);
    for (auto &reader : readers)
        reader.ask(SHARED);
    holder.release();
    EXPECT_FALSE(second.poll());
    for (auto &reader : readers)
        EXPECT_TRUE(reader.poll());
    EXPECT_FALSE(second.poll());
    for (auto &reader : readers)
        reader.release();
    EXPECT_TRUE(second.poll());
    second.release();
    EXPECT_TRUE(is_free(lock));
}

TEST(Lock, NewSharedRequestsLetAnExclusiveOneIn) {
    rma_lock_t lock{};
    Asker old{&lock}, writer{&lock}, late{&lock};

    old.ask(SHARED);
    writer.ask(EXCLUSIVE);
    late.ask(SHARED);
    EXPECT_FALSE(late.granted);
    old.release();
    EXPECT_FALSE(late.poll());
    EXPECT_TRUE(writer.poll());
    EXPECT_FALSE(late.poll());
    writer.release();
    EXPECT_TRUE(late.poll());
    late.release();
    EXPECT_TRUE(is_free(lock));
}

// Two that want shared access to both locks, and somebody who waits for each: none may wait for the
// other for ever.
TEST(Lock, SharedAccessToSeveralLocksMakesNoRing) {
    rma_lock_t one{}, two{};
    Asker a_one{&one}, a_two{&two}, b_one{&one}, b_two{&two}, writer_one{&one}, writer_two{&two};

    a_one.ask(SHARED);
    b_two.ask(SHARED);
    writer_one.ask(EXCLUSIVE);
    writer_two.ask(EXCLUSIVE);
    a_two.ask(SHARED);
    b_one.ask(SHARED);
    EXPECT_FALSE(a_two.granted || b_one.granted);
    let_patience_end(a_two);
    let_patience_end(b_one);
    EXPECT_TRUE(a_two.granted && b_one.granted);
    for (Asker *asker : {&a_one, &a_two, &b_one, &b_two})
        asker->release();
    EXPECT_TRUE(writer_one.poll() && writer_two.poll());
    writer_one.release();
    writer_two.release();
    EXPECT_TRUE(is_free(one) && is_free(two));
}

struct Arena {
    rma_lock_t lock;
    uint32_t guard;
    long first, second;  // equal whenever nobody has the lock exclusively
    long guarded;
    long rounds[16];
    int stop;
};

// Every fourth is a reader.  Returns false when it sees the words differ.
bool take_part(Arena &arena, int me, int rounds) {
    bool right = true;

    for (int i = 0; i < rounds; i++) {
        Asker asker{&arena.lock};
        bool exclusive = me % 4 != 3;

        asker.ask(exclusive);
        asker.wait();
        right = right && arena.first == arena.second;
        if (exclusive) {
            arena.first++;
            if (i % 16 == 0) sched_yield();
            arena.second++;
        }
        asker.release();
        MPIR_rma_lock_guard_enter(&arena.guard);
        arena.guarded++;
        MPIR_rma_lock_guard_leave(&arena.guard);
    }
    return right;
}

TEST(Threads, ShareOneLock) {
    constexpr int THREADS = 8, ROUNDS = 3000;
    Arena arena{};
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};

    for (int me = 0; me < THREADS; me++)
        threads.emplace_back([&, me] { wrong += !take_part(arena, me, ROUNDS); });
    for (auto &thread : threads)
        thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(arena.first, THREADS * 3 / 4 * ROUNDS);
    EXPECT_EQ(arena.guarded, THREADS * ROUNDS);
    EXPECT_TRUE(is_free(arena.lock));
}

TEST(Lock, ProcessesShareIt) {
    constexpr int PROCESSES = 8, ROUNDS = 2000;
    void *memory =
        mmap(nullptr, sizeof(Arena), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    auto &arena = *static_cast<Arena *>(memory);

    for (int me = 0; me < PROCESSES; me++) {
        if (fork() == 0) _exit(take_part(arena, me, ROUNDS) ? 0 : 1);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        wait(&status);
        EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(arena.first, PROCESSES * 3 / 4 * ROUNDS);
    EXPECT_TRUE(is_free(arena.lock));
    munmap(memory, sizeof(Arena));
}

// Of the processes 1 to 3 only the third has died, with the guard closed.
TEST(Guard, OfADeadProcessIsOpened) {
    uint32_t guard = 3;
    std::atomic<bool> waits{true};

    MPIR_rma_lock_is_dead = [](uint32_t process) { return process == 3; };
    MPIR_rma_lock_self = 1;
    MPIR_rma_lock_guard_enter(&guard);
    EXPECT_EQ(guard, 1u);
    std::thread other([&] {
        MPIR_rma_lock_guard_enter(&guard);
        waits = false;
        MPIR_rma_lock_guard_leave(&guard);
    });
    for (int i = 0; i < 1000; i++)
        sched_yield();
    EXPECT_TRUE(waits);
    MPIR_rma_lock_guard_leave(&guard);
    other.join();
    EXPECT_FALSE(waits);
    EXPECT_EQ(guard, 0u);
    MPIR_rma_lock_is_dead = nullptr;
    MPIR_rma_lock_self = UINT32_MAX;
}

// Each takes one of four locks, or shares all of them in any order, until all have done their
// rounds. (Who held one and waited for another would be a ring with those who share, which no lock
// can break.)
TEST(Threads, LocksOfManyMakeNoRing) {
    constexpr int THREADS = 6, LOCKS = 4, ROUNDS = 150;
    std::array<rma_lock_t, LOCKS> locks{};
    std::vector<std::thread> threads;

    for (int me = 0; me < THREADS; me++)
        threads.emplace_back([&, me] {
            std::mt19937 random(me);
            for (int round = 0; round < ROUNDS; round++) {
                std::vector<Asker> held;
                std::vector<int> order(LOCKS);
                bool exclusive = me % 2 == 0;

                std::iota(order.begin(), order.end(), 0);
                std::shuffle(order.begin(), order.end(), random);
                if (exclusive) order.resize(1);
                for (int which : order) {
                    held.push_back(Asker{&locks[which]});
                    held.back().ask(exclusive);
                    held.back().wait();
                }
                for (auto &asker : held)
                    asker.release();
            }
        });
    for (auto &thread : threads)
        thread.join();
    for (auto &lock : locks)
        EXPECT_TRUE(is_free(lock));
}

}  // namespace
