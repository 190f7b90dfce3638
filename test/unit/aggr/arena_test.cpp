// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "members.hpp"

namespace {

struct Arena : testing::Test {
    aggr_arena_t *arena = nullptr;
    void SetUp() override { ASSERT_EQ(MPIR_aggr_arena_create(1 << 20, {0, 0}, &arena), AGGR_OK); }
    void TearDown() override { MPIR_aggr_arena_detach(arena); }
    size_t used() const {
        aggr_arena_figures_t figures;
        MPIR_aggr_arena_figures(arena, &figures);
        return figures.used;
    }
    size_t room() const {
        aggr_arena_figures_t figures;
        MPIR_aggr_arena_figures(arena, &figures);
        return figures.bytes;
    }
};

TEST_F(Arena, is_seen_by_those_who_have_its_name) {
    const aggr_arena_name_t name = MPIR_aggr_arena_name(arena);
    const uint64_t block = MPIR_aggr_arena_reserve(arena, 100);
    ASSERT_NE(block, 0u);
    std::strcpy(static_cast<char *>(MPIR_aggr_arena_at(arena, block)), "here");
    aggr_arena_t *other = nullptr;
    ASSERT_EQ(MPIR_aggr_arena_attach(&name, &other), AGGR_OK);
    EXPECT_STREQ(static_cast<char *>(MPIR_aggr_arena_at(other, block)), "here");
    MPIR_aggr_arena_release(other, block, 100);
    MPIR_aggr_arena_detach(other);
    EXPECT_EQ(used(), 0u);
}

TEST_F(Arena, names_of_no_arena_are_refused) {
    aggr_arena_t *other = nullptr;
    aggr_arena_name_t name = MPIR_aggr_arena_name(arena);
    name.nonce = 0;
    EXPECT_EQ(MPIR_aggr_arena_attach(&name, &other), AGGR_ERR_ARG);
    name = MPIR_aggr_arena_name(arena);
    name.nonce += 2;
    EXPECT_EQ(MPIR_aggr_arena_attach(&name, &other), AGGR_ERR_ATTACH) << "another arena";
    name = MPIR_aggr_arena_name(arena);
    name.descriptor = 9999;
    EXPECT_EQ(MPIR_aggr_arena_attach(&name, &other), AGGR_ERR_ATTACH) << "no such file";
    for (const char *path : {"/dev/null", "/proc/self/stat", "/bin/sh", "/tmp"}) {
        const int file = open(path, O_RDONLY);
        ASSERT_GE(file, 0);
        name = MPIR_aggr_arena_name(arena);
        name.descriptor = file;
        EXPECT_EQ(MPIR_aggr_arena_attach(&name, &other), AGGR_ERR_ATTACH) << path;
        close(file);
    }
    EXPECT_EQ(MPIR_aggr_arena_create(100, {0, 0}, &other), AGGR_ERR_ARG);
}

TEST_F(Arena, of_a_process_that_is_gone_cannot_be_attached_but_stays_for_those_who_have_it) {
    int pipes[2];
    ASSERT_EQ(pipe(pipes), 0);
    int go[2];
    ASSERT_EQ(pipe(go), 0);
    const pid_t child = fork();
    if (child == 0) {
        aggr_arena_t *own = nullptr;
        char byte;
        if (MPIR_aggr_arena_create(1 << 20, {0, 0}, &own) != AGGR_OK) _exit(1);
        const aggr_arena_name_t name = MPIR_aggr_arena_name(own);
        if (write(pipes[1], &name, sizeof name) != sizeof name || read(go[0], &byte, 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    aggr_arena_name_t name;
    ASSERT_EQ(read(pipes[0], &name, sizeof name), static_cast<ssize_t>(sizeof name));
    aggr_arena_t *early = nullptr, *late = nullptr;
    ASSERT_EQ(MPIR_aggr_arena_attach(&name, &early), AGGR_OK);
    ASSERT_EQ(write(go[1], "x", 1), 1);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_EQ(MPIR_aggr_arena_attach(&name, &late), AGGR_ERR_ATTACH);
    const uint64_t block = MPIR_aggr_arena_reserve(early, 4096);
    ASSERT_NE(block, 0u);
    std::memset(MPIR_aggr_arena_at(early, block), 1, 4096);
    MPIR_aggr_arena_detach(early);
    for (const int file : {pipes[0], pipes[1], go[0], go[1]})
        close(file);
}

TEST_F(Arena, leaves_alone_a_file_that_the_application_opened_at_its_descriptor) {
    const aggr_arena_name_t name = MPIR_aggr_arena_name(arena);
    FILE *const theirs = std::tmpfile();
    ASSERT_NE(theirs, nullptr);
    ASSERT_EQ(dup2(fileno(theirs), name.descriptor), name.descriptor);
    aggr_arena_t *other = nullptr;
    EXPECT_EQ(MPIR_aggr_arena_reserve(arena, 4096), 0u);
    EXPECT_EQ(MPIR_aggr_arena_attach(&name, &other), AGGR_ERR_ATTACH);
    MPIR_aggr_arena_detach(arena);
    arena = nullptr;
    struct stat about;
    ASSERT_EQ(fstat(name.descriptor, &about), 0) << "closed";
    EXPECT_EQ(about.st_size, 0);
    close(name.descriptor);
    std::fclose(theirs);
}

TEST_F(Arena, blocks_are_zero_aligned_and_apart) {
    std::mt19937_64 random(1);
    std::map<uint64_t, size_t> blocks;
    for (int i = 0; i < 20000; i++) {
        if (random() % 2 && !blocks.empty()) {
            auto block = std::next(blocks.begin(), static_cast<long>(random() % blocks.size()));
            std::memset(MPIR_aggr_arena_at(arena, block->first), 0xff, block->second);
            MPIR_aggr_arena_release(arena, block->first, block->second);
            blocks.erase(block);
            continue;
        }
        const size_t bytes = 1 + random() % (random() % 8 ? 2000 : 150000);
        const uint64_t block = MPIR_aggr_arena_reserve(arena, bytes);
        if (block == 0) continue;
        ASSERT_EQ(block % 512, 0u);
        const auto next = blocks.lower_bound(block);
        ASSERT_TRUE(next == blocks.end() || block + bytes <= next->first);
        ASSERT_TRUE(next == blocks.begin() ||
                    std::prev(next)->first + std::prev(next)->second <= block);
        const char *at = static_cast<char *>(MPIR_aggr_arena_at(arena, block));
        ASSERT_EQ(at[0] | at[bytes / 2] | at[bytes - 1], 0);
        blocks[block] = bytes;
    }
    for (const auto &block : blocks)
        MPIR_aggr_arena_release(arena, block.first, block.second);
    EXPECT_EQ(used(), 0u);
}

TEST_F(Arena, hands_out_all_it_has_and_no_more) {
    for (const size_t bytes : {512u, 1024u, 32768u, 65536u, 40000u}) {
        std::vector<uint64_t> blocks;
        while (const uint64_t block = MPIR_aggr_arena_reserve(arena, bytes))
            blocks.push_back(block);
        const size_t rounded = (bytes + 32767) / 32768 * 32768;
        EXPECT_GE(blocks.size() * (bytes <= 32768 ? bytes : rounded) + rounded, room()) << bytes;
        for (const uint64_t block : blocks)
            MPIR_aggr_arena_release(arena, block, bytes);
        EXPECT_EQ(used(), 0u);
    }
    EXPECT_EQ(MPIR_aggr_arena_reserve(arena, room() + 1), 0u);
    const uint64_t whole = MPIR_aggr_arena_reserve(arena, room());
    EXPECT_NE(whole, 0u);
    EXPECT_EQ(MPIR_aggr_arena_reserve(arena, 1), 0u);
    MPIR_aggr_arena_release(arena, whole, room());
    MPIR_aggr_arena_release(arena, 0, 100);
    EXPECT_EQ(used(), 0u);
}

TEST(Memory, goes_back_when_much_less_is_taken_and_what_is_taken_stays) {
    constexpr size_t block_bytes = 5000, blocks_at_first = 1600;
    aggr_arena_t *arena = nullptr;
    ASSERT_EQ(MPIR_aggr_arena_create(16 << 20, {0, 0}, &arena), AGGR_OK);
    const auto memory = [arena] {
        struct stat about;
        EXPECT_EQ(fstat(MPIR_aggr_arena_name(arena).descriptor, &about), 0);
        return static_cast<size_t>(about.st_blocks) * 512;
    };
    for (int round = 0; round < 3; round++) {
        std::vector<uint64_t> blocks;
        for (size_t i = 0; i < blocks_at_first; i++) {
            blocks.push_back(MPIR_aggr_arena_reserve(arena, block_bytes));
            ASSERT_NE(blocks.back(), 0u);
            auto *at = static_cast<unsigned char *>(MPIR_aggr_arena_at(arena, blocks.back()));
            ASSERT_EQ(at[0] | at[block_bytes - 1], 0);
            std::memset(at, static_cast<int>(i % 251 + 1), block_bytes);
        }
        EXPECT_GE(memory(), blocks_at_first * block_bytes);
        // one in sixteen stays until the end, the last ones longest
        for (size_t i = 0; i < blocks_at_first; i++)
            if (i % 16) MPIR_aggr_arena_release(arena, blocks[i], block_bytes);
        for (size_t i = 0; i < blocks_at_first; i += 16)
            for (size_t k = 0; k < block_bytes; k += 499)
                ASSERT_EQ(static_cast<unsigned char *>(MPIR_aggr_arena_at(arena, blocks[i]))[k],
                          i % 251 + 1);
        for (size_t i = 0; i < blocks_at_first; i += 16)
            MPIR_aggr_arena_release(arena, blocks[i], block_bytes);
        EXPECT_LE(memory(), blocks_at_first * block_bytes * 3 / 8);
    }
    MPIR_aggr_arena_detach(arena);
}

TEST(Memory, of_few_blocks_stays) {
    aggr_arena_t *arena = nullptr;
    ASSERT_EQ(MPIR_aggr_arena_create(16 << 20, {0, 0}, &arena), AGGR_OK);
    MPIR_aggr_arena_release(arena, MPIR_aggr_arena_reserve(arena, 1 << 20), 1 << 20);
    struct stat about;
    ASSERT_EQ(fstat(MPIR_aggr_arena_name(arena).descriptor, &about), 0);
    EXPECT_GE(about.st_blocks * 512, 1 << 20);
    MPIR_aggr_arena_detach(arena);
}

// Each block is of one thread alone, also while memory goes back.
void reserve_in_threads(size_t arena_bytes, size_t usual, size_t large) {
    aggr_arena_t *arena = nullptr;
    ASSERT_EQ(MPIR_aggr_arena_create(arena_bytes, {0, 0}, &arena), AGGR_OK);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([=] {
            std::mt19937_64 random(static_cast<uint64_t>(t));
            for (int i = 0; i < 3000; i++) {
                const size_t bytes = 1 + random() % (i % 16 ? usual : large);
                const uint64_t block = MPIR_aggr_arena_reserve(arena, bytes);
                if (block == 0) continue;
                auto *at = static_cast<unsigned char *>(MPIR_aggr_arena_at(arena, block));
                std::memset(at, t + 1, bytes);
                std::this_thread::yield();
                for (size_t k = 0; k < bytes; k += 97)
                    ASSERT_EQ(at[k], t + 1);
                MPIR_aggr_arena_release(arena, block, bytes);
            }
        });
    for (auto &thread : threads)
        thread.join();
    aggr_arena_figures_t figures;
    MPIR_aggr_arena_figures(arena, &figures);
    EXPECT_EQ(figures.used, 0u);
    MPIR_aggr_arena_detach(arena);
}

TEST(Threads, reserve_blocks_that_do_not_overlap) {
    reserve_in_threads(1 << 20, 1500, 90000);
    reserve_in_threads(16 << 20, 1500, 3 << 20);
}

}  // namespace
