/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Short messages inside a node, in front of UCX: by a box of lines (lines.h) that the receiver has.
 *
 * UCX matches all messages.  A message that has come in a line goes into UCX from there, as one
 * that this process sends to itself: UCX then hands it to a receive, or keeps it for one, before
 * its call returns.  So receives, probes and wildcards know nothing of lines.
 *
 * What is left is the order of a sender's messages, some by lines and some by UCX.  Each process
 * has a lane to each other process of the node that it sends to:
 *
 *   open     short messages go by lines.  A message for UCX waits until the receiver has taken all
 *            lines of the lane; it closes the lane.
 *            It begins so, if the receiver has a box by then.
 *   closed   all messages go by UCX.  After a few short ones in a row, and when the sender waits
 *            for something, a fence follows them by UCX: a note to the receiver, who writes its
 *            number into shared memory.  That number opens the lane, if no message has followed.
 *
 * A lane that was opened in vain, since a long message came soon, wants twice as many short
 * messages before the next fence.  So who sends short and long ones in turn uses UCX alone.
 *
 * Active messages (ucx_am_lines.c) go by the same lanes, in one order with the others.
 *
 * No message that UCX would send at once waits for the receiver to make progress, unless its box is
 * full.
 *
 * Messages that wait are in a queue of the lane, and progress sends them.
 *
 * One VNI: the first.  REQUIRES for all functions: the caller holds its lock.
 */
#ifndef UCX_LINES_H_INCLUDED
#define UCX_LINES_H_INCLUDED

#include "mpir_deaths.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct MPIDI_UCX_lane MPIDI_UCX_lane_t;

/* Lines of a message that come with its first one: LINES_SLOT - 1. */
enum { MPIDI_UCX_LINES_AHEAD = 4 };

struct MPIDI_UCX_lines {
    bool on;
    /* Messages in queues of lanes, fences that are due, a message of the dead; where processes may
     * die, one more. */
    unsigned waiting;
    unsigned lent; /* messages whose data the receivers have not returned */
    /* Progress has something to do when this word has this value: the ticket of the next line, or
     * before there is a box, the wish for one. */
    const uint32_t *watched;
    uint32_t awaited;
};

extern struct MPIDI_UCX_lines MPIDI_UCX_lines;

/* A message that is to be sent. */
typedef struct MPIDI_UCX_parcel {
    const void *buf;
    MPI_Aint count;
    MPI_Datatype datatype;
    const void *data; /* where its bytes begin, if they have no gaps */
    size_t bytes;
    uint64_t tag;
    bool has_gaps, is_sync;
    enum {
        MPIDI_UCX_NO_AM,
        MPIDI_UCX_SHORT_AM, /* as UCX would send it; `data` is the lane's while it waits */
        MPIDI_UCX_LONG_AM   /* its data are lent */
    } am;
    /* Of a long one: what is in front of the data, and its handler. */
    const void *head;
    size_t head_bytes;
    int handler;
} MPIDI_UCX_parcel_t;

enum MPIDI_UCX_way {
    MPIDI_UCX_BY_UCX, /* the caller sends it, and then calls MPIDI_UCX_lines_sent if *lane is set */
    MPIDI_UCX_BY_LINE, /* it is sent */
    MPIDI_UCX_WAITS    /* *request will complete */
};

/* REQUIRES MPIDI_UCX_lines.on */
enum MPIDI_UCX_way MPIDI_UCX_lines_send(MPIDI_av_entry_t *av, const MPIDI_UCX_parcel_t *parcel,
                                        MPIDI_UCX_lane_t **lane, MPIR_Request **request);
void MPIDI_UCX_lines_sent(MPIDI_UCX_lane_t *lane, const MPIDI_UCX_parcel_t *parcel);

/* Where processes may die, UCX has nothing but TCP inside a node: all active messages go by lines.
 * Else those do whose order among others does not matter. */
static inline bool MPIDI_UCX_lines_have_am(const MPIR_Comm *comm, int handler, int vnis)
{
#ifdef MPIR_WITHOUT_REVOCATION
    return false;
#elif defined(MPIR_WITHOUT_HELPER)
    return unlikely(MPIR_Deaths_watched || handler == MPIDIG_COMM_AGREE ||
                    handler == MPIDIG_COMM_REVOKE) &&
           vnis == 0;
#else
    return unlikely(MPIR_Deaths_watched || handler == MPIDIG_COMM_AGREE ||
                    handler == MPIDIG_COMM_REVOKE) &&
           vnis == 0 && !MPIDI_UCX_COMM(comm).by_events;
#endif
}

/* An active message of a header; and of one with data, which ends as MPIDI_NM_am_isend() says.
 * True: it is sent, or will be.  False: the caller sends it by UCX now.  ucx_am_lines.c */
bool MPIDI_UCX_lines_send_note(MPIR_Comm *comm, int rank, int handler, const void *header,
                               size_t bytes);
bool MPIDI_UCX_lines_send_am(MPIR_Comm *comm, int rank, int handler, const void *header,
                             size_t bytes, const void *data, MPI_Aint count, MPI_Datatype datatype,
                             MPIR_Request *sreq);

/* Takes a message back that waits.  Nothing happens if it does not wait any more. */
void MPIDI_UCX_lines_cancel(MPIR_Request *request);

/* With the workers. */
int MPIDI_UCX_lines_init(void);
/* When no process sends any more; and when the endpoints are closed: they may still send
 * fences. */
void MPIDI_UCX_lines_finalize(void);
void MPIDI_UCX_lines_free(void);

static inline bool MPIDI_UCX_lines_are_behind(void)
{
    return MPIDI_UCX_lines.waiting > (unsigned) MPIR_Deaths_watched;
}

/* Has all that was to be sent left this process? */
static inline bool MPIDI_UCX_lines_have_departed(void)
{
    return !MPIDI_UCX_lines_are_behind() && MPIDI_UCX_lines.lent == 0;
}

/* What has arrived goes to UCX, and what waits is sent if it can be.  Returns whether UCX need not
 * be looked after: lines come first, but not for ever. */
bool MPIDI_UCX_lines_progress(void);

static inline bool MPIDI_UCX_lines_poll(void)
{
    /* acquire, for the line */
    if (likely(__atomic_load_n(MPIDI_UCX_lines.watched, __ATOMIC_ACQUIRE) !=
                   MPIDI_UCX_lines.awaited &&
               !MPIDI_UCX_lines.waiting)) {
        for (int i = 1; i <= MPIDI_UCX_LINES_AHEAD; i++)
            __builtin_prefetch((const char *) MPIDI_UCX_lines.watched + i * 64);
        return false;
    }
    return MPIDI_UCX_lines_progress();
}

#endif /* UCX_LINES_H_INCLUDED */
