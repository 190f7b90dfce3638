/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"

/* Name and hints of a communicator, stored when set, and the end of one that was not completed
 * (mpir_comm_parts.h).
 *
 * Another thread may read them while they are set: the pointer to a new block is stored with
 * release.  Readers, which are on the path of every message, load the pointer plainly; what they
 * read through it depends on its value, and no processor that MPICH supports reads that earlier. */

static const char no_name[] = "";
static int default_hints[MPIR_COMM_HINT_MAX];

void MPIR_Comm_parts_init(MPIR_Comm *comm)
{
    comm->name = no_name;
    comm->hints = default_hints;
}

void MPIR_Comm_parts_free(MPIR_Comm *comm)
{
    if (comm->name != no_name)
        MPL_free((char *) comm->name);
    if (comm->hints != default_hints)
        MPL_free((int *) comm->hints);
    MPIR_Comm_parts_init(comm);
}

int MPIR_Comm_name_set(MPIR_Comm *comm, const char *name)
{
    int mpi_errno = MPI_SUCCESS;

    if (comm->name == no_name && name[0] != '\0') {
        char *block = MPL_calloc(MPI_MAX_OBJECT_NAME, 1, MPL_MEM_COMM);
        MPIR_ERR_CHKANDSTMT(!block, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem");
        __atomic_store_n(&comm->name, block, __ATOMIC_RELEASE);
    }
    if (comm->name != no_name)
        MPL_strncpy((char *) comm->name, name, MPI_MAX_OBJECT_NAME);

    return mpi_errno;
}

int MPIR_Comm_hint_set(MPIR_Comm *comm, int hint, int value)
{
    int mpi_errno = MPI_SUCCESS;

    if (comm->hints[hint] == value)
        return mpi_errno;
    if (comm->hints == default_hints) {
        int *block = MPL_malloc(sizeof(default_hints), MPL_MEM_COMM);
        MPIR_ERR_CHKANDSTMT(!block, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem");
        memcpy(block, default_hints, sizeof(default_hints));
        __atomic_store_n(&comm->hints, block, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&((int *) comm->hints)[hint], value, __ATOMIC_RELAXED);

    return mpi_errno;
}

void MPIR_Comm_hint_set_default(int hint, int value) { default_hints[hint] = value; }

int MPIR_Comm_hint_settle(MPIR_Comm *comm, int hint, int value)
{
    if (comm->hints != default_hints)
        return MPIR_Comm_hint_set(comm, hint, value);
    MPIR_Comm_hint_set_default(hint, value);
    return MPI_SUCCESS;
}

/* What a delete function has against it comes too late. */
void MPIR_Comm_discard_attributes(MPIR_Comm *comm, struct MPIR_Attribute **attributes)
{
    if (MPIR_Process.attr_free && *attributes)
        MPIR_Process.attr_free(comm->handle, attributes);
}

void MPIR_Comm_inherit_errhandler(MPIR_Comm *child, MPIR_Comm *parent)
{
    MPID_THREAD_CS_ENTER(POBJ, parent->mutex);
    MPID_THREAD_CS_ENTER(VCI, parent->mutex);
    child->errhandler = parent->errhandler;
    if (child->errhandler)
        MPIR_Errhandler_add_ref(child->errhandler);
    MPID_THREAD_CS_EXIT(VCI, parent->mutex);
    MPID_THREAD_CS_EXIT(POBJ, parent->mutex);
}

/* What the device or the collectives have made of it is theirs: how far they came is not known. */
void MPIR_Comm_discard(MPIR_Comm *comm)
{
    int unused ATTRIBUTE((unused));

    if (comm->local_comm)
        MPIR_Comm_discard(comm->local_comm);
    MPIR_Comm_discard_attributes(comm, &comm->attributes);
    MPIR_Comm_report_gone(comm);
    MPIR_Ctxid_forget(comm);
    MPIR_Comm_map_release(comm);
    MPIR_cmap_release(comm->intranode_map);
    MPIR_cmap_release(comm->internode_map);
    MPIR_Comm_parts_free(comm);
    if (comm->local_group)
        MPIR_Group_release(comm->local_group);
    if (comm->remote_group)
        MPIR_Group_release(comm->remote_group);
    if (comm->errhandler)
        MPIR_Errhandler_release_ref(comm->errhandler, &unused);
    MPID_Thread_mutex_destroy(&comm->mutex, &unused);
    MPII_COMML_FORGET(comm);
    MPIR_Handle_obj_free(&MPIR_Comm_mem, comm);
}
