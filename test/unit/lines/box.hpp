// SPDX-License-Identifier: BSD-3-Clause
// A box in memory that processes share, and the ends of it.  A message's bytes follow from its
// word.
#pragma once
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>

#include <cstring>
#include <vector>

#include "lines.h"

namespace lines_test {
namespace {

struct Message {
    uint32_t length;
    uint64_t word;
    bool operator==(const Message &other) const {
        return length == other.length && word == other.word;
    }
};

class Box {
  public:
    explicit Box(lines_position_t from = 0) : from_(from) {
        void *memory = mmap(nullptr, sizeof(lines_box_t), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        box_ = static_cast<lines_box_t *>(memory);
        box_->head = box_->taken = from;
    }
    ~Box() { munmap(box_, sizeof *box_); }
    Box(const Box &) = delete;
    Box &operator=(const Box &) = delete;
    lines_box_t *operator->() { return box_; }
    lines_sender_t sender() { return {box_, from_, 0, nullptr}; }
    lines_receiver_t receiver() { return {box_, from_}; }

  private:
    lines_box_t *box_;
    lines_position_t from_;
};

inline unsigned char byte_of(uint64_t word, size_t i) {
    return static_cast<unsigned char>(word * 31 + i * 7 + 1);
}

inline uint32_t length_of(uint64_t word) {
    const uint32_t mixed = static_cast<uint32_t>(word * 2654435761u >> 7);
    return mixed % 4 ? mixed % 65 : mixed % (LINES_MOST + 1);
}

class Sender {
  public:
    explicit Sender(Box &box) : sender_(box.sender()) {}
    bool send(uint32_t length, uint64_t word) {
        lines_letter_t letter;
        if (!MPIR_lines_begin(&sender_, length, &letter)) return false;
        for (size_t i = 0; i < length; i++)
            letter.data[i] = byte_of(word, i);
        MPIR_lines_send(&sender_, &letter, length, word);
        return true;
    }
    bool are_taken() { return MPIR_lines_are_taken(&sender_); }

  private:
    lines_sender_t sender_;
};

class Receiver {
  public:
    explicit Receiver(Box &box) : receiver_(box.receiver()) {}
    bool has() const { return MPIR_lines_look(&receiver_) != nullptr; }
    uint64_t look() const { return MPIR_lines_look(&receiver_)->word; }
    // Its length is wrong if a byte is.
    Message take() {
        const lines_slot_t *slot = MPIR_lines_look(&receiver_);
        if (!slot) return {UINT32_MAX, 0};
        Message message{slot->length, slot->word};
        const auto *data = static_cast<const unsigned char *>(MPIR_lines_data(&receiver_, slot));
        for (size_t i = 0; i < message.length; i++) {
            if (data[i] != byte_of(message.word, i)) {
                message.length = UINT32_MAX - 1;
                break;
            }
        }
        MPIR_lines_pass(&receiver_, slot);
        MPIR_lines_give_back(&receiver_);
        return message;
    }

  private:
    lines_receiver_t receiver_;
};

}  // namespace
}  // namespace lines_test
