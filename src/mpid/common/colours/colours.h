/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Colours and keys of consecutive ranks, as short descriptions: what MPI_Comm_split's processes
 * exchange instead of a row for each rank.
 *
 * A *description* covers a block of consecutive ranks.  It is a header and *pieces*, in the order
 * of ranks.  In a piece colour and key are affine in the digits of the rank: q is the rank's
 * position in the piece plus a phase, and
 *
 *     value(q) = base + sum over levels k of ((q / weight_k) mod count_k) * step_k     weight_0 = 1
 *
 * for the colour and for the key, with the same weights.  The last count is open, so a piece may
 * begin and end anywhere in its pattern.  Ranks without such a form are pieces of plain rows.
 *
 *     rows of 1,000 in a world of 4,096           one piece:  1, (0, 1)   1000, (1, 1000)
 *     even and odd                                one piece:  1, (1, 1)      2, (0, 2)
 *     all in one, transposed 8 x 8                one piece:  1, (0, 8)      8, (0, 1)
 *
 * The descriptions of two neighbouring blocks merge into one (MPIR_colours_merge).  If all members
 * merge along the same tree, all compute the same bytes.  Below COLOURS_PARSE ranks a description
 * is rows; from there on the rows become pieces if these are fewer and take fewer bytes.
 *
 * The header also carries the *offer*, 8 bytes that the caller's function folds over the block, and
 * flags that are true if they are true for one of its parts.  A failed description has no pieces,
 * and all that it merges into has failed.
 *
 * On the wire (all numbers little-endian; "number": 7 bits a byte, the lowest first; "signed":
 * a number, zigzag):
 *
 *     1  version           1  flags           2  zero          4  bytes in all         8  offer
 *     then pieces:
 *     0, number n, n times (4 colour, 4 key)                                           plain rows
 *     L (1 .. COLOURS_LEVELS), number of ranks, signed colour and key of the first,
 *        L times: signed steps of colour and key, before them number count_(k-1) if k > 0;
 *        number phase if L > 1
 *
 * Conventions
 *  1. Arbitrary bytes are safe: MPIR_colours_check() accepts or rejects them.  The other functions
 *     REQUIRE bytes that it accepted, or that this module wrote.
 *  2. Nothing is allocated.  A merge takes time in the bytes of both, and less than a microsecond
 *     for short ones.
 *  3. Threads: the functions have no state.
 */
#ifndef COLOURS_H_INCLUDED
#define COLOURS_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    COLOURS_VERSION = 1,
    COLOURS_LEVELS = 6,
    COLOURS_HEADER = 16, /* bytes */
    COLOURS_ROW = 8,     /* bytes of a plain row */
    COLOURS_PARSE = 16,  /* ranks from which on rows become pieces */
    /* a description of n ranks has at most n * COLOURS_ROW + COLOURS_EXTRA bytes */
    COLOURS_EXTRA = 32,
    /* and what a merge writes on its way */
    COLOURS_SLACK = 192
};

/* Flags of a description */
enum {
    COLOURS_FAILED = 1 /* a member cannot go on */
};

/* What a process passes to MPI_Comm_split. */
typedef struct colours_row {
    int32_t colour, key;
} colours_row;

typedef void MPIR_colours_fold(uint64_t *all, uint64_t offer);

/* Writes the description of one rank, or of a failed one; returns its bytes, at most
 * COLOURS_HEADER + COLOURS_EXTRA. */
size_t MPIR_colours_leaf(uint8_t *out, colours_row row, uint64_t offer, uint32_t flags);
/* The same of n consecutive ranks, fewer than COLOURS_PARSE, with the fold of their offers. */
size_t MPIR_colours_rows(uint8_t *out, const colours_row rows[], uint32_t n, uint64_t offer,
                         uint32_t flags);
/* A failed description, with this offer: for members whose memory ran out on the way. */
size_t MPIR_colours_failure(uint8_t *out, uint64_t offer, uint32_t flags);

/* Fields of a header */
size_t MPIR_colours_bytes(const uint8_t *description);
uint64_t MPIR_colours_offer(const uint8_t *description);
uint32_t MPIR_colours_flags(const uint8_t *description);

/* Is this a header, of a description of n ranks at most?  The rest may still be on its way. */
bool MPIR_colours_check_header(const uint8_t *description, size_t bytes, uint32_t n);
/* Is this a description of n ranks, or a failed one? */
bool MPIR_colours_check(const uint8_t *description, size_t bytes, uint32_t n);
/* The same of 1 to n ranks. */
bool MPIR_colours_check_most(const uint8_t *description, size_t bytes, uint32_t n);
/* How many ranks a description has; 0 if it has failed. */
uint32_t MPIR_colours_ranks(const uint8_t *description);

/* Writes the description of the ranks of `low`, followed by those of `high`; returns its bytes, for
 * n ranks at most n * COLOURS_ROW + COLOURS_EXTRA.  REQUIRES room for these, or for those of low
 * and high together if these are fewer, and for COLOURS_EXTRA + COLOURS_SLACK beyond. */
size_t MPIR_colours_merge(const uint8_t *low, const uint8_t *high, MPIR_colours_fold *fold,
                          uint8_t *out);

/* ---- what follows from the description of all ranks ------------------------------------------ */

/* Members of a colour whose order and ranks have a closed form:
 *     rank + sum over levels k of digit_k * stride_k,   0 <= digit_k < count_k
 * in the order of (key, rank) with digit 0 running first. */
typedef struct colours_grid {
    uint32_t rank;
    uint32_t members;
    uint32_t levels; /* 0: one member */
    uint32_t count[COLOURS_LEVELS];
    int32_t stride[COLOURS_LEVELS];
    int32_t least, greatest; /* key */
} colours_grid;

typedef enum colours_form {
    COLOURS_ASCENDING, /* in the order of the ranks the grids are in the members' order */
    COLOURS_SORTED,    /* a few grids that MPIR_colours_arrange() has put in order */
    COLOURS_TABLE      /* no closed form: decode, and order the rows */
} colours_form;

enum { COLOURS_FEW = 8 };

typedef struct colours_order {
    colours_form form;
    uint32_t ranks;                /* all */
    uint32_t members;              /* of the colour; counted in every form */
    uint32_t grids;                /* not in COLOURS_TABLE */
    uint32_t rank;                 /* of `self` among the members; not in COLOURS_TABLE */
    bool whole;                    /* the members are all ranks, in their order */
    colours_grid few[COLOURS_FEW]; /* in COLOURS_SORTED */
} colours_order;

/* How the members of a colour are ordered by key, then rank.  `self`: a member's rank, or anything
 * if the caller is none.  REQUIRES a description that has not failed. */
void MPIR_colours_arrange(const uint8_t *description, int32_t colour, uint32_t self,
                          colours_order *order);
/* Calls `take` for each grid in the members' order, until it returns false; then it is false.
 * REQUIRES a form that is not COLOURS_TABLE. */
bool MPIR_colours_each_grid(const uint8_t *description, int32_t colour, const colours_order *order,
                            bool (*take)(void *context, const colours_grid *grid), void *context);

/* How many ranks have this colour. */
uint32_t MPIR_colours_count(const uint8_t *description, int32_t colour);

/* Calls `take` for each rank in turn. */
void MPIR_colours_decode(const uint8_t *description, void (*take)(void *context, colours_row row),
                         void *context);

#ifdef __cplusplus
}
#endif
#endif /* COLOURS_H_INCLUDED */
