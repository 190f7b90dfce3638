/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_sparse.h"
#include <sys/mman.h>

/* Below this the allocator's own memory is as good. */
#define LEAST_MAPPED 65536

#if defined(MAP_ANONYMOUS)

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

static void *map_pages(size_t bytes)
{
    void *memory = MPL_mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0, MPL_MEM_ADDRESS);

    if (memory == MAP_FAILED)
        return NULL;
#ifdef MADV_NOHUGEPAGE
    madvise(memory, bytes, MADV_NOHUGEPAGE);    /* one entry shall not cost two megabytes */
#endif
    return memory;
}

void *MPIR_Sparse_alloc(size_t bytes)
{
    return bytes < LEAST_MAPPED ? MPL_calloc(1, bytes, MPL_MEM_ADDRESS) : map_pages(bytes);
}

void MPIR_Sparse_free(void *memory, size_t bytes)
{
    if (bytes < LEAST_MAPPED)
        MPL_free(memory);
    else if (memory)
        MPL_munmap(memory, bytes, MPL_MEM_ADDRESS);
}

#else

void *MPIR_Sparse_alloc(size_t bytes)
{
    return MPL_calloc(1, bytes, MPL_MEM_ADDRESS);
}

void MPIR_Sparse_free(void *memory, size_t bytes)
{
    MPL_free(memory);
}

#endif
