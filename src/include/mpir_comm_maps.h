/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The maps of a communicator.  Every constructor of a communicator names the origin of its map by
 * one call of these functions.  They add MPI errors, info hints and the two sides of an
 * intercommunicator to cmap.h.
 *
 * Callers: the layers above this file in the list of mpir_map.h, and MPICH's own files.  The file
 * calls groups and maps.
 */
#ifndef MPIR_COMM_MAPS_H_INCLUDED
#define MPIR_COMM_MAPS_H_INCLUDED

#include "mpir_map.h"

/* The maps of a communicator.  An intracommunicator has one map, which is both; an
 * intercommunicator sends through the remote one (comm->map) and knows its own group by the
 * local one (comm->local_map). */
typedef enum MPIR_Map_side { MPIR_MAP_LOCAL, MPIR_MAP_REMOTE } MPIR_Map_side_t;

struct MPIR_Comm;
struct MPIR_Group;
struct MPIR_Info;
struct MPIR_Map_link;

/* A new communicator: no map yet. */
void MPIR_Comm_map_init(struct MPIR_Comm *comm);
/* Sorts out which pointer of a communicator is meant.  REQUIRES comm_kind to be set. */
const cmap_t *MPIR_Comm_map(const struct MPIR_Comm *comm, MPIR_Map_side_t side);

/* Give `comm` one of its maps (REQUIRES the slot to be empty): a reference of its own to the map
 * given ... */
int MPIR_Comm_map_set(struct MPIR_Comm *comm, MPIR_Map_side_t side, const cmap_t *map);
/* ... the map of a group ... */
int MPIR_Comm_map_from_group(struct MPIR_Comm *comm, MPIR_Map_side_t side,
                             const struct MPIR_Group *group);
/* ... the same map as another communicator's ... */
int MPIR_Comm_map_share(struct MPIR_Comm *comm, MPIR_Map_side_t side,
                        const struct MPIR_Comm *source, MPIR_Map_side_t source_side);
/* ... those whose ranks are in another map ... */
int MPIR_Comm_map_compose(struct MPIR_Comm *comm, MPIR_Map_side_t side,
                          const struct MPIR_Comm *source, MPIR_Map_side_t source_side,
                          const cmap_t *ranks);
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

/* Info hints (doc/reference/settings.md).  A hint that is unknown or invalid, or for which memory
 * is missing, is ignored:  the maps stay as they are.  Groups taken before keep their map. */
void MPIR_Comm_map_set_hints(struct MPIR_Comm *comm, struct MPIR_Info *info);
/* Adds what is in force to `info`. */
int MPIR_Comm_map_get_hints(const struct MPIR_Comm *comm, struct MPIR_Info *info);
/* Gives back maps that were replaced while there were threads. */
void MPIR_Map_links_free(struct MPIR_Map_link *link);

/* Error unless every member of the group is one of the communicator's local group. */
int MPIR_Comm_map_check_group(const struct MPIR_Comm *comm, const struct MPIR_Group *group);
/* Ranks of the group's members in the communicator's local group; the caller frees them by
 * MPL_free.  The same error. */
int MPIR_Comm_map_ranks_of(const struct MPIR_Comm *comm, const struct MPIR_Group *group,
                           int **ranks);

/* For MPIR_CVAR_CMAP_REPORT: a communicator has its maps (born), or is about to lose them
 * (gone). */
void MPIR_Comm_report_born(struct MPIR_Comm *comm);
void MPIR_Comm_report_gone(struct MPIR_Comm *comm);

#endif /* MPIR_COMM_MAPS_H_INCLUDED */
