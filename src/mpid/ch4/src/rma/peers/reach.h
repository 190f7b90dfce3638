/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Memory of other processes of the node that is not mapped here.  The kernel copies it, by
 * process_vm_readv() and process_vm_writev(), which takes about 0.6 us and does not involve the
 * other process.  It refuses where the processes have different users, and where settings of the
 * machine or of a container say so.
 */
#ifndef RMA_PEERS_REACH_H_INCLUDED
#define RMA_PEERS_REACH_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

/* How others reach the memory that this process has in a window; in shared memory. */
typedef struct MPIDIG_rma_door {
    char *base;
    MPI_Aint size, disp_unit;
    int process;
    uint32_t is_closed; /* some of the memory is of a kind that the kernel does not copy */
    /* A number that only this process has, and where: a process with the same id elsewhere, such as
     * in another container, is another one. */
    uint64_t number;
    const uint64_t *number_at;
    char rest[16];
} MPIDIG_rma_door_t;

/* Describes this process's memory in the window. */
void MPIDIG_rma_door_describe(MPIDIG_rma_door_t *door, const MPIR_Win *win);
/* Does the door lead to the process that has described it?  One system call. */
bool MPIDIG_rma_door_leads(const MPIDIG_rma_door_t *door);

/* Does the kernel copy this memory of the process itself? */
bool MPIDIG_rma_is_copied(const void *base, MPI_Aint size);

/* Copies between pieces of this process and as many, equally long, of the other; changes both
 * arrays.  0 or the error number. */
int MPIDIG_rma_copy(int process, bool is_written, struct iovec *mine, struct iovec *theirs, int n);

/* In MPI_Init. */
void MPIDIG_rma_reach_init(void);

#endif /* RMA_PEERS_REACH_H_INCLUDED */
