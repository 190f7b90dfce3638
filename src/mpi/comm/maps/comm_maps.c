/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "old_maps.h"

/* The maps of communicators: every constructor of a communicator names where its map comes from
 * by one of these. */

static cmap_t **slot_of(MPIR_Comm *comm, MPIR_Map_side_t side)
{
    bool inter = (comm->comm_kind == MPIR_COMM_KIND__INTERCOMM);
    return (inter && side == MPIR_MAP_LOCAL) ? &comm->local_map : &comm->map;
}

/* Moves the caller's reference into the slot. */
static int fill_slot(MPIR_Comm *comm, MPIR_Map_side_t side, cmap_t *map)
{
    cmap_t **slot = slot_of(comm, side);
    MPIR_Assert(*slot == NULL);
    *slot = map;
    return MPI_SUCCESS;
}

void MPIR_Comm_map_init(MPIR_Comm *comm)
{
    comm->map = NULL;
    comm->local_map = NULL;
    comm->old_maps = NULL;
}

const cmap_t *MPIR_Comm_map(const MPIR_Comm *comm, MPIR_Map_side_t side)
{
    return MPIR_Map_load(slot_of((MPIR_Comm *) comm, side));
}

int MPIR_Comm_map_set(MPIR_Comm *comm, MPIR_Map_side_t side, const cmap_t *map)
{
    return fill_slot(comm, side, MPIR_cmap_addref(map));
}

int MPIR_Comm_map_from_group(MPIR_Comm *comm, MPIR_Map_side_t side, const MPIR_Group *group)
{
    return MPIR_Comm_map_set(comm, side, group->map);
}

int MPIR_Comm_map_share(MPIR_Comm *comm, MPIR_Map_side_t side, const MPIR_Comm *source,
                        MPIR_Map_side_t source_side)
{
    return MPIR_Comm_map_set(comm, side, MPIR_Comm_map(source, source_side));
}

int MPIR_Comm_map_compose(MPIR_Comm *comm, MPIR_Map_side_t side, const MPIR_Comm *source,
                          MPIR_Map_side_t source_side, const cmap_t *ranks)
{
    cmap_t *map = NULL;
    cmap_status status = MPIR_cmap_compose(MPIR_Comm_map(source, source_side), ranks, NULL, &map);
    if (status != CMAP_OK)
        return MPIR_Map_error(status, "compose", (int) MPIR_cmap_size(ranks));
    return fill_slot(comm, side, map);
}

int MPIR_Comm_map_from_ranks(MPIR_Comm *comm, MPIR_Map_side_t side, const int ranks[], int n)
{
    cmap_t *map = NULL;
    cmap_status status =
        MPIR_cmap_from_array((const uint32_t *) ranks, n, MPIR_Process.size, NULL, &map);
    if (status != CMAP_OK)
        return MPIR_Map_error(status, "world ranks", n);
    return fill_slot(comm, side, map);
}

int MPIR_Comm_map_range(MPIR_Comm *comm, int first, int n)
{
    cmap_t *map = NULL;
    cmap_status status = MPIR_cmap_from_range(first, 1, n, MPIR_Process.size, NULL, &map);
    if (status != CMAP_OK)
        return MPIR_Map_error(status, "range", n);
    return fill_slot(comm, MPIR_MAP_LOCAL, map);
}

int MPIR_Comm_map_prefix(MPIR_Comm *comm, MPIR_Map_side_t side, const MPIR_Comm *source,
                         MPIR_Map_side_t source_side, int n)
{
    cmap_t *map = NULL;
    cmap_rank_range range = {.first = 0, .last = n - 1, .stride = 1};
    cmap_status status =
        MPIR_cmap_range_incl(MPIR_Comm_map(source, source_side), &range, n > 0, NULL, &map);
    if (status != CMAP_OK)
        return MPIR_Map_error(status, "prefix", n);
    return fill_slot(comm, side, map);
}

int MPIR_Comm_map_merge(MPIR_Comm *comm, const MPIR_Comm *source, MPIR_Map_side_t first)
{
    cmap_t *map = NULL;
    MPIR_Map_side_t second = (first == MPIR_MAP_LOCAL) ? MPIR_MAP_REMOTE : MPIR_MAP_LOCAL;
    const cmap_t *parts[2] = {MPIR_Comm_map(source, first), MPIR_Comm_map(source, second)};
    cmap_status status = MPIR_cmap_concat(parts, 2, NULL, &map);
    if (status != CMAP_OK)
        return MPIR_Map_error(status, "merge", source->local_size + source->remote_size);
    return fill_slot(comm, MPIR_MAP_LOCAL, map);
}

void MPIR_Map_links_free(struct MPIR_Map_link *link)
{
    while (link) {
        struct MPIR_Map_link *next = link->next;
        MPIR_cmap_release(link->map);
        MPL_free(link);
        link = next;
    }
}

void MPIR_Comm_map_release(MPIR_Comm *comm)
{
    MPIR_cmap_release(comm->map);
    MPIR_cmap_release(comm->local_map);
    MPIR_Map_links_free(comm->old_maps);
    MPIR_Comm_map_init(comm);
}

int MPIR_Comm_map_check_group(const MPIR_Comm *comm, const MPIR_Group *group)
{
    int mpi_errno = MPI_SUCCESS;
    int yes = 0;
    uint32_t missing = 0;
    cmap_status status =
        MPIR_cmap_is_subset(group->map, MPIR_Comm_map(comm, MPIR_MAP_LOCAL), &yes, &missing);

    if (status != CMAP_OK)
        return MPIR_Map_error(status, "check of a group", group->size);
    if (!yes)
        MPIR_ERR_SET1(mpi_errno, MPI_ERR_GROUP, "**groupnotincomm", "**groupnotincomm %d",
                      (int) missing);
    return mpi_errno;
}

/* 0 .. n-1, which MPIR_cmap_translate then replaces in place */
static int alloc_iota(int n, int **ranks)
{
    int mpi_errno = MPI_SUCCESS;

    *ranks = MPL_malloc((n ? n : 1) * sizeof(int), MPL_MEM_ADDRESS);
    MPIR_ERR_CHKANDSTMT(!*ranks, mpi_errno, MPI_ERR_OTHER, return mpi_errno, "**nomem");
    for (int i = 0; i < n; i++)
        (*ranks)[i] = i;

    return mpi_errno;
}

int MPIR_Comm_map_ranks_of(const MPIR_Comm *comm, const MPIR_Group *group, int **ranks)
{
    int mpi_errno = MPI_SUCCESS;
    cmap_status status;

    *ranks = NULL;
    mpi_errno = MPIR_Comm_map_check_group(comm, group);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = alloc_iota(group->size, ranks);
    MPIR_ERR_CHECK(mpi_errno);

    status = MPIR_cmap_translate(group->map, *ranks, group->size,
                                 MPIR_Comm_map(comm, MPIR_MAP_LOCAL), *ranks);
    if (status != CMAP_OK) {
        mpi_errno = MPIR_Map_error(status, "ranks of a group", group->size);
        goto fn_fail;
    }

fn_exit:
    return mpi_errno;
fn_fail:
    MPL_free(*ranks);
    *ranks = NULL;
    goto fn_exit;
}
