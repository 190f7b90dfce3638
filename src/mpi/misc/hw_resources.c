/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_resources.h"

/* Types of hardware resources by hwloc's names, for MPI_Get_hw_resource_info and splits */

#define SCHEME "hwloc://"

static const char *const types[] = {SCHEME "Machine", SCHEME "Package", SCHEME "NUMANode",
                                    SCHEME "L3Cache", SCHEME "L2Cache", SCHEME "L1Cache",
                                    SCHEME "Core",    SCHEME "PU"};

int MPIR_Hw_resource_colour(const char *type)
{
    const char *name = type;
    MPIR_hwtopo_gid_t gid;

    if (strncmp(type, SCHEME, strlen(SCHEME)) == 0)
        name += strlen(SCHEME);
    if (MPIR_hwtopo_get_type_id(name) == MPIR_HWTOPO_TYPE__NODE)
        return MPIR_HWTOPO_GID_ROOT;
    gid = MPIR_hwtopo_get_obj_by_name(name);
    return gid == MPIR_HWTOPO_GID_ROOT ? MPI_UNDEFINED : gid;
}

int MPIR_Get_hw_resource_info_impl(MPIR_Info **hw_info_ptr)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Info *made = NULL;

    mpi_errno = MPIR_Info_alloc(&made);
    MPIR_ERR_CHECK(mpi_errno);
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        bool is_single = MPIR_Hw_resource_colour(types[i]) != MPI_UNDEFINED;

        mpi_errno = MPIR_Info_set_impl(made, types[i], is_single ? "true" : "false");
        MPIR_ERR_CHECK(mpi_errno);
    }
    *hw_info_ptr = made;

fn_exit:
    return mpi_errno;
fn_fail:
    if (made)
        MPIR_Info_free_impl(made);
    goto fn_exit;
}
