/* SPDX-License-Identifier: BSD-3-Clause */

#include "agree_parts.h"
#include <stdlib.h>
#include <string.h>

struct agree_half {
    struct agree_half *next;
    int from;
    uint32_t bytes, joined;
    agree_value_t value; /* the last field */
};

static void drop(agree_half_t **at)
{
    agree_half_t *half = *at;

    *at = half->next;
    free(half);
}

static bool is_whole(const agree_half_t *half) { return half->joined == half->bytes; }

/* Values that are complete go. */
static agree_half_t **find(agree_parts_t *parts, int from)
{
    agree_half_t **at = &parts->first;

    while (*at && (is_whole(*at) || (*at)->from != from)) {
        if (is_whole(*at))
            drop(at);
        else
            at = &(*at)->next;
    }
    return at;
}

static bool begin(agree_half_t **at, int from, uint32_t bytes)
{
    agree_half_t *half;

    if (*at)
        drop(at);
    half = malloc(offsetof(agree_half_t, value) + bytes);
    if (!half)
        return false;
    half->next = *at;
    half->from = from;
    half->bytes = bytes;
    half->joined = 0;
    *at = half;
    return true;
}

bool MPIR_agree_parts_join(agree_parts_t *parts, int from, agree_part_t part,
                           const agree_value_t **value)
{
    agree_half_t **at = find(parts, from);

    *value = NULL;
    if (part.offset == 0 && !begin(at, from, part.bytes))
        return false;
    if (!*at)
        return true;
    memcpy((char *) &(*at)->value + part.offset, part.data, part.length);
    (*at)->joined += part.length;
    if (is_whole(*at))
        *value = &(*at)->value;
    return true;
}

void MPIR_agree_parts_free(agree_parts_t *parts)
{
    while (parts->first)
        drop(&parts->first);
}
