/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UCX_CARD_H_INCLUDED
#define UCX_CARD_H_INCLUDED

#include "ucx_impl.h"

/* The card of a process (ch4_cards.h): the addresses of its workers, one for each VNI. */

size_t MPIDI_UCX_card_bytes(void);      /* of this process's card */
size_t MPIDI_UCX_card_bytes_most(void); /* of any process's */
/* REQUIRES: card[MPIDI_UCX_card_bytes()], aligned to 8. */
void MPIDI_UCX_card_write(void *card);
/* *address points into the card, which is aligned to 4. An error if it is not one of a process
 * with as many VNIs. */
int MPIDI_UCX_card_read(const void *card, size_t bytes, int vni, const ucp_address_t **address,
                        size_t *address_bytes);

#endif /* UCX_CARD_H_INCLUDED */
