// SPDX-License-Identifier: BSD-3-Clause
// Blocks that processes keep once: who gets which memory; what is refused; processes that are
// killed, stopped, or close files that are not theirs.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "onecopy_impl.h"

namespace {

using Bytes = std::vector<unsigned char>;

Bytes some_bytes(unsigned seed, size_t n = 100001) {
    Bytes bytes(n);
    std::mt19937 random(seed);
    for (auto &byte : bytes)
        byte = static_cast<unsigned char>(random());
    return bytes;
}

bool holds(const void *memory, const Bytes &bytes) {
    return memory != nullptr && std::memcmp(memory, bytes.data(), bytes.size()) == 0;
}

const void *keep(const Bytes &bytes) { return MPIR_onecopy_keep(bytes.data(), bytes.size()); }
void drop(const void *memory, const Bytes &bytes) { MPIR_onecopy_drop(memory, bytes.size()); }

onecopy_figures_t figures() {
    onecopy_figures_t now;
    MPIR_onecopy_get_figures(&now);
    return now;
}

unsigned open_files() {
    unsigned count = 0;
    for (int descriptor = 0; descriptor < 512; descriptor++)
        count += fcntl(descriptor, F_GETFD) >= 0;
    return count;
}

constexpr unsigned PROCESSES = 8;

struct OneCopy : testing::Test {
    void *memory = nullptr;
    board_t *board = nullptr;
    std::vector<pid_t> children;

    void SetUp() override {
        memory = mmap(nullptr, 65536, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        ASSERT_NE(memory, MAP_FAILED);
        ASSERT_LE(MPIR_onecopy_board_bytes(PROCESSES), 32768u);
        board = static_cast<board_t *>(memory);
    }
    void TearDown() override {
        MPIR_onecopy_stop();
        munmap(memory, 65536);
    }
    // Words by which processes wait for each other; behind the board.
    unsigned *word(unsigned i) {
        return reinterpret_cast<unsigned *>(static_cast<char *>(memory) + 32768) + i;
    }
    void wait_for(unsigned i, unsigned value) {
        while (__atomic_load_n(word(i), __ATOMIC_ACQUIRE) < value)
            usleep(200);
    }
    void count(unsigned i) { __atomic_fetch_add(word(i), 1, __ATOMIC_ACQ_REL); }

    void start(unsigned self) { ASSERT_TRUE(MPIR_onecopy_start(board, PROCESSES, self)); }
    // A process that runs `work`; it ends with 0 if that returns true.
    pid_t run(unsigned self, const std::function<bool()> &work) {
        const pid_t child = fork();
        if (child == 0) _exit(MPIR_onecopy_start(board, PROCESSES, self) && work() ? 0 : 1);
        children.push_back(child);
        return child;
    }
    bool all_end_well() {
        bool good = true;
        for (const pid_t child : children) {
            int status = 0;
            waitpid(child, &status, 0);
            good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
        }
        children.clear();
        return good;
    }
};

TEST_F(OneCopy, EqualBytesOfProcessesThatAskAtOnceAreMadeOnce) {
    const Bytes bytes = some_bytes(1);
    for (unsigned p = 0; p < PROCESSES; p++)
        run(p, [&] {
            count(0);
            wait_for(0, PROCESSES);
            const void *memory = keep(bytes);
            __atomic_fetch_add(word(2), static_cast<unsigned>(figures().made), __ATOMIC_ACQ_REL);
            count(1);
            wait_for(1, PROCESSES);
            const bool good =
                holds(memory, bytes) && figures().blocks == 1 && figures().bytes == bytes.size();
            drop(memory, bytes);
            return good && figures().blocks == 0 && figures().bytes == 0;
        });
    EXPECT_TRUE(all_end_well());
    EXPECT_EQ(*word(2), 1u);
}

TEST_F(OneCopy, ABlockStaysWhenItsMakerDropsIt) {
    const Bytes bytes = some_bytes(2);
    run(0, [&] {
        const void *memory = keep(bytes);
        count(0);
        wait_for(1, 1);
        drop(memory, bytes);
        count(2);
        wait_for(3, 1);
        return true;
    });
    run(1, [&] {
        wait_for(0, 1);
        const void *memory = keep(bytes);
        count(1);
        wait_for(3, 1);
        return holds(memory, bytes) && figures().found == 1;
    });
    run(2, [&] {
        wait_for(2, 1);
        const void *memory = keep(bytes);
        const bool good = holds(memory, bytes) && figures().found == 1;
        count(3);
        return good;
    });
    EXPECT_TRUE(all_end_well());
}

TEST_F(OneCopy, SizesAndContentsTellBlocksApart) {
    start(0);
    Bytes bytes = some_bytes(3, 5000);
    std::vector<const void *> all;
    std::vector<Bytes> contents;
    for (size_t n : {1, 7, 8, 31, 32, 33, 4095, 4096, 4097, 5000}) {
        contents.emplace_back(bytes.begin(), bytes.begin() + static_cast<long>(n));
        all.push_back(keep(contents.back()));
    }
    for (size_t at : {0, 31, 4999}) {
        contents.push_back(bytes);
        contents.back()[at] ^= 1;
        all.push_back(keep(contents.back()));
    }
    EXPECT_EQ(figures().made, all.size());
    for (size_t i = 0; i < all.size(); i++) {
        EXPECT_TRUE(holds(all[i], contents[i])) << i;
        drop(all[i], contents[i]);
    }
    EXPECT_EQ(MPIR_onecopy_keep(bytes.data(), 0), nullptr);
}

TEST_F(OneCopy, MemoryCannotBeWritten) {
    start(0);
    const Bytes bytes = some_bytes(4);
    const void *const memory = keep(bytes);
    ASSERT_NE(memory, nullptr);
    const int descriptor = board_descriptor(board->part[0].entry[0].place);
    // A process that makes its mapping writable has bytes of its own then.
    auto *const first = static_cast<char *>(const_cast<void *>(memory));
    ASSERT_EQ(mprotect(first, 4096, PROT_READ | PROT_WRITE), 0);
    *first = static_cast<char>(*first + 1);
    char now = *first;
    EXPECT_EQ(pread(descriptor, &now, 1, 0), 1);
    EXPECT_NE(now, *first);
    EXPECT_LT(pwrite(descriptor, "x", 1, 0), 0);
    EXPECT_NE(ftruncate(descriptor, 0), 0);
    EXPECT_NE(fcntl(descriptor, F_GETFD) & FD_CLOEXEC, 0);
    drop(memory, bytes);
}

TEST_F(OneCopy, OtherUsersCannotOpenABlock) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
    start(0);
    const Bytes bytes = some_bytes(5);
    const void *const memory = keep(bytes);
    ASSERT_NE(memory, nullptr);
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        onecopy_file_t file;
        if (setgid(65534) || setuid(65534)) _exit(2);
        _exit(MPIR_onecopy_file_open(parent, board->part[0].entry[0].place, bytes.size(), &file));
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    drop(memory, bytes);
}

TEST_F(OneCopy, WithoutABoardNothingIsKept) {
    const Bytes bytes = some_bytes(6);
    EXPECT_EQ(keep(bytes), nullptr);
    start(0);
    const void *const memory = keep(bytes);
    ASSERT_NE(memory, nullptr);
    const unsigned files = open_files();
    MPIR_onecopy_stop();
    EXPECT_EQ(open_files(), files - 1);
    EXPECT_EQ(keep(bytes), nullptr);
    EXPECT_TRUE(holds(memory, bytes));
    drop(memory, bytes);
    EXPECT_EQ(figures().blocks, 0u);
    start(1);
    EXPECT_EQ(figures().blocks, 0u);
}

TEST_F(OneCopy, AFullProcessFindsBlocksButMakesNone) {
    const Bytes last = some_bytes(99);
    run(1, [&] {
        const void *memory = keep(last);
        count(0);
        wait_for(1, 1);
        return memory != nullptr;
    });
    wait_for(0, 1);
    start(0);
    const unsigned files = open_files();
    std::vector<const void *> all;
    for (unsigned i = 0; i < ONECOPY_MOST; i++)
        all.push_back(keep(some_bytes(i, 100)));
    EXPECT_EQ(keep(some_bytes(77, 100)), nullptr);
    EXPECT_EQ(open_files(), files + ONECOPY_MOST);
    const void *const found = keep(last);
    EXPECT_TRUE(holds(found, last));
    EXPECT_EQ(open_files(), files + ONECOPY_MOST);
    drop(found, last);
    drop(all[5], some_bytes(5, 100));
    all[5] = keep(some_bytes(77, 100));
    EXPECT_NE(all[5], nullptr);
    for (const void *memory : all)
        MPIR_onecopy_drop(memory, 100);
    EXPECT_EQ(open_files(), files);
    count(1);
    EXPECT_TRUE(all_end_well());
}

TEST_F(OneCopy, WithoutDescriptorsOrRoomForAFileThereIsNone) {
    start(0);
    const Bytes bytes = some_bytes(7);
    rlimit before, less;
    getrlimit(RLIMIT_NOFILE, &before);
    less = before;
    less.rlim_cur = 3;
    setrlimit(RLIMIT_NOFILE, &less);
    EXPECT_EQ(keep(bytes), nullptr);
    // The next one would be in the upper half, which is the application's.
    const unsigned files = open_files();
    const int next = dup(STDIN_FILENO);
    close(next);
    less.rlim_cur = 2 * static_cast<rlim_t>(next);
    setrlimit(RLIMIT_NOFILE, &less);
    EXPECT_EQ(keep(bytes), nullptr);
    EXPECT_EQ(open_files(), files);
    setrlimit(RLIMIT_NOFILE, &before);
    getrlimit(RLIMIT_FSIZE, &before);
    less = before;
    less.rlim_cur = 4096;
    setrlimit(RLIMIT_FSIZE, &less);
    EXPECT_EQ(keep(bytes), nullptr);
    setrlimit(RLIMIT_FSIZE, &before);
    const void *const memory = keep(bytes);
    EXPECT_TRUE(holds(memory, bytes));
    drop(memory, bytes);
}

TEST_F(OneCopy, AFileThatAnApplicationOpenedInPlaceOfOursStaysOpen) {
    start(0);
    const Bytes bytes = some_bytes(8);
    const void *const memory = keep(bytes);
    ASSERT_NE(memory, nullptr);
    const int descriptor = board_descriptor(board->part[0].entry[0].place);
    const int other = open("/dev/null", O_RDONLY);
    ASSERT_EQ(dup2(other, descriptor), descriptor);
    run(1, [&] { return holds(keep(bytes), bytes) && figures().made == 1; });
    EXPECT_TRUE(all_end_well());
    drop(memory, bytes);
    EXPECT_GE(fcntl(descriptor, F_GETFD), 0);
    close(descriptor);
    close(other);
}

// Files that a wrong entry may lead to: opening one with a writer's end of a FIFO must not wait.
TEST_F(OneCopy, EntriesAreNotTrusted) {
    const Bytes bytes = some_bytes(9, 4096), others = some_bytes(10, 4096);
    start(0);
    const void *const memory = keep(others);
    const uint64_t place = board->part[0].entry[0].place;
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    struct stat about;
    fstat(pipe_ends[0], &about);
    // the hash that `bytes` have, in an entry that leads to `others`
    run(2, [&] {
        drop(keep(bytes), bytes);
        board->part[3].entry[0].hash = board->part[2].entry[0].hash;
        return true;
    });
    EXPECT_TRUE(all_end_well());
    std::mt19937 random(1);
    for (uint64_t wrong : {place, board_place(pipe_ends[0], about.st_ino), board_place(0, 0),
                           ~uint64_t{0}, uint64_t{1}}) {
        board->part[3].process = getpid();
        board->part[3].used = random() % 2 ? 1 : UINT32_MAX;
        board->part[3].entry[0].place = wrong;
        for (unsigned i = 1; i < ONECOPY_MOST; i++)
            board->part[3].entry[i] = {random(), random()};
        const void *const right = keep(bytes);
        EXPECT_TRUE(holds(right, bytes));
        drop(right, bytes);
    }
    drop(memory, others);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

double seconds_of(const std::function<void()> &work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST_F(OneCopy, AHolderThatHasEndedIsNotWaitedFor) {
    start(0);
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
    for (auto &holder : board->holder)
        holder = static_cast<uint64_t>(child);
    const Bytes bytes = some_bytes(11);
    const void *memory = nullptr;
    EXPECT_LT(seconds_of([&] { memory = keep(bytes); }), ONECOPY_PATIENCE_MS / 1000. / 2);
    EXPECT_TRUE(holds(memory, bytes));
    drop(memory, bytes);
}

TEST_F(OneCopy, AHolderThatIsStoppedCostsPatience) {
    start(0);
    const pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    kill(child, SIGSTOP);
    for (auto &holder : board->holder)
        holder = static_cast<uint64_t>(child);
    const Bytes bytes = some_bytes(12);
    const void *memory = nullptr;
    EXPECT_GE(seconds_of([&] { memory = keep(bytes); }), ONECOPY_PATIENCE_MS / 1000. - 0.01);
    EXPECT_TRUE(holds(memory, bytes));
    drop(memory, bytes);
    MPIR_onecopy_board_leave(board, 0, child);  // what it does when it goes on
    memory = keep(bytes);
    EXPECT_TRUE(holds(memory, bytes));
    drop(memory, bytes);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
}

TEST_F(OneCopy, AChildReadsAndDisturbsNothing) {
    start(0);
    const Bytes bytes = some_bytes(13);
    const void *const memory = keep(bytes);
    const pid_t child = fork();
    if (child == 0) {
        bool good = holds(memory, bytes) && keep(bytes) == nullptr;
        drop(memory, bytes);
        MPIR_onecopy_stop();
        _exit(good ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    run(1, [&] { return holds(keep(bytes), bytes) && figures().found == 1; });
    EXPECT_TRUE(all_end_well());
    drop(memory, bytes);
}

// Keeps and drops a few blocks for ever, and checks what it gets.
[[noreturn]] void live(unsigned seed) {
    std::mt19937 random(seed);
    struct Kept {
        const void *memory;
        Bytes bytes;
    };
    std::vector<Kept> kept;
    for (;;) {
        if (kept.size() < 6) {
            const Bytes bytes = some_bytes(random() % 10, 20000 + random() % 2);
            const void *const memory = keep(bytes);
            if (!holds(memory, bytes)) _exit(1);
            kept.push_back({memory, bytes});
        }
        usleep(random() % 300);
        const size_t i = random() % kept.size();
        if (!holds(kept[i].memory, kept[i].bytes)) _exit(2);
        if (random() % 2) {
            drop(kept[i].memory, kept[i].bytes);
            kept.erase(kept.begin() + static_cast<long>(i));
        }
    }
}

// Each has its number again when it was killed, at any instruction.
TEST_F(OneCopy, ProcessesThatAreKilledDisturbNobody) {
    std::mt19937 random(7);
    unsigned seed = 0;
    children.resize(PROCESSES - 1);
    const auto revive = [&](unsigned p) {
        children[p] = fork();
        if (children[p] == 0) {
            if (!MPIR_onecopy_start(board, PROCESSES, p + 1)) _exit(3);
            live(seed);
        }
        seed++;
    };
    for (unsigned p = 0; p < PROCESSES - 1; p++)
        revive(p);
    start(0);
    for (unsigned round = 0; round < 80; round++) {
        usleep(random() % 3000);
        const unsigned p = random() % (PROCESSES - 1);
        kill(children[p], SIGKILL);
        int status = 0;
        waitpid(children[p], &status, 0);
        ASSERT_TRUE(WIFSIGNALED(status)) << "it saw wrong bytes: " << WEXITSTATUS(status);
        revive(p);
        const Bytes bytes = some_bytes(random() % 10, 20000);
        const void *memory = nullptr;
        EXPECT_LT(seconds_of([&] { memory = keep(bytes); }), 4 * ONECOPY_PATIENCE_MS / 1000.);
        ASSERT_TRUE(holds(memory, bytes));
        drop(memory, bytes);
    }
    for (const pid_t child : children) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
    for (uint64_t &holder : board->holder) {
        MPIR_onecopy_board_enter(board, static_cast<uint64_t>(&holder - board->holder), getpid());
        EXPECT_EQ(holder, static_cast<uint64_t>(getpid()));
        MPIR_onecopy_board_leave(board, static_cast<uint64_t>(&holder - board->holder), getpid());
        EXPECT_EQ(holder, 0u);
    }
}

TEST(Threads, KeepAndDropAtOnce) {
    std::vector<uint64_t> memory(MPIR_onecopy_board_bytes(2) / 8);
    ASSERT_TRUE(MPIR_onecopy_start(memory.data(), 2, 1));
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; t++)
        threads.emplace_back([t] {
            for (unsigned i = 0; i < 100; i++) {
                const Bytes bytes = some_bytes((t + i) % 3, 5000);
                const void *const memory = keep(bytes);
                EXPECT_TRUE(holds(memory, bytes));
                drop(memory, bytes);
            }
        });
    for (auto &thread : threads)
        thread.join();
    EXPECT_EQ(figures().blocks, 0u);
    MPIR_onecopy_stop();
}

void look_for(const board_t *board, uint64_t hash, int32_t process) {
    for (unsigned p = 0; p < PROCESSES; p++) {
        const board_part_t *const part = &board->part[p];
        for (unsigned slot = 0; slot < MPIR_onecopy_board_slots(part); slot++) {
            uint64_t place;
            int32_t opener;
            if (!MPIR_onecopy_board_look(part, slot, hash, &place, &opener)) continue;
            EXPECT_TRUE(opener == process || opener == 0);  // 0: it has just begun anew
            EXPECT_LT(place >> 32, 100u);
        }
    }
}

// Threads stand for processes.  One writes its part, and starts anew, while the others read it.
TEST(Threads, ReadAPartOfTheBoardThatIsWritten) {
    std::vector<uint64_t> memory(MPIR_onecopy_board_bytes(PROCESSES) / 8);
    auto *const board = reinterpret_cast<board_t *>(memory.data());
    const auto process = static_cast<int32_t>(getpid());
    std::atomic<bool> over{false};
    std::vector<std::thread> threads;
    for (unsigned reader = 1; reader < 4; reader++)
        threads.emplace_back([&, reader] {
            for (uint64_t hash = reader; !over; hash = (hash + 1) % 100)
                look_for(board, hash, process);
        });
    std::mt19937 random(1);
    for (unsigned round = 0; round < 20000; round++) {
        const unsigned slot = random() % ONECOPY_MOST;
        const uint64_t hash = random() % 100;
        if (round % 50 == 0) MPIR_onecopy_board_begin(&board->part[2], process);
        if (round % 50 == 0) std::this_thread::yield();
        MPIR_onecopy_board_offer(&board->part[2], slot, hash, hash << 32 | 1);
        if (round % 3 == 0) MPIR_onecopy_board_withdraw(&board->part[2], slot);
    }
    over = true;
    for (auto &thread : threads)
        thread.join();
}

TEST(Threads, HoldLocksOfTheBoardInTurn) {
    std::vector<uint64_t> memory(MPIR_onecopy_board_bytes(1) / 8);
    auto *const board = reinterpret_cast<board_t *>(memory.data());
    const auto process = static_cast<int32_t>(getpid());
    unsigned entered[BOARD_LOCKS] = {};
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; t++)
        threads.emplace_back([&, t] {
            for (uint64_t hash = t; hash < t + 400; hash++) {
                ASSERT_TRUE(MPIR_onecopy_board_enter(board, hash, process));
                entered[hash % BOARD_LOCKS]++;
                MPIR_onecopy_board_leave(board, hash, process);
            }
        });
    for (auto &thread : threads)
        thread.join();
    EXPECT_EQ(std::accumulate(std::begin(entered), std::end(entered), 0u), 1600u);
    for (const uint64_t holder : board->holder)
        EXPECT_EQ(holder, 0u);
}

}  // namespace
