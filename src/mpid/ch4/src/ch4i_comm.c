/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "ch4i_comm.h"

/* Communicators' maps and the address-vector tables they reach into. */

bool (*MPIDIU_avt_keeps)(int avtid);
uint64_t (*MPIDIU_process_digest)(int avtid, int lpid);

void MPIDIU_dynamic_index_to_pid(uint32_t index, int *avtid, int *lpid)
{
    /* Tables are few: one for each spawn, connect or accept alive. */
    for (int i = 0; i < MPIDIU_get_n_avts(); i++) {
        MPIDI_av_table_t *table = MPIDIU_get_av_table(i);
        if (table && index - table->base < (uint32_t) table->size) {
            *avtid = i;
            *lpid = (int) (index - table->base);
            return;
        }
    }
    MPIR_Assertp(0 && "process index in no address-vector table");
}

static void mark_table_of(uint32_t index, unsigned char *marks, int *last)
{
    MPIDI_av_table_t *table = MPIDIU_get_av_table(*last);
    int lpid;

    if (!table || index - table->base >= (uint32_t) table->size)
        MPIDIU_index_to_pid(index, last, &lpid);
    marks[*last] = 1;
}

/* Sets marks[avtid] for every table that a member of the map lives in. */
static void mark_tables(const cmap_t *map, unsigned char *marks)
{
    uint32_t block[256], n;
    cmap_iter iter;
    int last = 0;

    if (MPIDIU_map_is_in_world(map))
        return;
    MPIR_cmap_iter_init(&iter, map);
    while ((n = MPIR_cmap_iter_next(&iter, block, 256)) > 0) {
        for (uint32_t i = 0; i < n; i++)
            mark_table_of(block[i], marks, &last);
    }
}

/* Table 0 lives as long as MPI does and is not counted. */
static int update_refs(MPIR_Comm *comm, int (*update)(int avtid))
{
    int mpi_errno = MPI_SUCCESS;
    int n_avts = MPIDIU_get_n_avts();
    unsigned char *marks = NULL;

    if (MPIDIU_map_is_in_world(comm->map) && MPIDIU_map_is_in_world(comm->local_map))
        goto fn_exit;

    marks = MPL_calloc(n_avts, 1, MPL_MEM_ADDRESS);
    MPIR_ERR_CHKANDJUMP(!marks, mpi_errno, MPI_ERR_OTHER, "**nomem");
    mark_tables(comm->map, marks);
    mark_tables(comm->local_map, marks);
    for (int i = 1; i < n_avts; i++) {
        if (marks[i])
            update(i);
    }

fn_exit:
    MPL_free(marks);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

int MPIDIU_comm_avts_add_ref(MPIR_Comm *comm) { return update_refs(comm, MPIDIU_avt_add_ref); }

int MPIDIU_comm_avts_release_ref(MPIR_Comm *comm)
{
    return update_refs(comm, MPIDIU_avt_release_ref);
}

static bool has_own_table(uint64_t gpid)
{
    return gpid != MPIDIU_GPID_NONE && MPIDIU_GPID_GET_AVTID(gpid) > 0;
}

void MPIDIU_gpids_hold(uint64_t gpids[], int n, int error)
{
    for (int i = 0; i < n; i++) {
        if (error)
            gpids[i] = MPIDIU_GPID_NONE;
        else if (has_own_table(gpids[i]))
            MPIDIU_avt_add_ref((int) MPIDIU_GPID_GET_AVTID(gpids[i]));
    }
}

void MPIDIU_gpids_release(const uint64_t gpids[], int n)
{
    for (int i = 0; i < n; i++) {
        if (has_own_table(gpids[i]))
            MPIDIU_avt_release_ref((int) MPIDIU_GPID_GET_AVTID(gpids[i]));
    }
}

int MPIDIU_map_from_gpids(const uint64_t gpids[], int n, cmap_t **map)
{
    cmap_builder *builder = NULL;
    cmap_status status = MPIR_cmap_builder_create(CMAP_MAX_SIZE, NULL, &builder);

    for (int i = 0; i < n && status == CMAP_OK; i++)
        status = gpids[i] == MPIDIU_GPID_NONE
                     ? CMAP_ERR_NOMEM
                     : MPIR_cmap_builder_add(builder, MPIDIU_gpid_to_index(gpids[i]));
    if (status == CMAP_OK)
        status = MPIR_cmap_builder_finish(builder, map);
    MPIR_cmap_builder_free(builder);
    return (status == CMAP_OK) ? MPI_SUCCESS : MPIR_Map_error(status, "remote processes", n);
}

uint32_t MPIDI_find_common(const cmap_t *local, const cmap_t *remote)
{
    cmap_t *both = NULL;
    uint32_t index = CMAP_NONE;

    if (MPIR_cmap_intersection(local, remote, NULL, &both) == CMAP_OK) {
        if (MPIR_cmap_size(both) > 0)
            index = MPIR_cmap_select(both, 0);
        MPIR_cmap_release(both);
        return index;
    }
    /* without memory one by one: all have to find the same */
    for (uint32_t rank = 0; rank < MPIR_cmap_size(remote) && index == CMAP_NONE; rank++) {
        uint32_t member = MPIR_cmap_select(remote, rank);
        if (MPIR_cmap_rank(local, member) != CMAP_NONE)
            index = member;
    }
    return index;
}
