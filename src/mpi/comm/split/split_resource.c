/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "../mpicomm.h"
#include "mpir_resources.h"

/*
 * MPI_Comm_split_type by a resource that an info key names: MPI_COMM_TYPE_HW_GUIDED and
 * MPI_COMM_TYPE_RESOURCE_GUIDED.
 *
 * The processes that are restricted to one instance of a hardware resource stay together. A process
 * that may use more than one instance gets MPI_COMM_NULL, and so do all processes for a resource
 * that is not known. A process set keeps those of its members that are in the communicator.
 */

#define SPLIT_HARDWARE "mpi_hw_resource_type"
#define SPLIT_SET "mpi_pset_name"

/* The value of the key, "" if there is none. */
static const char *value_of(const MPIR_Info *info, const char *key)
{
    for (const MPIR_Info *i = info ? info->next : NULL; i; i = i->next) {
        if (strcmp(i->key, key) == 0)
            return i->value;
    }
    return "";
}

/* All processes call this with the same value, or get an error. */
static int check_same(MPIR_Comm *comm, const char *key, const char *value)
{
    int mpi_errno = MPI_SUCCESS;
    int is_same = 0;

    MPIR_TRY(MPII_compare_info_hint(value, comm, &is_same));
    MPIR_ERR_CHKANDSTMT1(!is_same, mpi_errno, MPI_ERR_OTHER, return mpi_errno, "**infonoteq",
                         "**infonoteq %s", key);

    return mpi_errno;
}

static int split_by_hardware(MPIR_Comm *comm, int key, const char *type, MPIR_Comm **newcomm)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Comm *node = NULL;

    mpi_errno = MPIR_Comm_split_type_by_node(comm, key, &node);
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = MPIR_Comm_split_impl(node, MPIR_Hw_resource_colour(type), key, newcomm);
    if (node)
        MPIR_Comm_free_impl(node);
    return mpi_errno;
}

int MPIR_Comm_split_type_hw_guided(MPIR_Comm *comm_ptr, int key, MPIR_Info *info_ptr,
                                   MPIR_Comm **newcomm_ptr)
{
    int mpi_errno = MPI_SUCCESS;
    const char *type = value_of(info_ptr, SPLIT_HARDWARE);

    *newcomm_ptr = NULL;
    mpi_errno = check_same(comm_ptr, SPLIT_HARDWARE, type);
    MPIR_ERR_CHKRETURN(mpi_errno);
    if (strcmp(type, "mpi_shared_memory") == 0)
        mpi_errno =
            MPIR_Comm_split_type_impl(comm_ptr, MPI_COMM_TYPE_SHARED, key, info_ptr, newcomm_ptr);
    else if (*type)
        mpi_errno = split_by_hardware(comm_ptr, key, type, newcomm_ptr);

    return mpi_errno;
}

/* The first rank whose process is of the same world: each world has process sets of its own. */
static int first_of_world(const MPIR_Comm *comm)
{
    int rank = 0;

    while (MPIR_cmap_select(comm->map, (uint32_t) rank) >= (uint32_t) MPIR_Process.size)
        rank++;
    return rank;
}

static int colour_of_set(const MPIR_Comm *comm, const char *name)
{
    if (MPL_stricmp(name, "mpi://WORLD") == 0)
        return first_of_world(comm);
    return MPL_stricmp(name, "mpi://SELF") == 0 ? comm->rank : MPI_UNDEFINED;
}

int MPIR_Comm_split_type_resource_guided(MPIR_Comm *comm_ptr, int key, MPIR_Info *info_ptr,
                                         MPIR_Comm **newcomm_ptr)
{
    int mpi_errno = MPI_SUCCESS;
    const char *set = value_of(info_ptr, SPLIT_SET);

    *newcomm_ptr = NULL;
    mpi_errno = check_same(comm_ptr, SPLIT_SET, set);
    MPIR_ERR_CHKRETURN(mpi_errno);
    if (*set)
        mpi_errno = MPIR_Comm_split_impl(comm_ptr, colour_of_set(comm_ptr, set), key, newcomm_ptr);
    else
        mpi_errno = MPIR_Comm_split_type_hw_guided(comm_ptr, key, info_ptr, newcomm_ptr);

    return mpi_errno;
}
