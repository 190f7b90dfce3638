/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPIR_DEATHS_PAGE_H_INCLUDED
#define MPIR_DEATHS_PAGE_H_INCLUDED

/*
 * The memory in which the proxy of a node tells its ranks who has died.  There is no MPI in this
 * file: Hydra's proxy makes the memory and writes the list (pmip_deaths.c), and each rank maps it
 * (mpir_deaths.c).  Ranks inherit its descriptor, so no file is left when everybody is killed.
 *
 * Under another launcher each rank has such memory of its own, and a thread of PMIx writes the list
 * (mpir_pmix_deaths.c).
 */

#include "mpir_digest.h"
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MPIR_DEATHS_VARIABLE "MPICH_DEATHS_FD" /* names the descriptor */
#define MPIR_DEATHS_MAGIC UINT32_C(0x4d504464)

enum {
    MPIR_DEATHS_LINE = 64,
    MPIR_DEATHS_MOST = 1 << 20 /* beside the processes of the first job: spawned ones */
};

/* A process of any job that this mpiexec has started or spawned. */
typedef struct {
    uint64_t job; /* MPIR_Deaths_job */
    uint32_t rank;
} MPIR_death_t;

typedef struct {
    uint64_t job; /* of the node's ranks */
    uint32_t magic;
    uint32_t room;  /* of the list: most of its memory is never used */
    uint32_t ranks; /* of the job, on the node */
    uint32_t begun; /* of these, through MPI_Init */
    uint64_t lease; /* the ranks may live until then, in ns of CLOCK_MONOTONIC; 0: no limit */
    /* Each poll reads the number, and only a death writes it. */
    uint32_t number __attribute__((aligned(MPIR_DEATHS_LINE)));
    MPIR_death_t dead[]; /* in the order in which the proxy has learned of them; nobody twice */
} MPIR_deaths_page_t;

static inline size_t MPIR_Deaths_bytes(uint32_t room)
{
    return sizeof(MPIR_deaths_page_t) + room * sizeof(MPIR_death_t);
}

/* What the list has of the name of a job, which the process manager gives.  The last 16 bits are 0:
 * ucx_worlds.c has a number there. */
static inline uint64_t MPIR_Deaths_job(const char *name)
{
    return MPIR_Digest_add(MPIR_DIGEST_OF_NOTHING, name, strlen(name)) & ~UINT64_C(0xffff);
}

/* A death may be told twice.  One process writes, and one thread at a time. */
static inline void MPIR_Deaths_enter(MPIR_deaths_page_t *page, uint64_t job, uint32_t rank)
{
    const uint32_t number = page->number;

    for (uint32_t i = 0; i < number; i++) {
        if (page->dead[i].job == job && page->dead[i].rank == rank)
            return;
    }
    if (number >= page->room)
        return;
    page->dead[number] = (MPIR_death_t){job, rank};
    __atomic_store_n(&page->number, number + 1, __ATOMIC_RELEASE);
}

#endif /* MPIR_DEATHS_PAGE_H_INCLUDED */
