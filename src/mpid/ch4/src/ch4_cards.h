/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CH4_CARDS_H_INCLUDED
#define CH4_CARDS_H_INCLUDED

/*
 * Cards: what each process of the world tells about itself (its addresses) for those who come to
 * use it later. A process leaves its card in a segment of its node, and with the process manager
 * when there are other nodes.
 */

/* Returns when the cards of all others can be found. REQUIRES: bytes <= most, which is the same
 * everywhere. Collective. */
int MPIDI_Cards_leave(const void *card, int bytes, int most);
/* *buffer gets memory that the caller frees, also after an error, when the card is not in place:
 * NULL otherwise. The caller sees to it that one thread at a time is here. */
int MPIDI_Cards_find(int rank, const void **card, int *bytes, void **buffer);
/* REQUIRES: nobody of the node looks for a card any more. */
int MPIDI_Cards_free(void);

#endif /* CH4_CARDS_H_INCLUDED */
