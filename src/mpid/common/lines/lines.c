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
        if (MPIR_lines_fits(end, sender->taken)) {
            if (MPIR_lines_try(sender, &at, end))
                break;
        } else {
            LINES_STEP();
            at = __atomic_load_n(&box->head, __ATOMIC_RELAXED);
            if (at == seen) {
                MPIR_lines_claim(sender, 0);
                return false;
            }
        }
    }
    *begin = at;
    return true;
}

static bool is_living_at_work(const uint32_t claims[], const bool dead[], int n)
{
    for (int i = 0; i < n; i++) {
        if (dead[i])
            continue;
        LINES_STEP();
        if (__atomic_load_n(&claims[i], __ATOMIC_ACQUIRE) != 0)
            return true;
    }
    return false;
}

/* Senders look whether there is room before they claim: in a full box all claims of the living
 * become 0. */
bool MPIR_lines_skip(lines_receiver_t *receiver, const uint32_t claims[], const bool dead[], int n)
{
    LINES_STEP();
    /* acquire: the claims of all who have tickets before it */
    lines_position_t head = __atomic_load_n(&receiver->box->head, __ATOMIC_ACQUIRE), behind;

    if (MPIR_lines_ticket(head - receiver->next) == 0 || is_living_at_work(claims, dead, n) ||
        MPIR_lines_look(receiver))
        return false;
    behind = MPIR_lines_behind(receiver->next, 0);
    /* at the end of the box its units are known again */
    receiver->next = MPIR_lines_ticket(head - behind) == 0 ? head : behind;
    return true;
}
