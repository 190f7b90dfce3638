/* SPDX-License-Identifier: BSD-3-Clause */

/* Free ids in the order in which they were freed: a list whose links are in an array over the
 * ids. */
#ifndef CTXID_FREED_H_INCLUDED
#define CTXID_FREED_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    /* of each id: before it, after it; of id 0, which is never freed: last, first */
    uint32_t (*links)[2];
    /* ids from here on are not listed: for them the functions below do nothing */
    uint32_t capacity;
} ctxid_freed_t;

/* Afterwards ids below `ids` can be listed.  False without memory: nothing has changed. */
bool MPIR_ctxid_freed_make_room(ctxid_freed_t *freed, uint32_t ids);
void MPIR_ctxid_freed_destroy(ctxid_freed_t *freed);
size_t MPIR_ctxid_freed_bytes(const ctxid_freed_t *freed);

/* An id that is listed already stays where it is. */
void MPIR_ctxid_freed_append(ctxid_freed_t *freed, uint32_t id);
void MPIR_ctxid_freed_prepend(ctxid_freed_t *freed, uint32_t id);
void MPIR_ctxid_freed_remove(ctxid_freed_t *freed, uint32_t id);
/* The two that were freed longest ago; 0 where there is none. */
void MPIR_ctxid_freed_oldest(const ctxid_freed_t *freed, uint32_t ids[2]);

#endif /* CTXID_FREED_H_INCLUDED */
