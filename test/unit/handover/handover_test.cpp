// SPDX-License-Identifier: BSD-3-Clause
// The module with real threads: exclusion, sleeping and waking, nested entries, fork, and a system
// without membarrier.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <random>
#include <thread>

#include "handover.h"

namespace {

// Only one thread may use it, and it has no lock.  Events come to it.
class Engine {
  public:
    // Takes an event, if one has come.
    bool take() {
        uses_++;
        if (taken_ == posted_.load()) return false;
        taken_++;
        return true;
    }
    bool arm() {
        std::lock_guard<std::mutex> guard(mutex_);
        rung_ = false;
        return armed_ = taken_ == posted_.load();
    }
    void post() {
        posted_++;
        ring(false);
    }
    void ring(bool anyway) {
        std::lock_guard<std::mutex> guard(mutex_);
        if (!armed_ && !anyway) return;
        ended_ = ended_ || anyway;
        rung_ = true;
        armed_ = false;
        bell_.notify_all();
    }
    void sleep() {
        std::unique_lock<std::mutex> guard(mutex_);
        sleeps_++;
        bell_.wait(guard, [this] { return rung_ || ended_; });
    }
    unsigned taken() const { return taken_; }
    unsigned uses() const { return uses_; }
    unsigned posted() const { return posted_; }
    unsigned sleeps() const { return sleeps_; }

  private:
    unsigned taken_ = 0, uses_ = 0;
    std::atomic<unsigned> posted_{0}, sleeps_{0};
    std::mutex mutex_;
    std::condition_variable bell_;
    bool armed_ = false, rung_ = false, ended_ = false;
};

// An engine with its helper.
class Served {
  public:
    Served() {
        EXPECT_TRUE(MPIR_handover_init(&handover_));
        helper_ = std::thread([this] {
            const handover_work_t work = {take, arm, sleep, pause, this};
            MPIR_handover_serve(&handover_, &work);
        });
    }
    ~Served() { stop(); }
    void stop() {
        if (!helper_.joinable()) return;
        MPIR_handover_stop(&handover_);
        engine.ring(true);
        helper_.join();
    }
    void enter() { MPIR_handover_enter(&handover_); }
    void leave() { MPIR_handover_leave(&handover_); }
    handover_t *handover() { return &handover_; }

    Engine engine;
    std::atomic<unsigned> taken_by_helper{0};

  private:
    static bool take(void *context) {
        auto *me = static_cast<Served *>(context);
        EXPECT_TRUE(MPIR_handover_is_helper(&me->handover_));
        // as a callback does
        me->enter();
        const bool any = me->engine.take();
        me->leave();
        me->taken_by_helper += any;
        return any;
    }
    static bool arm(void *context) { return static_cast<Served *>(context)->engine.arm(); }
    static void sleep(void *context) { static_cast<Served *>(context)->engine.sleep(); }
    static bool pause(void *, unsigned microseconds) {
        usleep(microseconds);
        return false;
    }

    handover_t handover_;
    std::thread helper_;
};

TEST(Threads, TheHelperTakesWhatComesWhileTheProgramComputes) {
    Served served;
    for (unsigned i = 1; i <= 200; i++) {
        served.engine.post();
        while (served.taken_by_helper < i)
            std::this_thread::yield();
    }
    served.stop();
    EXPECT_EQ(served.engine.taken(), 200u);
}

TEST(Threads, ProgramAndHelperShareTheWork) {
    Served served;
    std::thread network([&] {
        for (int i = 0; i < 3000; i++) {
            served.engine.post();
            if (i % 16 == 0) usleep(20);
        }
    });
    std::mt19937 random(1);
    unsigned calls = 0, taken = 0;
    while (served.engine.posted() < 3000) {
        served.enter();
        calls++;
        taken += served.engine.take();
        if (random() % 4 == 0) {
            served.enter();
            taken += served.engine.take();
            served.leave();
        }
        served.leave();
        if (random() % 64 == 0) usleep(300);
    }
    network.join();
    // without another call
    while (taken + served.taken_by_helper < 3000)
        std::this_thread::yield();
    served.stop();
    EXPECT_EQ(served.engine.taken(), 3000u);
    EXPECT_GT(calls, 0u);
}

TEST(Threads, AHelperThatFindsTheProgramInsideLooksAgain) {
    Served served;
    served.enter();
    served.engine.post();
    // longer than all its pauses: it sleeps until the program leaves
    usleep(20000);
    EXPECT_EQ(served.taken_by_helper, 0u);
    EXPECT_EQ(served.engine.taken(), 0u);
    served.leave();
    while (served.taken_by_helper == 0)
        std::this_thread::yield();
}

// A helper without work, whose pauses are looked at.
struct Paced {
    handover_t handover;
    std::atomic<bool> is_left{false};
    std::atomic<unsigned> latest{0}, pauses{0};

    void serve() {
        const handover_work_t how = {work, arm, sleep, pause, this};
        MPIR_handover_serve(&handover, &how);
    }
    // The program calls again and again.
    void call() {
        MPIR_handover_enter(&handover);
        MPIR_handover_leave(&handover);
        std::this_thread::yield();
    }

  private:
    static bool work(void *) { return false; }
    static bool arm(void *) { return true; }
    static void sleep(void *) {}
    static bool pause(void *context, unsigned microseconds) {
        auto *me = static_cast<Paced *>(context);
        me->latest = microseconds;
        me->pauses++;
        usleep(microseconds);
        return me->is_left;
    }
};

TEST(Threads, PausesGrowUnlessWorkIsLeft) {
    Paced paced;
    ASSERT_TRUE(MPIR_handover_init(&paced.handover));
    std::thread helper([&] { paced.serve(); });
    while (paced.latest != HANDOVER_PAUSE_MOST)
        paced.call();
    paced.is_left = true;
    // they may grow while the program is kept from leaving its call
    unsigned least = 0;
    for (unsigned before = paced.pauses, end = before + 10000; least < 20 && before < end;) {
        while (paced.pauses == before)
            paced.call();
        before = paced.pauses;
        least = paced.latest == HANDOVER_PAUSE_LEAST ? least + 1 : 0;
    }
    EXPECT_EQ(least, 20u);
    MPIR_handover_stop(&paced.handover);
    helper.join();
}

TEST(Threads, NothingIsDoneInsideTheProgramsCalls) {
    Served served;
    for (int i = 0; i < 50; i++) {
        served.enter();
        const unsigned before = served.engine.uses();
        served.engine.post();
        usleep(i * 20);
        EXPECT_EQ(served.engine.uses(), before);
        served.leave();
        usleep(200);
    }
}

TEST(Threads, AHelperIsStoppedWhereverItIs) {
    for (int i = 0; i < 60; i++) {
        Served served;
        if (i % 3 == 1) served.enter();
        if (i % 3 == 2) served.engine.post();
        usleep(static_cast<unsigned>(i % 20) * 300);
        served.stop();
    }
}

TEST(Handover, AnIdleHelperSleeps) {
    Served served;
    while (served.engine.sleeps() == 0)
        usleep(100);
    const unsigned sleeps = served.engine.sleeps();
    usleep(20000);
    EXPECT_EQ(served.engine.sleeps(), sleeps);
}

TEST(Handover, TakesOnlyFromOutside) {
    handover_t handover;
    ASSERT_TRUE(MPIR_handover_init(&handover));
    EXPECT_FALSE(MPIR_handover_is_entered(&handover));
    MPIR_handover_enter(&handover);
    MPIR_handover_enter(&handover);
    EXPECT_FALSE(MPIR_handover_take(&handover));
    MPIR_handover_leave(&handover);
    EXPECT_TRUE(MPIR_handover_is_entered(&handover));
    EXPECT_FALSE(MPIR_handover_take(&handover));
    MPIR_handover_leave(&handover);
    EXPECT_TRUE(MPIR_handover_take(&handover));
    MPIR_handover_give(&handover);
    MPIR_handover_enter(&handover);
    MPIR_handover_leave(&handover);
}

// What a child process answers.
template <class Body>
bool in_child(Body body) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        _exit(body() ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Handover, AChildProcessHasNoHelper) {
    handover_t handover;
    ASSERT_TRUE(MPIR_handover_init(&handover));
    ASSERT_TRUE(MPIR_handover_take(&handover));  // at the worst time
    EXPECT_TRUE(in_child([&] {
        MPIR_handover_forked(&handover);
        MPIR_handover_enter(&handover);
        MPIR_handover_leave(&handover);
        return handover.stop != 0 && !MPIR_handover_is_entered(&handover);
    }));
    MPIR_handover_give(&handover);
}

// As in a container whose filter does not know the call.
bool forbid_membarrier() {
    sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(Handover, FailsWithoutMembarrier) {
    EXPECT_TRUE(in_child([] {
        handover_t handover;
        return forbid_membarrier() && !MPIR_handover_init(&handover);
    }));
}

}  // namespace
