/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * UCX's events for a helper that makes progress (mpir_events.h).
 *
 * UCX has events only where its context is made for them, and then it has no transport `self`,
 * which cache lines need (ucx_lines.h).  So there are two ways:
 *
 *   on     The context of MPI_Init has events.  The helper serves all messages.  No lines.
 *   auto   The context of MPI_Init has none.  The first window that messages serve makes a second
 *          context with a worker, ctx[MPIDI_UCX_EVENTS], which has events.  The members tell each
 *          other its address.  All messages of such windows go by these workers, native operations
 *          as well as active messages.  The helper sleeps at the second worker; progress polls it,
 *          too.  A program without such a window has one worker.
 *
 * A window goes by the second workers if all members have one.
 */
#ifndef UCX_EVENTS_H_INCLUDED
#define UCX_EVENTS_H_INCLUDED

#include <stdint.h>

/* The place of the second worker in MPIDI_UCX_global.ctx.  It stands for a VNI where a window has
 * one; its messages have the VCI 0. */
enum { MPIDI_UCX_EVENTS = MPIDI_CH4_MAX_VCIS };

/* A process of the world with a second worker. */
typedef struct {
    const ucp_address_t *address; /* NULL: no window has told it */
    ucp_ep_h ep;                  /* NULL: not used yet */
    uint32_t rank;                /* in the world */
} MPIDI_UCX_events_peer_t;

struct MPIDI_UCX_events {
    ucp_context_h context; /* NULL: there is no second worker */
    /* Those that this process has met, hashed by rank: 1 << bits places, at most half of them
     * taken, so that each search ends. */
    MPIDI_UCX_events_peer_t *peers;
    unsigned bits, met;
};

extern struct MPIDI_UCX_events MPIDI_UCX_events;

/* To be added to those of the context of MPI_Init: with "on" transports without events are left
 * out, and senders look whether the receiver sleeps. */
uint64_t MPIDI_UCX_events_feature(void);

/* The first worker exists. */
void MPIDI_UCX_events_init(void);

/* All that was sent by the second worker has left; it is polled; it ends, when its endpoints are
 * closed.  Nothing happens where there is none. */
void MPIDI_UCX_events_flush(void);
void MPIDI_UCX_events_poll(void);
void MPIDI_UCX_events_free(void);

/* The endpoint of a member.  REQUIRES: the communicator's window goes by second workers. */
int MPIDI_UCX_events_get_ep(MPIR_Comm *comm, int rank, ucp_ep_h *ep);

/* The place of a process of the world, which is empty (no address) if it was not met.  REQUIRES:
 * there is a second worker. */
static inline MPIDI_UCX_events_peer_t *MPIDI_UCX_events_find(uint32_t rank)
{
    uint32_t place = rank * 2654435769u >> (32 - MPIDI_UCX_events.bits); /* Fibonacci hashing */

    while (MPIDI_UCX_events.peers[place].address && MPIDI_UCX_events.peers[place].rank != rank)
        place = (place + 1) & ((1u << MPIDI_UCX_events.bits) - 1);
    return &MPIDI_UCX_events.peers[place];
}

static inline MPIDI_UCX_events_peer_t *MPIDI_UCX_events_peer(const MPIDI_av_entry_t *av)
{
    return MPIDI_UCX_events_find((uint32_t) (av - MPIDI_global.avt_mgr.av_table0->table));
}

/* The context of a worker. */
static inline ucp_context_h MPIDI_UCX_events_context(int index)
{
    return index == MPIDI_UCX_EVENTS ? MPIDI_UCX_events.context : MPIDI_UCX_global.context;
}

#endif /* UCX_EVENTS_H_INCLUDED */
