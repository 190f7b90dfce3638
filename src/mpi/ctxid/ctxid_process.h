/* SPDX-License-Identifier: BSD-3-Clause */

/* The store of this process, and its spare communicators.  There is one for each id that a
 * communicator may take of its block: a duplicate without an agreement could not tell the others
 * that it has no memory.  (MPIR_Ctxid_make_spare lends one to a duplicate.) */
#ifndef CTXID_PROCESS_H_INCLUDED
#define CTXID_PROCESS_H_INCLUDED

#include "ctxid_store.h"

ctxid_store_t *MPIR_ctxid_own_store(void);

/* `n` more, for the block of an agreement.  False without memory: there are none more.  When the
 * agreement is over, MPIR_ctxid_spare_settle says so. */
bool MPIR_ctxid_spare_make(uint32_t n);
void MPIR_ctxid_spare_settle(uint32_t n);
/* Frees those that no block needs any more. */
void MPIR_ctxid_spare_trim(void);
/* The same for a silent duplicate, which has one less ahead: mostly without a lock.  A few stay. */
void MPIR_ctxid_spare_unused(void);

#endif /* CTXID_PROCESS_H_INCLUDED */
