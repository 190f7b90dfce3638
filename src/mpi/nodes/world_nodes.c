/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_nodemap.h"
#include "node_blocks.h"

/* Which nodes the world's processes are on: MPIR_Process.node_blocks, and of this process's node
 * more. */

static int alloc_blocks(uint32_t n, MPIR_Node_blocks **blocks)
{
    int mpi_errno = MPI_SUCCESS;

    *blocks = MPL_calloc(1, MPIR_Node_blocks_bytes(n), MPL_MEM_ADDRESS);
    MPIR_ERR_CHKANDSTMT(!*blocks, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem");
    (*blocks)->processes = MPIR_Process.size;
    (*blocks)->n = n;

    return mpi_errno;
}

static int nodes_take(MPIR_Node_blocks *blocks)
{
    int mpi_errno = MPI_SUCCESS;

    MPIR_ERR_CHKINTERNAL(!MPIR_Node_blocks_complete(blocks), mpi_errno, "nodes without processes");
    MPL_free(MPIR_Process.node_blocks);
    MPIR_Process.node_blocks = blocks;
    MPIR_Process.num_nodes = (int) blocks->nodes;

fn_exit:
    return mpi_errno;
fn_fail:
    MPL_free(blocks);
    goto fn_exit;
}

int MPIR_World_nodes_from_mapping(char *mapping, int *did_map)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_NODEMAP_mapping_type_t type = MPIR_NODEMAP_UNKNOWN_MAPPING;
    MPIR_NODEMAP_map_block_t *given = NULL;
    MPIR_Node_blocks *blocks = NULL;
    int n = 0;

    *did_map = 0;
    mpi_errno = MPIR_NODEMAP_parse_mapping(mapping, &type, &given, &n);
    MPIR_ERR_CHECK(mpi_errno);
    if (type == MPIR_NODEMAP_NULL_MAPPING)
        goto fn_exit;
    mpi_errno = alloc_blocks(n, &blocks);
    MPIR_ERR_CHECK(mpi_errno);
    for (int i = 0; i < n; i++)
        blocks->b[i] = (MPIR_Node_block){
            .node = given[i].start_id, .count = given[i].count, .size = given[i].size};
    mpi_errno = nodes_take(blocks);
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_Node_blocks_close_gaps(blocks);
    MPIR_Process.num_nodes = (int) blocks->nodes;
    *did_map = 1;

fn_exit:
    MPL_free(given);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

int MPIR_World_nodes_from_array(const int nodes[])
{
    uint32_t size = (uint32_t) MPIR_Process.size;
    MPIR_Node_blocks *blocks = NULL;

    MPIR_TRY(alloc_blocks(MPIR_Node_blocks_from_array(nodes, size, NULL), &blocks));
    MPIR_Node_blocks_from_array(nodes, size, blocks);
    return nodes_take(blocks);
}

int MPIR_World_nodes_alone(void) { return MPIR_World_nodes_cliques(MPIR_Process.size, true); }

int MPIR_World_nodes_cliques(int cliques, bool by_block)
{
    uint32_t n = (uint32_t) cliques;
    uint32_t least = (uint32_t) MPIR_Process.size / n, more = (uint32_t) MPIR_Process.size % n;
    MPIR_Node_blocks *blocks = NULL;

    MPIR_TRY(alloc_blocks(2, &blocks));
    if (by_block) {
        blocks->b[0] = (MPIR_Node_block){.node = 0, .count = more, .size = least + 1};
        blocks->b[1] = (MPIR_Node_block){.node = more, .count = n - more, .size = least};
    } else {
        blocks->b[0] = (MPIR_Node_block){.node = 0, .count = n, .size = 1};
    }
    return nodes_take(blocks);
}

int MPIR_World_nodes_find_neighbours(void)
{
    int mpi_errno = MPI_SUCCESS;
    const MPIR_Node_blocks *blocks = MPIR_Process.node_blocks;
    uint32_t node = (uint32_t) MPIR_World_node(MPIR_Process.rank);
    int n = (int) MPIR_Node_blocks_members(blocks, node, NULL);

    MPIR_Process.node_local_map = MPL_malloc(n * sizeof(int), MPL_MEM_ADDRESS);
    MPIR_ERR_CHKANDSTMT(!MPIR_Process.node_local_map, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno,
                        "**nomem");
    MPIR_Node_blocks_members(blocks, node, MPIR_Process.node_local_map);
    MPIR_Process.local_size = n;
    MPIR_Process.local_rank = MPIR_World_local_rank(MPIR_Process.rank);
    MPIR_Map_report_nodes(MPIR_World_node);

    return mpi_errno;
}

void MPIR_World_nodes_free(void)
{
    MPL_free(MPIR_Process.node_blocks);
    MPL_free(MPIR_Process.node_local_map);
    MPIR_Process.node_blocks = NULL;
    MPIR_Process.node_local_map = NULL;
}

int MPIR_World_node(int rank)
{
    return (int) MPIR_Node_blocks_find(MPIR_Process.node_blocks, (uint32_t) rank).node;
}

int MPIR_World_node_root(int node)
{
    return (int) MPIR_Node_blocks_root(MPIR_Process.node_blocks, (uint32_t) node);
}

static int compare_ranks(const void *a, const void *b)
{
    int left = *(const int *) a, right = *(const int *) b;

    return (left > right) - (left < right);
}

int MPIR_World_local_rank(int rank)
{
    const int *ranks = MPIR_Process.node_local_map,
              *found = bsearch(&rank, ranks, (size_t) MPIR_Process.local_size, sizeof(rank),
                               compare_ranks);

    return found ? (int) (found - ranks) : -1;
}
