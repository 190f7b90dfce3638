/* SPDX-License-Identifier: BSD-3-Clause */

/* What is known of the targets of a window. */

#include "rma/issue/issue_internal.h"

/* The bytes of a message to the target that operations may take. */
static size_t room_to(MPIR_Win *win MPL_UNUSED, int rank MPL_UNUSED)
{
    MPI_Aint limit = MPIDI_NM_am_hdr_max_sz();

#ifndef MPIDI_CH4_DIRECT_NETMOD
    if (MPIDI_rank_is_local(rank, win->comm_ptr))
        limit = MPIDI_SHM_am_hdr_max_sz();
#endif
    return MPL_MIN(limit, MPIDIG_RMA_MESSAGE_MAX) - sizeof(MPIDIG_rma_message_t);
}

MPIDIG_rma_target_t *MPIDIG_rma_target_find(MPIR_Win *win, int rank)
{
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    MPIDIG_rma_target_t *target = issue->last;

    if (!target || target->rank != rank) {
        HASH_FIND(hash_handle, issue->targets, &rank, sizeof(int), target);
        if (target)
            issue->last = target;
    }
    return target;
}

MPIDIG_rma_target_t *MPIDIG_rma_target(MPIR_Win *win, int rank)
{
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    MPIDIG_rma_target_t *target = MPIDIG_rma_target_find(win, rank);
    size_t room;

    if (target)
        return target;
    target = MPL_calloc(1, sizeof(*target), MPL_MEM_RMA);
    if (!target)
        return NULL;
    room = room_to(win, rank);
    MPIR_rma_issue_target_init(&target->issue, room);
    target->pack_room =
        (uint32_t) (room / ((room + MPIDIG_RMA_PACK_MAX - 1) / MPIDIG_RMA_PACK_MAX));
    target->win = win;
    target->rank = rank;
    target->last_result = &target->results;
    HASH_ADD(hash_handle, issue->targets, rank, sizeof(int), target, MPL_MEM_RMA);
    issue->last = target;
    return target;
}
