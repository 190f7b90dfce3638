/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef BSEND_BUFFER_H_INCLUDED
#define BSEND_BUFFER_H_INCLUDED

/*
 * The memory of buffered sends: segments of the program's buffer, or memory of the library for
 * MPI_BUFFER_AUTOMATIC.
 *
 * A segment has a header in front of the packed message. The segments of an attached buffer lie
 * side by side, in the order of their addresses. A message takes the first one that has room for
 * it, after free neighbours have become one. MPI_BSEND_OVERHEAD is larger than a header and what
 * alignment takes. The memory of an automatic buffer has one segment for each message.
 *
 * Messages have numbers, from 1: a flush waits for those up to the last number.
 *
 * Threads: the caller holds the mutex of buffered sends.
 */

typedef struct bsend_segment {
    struct bsend_segment *next;
    size_t room;           /* bytes behind the header */
    uint64_t number;       /* of the message; 0: the segment is free */
    MPIR_Request *request; /* of the message once it is sent */
} bsend_segment;

typedef struct bsend_buffer {
    void *memory; /* as it was attached; NULL for none */
    MPI_Aint size;
    bsend_segment *segments;
    uint64_t last; /* number of the last message */
} bsend_buffer;

static inline bool bsend_buffer_is_automatic(const bsend_buffer *buffer)
{
    return buffer->memory == MPI_BUFFER_AUTOMATIC;
}

/* REQUIRES: memory is MPI_BUFFER_AUTOMATIC, or size is at least MPI_BSEND_OVERHEAD. */
void MPIR_bsend_buffer_attach(bsend_buffer *buffer, void *memory, MPI_Aint size);

/* REQUIRES: no message is left. */
void MPIR_bsend_buffer_detach(bsend_buffer *buffer);

/* A segment with room for the bytes of a message, or NULL. */
bsend_segment *MPIR_bsend_buffer_take(bsend_buffer *buffer, size_t bytes);
void MPIR_bsend_buffer_put_back(bsend_buffer *buffer, bsend_segment *segment);
void *MPIR_bsend_segment_data(bsend_segment *segment);

/* Frees the segments of delivered messages, and whether a message up to this number is left. */
bool MPIR_bsend_buffer_has_sent(bsend_buffer *buffer, uint64_t number);

#endif /* BSEND_BUFFER_H_INCLUDED */
