/* SPDX-License-Identifier: BSD-3-Clause */

#include <stddef.h>
#include "mpidimpl.h"
#include "spare.h"

/* In front of each block, which is aligned as malloc's are. */
typedef struct header {
    _Alignas(max_align_t) size_t bytes;
} header_t;

static header_t *blocks[SPARE_BLOCKS];
static int is_closing; /* the process ends: nothing is kept any more */

static bool is_kept(size_t bytes) { return bytes >= SPARE_LEAST && bytes <= SPARE_MOST; }

static header_t *take(int i) { return __atomic_exchange_n(&blocks[i], NULL, __ATOMIC_ACQUIRE); }

static void put(int i, header_t *block)
{
    MPL_free(__atomic_exchange_n(&blocks[i], block, __ATOMIC_ACQ_REL));
}

/* NULL: no block is large enough. */
static header_t *find(size_t bytes)
{
    for (int i = 0; i < SPARE_BLOCKS; i++) {
        header_t *block = take(i);

        if (block && block->bytes >= bytes)
            return block;
        if (block)
            put(i, block);
    }
    return NULL;
}

static int empty(void *unused MPL_UNUSED)
{
    __atomic_store_n(&is_closing, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < SPARE_BLOCKS; i++)
        put(i, NULL);
    return MPI_SUCCESS;
}

/* At the first block that is kept. */
static void close_at_the_end(void)
{
    static int is_known;

    if (!__atomic_exchange_n(&is_known, 1, __ATOMIC_RELAXED))
        MPIR_Add_finalize(empty, NULL, 0);
}

void *MPIR_Spare_malloc(size_t bytes)
{
    header_t *block = is_kept(bytes) ? find(bytes) : NULL;

    if (!block && bytes <= SIZE_MAX - sizeof(*block))
        block = MPL_malloc(sizeof(*block) + bytes, MPL_MEM_BUFFER);
    else if (block)
        return block + 1;
    if (!block)
        return NULL;
    block->bytes = bytes;
    return block + 1;
}

void MPIR_Spare_free(void *at)
{
    header_t *block = at ? (header_t *) at - 1 : NULL;
    int i = 0;

    if (!block || !is_kept(block->bytes) || __atomic_load_n(&is_closing, __ATOMIC_RELAXED)) {
        MPL_free(block);
        return;
    }
    close_at_the_end();
    while (i < SPARE_BLOCKS - 1 && __atomic_load_n(&blocks[i], __ATOMIC_RELAXED))
        i++;
    put(i, block);
}
