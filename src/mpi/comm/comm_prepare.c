/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"

/* A communicator of a group, made before its context id is agreed on (mpir_comm_parts.h). */

static void join_group(MPIR_Comm * comm, MPIR_Group * group)
{
    comm->rank = group->rank;
    comm->local_size = comm->remote_size = group->size;
    comm->local_group = comm->remote_group = group;
    MPIR_Group_add_ref(group);
    MPIR_Group_add_ref(group);
}

int MPIR_Comm_prepare_group(MPIR_Comm * parent, MPIR_Group * group, MPIR_Comm ** comm)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Comm *made = NULL;

    mpi_errno = MPIR_Comm_create(&made);
    MPIR_ERR_CHECK(mpi_errno);
    made->comm_kind = parent->comm_kind;
    made->local_comm = NULL;
    made->tainted = parent->tainted;
    join_group(made, group);
    mpi_errno = MPIR_Comm_map_from_group(made, MPIR_MAP_LOCAL, group);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = MPIR_Find_nodes(made);
    MPIR_ERR_CHECK(mpi_errno);
    *comm = made;

  fn_exit:
    return mpi_errno;
  fn_fail:
    if (made)
        MPIR_Comm_discard(made);
    goto fn_exit;
}
