/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Long messages inside a node where processes may die, and UCX has nothing but TCP there.
 *
 * The sender lends its data: a line (ucx_lines.h) says where they lie.  The receiver gives the
 * message to UCX as one that it sends to itself, in the order of the lines.  Data that UCX takes at
 * once are copied by the kernel before.  Longer ones are copied when UCX has matched the message,
 * for UCX asks for its parts only then.  So receives and probes know nothing of loans, and a long
 * message that nobody receives takes no memory.
 *
 * If the sender has died meanwhile the receive that UCX has matched ends with an error.
 *
 * If the kernel begins to refuse copies the receiver asks the sender for the data, who sends them
 * by UCX with a tag of their own.  A receive that UCX has matched goes on until they come.  A
 * message that was to be copied at once holds up the box until then, for the order of messages.
 *
 * One VNI: the first.  REQUIRES for all functions: the caller holds its lock.
 */
#ifndef UCX_LOANS_H_INCLUDED
#define UCX_LOANS_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>
#include <ucp/api/ucp.h>
#include "ucx_progress.h"

/* What a line says. */
typedef struct MPIDI_UCX_loan {
    uint64_t tag;
    uint64_t address; /* of the sender's */
    uint64_t bytes;
    uint64_t number; /* the sender's */
    int32_t process; /* for the kernel */
    uint32_t rank : 31, is_sync : 1;
} MPIDI_UCX_loan_t;

/* A message that was taken from a line. */
typedef struct MPIDI_UCX_taken {
    MPIDI_UCX_loan_t loan;
    /* Called once, when the sender may have its data back.  *taken stays until then. */
    void (*returns)(struct MPIDI_UCX_taken *taken);
    /* Asks the sender to send the data by UCX, with this tag.  False: no memory. */
    bool (*asks)(struct MPIDI_UCX_taken *taken, uint64_t tag);
    uint32_t *may_lend; /* what the sender reads */
    void *room;         /* MPIDI_UCX_loan_room() bytes */
    bool is_refused, is_matched;
    /* the data that were asked for: UCX's receive of them, that of the message, and who waits */
    struct MPIDI_UCX_taken *next;
    void *fetch, *match;
    struct MPIR_Request *rreq;
    ucp_tag_recv_nbx_callback_t call;
    /* the same of an active message */
    void (*arrived)(void *message, ucs_status_t status);
    void *message;
} MPIDI_UCX_taken_t;

struct MPIDI_UCX_loans {
    size_t at_once;  /* so many bytes UCX matches before its call returns */
    bool are_direct; /* longer ones are copied by their receives */
    /* No message may follow it, and its line is not given back: its data have not come yet. */
    MPIDI_UCX_taken_t *delayed;
};

extern struct MPIDI_UCX_loans MPIDI_UCX_loans;

/* Some bytes that UCX matches before its call returns, when this process sends them to itself.  A
 * trial, with `tag`, which nothing else has, shows what it does with more. */
void MPIDI_UCX_loans_init(size_t at_once, uint64_t tag, ucp_ep_h self);

/* Copies some of the data.  False: the sender has died, or the kernel refuses. */
bool MPIDI_UCX_loan_copy(const MPIDI_UCX_loan_t *loan, size_t offset, void *to, size_t bytes);
/* Asks for all of them then, where taken->arrived is set, which is called when they are there.
 * False: they will not come. */
bool MPIDI_UCX_loan_ask(MPIDI_UCX_taken_t *taken, void *buffer, size_t count, ucp_datatype_t type);

/* Waits for what UCX does with this process alone. */
void MPIDI_UCX_finish_with_self(void *request);

/* For a copy of a synchronous message, which UCX may keep where it is until it is matched. */
static inline size_t MPIDI_UCX_loan_room(const MPIDI_UCX_loan_t *loan)
{
    return loan->is_sync && loan->bytes <= MPIDI_UCX_loans.at_once ? loan->bytes : 0;
}

/* False: there is no memory now. */
bool MPIDI_UCX_loans_can_be_taken(void);
/* REQUIRES that they can.  `self`: UCX's endpoint of this process. */
void MPIDI_UCX_loan_take(MPIDI_UCX_taken_t *taken, ucp_ep_h self);
/* REQUIRES that one is delayed.  False: it still is. */
bool MPIDI_UCX_loan_resume(ucp_ep_h self);
/* A process has died: what it was asked for does not come. */
void MPIDI_UCX_loans_end(uint32_t rank);
void MPIDI_UCX_loans_free(void);

/* Gives UCX a message to this process that it matches at once.  Without the flag UCX 1.18 makes a
 * rendezvous from 2,313 bytes on. */
static inline void MPIDI_UCX_match_at_once(ucp_ep_h self, const void *data, size_t bytes,
                                           uint64_t tag)
{
    const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FLAG_FAST_CMPL};
    void *request = ucp_tag_send_nbx(self, data, bytes, tag, &param);

    if (unlikely(UCS_PTR_IS_ERR(request)))
        MPIDI_UCX_handler_errno = MPI_ERR_OTHER;
    if (unlikely(UCS_PTR_IS_PTR(request))) /* the trials have seen no such thing */
        MPIDI_UCX_finish_with_self(request);
}

/* ---- receives ---- */

/* Without gaps: *target, *buffer and *param are what UCX is to be given. */
void MPIDI_UCX_loans_receive(struct MPIDI_UCX_gaps *target, size_t bytes, void **buffer,
                             ucp_request_param_t *param);

/* May a loan of more than what is sent at once come here?  `av`: NULL for any source. */
static inline bool MPIDI_UCX_loans_may_come(size_t bytes, const MPIDI_av_entry_t *av)
{
    return unlikely(MPIDI_UCX_loans.are_direct) && bytes > MPIDI_UCX_loans.at_once &&
           (!av || av->is_local);
}

/* What receives call with each part of a message, at `at`, to have its bytes at `to`, which may be
 * the same. */
void MPIDI_UCX_loan_unpack(const void *at, void *to, size_t bytes);

/* UCX has matched a receive with data that are lost or refused, and it has not ended yet. */
extern bool MPIDI_UCX_loan_is_lost;
bool MPIDI_UCX_loan_fetch(void *request, ucs_status_t *status, uint64_t tag,
                          struct MPIR_Request *rreq, ucp_tag_recv_nbx_callback_t call);

/* Of a receive that UCX has ended.  True: its data are to come yet, and then `call` is called. */
static inline bool MPIDI_UCX_loan_goes_on(void *request, ucs_status_t *status,
                                          const ucp_tag_recv_info_t *info,
                                          struct MPIR_Request *rreq,
                                          ucp_tag_recv_nbx_callback_t call)
{
    return unlikely(MPIDI_UCX_loan_is_lost) &&
           MPIDI_UCX_loan_fetch(request, status, info->sender_tag, rreq, call);
}

#endif /* UCX_LOANS_H_INCLUDED */
