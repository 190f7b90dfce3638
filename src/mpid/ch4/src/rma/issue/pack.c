/* SPDX-License-Identifier: BSD-3-Clause */

/* Short operations between fences are packed when the program calls them.  A process that updates
 * many targets in turn would otherwise lose its operations from the cache before it sends them. */

#include "rma/issue/issue_internal.h"

/* A long operation would leave much of a pack empty. */
#define LONGEST(target) ((target)->pack_room / 4)

static MPIDIG_rma_pack_t *new_pack(MPIDIG_rma_issue_t *issue)
{
    MPIDIG_rma_pack_t *pack = issue->free_packs;

    if (!pack)
        return MPL_malloc(sizeof(*pack), MPL_MEM_RMA);
    issue->free_packs = (MPIDIG_rma_pack_t *) pack->queue.next;
    return pack;
}

static MPIDIG_rma_pack_t *pack_with_room(const MPIDIG_rma_target_t *target, size_t wire)
{
    rma_issue_op_t *last = target->issue.tail;

    return last && last->wire + wire <= target->pack_room ? (MPIDIG_rma_pack_t *) last : NULL;
}

bool MPIDIG_rma_pack(MPIR_Win *win, MPIDIG_rma_target_t *target, const MPIDIG_rma_op_t *what)
{
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    const rma_issue_op_t *op = &what->queue;
    MPIDIG_rma_pack_t *pack;

    if (op->wire > LONGEST(target) || !MPIR_rma_issue_packs(&target->issue, &issue->settings, op))
        return false;
    pack = pack_with_room(target, op->wire);
    if (pack) {
        MPIDIG_rma_op_pack(pack->bytes + pack->queue.wire, what);
        MPIR_rma_issue_pack_more(&target->issue, op->bytes, op->wire);
        return true;
    }
    pack = new_pack(issue);
    if (!pack)
        return false;
    MPIDIG_rma_op_pack(pack->bytes, what);
    pack->queue = (rma_issue_op_t){.bytes = op->bytes, .wire = op->wire, .packed = 1};
    MPIR_rma_issue_add(&target->issue, &pack->queue);
    return true;
}

char *MPIDIG_rma_pack_copy(char *end, const MPIDIG_rma_pack_t *pack)
{
    memcpy(end, pack->bytes, pack->queue.wire);
    return end + pack->queue.wire;
}

void MPIDIG_rma_pack_drop(MPIDIG_rma_issue_t *issue, MPIDIG_rma_pack_t *pack)
{
    pack->queue.next = (rma_issue_op_t *) issue->free_packs;
    issue->free_packs = pack;
}

void MPIDIG_rma_pack_free_all(MPIDIG_rma_issue_t *issue)
{
    while (issue->free_packs) {
        MPIDIG_rma_pack_t *pack = issue->free_packs;

        issue->free_packs = (MPIDIG_rma_pack_t *) pack->queue.next;
        MPL_free(pack);
    }
}
