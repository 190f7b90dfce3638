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
    madvise(memory, bytes, MADV_NOHUGEPAGE); /* one entry shall not cost two megabytes */
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

/* Of the pages that lie within these bytes. */
static void advise(void *begin, size_t bytes, int advice)
{
    uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE);
    uintptr_t first = ((uintptr_t) begin + page - 1) / page * page;
    uintptr_t end = ((uintptr_t) begin + bytes) / page * page;

    if (first < end)
        madvise((void *) first, end - first, advice);
}

void MPIR_Sparse_fill(void *begin, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    advise(begin, bytes, MADV_HUGEPAGE);
#endif
}

void MPIR_Sparse_forget(void *begin, size_t bytes)
{
#ifdef MADV_FREE
    advise(begin, bytes, MADV_FREE);
#endif
}

#else

void *MPIR_Sparse_alloc(size_t bytes) { return MPL_calloc(1, bytes, MPL_MEM_ADDRESS); }

void MPIR_Sparse_free(void *memory, size_t bytes) { MPL_free(memory); }

void MPIR_Sparse_fill(void *begin, size_t bytes) {}

void MPIR_Sparse_forget(void *begin, size_t bytes) {}

#endif
