/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Which lines of the program hold the context ids of this process: communicators, windows and
 * files.  To find the line takes longer than a quick duplicate.  So one creation in 1,024 is looked
 * at, at random, and stands for 1,024.  If somebody may ask for the list, or if the limit of ids is
 * low, each creation is looked at.
 *
 * If memory is missing a creation is not counted.  Every function may be called by several
 * threads.
 */
#ifndef CTXID_HOLDERS_H_INCLUDED
#define CTXID_HOLDERS_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "mpir_map_site.h"

typedef struct {
    uint32_t stands_for; /* so many creations; 0: it is not looked at */
    map_site site;
} ctxid_holder_t;

/* ---- a creation counts, and its id ends: the quick parts are inline -------------------------- */

#define CTXID_HOLDERS_IDS (1u << MPIR_CONTEXT_PREFIX_WIDTH)

/* Creations until one is looked at.  Without a lock: if two threads count at the same time, one
 * may be lost. */
extern uint32_t MPIR_Ctxid_holders_left;
/* Which ids were looked at.  Without a lock: set and cleared by the creation and the end of the
 * id's communicator, which never meet. */
extern uint64_t MPIR_Ctxid_holders_known[CTXID_HOLDERS_IDS / 64];

ctxid_holder_t MPIR_ctxid_holder_look(void);
void MPIR_ctxid_holders_keep(uint32_t prefix, ctxid_holder_t holder);
void MPIR_ctxid_holders_drop(uint32_t prefix);

/* Counts a creation, and finds its line if it is to be looked at. */
static inline ctxid_holder_t MPIR_ctxid_holder_here(void)
{
    uint32_t n = __atomic_load_n(&MPIR_Ctxid_holders_left, __ATOMIC_RELAXED);

    if (n <= 1)
        return MPIR_ctxid_holder_look();
    __atomic_store_n(&MPIR_Ctxid_holders_left, n - 1, __ATOMIC_RELAXED);
    return (ctxid_holder_t){.stands_for = 0};
}

static inline bool MPIR_ctxid_holders_know(uint32_t prefix)
{
    const uint64_t *word = &MPIR_Ctxid_holders_known[prefix / 64];

    return __atomic_load_n(word, __ATOMIC_RELAXED) >> prefix % 64 & 1;
}

/* Before the id is given back. */
static inline void MPIR_ctxid_holders_forget(uint32_t prefix)
{
    if (MPIR_ctxid_holders_know(prefix))
        MPIR_ctxid_holders_drop(prefix);
}

/* The id is a communicator's now.  What was known of the id is forgotten. */
static inline void MPIR_ctxid_holders_set(uint32_t prefix, ctxid_holder_t holder)
{
    MPIR_ctxid_holders_forget(prefix);
    if (holder.stands_for > 0)
        MPIR_ctxid_holders_keep(prefix, holder);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Reads MPIR_CVAR_CTXID_REPORT_SIGNAL, registers the MPI_T variable ctxid_holders. */
int MPIR_ctxid_holders_init(void);
void MPIR_ctxid_holders_close(void);

/* Unknown, if the id was not looked at. */
map_site MPIR_ctxid_holders_site(uint32_t prefix);

/* "MPI_Comm_dup at solver.c:45 (about 12000)" and so on, those that hold most first, at most
 * `most` of them, separated by commas; returns how many.  Those that do not fit into `room` bytes
 * are left out.  Starts addr2line once for each line that has not been in a text before.  Time:
 * of all that were looked at. */
int MPIR_ctxid_holders_text(int most, char *text, size_t room);

/* The signal came.  Its handler does nothing else: the next creation or end of a communicator
 * answers.  Atomic, as the signal may come in another thread; nothing is told by it but itself. */
extern int MPIR_Ctxid_asked;
/* Writes the lines to standard error. */
void MPIR_ctxid_holders_answer(void);

static inline void MPIR_ctxid_holders_answer_if_asked(void)
{
    if (__atomic_load_n(&MPIR_Ctxid_asked, __ATOMIC_RELAXED))
        MPIR_ctxid_holders_answer();
}

#endif /* CTXID_HOLDERS_H_INCLUDED */
