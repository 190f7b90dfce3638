/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Memory in reserve.  When a member of a collective finds no memory it must not return alone: the
 * others wait for it.  The same holds after all members have agreed on a creation.  Between
 * MPIR_Reserve_enter and MPIR_Reserve_leave a thread that finds no memory gets it from a reserve,
 * which a process maps when MPI begins.  The reserve has no pages before its first use.
 *
 * Other allocations fail as ever: before an agreement the member without memory refuses.
 *
 * MPL_free frees a block of the reserve as it frees all memory.
 */
#ifndef MPIR_RESERVE_H_INCLUDED
#define MPIR_RESERVE_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>

/* The debugging allocator of --enable-g=mem keeps lists of its own: then there is no reserve. */
#if !defined(MPL_USE_MEMORY_TRACING)

enum { MPIR_RESERVE_BYTES = 1 << 24 };

/* 0: this thread takes nothing from the reserve. */
extern __thread int MPIR_Reserve_depth;
/* NULL before MPIR_Reserve_init, or if it could not be mapped. */
extern char *MPIR_Reserve_memory;

void MPIR_Reserve_init(void);
/* NULL when the reserve does not serve this thread, or has no room. */
void *MPIR_Reserve_alloc(size_t bytes);
void *MPIR_Reserve_zeros(size_t n, size_t bytes);
/* In place of realloc, of a block that is not of the reserve, or NULL. */
void *MPIR_Reserve_enlarge(void *memory, size_t bytes);
/* REQUIRE a block of the reserve. */
void MPIR_Reserve_free(void *memory);
void *MPIR_Reserve_move(void *memory, size_t bytes);

#define MPIR_Reserve_enter() ((void) MPIR_Reserve_depth++)
#define MPIR_Reserve_leave() ((void) MPIR_Reserve_depth--)

static inline bool MPIR_Reserve_has(const void *memory)
{
    return MPIR_Reserve_memory &&
           (uintptr_t) memory - (uintptr_t) MPIR_Reserve_memory < MPIR_RESERVE_BYTES;
}

static inline void *MPIR_Reserve_malloc(size_t bytes, MPL_memory_class class_)
{
    void *memory = MPL_malloc(bytes, class_);

    return memory ? memory : MPIR_Reserve_alloc(bytes);
}

static inline void *MPIR_Reserve_calloc(size_t n, size_t bytes, MPL_memory_class class_)
{
    void *memory = MPL_calloc(n, bytes, class_);

    return memory ? memory : MPIR_Reserve_zeros(n, bytes);
}

static inline void *MPIR_Reserve_realloc(void *memory, size_t bytes, MPL_memory_class class_)
{
    void *moved;

    if (MPIR_Reserve_has(memory))
        return MPIR_Reserve_move(memory, bytes);
    moved = MPL_realloc(memory, bytes, class_);
    return moved || bytes == 0 ? moved : MPIR_Reserve_enlarge(memory, bytes);
}

static inline void MPIR_Reserve_release(void *memory)
{
    if (MPIR_Reserve_has(memory))
        MPIR_Reserve_free(memory);
    else
        MPL_free(memory);
}

#undef MPL_free
#define MPL_malloc(bytes, class_) MPIR_Reserve_malloc((bytes), (class_))
#define MPL_calloc(n, bytes, class_) MPIR_Reserve_calloc((n), (bytes), (class_))
#define MPL_realloc(memory, bytes, class_) MPIR_Reserve_realloc((memory), (bytes), (class_))
#define MPL_free(memory) MPIR_Reserve_release((void *) (memory))

#else

#define MPIR_Reserve_init() ((void) 0)
#define MPIR_Reserve_enter() ((void) 0)
#define MPIR_Reserve_leave() ((void) 0)

#endif

#endif /* MPIR_RESERVE_H_INCLUDED */
