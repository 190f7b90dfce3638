/* SPDX-License-Identifier: BSD-3-Clause */
#include "lines.h"

/* A reader of `taken` that is slow has an old `head`, to which it does not belong: only when the
 * head is still the same is there no room. */
bool MPIR_lines_begin_slowly(lines_sender_t *sender, uint32_t units, lines_position_t *begin)
{
    lines_box_t *box = sender->box;

    LINES_STEP();
    lines_position_t at = __atomic_load_n(&box->head, __ATOMIC_RELAXED), end, seen;
    while (true) {
        end = MPIR_lines_behind(at, units);
        LINES_STEP();
        /* acquire: the receiver has read what was in the room */
        sender->taken = __atomic_load_n(&box->taken, __ATOMIC_ACQUIRE);
        seen = at;
        LINES_STEP();
        if (MPIR_lines_fits(end, sender->taken)) {
            if (__atomic_compare_exchange_n(&box->head, &at, end, false, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED))
                break;
        } else {
            at = __atomic_load_n(&box->head, __ATOMIC_RELAXED);
            if (at == seen)
                return false;
        }
    }
    *begin = at;
    return true;
}
