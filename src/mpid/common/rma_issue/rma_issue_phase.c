/* SPDX-License-Identifier: BSD-3-Clause */

#include "rma_issue_phase.h"

#include <assert.h>

void MPIR_rma_issue_phase_init(rma_issue_phase_t *phase, bool exchanges)
{
    *phase = (rma_issue_phase_t){.exchanges = exchanges, .next_barriers = RF_BARRIERS_LEAST};
}

static void phase_begin(rma_issue_phase_t *phase, bool entered_by_all, bool clear)
{
    phase->epoch++;
    phase->entered_by_all = entered_by_all;
    phase->clear = clear;
}

void MPIR_rma_issue_phase_passed_barrier(rma_issue_phase_t *phase)
{
    assert(MPIR_rma_issue_phase_is_barrier(phase));
    if (phase->exchanges)
        phase->barriers--;
    phase_begin(phase, true, true);
}

void MPIR_rma_issue_phase_passed_nothing(rma_issue_phase_t *phase)
{
    phase_begin(phase, false, false);
}

bool MPIR_rma_issue_phase_passed_exchange(rma_issue_phase_t *phase, uint32_t flags)
{
    bool native = flags & (RF_NATIVE | RF_BARRIER);
    bool barrier = flags & RF_BARRIER || (native && flags & RF_MESSAGES);

    if (native) {
        phase->barriers = phase->next_barriers;
        phase->next_barriers *= phase->next_barriers < RF_BARRIERS_MOST ? 2 : 1;
    } else if (phase->next_barriers > RF_BARRIERS_LEAST) {
        phase->next_barriers /= 2;
    }
    phase_begin(phase, true, barrier || !(flags & RF_MESSAGES));
    return barrier;
}
