/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lanes: what a process keeps for each other process of the node that it sends to by lines.
 * ucx_lines.h says what goes by them, and in which order.  ucx_lines.c has the receiver's side, the
 * box.
 */
#ifndef UCX_LANES_H_INCLUDED
#define UCX_LANES_H_INCLUDED

#include "ucx_lines.h"
#include "ucx_loans.h"
#include "lines.h"
#include "reach.h"

enum { MPIDI_UCX_LINE_MOST = 8184 }; /* what UCX sends at once inside a node, and to this process */

/* In the node's start-up segment, a word of each process. */
enum {
    NO_BOX = 0,
    WANTED = 1, /* somebody wants to send */
    NEVER = 2   /* larger numbers are the box's block in the arena */
};

/* UCX's numbers of messages. */
enum { FENCE_ID = 3, RETURN_ID = 4 };

/* Words of slots with something else than a message: no context has these numbers. */
#define NOTE (~UINT64_C(0))    /* an active message */
#define LOAN (~UINT64_C(1))    /* a long message: MPIDI_UCX_loan_t */
#define RETURN (~UINT64_C(2))  /* of a loan: return_t */
#define WISH (~UINT64_C(3))    /* to lend: wish_t */
#define LOAN_AM (~UINT64_C(4)) /* a long active message: MPIDI_UCX_loan_t, and then its headers */
#define LEAST_WORD LOAN_AM

/* In the receiver's box, a word for each sender: may it lend? */
enum { LENDS = 1, LENDS_NOT = 2 };

typedef struct {
    reach_process_t process;
    uint32_t local_rank;
} wish_t;

typedef struct {
    uint64_t number;
    uint64_t fetch_tag; /* 0: it is over; or its data are to be sent by UCX, with this tag */
    uint32_t rank;      /* who returns it */
} return_t;

/* Behind the box, for each process of the node: the answer to its last fence; its claim; whether it
 * may lend. */
static inline size_t MPIDI_UCX_box_bytes(void)
{
    return sizeof(lines_box_t) + 3 * MPIR_Process.local_size * sizeof(uint32_t);
}

static inline uint32_t *MPIDI_UCX_box_answers(lines_box_t *box) { return (uint32_t *) (box + 1); }

static inline uint32_t *MPIDI_UCX_box_claims(lines_box_t *box)
{
    return MPIDI_UCX_box_answers(box) + MPIR_Process.local_size;
}

static inline uint32_t *MPIDI_UCX_box_lenders(lines_box_t *box)
{
    return MPIDI_UCX_box_claims(box) + MPIR_Process.local_size;
}

/* `most`: bytes of a message.  `progress` takes what has arrived. */
void MPIDI_UCX_lanes_init(uint64_t *notices, size_t most, bool (*progress)(void));
/* What waits is sent if it can be, and fences that are due. */
void MPIDI_UCX_lanes_send(void);
/* A long active message.  The request and `buffer` are the lane's from here on.  False:
 * the caller keeps them, and sends by UCX now. */
bool MPIDI_UCX_lanes_send_long(MPIDI_av_entry_t *av, const MPIDI_UCX_parcel_t *parcel,
                               MPIR_Request *sreq, void *buffer);
/* Waits until UCX may have a message that goes to this process. */
void MPIDI_UCX_lanes_make_way(MPIDI_av_entry_t *av);
/* Nothing goes to this process any more. */
void MPIDI_UCX_lanes_end(int local_rank);
void MPIDI_UCX_lanes_free(void);

/* A message of a lender, from its line; NULL without memory.  It goes back to the lender's lane.
 * `lenders`: of this process's box. */
MPIDI_UCX_taken_t *MPIDI_UCX_lanes_borrow(const void *loan, uint32_t *lenders);
/* What a lender reads: a return_t. */
void MPIDI_UCX_lanes_returned(const void *back);

#endif /* UCX_LANES_H_INCLUDED */
