// SPDX-License-Identifier: BSD-3-Clause
#include "counting_allocator.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace cmap_test {
namespace {

// The C face takes plain functions, so the state is global.
std::atomic<uint64_t> blocks{0}, alive{0}, peak{0}, asked{0}, calls{0};
std::atomic<uint64_t> first_failure{UINT64_MAX}, last_failure{0};
std::atomic<bool> failed{false};

constexpr size_t prefix = alignof(std::max_align_t);

void note_peak(uint64_t now) {
    uint64_t most = peak;
    while (most < now && !peak.compare_exchange_weak(most, now)) {
    }
}

void *allocate(size_t bytes) {
    const uint64_t call = calls++;
    if (call >= first_failure && call <= last_failure) {
        failed = true;
        return nullptr;
    }
    auto *block = static_cast<char *>(std::malloc(bytes + prefix));
    if (block == nullptr) return nullptr;
    std::memcpy(block, &bytes, sizeof bytes);
    blocks++;
    note_peak(alive += bytes);
    asked += bytes;
    std::memset(block + prefix, 0xa5, bytes < 4096 ? bytes : 4096);  // nobody may count on zeros
    return block + prefix;
}

void deallocate(void *pointer) {
    if (pointer == nullptr) return;
    char *block = static_cast<char *>(pointer) - prefix;
    size_t bytes = 0;
    std::memcpy(&bytes, block, sizeof bytes);
    blocks--;
    alive -= bytes;
    std::free(block);
}

}  // namespace

CountingAllocator::CountingAllocator(Install install) : install_(install) {
    blocks = alive = peak = asked = calls = 0;
    fail_never();
    install_(allocate, deallocate);
}

CountingAllocator::~CountingAllocator() { install_(nullptr, nullptr); }

void CountingAllocator::fail_at(uint64_t k) {
    fail_from(k);
    last_failure = first_failure.load();
}

void CountingAllocator::fail_from(uint64_t k) {
    failed = false;
    last_failure = UINT64_MAX;
    first_failure = calls + k;
}

void CountingAllocator::fail_never() {
    failed = false;
    first_failure = UINT64_MAX;
    last_failure = 0;
}

bool CountingAllocator::has_failed() const { return failed; }

uint64_t CountingAllocator::blocks_alive() const { return blocks; }

uint64_t CountingAllocator::bytes_alive() const { return alive; }

uint64_t CountingAllocator::bytes_peak() const { return peak; }

void CountingAllocator::restart_peak() { peak = alive.load(); }

uint64_t CountingAllocator::bytes_asked() const { return asked; }

}  // namespace cmap_test
