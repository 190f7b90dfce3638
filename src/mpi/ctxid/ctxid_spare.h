/* SPDX-License-Identifier: BSD-3-Clause */

/* Spare communicators of this process.  There is one for each id that a communicator may take of
 * its block: a duplicate without an agreement could not tell the others that it has no memory. */
#ifndef CTXID_SPARE_H_INCLUDED
#define CTXID_SPARE_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>

/* `n` more, for the block of an agreement.  False without memory: there are none more.  When the
 * agreement is over, MPIR_ctxid_spare_settle says so. */
bool MPIR_ctxid_spare_make(uint32_t n);
void MPIR_ctxid_spare_settle(uint32_t n);
/* Frees those that no block needs any more. */
void MPIR_ctxid_spare_trim(void);
/* The same for a silent duplicate, which has one less ahead: mostly without a lock.  A few stay. */
void MPIR_ctxid_spare_unused(void);
/* A duplicate finds no memory: the next MPIR_Comm_create has one.  False if there is none. */
bool MPIR_ctxid_spare_lend(void);

#endif /* CTXID_SPARE_H_INCLUDED */
