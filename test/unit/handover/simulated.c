/* SPDX-License-Identifier: BSD-3-Clause */
/* The module once more: each access to what both threads use is a step of a simulated machine. */
#define HANDOVER_SIMULATED
#define MPIR_handover_init simulated_init
#define MPIR_handover_is_helper simulated_is_helper
#define MPIR_handover_wait simulated_wait
#define MPIR_handover_answer simulated_answer
#define MPIR_handover_enter simulated_inline_enter
#define MPIR_handover_leave simulated_inline_leave
#define MPIR_handover_serve simulated_serve
#define MPIR_handover_stop simulated_stop
#define MPIR_handover_forked simulated_forked
#define MPIR_handover_take simulated_take
#define MPIR_handover_give simulated_give
#define MPIR_handover_ask simulated_ask
#include "machine.h"
#define HANDOVER_LOAD(word) machine_load(word)
#define HANDOVER_STORE(word, value) machine_store(word, value)
#define HANDOVER_IS_HELPER(handover) machine_is_helper()
#define HANDOVER_SPIN() ((void) 0)
#define HANDOVER_SPINS 1
#define HANDOVER_EXCHANGE(word, value) machine_exchange(word, value)
#define HANDOVER_REPLACE(word, old, new) machine_replace(word, old, new)
#define HANDOVER_BARRIER() machine_barrier()
#define HANDOVER_SLEEP_WHILE(word, value) machine_sleep_while(word, value)
#define HANDOVER_WAKE(word) machine_wake(word)
#include "handover.c"

void simulated_enter(handover_t *handover) { MPIR_handover_enter(handover); }
void simulated_leave(handover_t *handover) { MPIR_handover_leave(handover); }
