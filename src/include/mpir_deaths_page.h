/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPIR_DEATHS_PAGE_H_INCLUDED
#define MPIR_DEATHS_PAGE_H_INCLUDED

/*
 * The memory in which the proxy of a node tells its ranks who has died.  There is no MPI in this
 * file: Hydra's proxy makes the memory and writes the list (pmip_deaths.c), and each rank maps it
 * (mpir_deaths.c).  Ranks inherit its descriptor, so no file is left when everybody is killed.
 */

#include <stddef.h>
#include <stdint.h>

#define MPIR_DEATHS_VARIABLE "MPICH_DEATHS_FD" /* names the descriptor */
#define MPIR_DEATHS_MAGIC UINT32_C(0x4d504464)

enum { MPIR_DEATHS_LINE = 64 };

typedef struct {
    uint32_t magic;
    uint32_t size;  /* ranks of the world; nobody dies twice */
    uint32_t ranks; /* of the node */
    uint32_t begun; /* of these, through MPI_Init */
    /* Each poll reads the number, and only a death writes it. */
    uint32_t number __attribute__((aligned(MPIR_DEATHS_LINE)));
    uint32_t dead[]; /* world ranks, in the order in which the proxy has learned of them */
} MPIR_deaths_page_t;

static inline size_t MPIR_Deaths_bytes(uint32_t size)
{
    return sizeof(MPIR_deaths_page_t) + size * sizeof(uint32_t);
}

#endif /* MPIR_DEATHS_PAGE_H_INCLUDED */
