/* SPDX-License-Identifier: BSD-3-Clause */
/* UCX's events for a helper that makes progress (mpir_events.h). */
#ifndef UCX_EVENTS_H_INCLUDED
#define UCX_EVENTS_H_INCLUDED

#include <stdint.h>

/* To be added to those of the context: transports without events are left out, and senders look
 * whether the receiver sleeps, only where a helper is wanted. */
uint64_t MPIDI_UCX_events_feature(void);

/* The worker exists. */
void MPIDI_UCX_events_init(void);

#endif /* UCX_EVENTS_H_INCLUDED */
