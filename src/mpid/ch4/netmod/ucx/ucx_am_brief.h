/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Brief active messages: those of a header alone go without the length of their data, which is 12
 * bytes less with its padding.  UCX's transports send so much at once (92 bytes in a node) and need
 * a buffer for more.
 */
#ifndef UCX_AM_BRIEF_H_INCLUDED
#define UCX_AM_BRIEF_H_INCLUDED

#include "ucx_pre.h"
#include <stddef.h>
#include <string.h>

enum {
    MPIDI_UCX_AM_IS_BRIEF = 1 << 15, /* of the handler's number */
    MPIDI_UCX_AM_BRIEF_SZ = offsetof(MPIDI_UCX_am_header_t, dst_vci) + 1,
    MPIDI_UCX_AM_LEFT_OUT = sizeof(MPIDI_UCX_am_header_t) - MPIDI_UCX_AM_BRIEF_SZ
};

/* Writes MPIDI_UCX_AM_BRIEF_SZ bytes, for what follows them. */
static inline void *MPIDI_UCX_am_brief_pack(MPIDI_UCX_am_header_t header, char *message)
{
    header.handler_id |= MPIDI_UCX_AM_IS_BRIEF;
    return (char *) memcpy(message, &header, MPIDI_UCX_AM_BRIEF_SZ) + MPIDI_UCX_AM_BRIEF_SZ;
}

/* Copies a message that has arrived, brief or not, as one that is not, and answers its length,
 * which may be larger by MPIDI_UCX_AM_LEFT_OUT. */
static inline size_t MPIDI_UCX_am_unpack(void *copy, const void *data, size_t length)
{
    MPIDI_UCX_am_header_t *header = copy;

    memcpy(copy, data, MPIDI_UCX_AM_BRIEF_SZ);
    if (!(header->handler_id & MPIDI_UCX_AM_IS_BRIEF)) {
        memcpy(copy, data, length);
        return length;
    }
    header->handler_id &= ~MPIDI_UCX_AM_IS_BRIEF;
    header->data_sz = 0;
    memcpy(header->payload, (const char *) data + MPIDI_UCX_AM_BRIEF_SZ,
           length - MPIDI_UCX_AM_BRIEF_SZ);
    return length + MPIDI_UCX_AM_LEFT_OUT;
}

#endif /* UCX_AM_BRIEF_H_INCLUDED */
