/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Memory of a split for descriptions (src/mpid/common/colours), and for the table of rows that have
 * no closed form.  A member that fails after the exchange cannot tell the others, so all of it is
 * reserved before.  A regular split uses none of it.  Therefore a large reserve is address space,
 * and gets pages at their first use.
 *
 * The process keeps one reserve between splits, with the pages of its first SPLIT_KEPT bytes: a
 * later split maps nothing and has no page faults.  The other pages are the system's when it is
 * short of memory.  If the next split uses them, too, they stay as long as each split does, up to
 * SPLIT_KEPT_IN_USE bytes: glibc's heap keeps a table of rows in the same way.
 *
 * A split that finds no reserve, because another thread has it, maps its own.  Of two the larger is
 * kept.
 *
 *     split of 100 ranks      takes nothing, maps 3 kB      keeps 3 kB
 *     split of 1,000 ranks    takes 3 kB, maps 24 kB        keeps 24 kB
 *     split of 100 ranks      takes 24 kB                   keeps 24 kB
 *
 * MPI_Finalize frees it.  Several threads may split at once, each with zones of its own.
 */
#ifndef SPLIT_ZONES_H_INCLUDED
#define SPLIT_ZONES_H_INCLUDED

#include "colours.h"
#include <string.h>

enum { SPLIT_KEPT = 1 << 21, SPLIT_KEPT_IN_USE = 1 << 25 };

typedef struct split_reserve {
    uint8_t *memory; /* NULL: none */
    size_t bytes;
    bool is_filled; /* may have large pages */
    bool is_in_use; /* the last split wrote more than SPLIT_KEPT bytes */
} split_reserve;

enum {
    SPLIT_MESSAGE = 256,
    /* two messages, and what a merge needs beside them; or 64 rows */
    SPLIT_ZONE = 2 * SPLIT_MESSAGE + 2 * COLOURS_EXTRA + COLOURS_SLACK
};

typedef struct split_zones {
    uint8_t *mine, *theirs, *spare; /* in `few` or in the reserve, each with so much room */
    size_t room;
    uint32_t ranks;
    bool by_nodes;         /* the blocks are of nodes, whose sizes are not known */
    split_reserve reserve; /* three zones; the first two may become the table of the rows */
    size_t used;           /* bytes of the reserve that may have pages */
    uint8_t few[3][SPLIT_ZONE];
} split_zones;

/* Of at least one rank.  False without memory for whatever the ranks describe: then the zones hold
 * short descriptions. */
bool MPIR_split_zones_begin(split_zones *zones, uint32_t ranks);
void MPIR_split_zones_end(split_zones *zones);
/* After the last exchange: 16 bytes a rank of the reserve, until MPIR_split_zones_end().
 * zones->mine keeps its content.  REQUIRES a reserve, and more than 64 ranks. */
void *MPIR_split_zones_lend(split_zones *zones);
/* After the last exchange, when memory is short: frees a reserve that was not used. */
void MPIR_split_zones_give_up(split_zones *zones);
/* What a merge of the two needs, in a communicator of so many ranks. */
size_t MPIR_split_room_for(const uint8_t *low, const uint8_t *high, uint32_t ranks);
/* False without a reserve that holds so many bytes. */
bool MPIR_split_zones_hold(split_zones *zones, size_t bytes);

/* What was received is this process's own now. */
static inline void MPIR_split_zones_swap(split_zones *zones)
{
    uint8_t *mine = zones->theirs;

    zones->theirs = zones->mine;
    zones->mine = mine;
}

/* zones->mine is sent with at least SPLIT_MESSAGE bytes: zeros behind a shorter description. */
static inline void MPIR_split_zones_pad(split_zones *zones)
{
    size_t bytes = MPIR_colours_bytes(zones->mine);

    if (bytes < SPLIT_MESSAGE)
        memset(zones->mine + bytes, 0, SPLIT_MESSAGE - bytes);
}

/* An error unless the bytes from that rank are a description. */
int MPIR_split_zones_check(bool is_description, int from, size_t bytes);

/* The reserve of the process, as zones use it: at least so many bytes, of undefined content.
 * reserve.memory is NULL without memory. */
split_reserve MPIR_split_reserve_take(size_t bytes);
/* For later splits.  Without memory nothing happens. */
void MPIR_split_reserve_put(split_reserve reserve);

#endif /* SPLIT_ZONES_H_INCLUDED */
