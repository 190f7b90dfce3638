// SPDX-License-Identifier: BSD-3-Clause
#include "no_memory.hpp"

#include <cstdlib>

namespace {

thread_local bool is_on, is_for_good;
thread_local int left_before;

bool fails() {
    if (!is_on) return false;
    left_before--;
    return left_before == -1 || (is_for_good && left_before < 0);
}

}  // namespace

extern "C" {
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);

void *__wrap_malloc(size_t bytes) { return fails() ? nullptr : __real_malloc(bytes); }
void *__wrap_calloc(size_t n, size_t bytes) { return fails() ? nullptr : __real_calloc(n, bytes); }
void *__wrap_realloc(void *memory, size_t bytes) {
    return fails() ? nullptr : __real_realloc(memory, bytes);
}
}

namespace agree_test {

NoMemory::NoMemory(int k, bool for_good) {
    left_before = k;
    is_for_good = for_good;
    is_on = true;
}

NoMemory::~NoMemory() { is_on = false; }

int NoMemory::left() const { return left_before; }

}  // namespace agree_test
