// SPDX-License-Identifier: BSD-3-Clause
// What the thread tests of all modules have in common.
#ifndef IN_PARALLEL_HPP_INCLUDED
#define IN_PARALLEL_HPP_INCLUDED

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace thread_test {

constexpr unsigned thread_count = 4;

// Runs work(0) .. work(thread_count - 1), each in a thread, all from the same moment on.
inline void in_parallel(const std::function<void(unsigned)> &work) {
    std::atomic<unsigned> waiting{thread_count};
    std::vector<std::thread> threads;
    for (unsigned number = 0; number < thread_count; number++)
        threads.emplace_back([&, number] {
            waiting--;
            while (waiting > 0)
                std::this_thread::yield();
            work(number);
        });
    for (std::thread &thread : threads)
        thread.join();
}

// Threads count their mistakes; the assertion is made by one.
struct Mistakes {
    std::atomic<unsigned> count{0};
    void unless(bool right) {
        if (!right) count++;
    }
    ~Mistakes() { EXPECT_EQ(0u, count); }
};

}  // namespace thread_test

#endif  // IN_PARALLEL_HPP_INCLUDED
