/* SPDX-License-Identifier: BSD-3-Clause */
/* cmap.h alone, as C99. */
#include "cmap.h"

cmap_status c_even_ranks(uint32_t world, cmap_t **out);

cmap_status c_even_ranks(uint32_t world, cmap_t **out)
{
    return MPIR_cmap_from_range(0, 2, (world + 1) / 2, world, NULL, out);
}
