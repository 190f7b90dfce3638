// SPDX-License-Identifier: BSD-3-Clause
// How jobs start and end: settings, processes that die, calls that cannot be right.
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

#include "afapi.h"
#include "jobs.hpp"

namespace afapi_test {
namespace {

using testing::Values;

// A program that does this between p_init and p_exit.
std::function<int()> between(const std::function<void()> &body) {
    return [body] {
        if (p_init()) return 1;
        body();
        p_exit();
        return 0;
    };
}

void expect(const Ended &ended, int status, const std::string &said) {
    EXPECT_EQ(ended.status, status);
    EXPECT_NE(ended.said.find(said), std::string::npos) << ended.said;
    EXPECT_TRUE(ended.nothing_left);
}

TEST(Job, has_as_many_processes_as_cores_by_default) {
    cpu_set_t cores;
    ASSERT_EQ(sched_getaffinity(0, sizeof cores, &cores), 0);
    const Ended ended = run(nullptr, between([] {
                                if (IPROC == CPROC) printf("%d processes\n", NPROC);
                            }));
    expect(ended, 0, std::to_string(CPU_COUNT(&cores)) + " processes\n");
}

class WrongNumber : public testing::TestWithParam<const char *> {};
TEST_P(WrongNumber, of_processes_is_refused) {
    expect(run(GetParam(), between([] { printf("started\n"); })), 1,
           std::string("afapi: AFAPI_NPROC=") + GetParam() +
               " is not accepted; accepted values: 1 to 1024 (");
}
INSTANTIATE_TEST_SUITE_P(values, WrongNumber,
                         Values("0", "-3", "abc", "4x", "", " ", "100000", "1025",
                                "99999999999999999999"));

TEST(Job, may_have_as_many_processes_as_it_says) {
    EXPECT_TRUE(job(100, [] { return p_reduceAdd32(IPROC) == 100 * 99 / 2; }));
}

TEST(Job, ends_with_the_status_of_a_process_that_fails_after_p_exit) {
    const Ended ended = run("3", [] {
        if (p_init()) return 1;
        p_exit();
        return IPROC == 1 ? 7 : 0;
    });
    EXPECT_EQ(ended.status, 7);
    EXPECT_EQ(ended.said, "");
}

TEST(Job, writes_once_what_was_buffered_before_p_init) {
    const Ended ended = run("4", [] {
        printf("once\n");
        return between([] { p_wait(); })();
    });
    EXPECT_EQ(ended.said, "once\n");
    EXPECT_EQ(ended.status, 0);
}

TEST(Job, has_nothing_to_do_with_children_the_program_had_before) {
    const Ended ended = run("3", [] {
        signal(SIGCHLD, SIG_IGN);
        if (fork() == 0) _exit(9);
        if (fork() == 0) {
            usleep(200000);
            _exit(9);
        }
        return between([] {
            if (signal(SIGCHLD, SIG_DFL) != SIG_IGN) printf("the program's choice is lost\n");
        })();
    });
    EXPECT_EQ(ended.status, 0);
    EXPECT_EQ(ended.said, "");
}

// ---- a process that dies ----

class Death : public testing::TestWithParam<int> {};
TEST_P(Death, of_a_process_ends_the_job) {
    for (const int victim : {0, 2})
        expect(run("4", between([&] {
                       p_wait();
                       if (IPROC == victim) {
                           signal(GetParam(), SIG_DFL);  // a sanitizer may have it
                           raise(GetParam());
                       }
                       if (IPROC == 1) pause();  // busy with something else
                       p_wait();
                   })),
               128 + GetParam(),
               "afapi: process " + std::to_string(victim) + " was ended by signal " +
                   std::to_string(GetParam()));
}
INSTANTIATE_TEST_SUITE_P(signals, Death, Values(SIGKILL, SIGSEGV, SIGTERM));

TEST(Death, of_the_process_that_started_the_job_leaves_nothing) {
    EXPECT_TRUE(run("4", between([] {
                        p_wait();
                        if (IPROC == 0) kill(getppid(), SIGKILL);
                        for (;;)
                            pause();
                    }))
                    .nothing_left);
}

TEST(Death, is_what_an_exit_before_p_exit_is) {
    for (const int status : {0, 3})
        expect(run("3", between([&] {
                       if (IPROC == 2) _exit(status);
                       p_wait();
                   })),
               status ? status : 1,
               "afapi: process 2 ended with status " + std::to_string(status) + " before p_exit");
}

// ---- what cannot be had ----

// qemu-user, under which the tests of aarch64 run, takes such a limit and does not keep it.
bool address_space_has_limits() {
    rlimit before, now;
    getrlimit(RLIMIT_AS, &before);
    rlimit less = before;
    less.rlim_cur = std::min(before.rlim_cur, rlim_t{1} << 46);
    setrlimit(RLIMIT_AS, &less);
    getrlimit(RLIMIT_AS, &now);
    setrlimit(RLIMIT_AS, &before);
    return now.rlim_cur == less.rlim_cur;
}

TEST(Job, without_memory_does_not_start) {
    if (!address_space_has_limits()) GTEST_SKIP() << "no limit of the address space holds here";
    expect(run("1024",
               [] {
                   std::ifstream statm("/proc/self/statm");
                   rlim_t pages = 0;
                   statm >> pages;
                   const rlim_t bytes =
                       pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (4 << 20);
                   const rlimit limit = {bytes, bytes};
                   setrlimit(RLIMIT_AS, &limit);
                   return p_init();
               }),
           1, "bytes of shared memory for 1024 processes");
}

TEST(Job, whose_processes_cannot_all_be_had_does_not_start) {
    const Ended ended = run("8", [] {
        // limits are not root's
        if (getuid() == 0 && (setgroups(0, nullptr) || setresuid(54321, 54321, 54321))) return 77;
        const rlimit limit = {4, 4};
        setrlimit(RLIMIT_NPROC, &limit);
        return p_init();
    });
    expect(ended, 1, "afapi: cannot start 8 processes: ");
}

// ---- calls that cannot be right ----

TEST(Call, before_p_init_or_after_p_exit_says_so) {
    expect(run("1",
               [] {
                   p_wait();
                   return 0;
               }),
           1, "afapi: p_wait was called before p_init");
    expect(run("1",
               [] {
                   if (p_init()) return 7;
                   p_exit();
                   return p_reduceAdd32(1);
               }),
           1, "afapi: p_reduce was called after p_exit");
    expect(run("2", [] { return p_init() ? 7 : p_init() + 4; }), 5,
           "afapi: p_init is called a second time");
}

TEST(Call, of_two_that_put_or_none_says_so) {
    expect(
        run("3", between([] { IPROC ? p_bcastPut32(1) : p_bcastGet32(); })), 1,
        "afapi: 2 of 3 processes called p_bcastPut; exactly one must, and all others p_bcastGet");
    expect(run("3", between([] { p_scatterGet8(); })), 1,
           "afapi: 0 of 3 processes called p_scatterPut; exactly one must, and all others "
           "p_scatterGet");
}

TEST(Call, for_another_length_says_so) {
    expect(run("2", between([] {
                   char array[100] = {};
                   IPROC ? p_bcastPutz(array, 100) : p_bcastGetz(array, 40);
                   p_wait();
               })),
           1, "afapi: process 0 calls p_bcastGet for 40 bytes, but process 1 puts 100");
}

TEST(Call, for_a_process_that_is_not_there_says_so) {
    for (const int from : {-1, 2})
        expect(run("2", between([&] {
                       if (IPROC == 0) p_putGet32(1, from);
                       p_wait();
                   })),
               1,
               "afapi: process 0 calls p_putGet for the datum of process " + std::to_string(from) +
                   "; processes are 0 to 1");
}

}  // namespace
}  // namespace afapi_test
