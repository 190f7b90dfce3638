/* SPDX-License-Identifier: BSD-3-Clause */

/* A communicator that ends or moves on gives back its reserved cursor.  The test is inline: most
 * communicators have none. */
#ifndef CTXID_RESERVED_H_INCLUDED
#define CTXID_RESERVED_H_INCLUDED

#include "ctxid_parts.h"

/* REQUIRES: the caller holds the store's mutex. */
static inline void MPIR_ctxid_drop_reservation(ctxid_store_t *store, uint32_t prefix,
                                               uint32_t cursor)
{
    if (MPIR_ctxid_has_reserved(store, prefix, cursor))
        MPIR_ctxid_end_reservation(store, cursor);
}

#endif /* CTXID_RESERVED_H_INCLUDED */
