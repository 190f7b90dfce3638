/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef CH4I_COMM_H_INCLUDED
#define CH4I_COMM_H_INCLUDED

#include "ch4_types.h"

/* Index of a process that is in both maps, or CMAP_NONE. */
uint32_t MPIDI_find_common(const cmap_t * local, const cmap_t * remote);

#endif /* CH4I_COMM_H_INCLUDED */
