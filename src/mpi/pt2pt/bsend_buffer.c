/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "bsend_buffer.h"

#define ALIGNMENT 16
#define HEADER (((sizeof(bsend_segment) + ALIGNMENT - 1) / ALIGNMENT) * ALIGNMENT)

/* what a message takes beyond its bytes, alignment of the buffer and of the message included */
MPL_static_assert(HEADER + 2 * (ALIGNMENT - 1) <= MPI_BSEND_OVERHEAD,
                  "MPI_BSEND_OVERHEAD is too small");

static size_t aligned(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

void MPIR_bsend_buffer_attach(bsend_buffer *buffer, void *memory, MPI_Aint size)
{
    size_t gap = aligned((size_t) memory) - (size_t) memory;
    bsend_segment *whole = (bsend_segment *) ((char *) memory + gap);

    buffer->memory = memory;
    buffer->size = size;
    buffer->segments = NULL;
    buffer->last = 0;
    if (bsend_buffer_is_automatic(buffer)) {
        buffer->size = 0;
    } else {
        *whole = (bsend_segment){.room = size - gap - HEADER};
        buffer->segments = whole;
    }
}

void MPIR_bsend_buffer_detach(bsend_buffer *buffer) { memset(buffer, 0, sizeof(*buffer)); }

void *MPIR_bsend_segment_data(bsend_segment *segment) { return (char *) segment + HEADER; }

static void merge(bsend_segment *segment)
{
    while (segment->next && segment->next->number == 0) {
        segment->room += HEADER + segment->next->room;
        segment->next = segment->next->next;
    }
}

/* The rest of the room becomes a segment, if a header fits. */
static void split(bsend_segment *segment, size_t bytes)
{
    size_t used = aligned(bytes);
    bsend_segment *rest;

    if (segment->room < used + HEADER)
        return;
    rest = (bsend_segment *) ((char *) MPIR_bsend_segment_data(segment) + used);
    *rest = (bsend_segment){.next = segment->next, .room = segment->room - used - HEADER};
    segment->next = rest;
    segment->room = used;
}

static bsend_segment *segment_find(bsend_buffer *buffer, size_t bytes)
{
    for (bsend_segment *s = buffer->segments; s; s = s->next) {
        if (s->number)
            continue;
        merge(s);
        if (s->room >= bytes) {
            split(s, bytes);
            return s;
        }
    }
    return NULL;
}

static bsend_segment *allocate(bsend_buffer *buffer, size_t bytes)
{
    bsend_segment *made = MPL_malloc(HEADER + bytes, MPL_MEM_BUFFER);

    if (made) {
        *made = (bsend_segment){.next = buffer->segments, .room = bytes};
        buffer->segments = made;
    }
    return made;
}

bsend_segment *MPIR_bsend_buffer_take(bsend_buffer *buffer, size_t bytes)
{
    bsend_segment *taken;

    taken =
        bsend_buffer_is_automatic(buffer) ? allocate(buffer, bytes) : segment_find(buffer, bytes);
    if (taken)
        taken->number = ++buffer->last;
    return taken;
}

/* Returns the place of the segment behind it. */
static bsend_segment **release(bsend_buffer *buffer, bsend_segment **place)
{
    bsend_segment *segment = *place;

    segment->number = 0;
    segment->request = NULL;
    if (!bsend_buffer_is_automatic(buffer))
        return &segment->next;
    *place = segment->next;
    MPL_free(segment);
    return place;
}

void MPIR_bsend_buffer_put_back(bsend_buffer *buffer, bsend_segment *segment)
{
    bsend_segment **place = &buffer->segments;

    while (*place != segment)
        place = &(*place)->next;
    release(buffer, place);
}

bool MPIR_bsend_buffer_has_sent(bsend_buffer *buffer, uint64_t number)
{
    bsend_segment **place = &buffer->segments;
    bool has_sent = true;

    while (*place) {
        bsend_segment *s = *place;

        if (s->request && MPIR_Request_is_complete(s->request)) {
            MPIR_Request_free(s->request);
            place = release(buffer, place);
        } else {
            has_sent = has_sent && (s->number == 0 || s->number > number);
            place = &s->next;
        }
    }
    return has_sent;
}
