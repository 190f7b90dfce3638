/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "group.h"

/* Group objects.  A group is a size, this process' rank and a map (mpir_map.h); everything that
 * looks at members goes through the map. */

#ifndef MPID_GROUP_PREALLOC
#define MPID_GROUP_PREALLOC 8
#endif

MPIR_Group MPIR_Group_builtin[MPIR_GROUP_N_BUILTIN];
MPIR_Group MPIR_Group_direct[MPID_GROUP_PREALLOC];

MPIR_Object_alloc_t MPIR_Group_mem = {
    0,    0,  0, 0, 0, 0, MPIR_GROUP, sizeof(MPIR_Group), MPIR_Group_direct, MPID_GROUP_PREALLOC,
    NULL, {0}};

MPIR_Group *const MPIR_Group_empty = &MPIR_Group_builtin[0];

static int release_empty_group(void *unused MPL_UNUSED)
{
    MPIR_cmap_release(MPIR_Group_empty->map);
    MPIR_Group_empty->map = NULL;
    return MPI_SUCCESS;
}

int MPIR_Group_init(void)
{
    int mpi_errno = MPI_SUCCESS;
    cmap_status status;

    mpi_errno = MPIR_Map_init();
    MPIR_ERR_CHECK(mpi_errno);

    MPIR_Group_empty->handle = MPI_GROUP_EMPTY;
    MPIR_Object_set_ref(MPIR_Group_empty, 1);
    MPIR_Group_empty->size = 0;
    MPIR_Group_empty->rank = MPI_UNDEFINED;
    MPIR_Group_empty->map = NULL;
    status = MPIR_cmap_from_range(0, 1, 0, 0, NULL, &MPIR_Group_empty->map);
    if (status != CMAP_OK)
        MPIR_ERR_SET_CMAP_AND_JUMP(status, "empty group", 0);
    MPIR_Add_finalize(release_empty_group, NULL, MPIR_FINALIZE_CALLBACK_HANDLE_CHECK_PRIO - 1);

fn_exit:
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

/* For the table of MPIR_CVAR_CMAP_REPORT. */
static void count_map(const void *holder)
{
    MPIR_Map_report_count(holder, "(group)", ((const MPIR_Group *) holder)->map);
}

/* Takes over the caller's reference to the map, also when it fails. */
int MPIR_Group_create_from_map(cmap_t *map, int rank, MPIR_Group **new_group_ptr)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Group *group_ptr;

    if (MPIR_cmap_size(map) == 0) {
        MPIR_cmap_release(map);
        *new_group_ptr = MPIR_Group_empty;
        return mpi_errno;
    }

    group_ptr = (MPIR_Group *) MPIR_Handle_obj_alloc(&MPIR_Group_mem);
    if (!group_ptr) {
        MPIR_cmap_release(map);
        MPIR_ERR_SETANDSTMT(mpi_errno, MPI_ERR_OTHER, return mpi_errno, "**nomem");
    }
    MPIR_Object_set_ref(group_ptr, 1);
    group_ptr->size = (int) MPIR_cmap_size(map);
    group_ptr->rank = rank;
#ifndef MPIR_WITHOUT_MPI41
    group_ptr->session = 0;
#endif
    group_ptr->map = map;
    MPIR_Map_report_born(group_ptr, count_map);
    *new_group_ptr = group_ptr;

    return mpi_errno;
}

int MPIR_Group_release(MPIR_Group *group_ptr)
{
    int inuse;

    MPIR_Group_release_ref(group_ptr, &inuse);
    if (!inuse) {
        MPIR_Map_report_gone(group_ptr);
        MPIR_cmap_release(group_ptr->map);
        group_ptr->map = NULL;
        MPIR_Handle_obj_free(&MPIR_Group_mem, group_ptr);
    }
    return MPI_SUCCESS;
}

#ifdef HAVE_ERROR_CHECKING

/* Was the bit set before? */
static bool test_and_set(unsigned char *bits, int rank)
{
    unsigned char mask = (unsigned char) (1u << (rank % 8));
    bool before = (bits[rank / 8] & mask) != 0;

    bits[rank / 8] |= mask;
    return before;
}

static int index_of_rank(const int ranks[], int rank)
{
    int i = 0;
    while (ranks[i] != rank)
        i++;
    return i;
}

/* Error check of a list of ranks as MPI_Group_incl and MPI_Group_excl take it. */
int MPIR_Group_check_valid_ranks(MPIR_Group *group_ptr, const int ranks[], int n)
{
    int mpi_errno = MPI_SUCCESS;
    unsigned char *seen = MPL_calloc((size_t) group_ptr->size / 8 + 1, 1, MPL_MEM_OTHER);

    MPIR_ERR_CHKANDJUMP(!seen, mpi_errno, MPI_ERR_OTHER, "**nomem");
    for (int i = 0; i < n; i++) {
        if (ranks[i] < 0 || ranks[i] >= group_ptr->size)
            MPIR_ERR_SETANDJUMP3(mpi_errno, MPI_ERR_RANK, "**rankarray", "**rankarray %d %d %d", i,
                                 ranks[i], group_ptr->size - 1);
        if (test_and_set(seen, ranks[i]))
            MPIR_ERR_SETANDJUMP3(mpi_errno, MPI_ERR_RANK, "**rankdup", "**rankdup %d %d %d", i,
                                 ranks[i], index_of_rank(ranks, ranks[i]));
    }

fn_exit:
    MPL_free(seen);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

static int check_range(int size, int i, const int range[3])
{
    int mpi_errno = MPI_SUCCESS;
    int first = range[0], last = range[1], stride = range[2];

    if (first < 0 || first >= size)
        MPIR_ERR_SETANDSTMT3(mpi_errno, MPI_ERR_ARG, return mpi_errno, "**rangestartinvalid",
                             "**rangestartinvalid %d %d %d", i, first, size);
    if (stride == 0)
        MPIR_ERR_SETANDSTMT(mpi_errno, MPI_ERR_ARG, return mpi_errno, "**stridezero");
    /* The range may name an end beyond the group as long as its stride steps over it. */
    if (last < 0 || first + (int64_t) stride * (((int64_t) last - first) / stride) >= size)
        MPIR_ERR_SETANDSTMT3(mpi_errno, MPI_ERR_ARG, return mpi_errno, "**rangeendinvalid",
                             "**rangeendinvalid %d %d %d", i, last, size);
    if ((stride > 0 && first > last) || (stride < 0 && first < last))
        MPIR_ERR_SETANDSTMT3(mpi_errno, MPI_ERR_ARG, return mpi_errno, "**stride",
                             "**stride %d %d %d", first, last, stride);

    return mpi_errno;
}

/* First of the n ranges that has the rank; n when none has. */
static int range_of_rank(int ranges[][3], int n, int rank)
{
    int i = 0;
    while (i < n && MPIR_Group_range_position(ranges[i], rank) < 0)
        i++;
    return i;
}

/* Names the first rank that two of the ranges share, and both. */
static int find_shared_rank(int ranges[][3], int n)
{
    int mpi_errno = MPI_SUCCESS;

    for (int i = 1; i < n; i++) {
        for (int k = 0; k < MPIR_Group_range_count(ranges[i]); k++) {
            int rank = ranges[i][0] + k * ranges[i][2];
            int before = range_of_rank(ranges, i, rank);
            if (before < i)
                MPIR_ERR_SETANDSTMT3(mpi_errno, MPI_ERR_ARG, return mpi_errno, "**rangedup",
                                     "**rangedup %d %d %d", rank, i, before);
        }
    }

    return mpi_errno;
}

/* Error check of ranges as MPI_Group_range_incl and MPI_Group_range_excl take them, in time of the
 * ranges as long as they are right. */
int MPIR_Group_check_valid_ranges(MPIR_Group *group_ptr, int ranges[][3], int n)
{
    int mpi_errno = MPI_SUCCESS;
    cmap_builder *ranks = NULL;
    cmap_t *map = NULL;
    cmap_status status;

    if (n < 0)
        MPIR_ERR_SETANDJUMP2(mpi_errno, MPI_ERR_ARG, "**argneg", "**argneg %s %d", "n", n);
    for (int i = 0; i < n; i++) {
        mpi_errno = check_range(group_ptr->size, i, ranges[i]);
        MPIR_ERR_CHECK(mpi_errno);
    }
    if (n < 2)
        goto fn_exit;

    status = MPIR_cmap_builder_create(group_ptr->size, NULL, &ranks);
    for (int i = 0; i < n && status == CMAP_OK; i++)
        status = MPIR_cmap_builder_add_range(ranks, ranges[i][0], ranges[i][2],
                                             MPIR_Group_range_count(ranges[i]));
    if (status == CMAP_OK)
        status = MPIR_cmap_builder_finish(ranks, &map);
    if (status == CMAP_ERR_DUPLICATE || status == CMAP_ERR_RANGE)
        mpi_errno = find_shared_rank(ranges, n);
    else if (status != CMAP_OK)
        mpi_errno = MPIR_Map_error(status, "check of ranges", group_ptr->size);
    MPIR_ERR_CHECK(mpi_errno);

fn_exit:
    MPIR_cmap_release(map);
    MPIR_cmap_builder_free(ranks);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

#endif /* HAVE_ERROR_CHECKING */
