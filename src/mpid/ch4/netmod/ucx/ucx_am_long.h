/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Active messages with much data.  By UCX's eager protocol the target would hold such a message
 * three times: UCX assembles it, it waits in a copy for its handler, which needs another one with
 * its alignment.  By the rendezvous protocol only the header waits.  The handler then says where
 * the data belong, and UCX brings them there.
 */
#ifndef UCX_AM_LONG_H_INCLUDED
#define UCX_AM_LONG_H_INCLUDED

#include "ucx_impl.h"

enum {
    MPIDI_UCX_AM_LONG_ID = 2,          /* UCX's number of the message */
    MPIDI_UCX_AM_LONG_LEAST = 1 << 16, /* bytes of data */
    MPIDI_UCX_AM_LONG_HDR_MOST = 1024  /* bytes of the header, which UCX keeps short */
};

static inline bool MPIDI_UCX_am_is_long(size_t header_bytes, size_t bytes)
{
    return bytes >= MPIDI_UCX_AM_LONG_LEAST && header_bytes <= MPIDI_UCX_AM_LONG_HDR_MOST;
}

/* As ucp_am_send_nb().  The header and the data stay as they are until `done` is called. */
static inline void *MPIDI_UCX_am_send_long(ucp_ep_h ep, const void *header, size_t header_bytes,
                                           const void *data, size_t bytes,
                                           ucp_send_nbx_callback_t done)
{
    const ucp_request_param_t param = {.op_attr_mask =
                                           UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_CALLBACK,
                                       .flags = UCP_AM_SEND_FLAG_RNDV,
                                       .cb.send = done};

    return ucp_am_send_nbx(ep, MPIDI_UCX_AM_LONG_ID, header, header_bytes, data, bytes, &param);
}

/* A long message at its target. */
typedef struct MPIDI_UCX_am_long {
    void *data;         /* UCX's description or, */
    bool is_lent;       /* a MPIDI_UCX_taken_t; later a copy to be unpacked, or NULL */
    int vni;            /* of its worker in MPIDI_UCX_global.ctx */
    MPIR_Request *rreq; /* of the handler; NULL without one */
    /* The data are there, or never come. */
    void (*arrived)(struct MPIDI_UCX_am_long *message);
} MPIDI_UCX_am_long_t;

/* Calls the handler, which says where the data belong, and fetches them.  message->arrived() may be
 * called inside. */
void MPIDI_UCX_am_long_begin(MPIDI_UCX_am_long_t *message, MPIDI_UCX_am_header_t *header);
/* The data are there. */
void MPIDI_UCX_am_long_end(MPIDI_UCX_am_long_t *message);

#endif /* UCX_AM_LONG_H_INCLUDED */
