/* SPDX-License-Identifier: BSD-3-Clause */

/* Maps that hints have replaced while another thread may have been inside a lookup of them: they
 * go with the communicator. */
#ifndef OLD_MAPS_H_INCLUDED
#define OLD_MAPS_H_INCLUDED

struct MPIR_Map_link {
    const cmap_t *map;
    struct MPIR_Map_link *next;
};

#endif /* OLD_MAPS_H_INCLUDED */
