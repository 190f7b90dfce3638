/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "mpidu_shm.h"
#include "rma/peers/peers.h"
#include "rma/window/agree.h"

/*
=== BEGIN_MPI_T_CVAR_INFO_BLOCK ===

cvars:
    - name        : MPIR_CVAR_CH4_RMA_SHARED
      category    : CH4
      type        : boolean
      default     : true
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_GROUP_EQ
      description : >-
        One-sided operations on memory of MPI_Win_allocate and MPI_Win_allocate_shared of a process on the same node, and
        locks of it, are loads, stores and atomic instructions. If false, they are messages.

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

/* More processes of a node post by messages: a post takes a word for each pair of them. */
enum { MOST_POSTING = 64 };

/* What the processes of a node agree on: does one refuse, has one memory in the window? */
enum { UNWILLING = 1, HAS_MEMORY = 2 };

static MPIDIG_rma_shared_t *create(int num_peers, int own)
{
    MPIDIG_rma_shared_t *shared;

    shared = MPL_calloc(1, sizeof(*shared) + num_peers * sizeof(shared->peer[0]), MPL_MEM_RMA);
    if (shared) {
        shared->num_peers = num_peers;
        shared->own = &shared->peer[own];
    }
    return shared;
}

/* For a process that is alone on its node. */
static MPIDIG_rma_control_t *own_control(void)
{
    return MPL_calloc(1, sizeof(MPIDIG_rma_control_t), MPL_MEM_RMA);
}

static void set_peers(MPIR_Win *win, MPIDIG_rma_shared_t *shared)
{
    const MPIDIG_win_shared_info_t *table = MPIDIG_WIN(win, shared_table);

    for (int i = 0; i < shared->num_peers; i++) {
        shared->peer[i].base = table ? table[i].shm_base_addr : NULL;
        shared->peer[i].size = table ? table[i].size : 0;
        shared->peer[i].disp_unit = table ? table[i].disp_unit : 1;
        shared->peer[i].control = &shared->controls[i];
    }
    shared->own->base = win->base;
    shared->own->size = win->size;
    shared->own->disp_unit = win->disp_unit;
    shared->is_whole = shared->num_peers == win->comm_ptr->local_size;
}

static size_t posts_bytes(int peers)
{
    return peers <= MOST_POSTING ? (size_t) peers * (size_t) peers * sizeof(uint32_t) : 0;
}

/* Sets *controls to shared memory of the node's processes, or to NULL on all of them. */
static int share_controls(MPIR_Win *win, MPIR_Comm *node, bool willing,
                          MPIDIG_rma_control_t **controls)
{
    unsigned flags = (willing ? 0 : UNWILLING) | (win->size > 0 ? HAS_MEMORY : 0);
    bool failed = false;
    void *memory = NULL;

    *controls = NULL;
    MPIR_TRY(MPIDIG_win_agree(node, MPI_SUCCESS, &flags));
    /* if there is memory but no table, no memory was shared: each process has its own */
    if (flags & UNWILLING || (flags & HAS_MEMORY && !MPIDIG_WIN(win, shared_table)))
        return MPI_SUCCESS;
    MPIR_TRY(MPIDU_shm_alloc(
        node, node->local_size * sizeof(MPIDIG_rma_control_t) + posts_bytes(node->local_size),
        &memory, &failed));
    if (!failed)
        *controls = memory;

    return MPI_SUCCESS;
}

static bool is_wanted(const MPIR_Win *win)
{
#ifndef MPIDI_CH4_DIRECT_NETMOD
    /* the network may then perform accumulates of others, without the guard */
    if (MPIDI_WIN(win, winattr) & MPIDI_WINATTR_ACCU_NO_SHM && win->comm_ptr->local_size > 1)
        return false;
#endif
    return MPIR_CVAR_CH4_RMA_SHARED && !ENABLE_GPU && MPIDIG_WIN(win, info_args).alloc_shm &&
           !MPIDIG_WIN(win, info_args).disable_shm_accumulate;
}

static bool is_dead(uint32_t process) { return MPIR_Deaths_has((int) process - 1); }

static void watch_guards(void)
{
    if (!MPIR_Deaths_watched)
        return;
    MPIR_rma_lock_self = (uint32_t) MPIR_Process.rank + 1;
    MPIR_rma_lock_is_dead = is_dead;
}

int MPIDIG_rma_shared_init(MPIR_Win *win)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Comm *node = win->comm_ptr->node_comm;
    MPIDIG_rma_shared_t *shared = NULL;

    watch_guards();
    if (is_wanted(win))
        shared = create(node ? node->local_size : 1, node ? node->rank : 0);
    if (node) {
        MPIDIG_rma_control_t *controls;
        mpi_errno = share_controls(win, node, shared != NULL, &controls);
        MPIR_ERR_CHECK(mpi_errno);
        if (shared)
            shared->controls = controls;
    } else if (shared) {
        shared->controls = own_control();
    }
    if (!shared || !shared->controls)
        goto fn_fail;
    shared->is_mapped = node != NULL;
    if (node && posts_bytes(shared->num_peers) > 0)
        shared->posts = (uint32_t *) (shared->controls + shared->num_peers);
    set_peers(win, shared);
    MPIDIG_WIN(win, shared) = shared;

fn_exit:
    return mpi_errno;
fn_fail:
    MPL_free(shared);
    goto fn_exit;
}

int MPIDIG_rma_shared_free(MPIR_Win *win)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_shared_t *shared = MPIDIG_WIN(win, shared);

    if (!shared)
        return MPI_SUCCESS;
    if (shared->is_mapped)
        mpi_errno = MPIDU_shm_free(shared->controls);
    else
        MPL_free(shared->controls);
    MPL_free(shared);
    MPIDIG_WIN(win, shared) = NULL;
    return mpi_errno;
}
