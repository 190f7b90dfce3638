/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ONECOPY_IMPL_H_INCLUDED
#define ONECOPY_IMPL_H_INCLUDED

#include <sys/types.h>

#include "onecopy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- board.c: who has which block open ------------------------------------------------------- */

/* A reader does not trust an entry: it may be of a process that has ended, or half of one and half
 * of the next. */
typedef struct board_entry {
    uint64_t hash;
    uint64_t place; /* descriptor + 1 and the low half of the inode; 0: no entry */
} board_entry_t;

typedef struct board_part {
    int32_t process; /* 0: it has not started */
    uint32_t used;   /* entries behind these are empty */
    uint64_t unused;
    board_entry_t entry[ONECOPY_MOST];
} board_part_t;

enum { BOARD_LOCKS = 8 };

typedef struct board {
    uint64_t holder[BOARD_LOCKS]; /* the process that makes a block of such a hash, or 0 */
    board_part_t part[];
} board_t;

static inline uint64_t board_place(int descriptor, ino_t inode)
{
    return (uint64_t) (descriptor + 1) << 32 | (uint32_t) inode;
}

static inline int board_descriptor(uint64_t place) { return (int) (place >> 32) - 1; }

/* REQUIRES, as the next two, that a part has one writer.  Clears the part for a process. */
void MPIR_onecopy_board_begin(board_part_t *part, int32_t process);
void MPIR_onecopy_board_offer(board_part_t *part, unsigned slot, uint64_t hash, uint64_t place);
void MPIR_onecopy_board_withdraw(board_part_t *part, unsigned slot);
/* Where the slot of a part, which another process may be writing, has a block of this hash: the
 * place and the process that has it open.  False: nowhere. */
bool MPIR_onecopy_board_look(const board_part_t *part, unsigned slot, uint64_t hash,
                             uint64_t *place, int32_t *process);
/* Slots of a part to look at. */
unsigned MPIR_onecopy_board_slots(const board_part_t *part);
/* A lock of the hash's.  True: it was free, its holder has ended, or patience is over. */
bool MPIR_onecopy_board_enter(board_t *board, uint64_t hash, int32_t self);
void MPIR_onecopy_board_leave(board_t *board, uint64_t hash, int32_t self);

/* ---- file.c: sealed files without a name ----------------------------------------------------- */

typedef struct onecopy_file {
    int descriptor; /* -1: none */
    dev_t device;
    ino_t inode;
} onecopy_file_t;

/* Does the system have them, and map them? */
bool MPIR_onecopy_files_work(void);
/* The descriptor is in the lower half of those that the process may have: the upper half is the
 * application's. */
bool MPIR_onecopy_file_leaves_room(const onecopy_file_t *file);
/* A sealed file of these bytes.  False: there is none. */
bool MPIR_onecopy_file_make(const void *bytes, size_t n, onecopy_file_t *out);
/* That of another process, if it is sealed, of the size and at the place. */
bool MPIR_onecopy_file_open(int32_t process, uint64_t place, size_t n, onecopy_file_t *out);
/* NULL: no memory. */
const void *MPIR_onecopy_file_map(const onecopy_file_t *file, size_t n);
/* An application that closes all descriptors may have given the number to a file of its own, which
 * stays open. */
void MPIR_onecopy_file_close(onecopy_file_t *file);

#ifdef __cplusplus
}
#endif
#endif /* ONECOPY_IMPL_H_INCLUDED */
