/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_aggr_nodes.h"
#include "split_at_once.h"

int MPIR_split_gather_at_once(MPIR_Comm *node, const split_leaf *own, split_leaf leaves[],
                              bool *is_done)
{
    *is_done = node->local_size <= SPLIT_LEAVES_MOST;
    return *is_done ? MPIR_Aggr_gather_node(node, own, sizeof(*own), leaves) : MPI_SUCCESS;
}

typedef uint8_t message[SPLIT_MESSAGE];

/* Are these descriptions of nodes, with as many ranks in all as there are, or fewer? */
static int check_all(const message all[], int n, uint32_t ranks, bool *are_short)
{
    *are_short = true;
    for (int i = 0; i < n; i++) {
        size_t bytes = MPIR_colours_bytes(all[i]);
        bool is_short = bytes <= SPLIT_MESSAGE;
        bool is_right = is_short ? MPIR_colours_check_most(all[i], bytes, ranks)
                                 : MPIR_colours_check_header(all[i], SPLIT_MESSAGE, ranks);
        MPIR_TRY(MPIR_split_zones_check(is_right, i, bytes));
        ranks -= is_short ? MPIR_colours_ranks(all[i]) : 0;
        *are_short = *are_short && is_short;
    }

    return MPI_SUCCESS;
}

/* Neighbours first, as in the tree of many nodes: blocks of equal size have the shortest
 * descriptions.  The result is all[0] and what follows; a merged description is no longer than its
 * two parts. */
static void merge_all(message all[], int n)
{
    uint8_t merged[MPIR_AGGR_DIRECT_MOST * SPLIT_MESSAGE + COLOURS_EXTRA + COLOURS_SLACK];

    for (int width = 1; width < n; width *= 2) {
        for (int i = 0; i + width < n; i += 2 * width) {
            size_t most = MPIR_colours_bytes(all[i]) + MPIR_colours_bytes(all[i + width]);
            size_t bytes = MPIR_colours_merge(all[i], all[i + width], MPIR_Ctxid_fold, merged);
            MPIR_Assert(bytes <= most);
            memcpy(all[i], merged, bytes);
        }
    }
}

/* A long description has all ranks, none of which has failed: there is a reserve for it. */
static void take_result(split_zones *zones, const uint8_t *result)
{
    size_t bytes = MPIR_colours_bytes(result);

    if (MPIR_split_zones_hold(zones, bytes))
        memcpy(zones->mine, result, bytes);
    else
        MPIR_colours_failure(zones->mine, MPIR_Ctxid_refusal(MPIR_colours_offer(result)), 0);
}

int MPIR_split_swap_at_once(split_zones *zones, MPIR_Comm *roots, bool *is_done)
{
    int n = roots->local_size;
    message all[MPIR_AGGR_DIRECT_MOST];
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;

    *is_done = MPIR_Aggr_is_direct(roots);
    if (!*is_done)
        return MPI_SUCCESS;
    MPIR_split_zones_pad(zones);
    MPIR_TRY(
        MPIR_Aggr_exchange(roots, zones->mine, SPLIT_MESSAGE, all, MPIR_ALLGATHERV_TAG, &errflag));
    MPIR_TRY(check_all(all, n, zones->ranks, is_done));
    if (*is_done) {
        merge_all(all, n);
        take_result(zones, all[0]);
    }

    return MPI_SUCCESS;
}
