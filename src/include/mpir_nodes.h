/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The nodes under a communicator: maps that say which of its processes are where, and communicators
 * by nodes.
 *
 * Callers: the code that makes communicators (src/mpi/comm/split, comm_prepare.c), the device, and
 * MPICH's own files.  The file calls communicators and their maps.
 */
#ifndef MPIR_NODES_H_INCLUDED
#define MPIR_NODES_H_INCLUDED

#include <stdbool.h>

/* Registers the MPI_T variable. */
void MPIR_Nodes_init(void);

/*
 * The nodes of the world.  One of the first four says who is where (MPIR_pmi_init calls them); it
 * replaces what was said before.
 */
/* PMI_process_mapping; *did_map is 0 when it says nothing. */
int MPIR_World_nodes_from_mapping(char *mapping, int *did_map);
int MPIR_World_nodes_from_array(const int nodes[]);
/* Every process has a node to itself. */
int MPIR_World_nodes_alone(void);
/* 1 to size nodes, in blocks as equal as can be, or in turns. */
int MPIR_World_nodes_cliques(int cliques, bool by_block);
/* Sets local_rank, local_size and node_local_map of MPIR_Process. */
int MPIR_World_nodes_find_neighbours(void);
void MPIR_World_nodes_free(void);

int MPIR_World_node(int rank);
/* The first process of a node. */
int MPIR_World_node_root(int node);
/* Rank among the processes of this node, or -1. */
int MPIR_World_local_rank(int rank);

/* Sets node_count, and for an intracommunicator without
 * processes from beyond the world also is_node_consecutive and intranode_map.  REQUIRES its map. */
int MPIR_Find_nodes(struct MPIR_Comm *comm);
/* The same, and shares what `source` knows when it has the very same map. */
int MPIR_Copy_nodes(struct MPIR_Comm *comm, const struct MPIR_Comm *source);
/* The nodes in the order of node_roots_comm, and the ranks of their first processes; NULL: not
 * asked for.  REQUIRES an intranode_map. */
int MPIR_Find_node_order(const struct MPIR_Comm *comm, cmap_t **nodes, cmap_t **roots);

/*
 * Communicators by nodes.  A communicator whose hierarchy_kind is PARENT has
 *
 *   node_comm         the processes of this node; NULL for a process that is alone on its node
 *   node_roots_comm   the first process of each node; NULL for the others
 *
 * whose context ids follow from its own, so that each process can make them by itself.  Most
 * communicators of a program with many of them are for messages, or for one kind of collective, and
 * never need them.  Both are NULL at first.  Code that reads them first calls
 * MPIR_Comm_need_node_comms, in a blocking collective of all members: the members agree that all of
 * them have both.  If the others cannot take part, it calls MPIR_Comm_need_own_node_comms.
 */
enum MPIR_Node_comms { /* node_comms_made */
                       MPIR_NODE_COMMS_NONE,
                       MPIR_NODE_COMMS_SETTLED, /* all members have them; or there are to be none */
                       MPIR_NODE_COMMS_OWN      /* this process has them */
};

/* Decides on the hierarchy of a new intracommunicator, from its maps of nodes, equally at all
 * processes. */
void MPIR_Comm_plan_node_comms(MPIR_Comm *comm);
int MPIR_Comm_make_node_comms(MPIR_Comm *comm);
int MPIR_Comm_settle_node_comms(MPIR_Comm *comm);

/* Several threads may call this at the same time, for any communicator; without a hierarchy it does
 * nothing.  All members get the same error. */
static inline int MPIR_Comm_need_node_comms(MPIR_Comm *comm)
{
    if (likely(MPL_atomic_acquire_load_int(&comm->node_comms_made) == MPIR_NODE_COMMS_SETTLED))
        return MPI_SUCCESS;
    return MPIR_Comm_settle_node_comms(comm);
}

/* The same, but for the error, which is one of this process. */
static inline int MPIR_Comm_need_own_node_comms(MPIR_Comm *comm)
{
    if (likely(MPL_atomic_acquire_load_int(&comm->node_comms_made) != MPIR_NODE_COMMS_NONE))
        return MPI_SUCCESS;
    return MPIR_Comm_make_node_comms(comm);
}

/* Size of node_comm and rank in it, made or not; 1 and 0 where it is and stays NULL. */
int MPIR_Comm_node_size(MPIR_Comm *comm);
int MPIR_Comm_node_rank(MPIR_Comm *comm);

/* node_comm is as large as the communicator. */
static inline bool MPIR_Comm_is_on_one_node(MPIR_Comm *comm)
{
    return MPIR_Comm_is_parent_comm(comm) && comm->node_count == 1;
}

#endif /* MPIR_NODES_H_INCLUDED */
