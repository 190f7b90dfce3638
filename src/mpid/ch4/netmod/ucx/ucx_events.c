/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "ucx_impl.h"
#include "ucx_events.h"
#include "mpir_events.h"

uint64_t MPIDI_UCX_events_feature(void) { return MPIR_Events_may_come() ? UCP_FEATURE_WAKEUP : 0; }

/* After another error the helper sleeps, too: it must not go round and round. */
static bool arm(void) { return ucp_worker_arm(MPIDI_UCX_global.ctx[0].worker) != UCS_ERR_BUSY; }

static void keep_error(int code) { MPIDI_UCX_handler_errno = code; }

void MPIDI_UCX_events_init(void)
{
    MPIR_Events_source_t source = {.arm = arm, .keep_error = keep_error};

    if (!MPIR_Events_may_come() || MPIDI_UCX_global.num_vnis != 1)
        return;
    if (ucp_worker_get_efd(MPIDI_UCX_global.ctx[0].worker, &source.descriptor) == UCS_OK)
        MPIR_Events_set_source(&source);
}
