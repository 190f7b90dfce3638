/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "group.h"

/* The group functions of MPI on compressed maps.  The work is in cmap's algebra; what is left here
 * is this process' rank in the result, which follows from its rank in the operands wherever that
 * is cheaper than looking it up. */

/* The end of every constructor: `map` is the caller's reference when status is CMAP_OK. */
static int make_group(cmap_status status, const char *operation, int size, cmap_t *map, int rank,
                      MPIR_Group **new_group_ptr)
{
    if (status != CMAP_OK)
        return MPIR_Map_error(status, operation, size);
    return MPIR_Group_create_from_map(map, rank, new_group_ptr);
}

static int own_rank_if(bool may_be_member, cmap_status status, const cmap_t *map)
{
    return (may_be_member && status == CMAP_OK) ? MPIR_Map_own_rank(map) : MPI_UNDEFINED;
}

int MPIR_Group_compare_impl(MPIR_Group *group_ptr1, MPIR_Group *group_ptr2, int *result)
{
    static const int answers[] = {
        [CMAP_EQUAL] = MPI_IDENT, [CMAP_SIMILAR] = MPI_SIMILAR, [CMAP_DIFFERENT] = MPI_UNEQUAL};
    cmap_order order;
    cmap_status status = MPIR_cmap_compare(group_ptr1->map, group_ptr2->map, &order);

    if (status != CMAP_OK)
        return MPIR_Map_error(status, "MPI_Group_compare", group_ptr1->size);
    *result = answers[order];
    return MPI_SUCCESS;
}

int MPIR_Group_difference_impl(MPIR_Group *group_ptr1, MPIR_Group *group_ptr2,
                               MPIR_Group **new_group_ptr)
{
    cmap_t *map = NULL;
    cmap_status status = MPIR_cmap_difference(group_ptr1->map, group_ptr2->map, NULL, &map);
    bool member = (group_ptr1->rank != MPI_UNDEFINED && group_ptr2->rank == MPI_UNDEFINED);

    return make_group(status, "MPI_Group_difference", group_ptr1->size, map,
                      own_rank_if(member, status, map), new_group_ptr);
}

int MPIR_Group_intersection_impl(MPIR_Group *group_ptr1, MPIR_Group *group_ptr2,
                                 MPIR_Group **new_group_ptr)
{
    cmap_t *map = NULL;
    cmap_status status = MPIR_cmap_intersection(group_ptr1->map, group_ptr2->map, NULL, &map);
    bool member = (group_ptr1->rank != MPI_UNDEFINED && group_ptr2->rank != MPI_UNDEFINED);

    return make_group(status, "MPI_Group_intersection", group_ptr1->size, map,
                      own_rank_if(member, status, map), new_group_ptr);
}

int MPIR_Group_union_impl(MPIR_Group *group_ptr1, MPIR_Group *group_ptr2,
                          MPIR_Group **new_group_ptr)
{
    cmap_t *map = NULL;
    cmap_status status = MPIR_cmap_union(group_ptr1->map, group_ptr2->map, NULL, &map);
    int rank = group_ptr1->rank; /* the first group's ranks stay */

    if (rank == MPI_UNDEFINED)
        rank = own_rank_if(group_ptr2->rank != MPI_UNDEFINED, status, map);
    return make_group(status, "MPI_Group_union", group_ptr1->size + group_ptr2->size, map, rank,
                      new_group_ptr);
}

int MPIR_Group_incl_impl(MPIR_Group *group_ptr, int n, const int ranks[],
                         MPIR_Group **new_group_ptr)
{
    cmap_t *map = NULL;
    cmap_status status = MPIR_cmap_incl(group_ptr->map, ranks, n, NULL, &map);
    int rank = MPI_UNDEFINED;

    for (int i = 0; i < n && rank == MPI_UNDEFINED && group_ptr->rank != MPI_UNDEFINED; i++) {
        if (ranks[i] == group_ptr->rank)
            rank = i;
    }
    return make_group(status, "MPI_Group_incl", n, map, rank, new_group_ptr);
}

int MPIR_Group_excl_impl(MPIR_Group *group_ptr, int n, const int ranks[],
                         MPIR_Group **new_group_ptr)
{
    cmap_t *map = NULL;
    cmap_status status = MPIR_cmap_excl(group_ptr->map, ranks, n, NULL, &map);
    int rank = group_ptr->rank;
    int before = 0;

    for (int i = 0; i < n && rank != MPI_UNDEFINED; i++) {
        if (ranks[i] == group_ptr->rank)
            rank = MPI_UNDEFINED;
        before += (ranks[i] < group_ptr->rank);
    }
    if (rank != MPI_UNDEFINED)
        rank -= before;
    return make_group(status, "MPI_Group_excl", group_ptr->size, map, rank, new_group_ptr);
}

/* Members of a range with a rank below the given one. */
static int count_below(const int range[3], int rank)
{
    int count = MPIR_Group_range_count(range);
    int64_t step = range[2] > 0 ? range[2] : -(int64_t) range[2];
    int64_t least = range[2] > 0 ? range[0] : range[0] + (int64_t) (count - 1) * range[2];

    if (rank <= least)
        return 0;
    return (int) MPL_MIN((int64_t) count, (rank - least - 1) / step + 1);
}

typedef cmap_status (*range_operation)(const cmap_t *, const cmap_rank_range *, uint32_t,
                                       const cmap_policy *, cmap_t **);

static int make_range_group(range_operation operation, const char *name, MPIR_Group *group_ptr,
                            int n, int ranges[][3], int rank, MPIR_Group **new_group_ptr)
{
    int mpi_errno = MPI_SUCCESS;
    cmap_t *map = NULL;
    cmap_status status;
    cmap_rank_range *exact = MPL_malloc(sizeof(cmap_rank_range) * (n ? n : 1), MPL_MEM_GROUP);

    MPIR_ERR_CHKANDJUMP(!exact, mpi_errno, MPI_ERR_OTHER, "**nomem");
    for (int i = 0; i < n; i++) {
        /* MPI lets the last rank be one that the stride steps over. */
        exact[i].first = ranges[i][0];
        exact[i].last = ranges[i][0] + (MPIR_Group_range_count(ranges[i]) - 1) * ranges[i][2];
        exact[i].stride = ranges[i][2];
    }
    status = operation(group_ptr->map, exact, n, NULL, &map);
    mpi_errno = make_group(status, name, group_ptr->size, map, rank, new_group_ptr);

fn_exit:
    MPL_free(exact);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

int MPIR_Group_range_incl_impl(MPIR_Group *group_ptr, int n, int ranges[][3],
                               MPIR_Group **new_group_ptr)
{
    int rank = MPI_UNDEFINED;

    for (int i = 0, before = 0; i < n && rank == MPI_UNDEFINED; i++) {
        int k = (group_ptr->rank == MPI_UNDEFINED)
                    ? -1
                    : MPIR_Group_range_position(ranges[i], group_ptr->rank);
        if (k >= 0)
            rank = before + k;
        before += MPIR_Group_range_count(ranges[i]);
    }
    return make_range_group(MPIR_cmap_range_incl, "MPI_Group_range_incl", group_ptr, n, ranges,
                            rank, new_group_ptr);
}

int MPIR_Group_range_excl_impl(MPIR_Group *group_ptr, int n, int ranges[][3],
                               MPIR_Group **new_group_ptr)
{
    int rank = group_ptr->rank;

    for (int i = 0; i < n && rank != MPI_UNDEFINED; i++) {
        if (MPIR_Group_range_position(ranges[i], group_ptr->rank) >= 0)
            rank = MPI_UNDEFINED;
        else
            rank -= count_below(ranges[i], group_ptr->rank);
    }
    return make_range_group(MPIR_cmap_range_excl, "MPI_Group_range_excl", group_ptr, n, ranges,
                            rank, new_group_ptr);
}

int MPIR_Group_translate_ranks_impl(MPIR_Group *gp1, int n, const int ranks1[], MPIR_Group *gp2,
                                    int ranks2[])
{
    cmap_status status = MPIR_cmap_translate(gp1->map, ranks1, n, gp2->map, ranks2);

    if (status != CMAP_OK)
        return MPIR_Map_error(status, "MPI_Group_translate_ranks", n);
    for (int i = 0; i < n; i++) {
        if (unlikely(ranks2[i] < 0))
            ranks2[i] = (ranks1[i] == MPI_PROC_NULL) ? MPI_PROC_NULL : MPI_UNDEFINED;
    }
    return MPI_SUCCESS;
}

int MPIR_Group_free_impl(MPIR_Group *group_ptr)
{
    /* MPI_GROUP_EMPTY stays. */
    return (group_ptr->handle == MPI_GROUP_EMPTY) ? MPI_SUCCESS : MPIR_Group_release(group_ptr);
}

int MPIR_Group_from_session_pset_impl(MPIR_Session *session_ptr MPL_UNUSED, const char *pset_name,
                                      MPIR_Group **new_group_ptr)
{
    int mpi_errno = MPI_SUCCESS;
    cmap_t *map = NULL;
    cmap_status status = CMAP_OK;
    int size = 1, rank = 0;

    if (MPL_stricmp(pset_name, "mpi://WORLD") == 0) {
        size = MPIR_Process.size;
        rank = MPIR_Process.rank;
        if (MPIR_Process.comm_world) { /* it may have an order */
            rank = MPIR_Process.comm_world->rank;
            map = MPIR_cmap_addref(MPIR_Process.comm_world->map);
        } else {
            status = MPIR_cmap_from_range(0, 1, size, size, NULL, &map);
        }
    } else if (MPL_stricmp(pset_name, "mpi://SELF") == 0) {
        status = MPIR_cmap_from_range(MPIR_Process.rank, 1, 1, MPIR_Process.size, NULL, &map);
    } else {
        MPIR_ERR_SETANDSTMT(mpi_errno, MPI_ERR_ARG, return mpi_errno, "**psetinvalidname");
    }
    return make_group(status, "MPI_Group_from_session_pset", size, map, rank, new_group_ptr);
}
