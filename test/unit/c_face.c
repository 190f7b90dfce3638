/* SPDX-License-Identifier: BSD-3-Clause */
/* The C face as C99 sees it.  Only the lookup header: it must bring all it needs. */
#include "cmap_lookup.h"

size_t c_size_of_map(void);
uint32_t c_select(const cmap_t *map, uint32_t rank);
uint32_t c_sum(const cmap_t *map);

size_t c_size_of_map(void) { return sizeof(struct cmap_s); }

uint32_t c_select(const cmap_t *map, uint32_t rank) { return MPIR_cmap_select(map, rank); }

uint32_t c_sum(const cmap_t *map)
{
    uint32_t room[16], sum = 0, count, i;
    cmap_iter iter;
    MPIR_cmap_iter_init(&iter, map);
    while ((count = MPIR_cmap_iter_next(&iter, room, 16)) > 0)
        for (i = 0; i < count; i++)
            sum += room[i];
    return sum;
}
