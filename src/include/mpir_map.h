/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Compressed maps inside MPICH.
 *
 * A communicator and a group hold a `cmap_t *`: rank -> process index.  The processes of MPI_COMM_WORLD have the indices
 * 0 .. MPIR_Process.size - 1; those of a later address-vector table follow from the base of that table (ch4_proc.h).
 * The rules of cmap.h hold (immutable, interned, reference counted); the functions here add MPI errors, the CVARs, the
 * report and the two sides of an intercommunicator.  Every hook in MPICH is one call of one of them.
 */
#ifndef MPIR_MAP_H_INCLUDED
#define MPIR_MAP_H_INCLUDED

#include "cmap.h"
#include "cmap_lookup.h"

/* The maps of a communicator.  An intracommunicator has one map, which is both; an intercommunicator sends through the
 * remote one (comm->map) and knows its own group by the local one (comm->local_map). */
typedef enum MPIR_Map_side {
    MPIR_MAP_LOCAL,
    MPIR_MAP_REMOTE
} MPIR_Map_side_t;

struct MPIR_Comm;
struct MPIR_Group;
struct MPIR_Info;
struct MPIR_Map_link;

/* Reads and checks the MPIR_CVAR_CMAP_* variables, registers the MPI_T variables.  Before any group or communicator. */
int MPIR_Map_init(void);
/* MPI error for a failed map operation: names the operation, the number of members asked for and the reason. */
int MPIR_Map_error(cmap_status status, const char *operation, int size);

/* Rank of this process in a map or MPI_UNDEFINED; never builds an inverse. */
int MPIR_Map_own_rank(const cmap_t * map);

/* A slot that holds a map of a communicator is read by these wherever MPI_Comm_set_info may replace the map meanwhile. */
static inline const cmap_t *MPIR_Map_load(cmap_t * const *slot)
{
    return __atomic_load_n(slot, __ATOMIC_ACQUIRE);
}

static inline void MPIR_Map_store(cmap_t ** slot, cmap_t * map)
{
    __atomic_store_n(slot, map, __ATOMIC_RELEASE);
}

/* A new communicator: no map yet. */
void MPIR_Comm_map_init(struct MPIR_Comm *comm);
/* Sorts out which pointer of a communicator is meant.  REQUIRES comm_kind to be set. */
const cmap_t *MPIR_Comm_map(const struct MPIR_Comm *comm, MPIR_Map_side_t side);

/* Give `comm` one of its maps (REQUIRES the slot to be empty): a reference of its own to the map given ... */
int MPIR_Comm_map_set(struct MPIR_Comm *comm, MPIR_Map_side_t side, const cmap_t * map);
/* ... the map of a group ... */
int MPIR_Comm_map_from_group(struct MPIR_Comm *comm, MPIR_Map_side_t side,
                             const struct MPIR_Group *group);
/* ... the same map as another communicator's ... */
int MPIR_Comm_map_share(struct MPIR_Comm *comm, MPIR_Map_side_t side,
                        const struct MPIR_Comm *source, MPIR_Map_side_t source_side);
/* ... n members of it, by their ranks, in the order given ... */
int MPIR_Comm_map_select(struct MPIR_Comm *comm, MPIR_Map_side_t side,
                         const struct MPIR_Comm *source, MPIR_Map_side_t source_side,
                         const int ranks[], int n);
/* ... those whose ranks are in another map ... */
int MPIR_Comm_map_compose(struct MPIR_Comm *comm, MPIR_Map_side_t side,
                          const struct MPIR_Comm *source, MPIR_Map_side_t source_side,
                          const cmap_t * ranks);
/* ... n processes of the world, by their ranks in it ... */
int MPIR_Comm_map_from_ranks(struct MPIR_Comm *comm, MPIR_Map_side_t side, const int ranks[],
                             int n);
/* ... or n of them from `first` on (an intracommunicator's) ... */
int MPIR_Comm_map_range(struct MPIR_Comm *comm, int first, int n);
/* ... its first n members ... */
int MPIR_Comm_map_prefix(struct MPIR_Comm *comm, MPIR_Map_side_t side,
                         const struct MPIR_Comm *source, MPIR_Map_side_t source_side, int n);
/* ... or both sides of an intercommunicator one after the other, the given one first. */
int MPIR_Comm_map_merge(struct MPIR_Comm *comm, const struct MPIR_Comm *source,
                        MPIR_Map_side_t first);
void MPIR_Comm_map_release(struct MPIR_Comm *comm);

/* Info hints (doc/cvars.md).  What is not known, not valid or cannot be had for lack of memory is ignored: the maps stay as
 * they are.  Groups taken before keep their map. */
void MPIR_Comm_map_set_hints(struct MPIR_Comm *comm, struct MPIR_Info *info);
/* Adds what is in force to `info`. */
int MPIR_Comm_map_get_hints(const struct MPIR_Comm *comm, struct MPIR_Info *info);
/* Gives back maps that were replaced while there were threads. */
void MPIR_Map_links_free(struct MPIR_Map_link *link);

/* Error unless every member of the group is one of the communicator's local group. */
int MPIR_Comm_map_check_group(const struct MPIR_Comm *comm, const struct MPIR_Group *group);
/* Ranks of the group's members in the communicator's local group; the caller frees them by MPL_free.  The same error. */
int MPIR_Comm_map_ranks_of(const struct MPIR_Comm *comm, const struct MPIR_Group *group,
                           int **ranks);

/* The nodes under a communicator (src/util/mpir_localproc.c).  Sets node_count, and for an intracommunicator without
 * processes from beyond the world also is_node_consecutive, intranode_map and internode_map.  REQUIRES its map. */
int MPIR_Find_nodes(struct MPIR_Comm *comm);
/* The same when `source` has the very same map and knows its nodes: then there is nothing to look for. */
void MPIR_Share_nodes(struct MPIR_Comm *comm, const struct MPIR_Comm *source);
/* Ranks of the first process of each node, in the order of node_roots_comm.  REQUIRES an intranode_map. */
int MPIR_Find_node_roots(const struct MPIR_Comm *comm, cmap_t ** ranks);

/* For MPIR_CVAR_CMAP_REPORT: a communicator or a group has its maps (born), or is about to lose them (gone). */
void MPIR_Map_report_init(void);
void MPIR_Map_report_comm_born(struct MPIR_Comm *comm);
void MPIR_Map_report_comm_gone(struct MPIR_Comm *comm);
void MPIR_Map_report_group_born(struct MPIR_Group *group);
void MPIR_Map_report_group_gone(struct MPIR_Group *group);

#endif /* MPIR_MAP_H_INCLUDED */
