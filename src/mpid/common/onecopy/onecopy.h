/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks of bytes that the processes of a node keep once.
 *
 * A process that has built a large block asks for a copy that all processes share: equal bytes get
 * the same memory.  A copy is a file without a name (memfd) that is sealed, and mapped read-only.
 * A *board*, in memory that the processes share, lists which process has which block open.  Another
 * process opens it by /proc/<process>/fd/<descriptor>.
 *
 * Entries of the board are hints: before a process uses a file it compares all bytes with its own.
 * The kernel counts the references.  A process that is killed at any instruction leaves no memory
 * and no file behind, and an entry that nobody can open.
 *
 * Who makes a block holds a lock, so that processes that build equal blocks at the same time make
 * one copy.  A process waits for the lock for ONECOPY_PATIENCE_MS at most, and not for a holder
 * that has ended.  Then it takes the lock over; the worst that follows is a second copy.
 *
 * Other users cannot open a block: the kernel asks for the right to trace the process.
 *
 * Threads: every function is safe to call concurrently.  A child of fork() that does not execute
 * another program may read the memory; the functions do nothing there but unmap it.
 */
#ifndef ONECOPY_H_INCLUDED
#define ONECOPY_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    ONECOPY_MOST = 31, /* blocks that a process can offer to others at a time */
    ONECOPY_PATIENCE_MS = 1000
};

/* Bytes of a board: 64, and 512 a process. */
size_t MPIR_onecopy_board_bytes(unsigned processes);

/* This process is number `self` of so many that share the board, which was zero before the first of
 * them started.  False: the system has no such files; then all blocks are private.
 * REQUIRES self < processes, a board at a multiple of 8, and no start without a stop. */
bool MPIR_onecopy_start(void *board, unsigned processes, unsigned self);
/* Nothing is offered any more, and the board is not used again.  Memory stays until it is
 * dropped. */
void MPIR_onecopy_stop(void);

/* Read-only memory with these n bytes, at the start of a page, which other processes share if they
 * ask for the same bytes.  NULL: there is none, and the caller keeps its own bytes.  Reasons are no
 * memory, no descriptor in the lower half of the limit of open files, a limit on the size of files,
 * ONECOPY_MOST blocks, or no board.
 * O(n) to compare or to copy, and a look at each entry of the board. */
const void *MPIR_onecopy_keep(const void *bytes, size_t n);
/* Gives such memory back, with the n it was asked for. */
void MPIR_onecopy_drop(const void *memory, size_t n);

typedef struct onecopy_figures {
    uint64_t blocks, bytes; /* that this process has mapped now */
    uint64_t made, found;   /* copies made, and found with another process, since the start */
    uint64_t refused;       /* requests that got none */
} onecopy_figures_t;

void MPIR_onecopy_get_figures(onecopy_figures_t *out);

#ifdef __cplusplus
}
#endif
#endif /* ONECOPY_H_INCLUDED */
