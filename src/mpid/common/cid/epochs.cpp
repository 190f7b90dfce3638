// SPDX-License-Identifier: BSD-3-Clause
#include "epochs.hpp"

namespace cid {

Epochs::~Epochs() {
    free_all(retired_[0]);
    free_all(retired_[1]);
}

void Epochs::retire(Retired *block) noexcept {
    Retired *&blocks = retired_[now_.load() & 1];
    block->next = blocks;
    blocks = block;
}

// Twice, since what has just been retired belongs to the present epoch: without a lookup under way
// nothing stays behind.
void Epochs::collect() noexcept {
    for (int i = 0; i < 2 && (retired_[0] != nullptr || retired_[1] != nullptr); i++) {
        const uint32_t now = now_.load();
        const uint32_t before = (now - 1) & 1;
        if (inside_[before].load() != 0) return;
        free_all(retired_[before]);
        now_.store(now + 1);
    }
}

void Epochs::free_all(Retired *&blocks) noexcept {
    while (blocks != nullptr) {
        Retired *block = blocks;
        blocks = block->next;
        heap_.give(block, block->bytes);
    }
}

}  // namespace cid
