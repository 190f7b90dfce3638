// SPDX-License-Identifier: BSD-3-Clause
#include "jobs.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "afapi.h"

namespace afapi_test {
namespace {

// Everything until the last process that has it closes the other end; false when one never does.
bool read_all(int pipe, std::string &text) {
    char buffer[4096];
    pollfd waiting = {pipe, POLLIN, 0};
    while (poll(&waiting, 1, 330000) > 0) {
        const ssize_t n = read(pipe, buffer, sizeof buffer);
        if (n <= 0) return n == 0;
        text.append(buffer, static_cast<size_t>(n));
    }
    return false;
}

}  // namespace

Ended run(const char *processes, const std::function<int()> &program) {
    int pipes[2], status = -1;
    EXPECT_EQ(pipe(pipes), 0);
    fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        dup2(pipes[1], 1);
        dup2(pipes[1], 2);
        close(pipes[0]);
        close(pipes[1]);
        if (processes)
            setenv("AFAPI_NPROC", processes, 1);
        else
            unsetenv("AFAPI_NPROC");
        alarm(300);
        const int result = program();
        fflush(nullptr);
        _exit(result);
    }
    close(pipes[1]);
    Ended ended{};
    ended.nothing_left = read_all(pipes[0], ended.said);
    close(pipes[0]);
    if (!ended.nothing_left) kill(child, SIGKILL);
    EXPECT_EQ(waitpid(child, &status, 0), child);
    ended.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return ended;
}

bool job(int processes, const std::function<bool()> &body) {
    const Ended ended = run(std::to_string(processes).c_str(), [&] {
        if (p_init()) return 3;
        if (NPROC != processes) return 4;
        const bool right = body();
        p_exit();
        return right ? 0 : 5;
    });
    EXPECT_EQ(ended.said, "");
    return ended.status == 0 && ended.nothing_left;
}

}  // namespace afapi_test
