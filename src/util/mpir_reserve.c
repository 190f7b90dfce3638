/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_sparse.h"
#include <malloc.h>
#include <stddef.h>

#if !defined(MPL_USE_MEMORY_TRACING)

/* Blocks lie one behind the other up to `used`.  A search begins at the first one, and joins free
 * blocks on its way: a process that finds no memory has few of them. */
typedef struct block {
    size_t bytes; /* of what follows */
    bool is_free;
    max_align_t memory[];
} block_t;

__thread int MPIR_Reserve_depth;
char *MPIR_Reserve_memory;

static size_t used; /* bytes up to the end of the last block */
static MPL_initlock_t lock = MPL_INITLOCK_INITIALIZER;

static block_t *block_of(const void *memory)
{
    return (block_t *) ((char *) memory - offsetof(block_t, memory));
}

static block_t *block_at(size_t at) { return (block_t *) (MPIR_Reserve_memory + at); }

static size_t end_of(size_t at) { return at + sizeof(block_t) + block_at(at)->bytes; }

static void join_with_next(size_t at)
{
    while (end_of(at) < used && block_at(end_of(at))->is_free)
        block_at(at)->bytes = end_of(end_of(at)) - at - sizeof(block_t);
}

/* What is left becomes a free block if it has room for more than its header. */
static void cut(size_t at, size_t bytes)
{
    block_t *block = block_at(at), *rest;

    if (block->bytes - bytes <= sizeof(block_t))
        return;
    rest = block_at(at + sizeof(block_t) + bytes);
    rest->bytes = block->bytes - bytes - sizeof(block_t);
    rest->is_free = true;
    block->bytes = bytes;
}

/* A block with room, or the end. */
static size_t find_room(size_t bytes)
{
    size_t at = 0;

    for (; at < used; at = end_of(at)) {
        if (!block_at(at)->is_free)
            continue;
        join_with_next(at);
        if (end_of(at) == used) {
            used = at;
            break;
        }
        if (block_at(at)->bytes >= bytes)
            break;
    }
    return at;
}

static void *reserve_take(size_t bytes)
{
    const size_t unit = sizeof(max_align_t);
    size_t at;

    bytes = (bytes + unit - 1) / unit * unit;
    at = find_room(bytes);
    if (at < used) {
        cut(at, bytes);
    } else {
        if (bytes + sizeof(block_t) > MPIR_RESERVE_BYTES - used)
            return NULL;
        block_at(at)->bytes = bytes;
        used += sizeof(block_t) + bytes;
    }
    block_at(at)->is_free = false;
    return block_at(at)->memory;
}

void *MPIR_Reserve_alloc(size_t bytes)
{
    void *memory;

    if (MPIR_Reserve_depth == 0 || !MPIR_Reserve_memory || bytes > MPIR_RESERVE_BYTES)
        return NULL;
    MPL_initlock_lock(&lock);
    memory = reserve_take(bytes);
    MPL_initlock_unlock(&lock);
    return memory;
}

void *MPIR_Reserve_zeros(size_t n, size_t bytes)
{
    bool fits = n == 0 || bytes <= MPIR_RESERVE_BYTES / n;
    void *memory = fits ? MPIR_Reserve_alloc(n * bytes) : NULL;

    return memory ? memset(memory, 0, n * bytes) : NULL;
}

void MPIR_Reserve_free(void *memory)
{
    MPL_initlock_lock(&lock);
    block_of(memory)->is_free = true;
    MPL_initlock_unlock(&lock);
}

void *MPIR_Reserve_enlarge(void *memory, size_t bytes)
{
    void *moved = MPIR_Reserve_alloc(bytes);

    if (moved && memory) {
        memcpy(moved, memory, MPL_MIN(malloc_usable_size(memory), bytes));
        MPL_free(memory);
    }
    return moved;
}

void *MPIR_Reserve_move(void *memory, size_t bytes)
{
    void *moved = MPL_malloc(bytes, MPL_MEM_OTHER);

    if (moved) {
        memcpy(moved, memory, MPL_MIN(block_of(memory)->bytes, bytes));
        MPIR_Reserve_free(memory);
    }
    return moved;
}

/* ---- for the modules, which know nothing of MPI ---- */

static void *allocate(size_t bytes) { return MPL_malloc(bytes, MPL_MEM_OTHER); }

static void deallocate(void *memory) { MPL_free(memory); }

/* It stays mapped after MPI_Finalize: objects of that time may lie in it. */
void MPIR_Reserve_init(void)
{
    if (!MPIR_Reserve_memory)
        MPIR_Reserve_memory = MPIR_Sparse_alloc(MPIR_RESERVE_BYTES);
    MPIR_cmap_set_allocator(allocate, deallocate);
}

#endif
