/* SPDX-License-Identifier: BSD-3-Clause */

/* The child's map by what a description tells (colours.h), without a table.  No MPI here. */
#ifndef SPLIT_GRIDS_H_INCLUDED
#define SPLIT_GRIDS_H_INCLUDED

#include "cmap.h"
#include "colours.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of the members of a colour, in this order, under the default policy; time in the number of grids.
 * REQUIRES an order that is not COLOURS_TABLE, of as many ranks as the parent's map has. */
cmap_status MPIR_split_grids_map(const cmap_t *parent, const uint8_t *description, int32_t colour,
                                 const colours_order *order, cmap_t **out);

#ifdef __cplusplus
}
#endif
#endif /* SPLIT_GRIDS_H_INCLUDED */
