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
} MPIDI_UCX_taken_t;

struct MPIDI_UCX_loans {
    size_t at_once;  /* so many bytes UCX matches before its call returns */
    bool are_direct; /* longer ones are copied by their receives */
};

extern struct MPIDI_UCX_loans MPIDI_UCX_loans;

/* Some bytes that UCX matches before its call returns, when this process sends them to itself.  A
 * trial, with `tag`, which nothing else has, shows what it does with more. */
void MPIDI_UCX_loans_init(size_t at_once, uint64_t tag, ucp_ep_h self);

/* Copies some of the data.  False: the sender has died, or the kernel refuses. */
bool MPIDI_UCX_loan_copy(const MPIDI_UCX_loan_t *loan, size_t offset, void *to, size_t bytes);

/* Waits for what UCX does with this process alone. */
void MPIDI_UCX_finish_with_self(void *request);

/* False: there is no memory now. */
bool MPIDI_UCX_loans_can_be_taken(void);
/* REQUIRES that they can.  `self`: UCX's endpoint of this process. */
void MPIDI_UCX_loan_take(MPIDI_UCX_taken_t *taken, ucp_ep_h self);
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

/* UCX has matched a receive with data that are lost, and the receive has not ended yet. */
extern bool MPIDI_UCX_loan_is_lost;
ucs_status_t MPIDI_UCX_loan_lost_status(ucs_status_t status, uint64_t tag);

/* Of a receive that UCX has ended. */
static inline ucs_status_t MPIDI_UCX_loan_status(ucs_status_t status,
                                                 const ucp_tag_recv_info_t *info)
{
    return unlikely(MPIDI_UCX_loan_is_lost) ? MPIDI_UCX_loan_lost_status(status, info->sender_tag)
                                            : status;
}

#endif /* UCX_LOANS_H_INCLUDED */
