/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of lines.h that call simulated_step before each access to what others write. */
#ifndef SIMULATED_H_INCLUDED
#define SIMULATED_H_INCLUDED

#include "lines.h"

#ifdef __cplusplus
extern "C" {
#endif

void simulated_step(void);
bool simulated_begin(lines_sender_t *sender, size_t length, lines_letter_t *letter);
void simulated_send(lines_sender_t *sender, const lines_letter_t *letter, size_t length,
                    uint64_t word);
bool simulated_are_taken(lines_sender_t *sender);
const lines_slot_t *simulated_look(const lines_receiver_t *receiver);
bool simulated_skip(lines_receiver_t *receiver, const uint32_t claims[], const bool dead[], int n);
void simulated_take(lines_receiver_t *receiver, const lines_slot_t *slot);

#ifdef __cplusplus
}
#endif
#endif /* SIMULATED_H_INCLUDED */
