/* SPDX-License-Identifier: BSD-3-Clause */

/* Values that are too long for a message come in parts, which follow one another.  If the sender
 * dies before the last one, the value is lost with it. */
#ifndef AGREE_PARTS_H_INCLUDED
#define AGREE_PARTS_H_INCLUDED

#include "agree.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct agree_half agree_half_t;

/* Of each sender the value of which parts have come.  All zeros: none. */
typedef struct {
    agree_half_t *first;
} agree_parts_t;

/* A part of a value of `bytes`, which lies in it at `offset`. */
typedef struct {
    uint32_t bytes, offset, length;
    const void *data;
} agree_part_t;

/* *value: it is complete, and stays until the next call; or NULL.  False without memory: the other
 * parts of this value are dropped, too. */
bool MPIR_agree_parts_join(agree_parts_t *parts, int from, agree_part_t part,
                           const agree_value_t **value);
void MPIR_agree_parts_free(agree_parts_t *parts);

#ifdef __cplusplus
}
#endif

#endif /* AGREE_PARTS_H_INCLUDED */
