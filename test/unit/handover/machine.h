/* SPDX-License-Identifier: BSD-3-Clause */
/* What the module does, as steps of a machine (machine.hpp). */
#ifndef MACHINE_H_INCLUDED
#define MACHINE_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

uint32_t machine_load(const uint32_t *word);
void machine_store(uint32_t *word, uint32_t value);
uint32_t machine_exchange(uint32_t *word, uint32_t value);
bool machine_replace(uint32_t *word, uint32_t *old, uint32_t value);
void machine_barrier(void);
void machine_sleep_while(uint32_t *word, uint32_t value);
void machine_wake(uint32_t *word);
bool machine_is_helper(void);

#ifdef __cplusplus
}
#endif
#endif /* MACHINE_H_INCLUDED */
