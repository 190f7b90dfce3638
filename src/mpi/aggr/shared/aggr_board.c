/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpidu_init_shm.h"
#include "aggr_shared.h"

/*
 * Agreements of processes that have no communicator yet, as in MPI_Comm_create_group, or none with
 * memory.  Their lines are in the shared segment of the node's start-up, so that there is nothing
 * to set up which one of them could fail to have.
 *
 * Who shares a key with whom is as for messages: the same communicator and tag, and members.
 * Threads do not come into it: where a process has MPI_THREAD_MULTIPLE its node does without.
 */

static aggr_board_t board;
static int *members; /* room for all of the node */

bool MPIR_Aggr_board_open(void)
{
    aggr_post_t *posts = MPIDU_Init_shm_lines();
    int n = MPIR_Process.local_size;

    if (!posts)
        return true;
    members = MPL_malloc(n * sizeof(int), MPL_MEM_COMM);
    return members && MPIR_aggr_board_open(&board, posts, n, MPIR_Process.local_rank,
                                           MPIR_Aggr_waiting()) == AGGR_OK;
}

void MPIR_Aggr_board_close(void)
{
    MPIR_aggr_board_close(&board);
    MPL_free(members);
    members = NULL;
}

void MPIR_Aggr_board_died(int process)
{
    int local_rank = MPIR_World_local_rank(process);

    if (members && local_rank >= 0)
        MPIR_aggr_board_died(&board, local_rank);
}

static uint64_t mix(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* Fills in `members`, and their key.  False: not all are of this node. */
static bool find_members(const cmap_t *processes, uint64_t *key)
{
    int size = (int) MPIR_cmap_size(processes);

    if (size > MPIR_Process.local_size)
        return false;
    for (int i = 0; i < size; i++) {
        uint32_t process = MPIR_cmap_select(processes, (uint32_t) i);
        members[i] =
            process < (uint32_t) MPIR_Process.size ? MPIR_World_local_rank((int) process) : -1;
        if (members[i] < 0)
            return false;
        *key = mix(*key, process);
    }
    return true;
}

bool MPIR_Aggr_do_group(MPIR_Comm *comm, const cmap_t *processes, int tag, uint64_t numbers[2],
                        void (*fold)(uint64_t all[2], const uint64_t one[2]), int *mpi_errno)
{
    uint64_t key = mix(mix(1, comm->context_id), (uint32_t) tag);

    if (!members || !MPIR_Aggr_all_take_part() || !find_members(processes, &key))
        return false;
    MPIR_Aggr_waiting();
    /* What repairs a revoked communicator is not ended by the revocation. */
    board.stop = comm->call_group ? &comm->call_ended : comm->repairing ? NULL : &comm->ended;
    *mpi_errno = MPIR_aggr_board_reduce(&board, members, (int) MPIR_cmap_size(processes), key,
                                        numbers, fold);
    if (*mpi_errno == AGGR_ERR_STOPPED) {
        *mpi_errno = MPIR_Comm_end_error(comm);
    }
    /* tags below 0 are of agreements that are part of a collective: it is counted as it is done */
    return tag < 0 || MPIR_Aggr_done(2 * sizeof(uint64_t), mpi_errno);
}
