/* SPDX-License-Identifier: BSD-3-Clause */
/* The module once more, with a place to stop before each access to what others write. */
#define LINES_SIMULATED
#define MPIR_lines_begin_slowly simulated_begin_slowly
#define MPIR_lines_skip simulated_skip
#include "lines.c"
#include "simulated.h"

bool simulated_begin(lines_sender_t *sender, size_t length, lines_letter_t *letter)
{
    return MPIR_lines_begin(sender, length, letter);
}

void simulated_send(lines_sender_t *sender, const lines_letter_t *letter, size_t length,
                    uint64_t word)
{
    MPIR_lines_send(sender, letter, length, word);
}

bool simulated_are_taken(lines_sender_t *sender) { return MPIR_lines_are_taken(sender); }

const lines_slot_t *simulated_look(const lines_receiver_t *receiver)
{
    return MPIR_lines_look(receiver);
}

void simulated_take(lines_receiver_t *receiver, const lines_slot_t *slot)
{
    MPIR_lines_pass(receiver, slot);
    MPIR_lines_give_back(receiver);
}
