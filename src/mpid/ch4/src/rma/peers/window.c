/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "mpidu_shm.h"
#include "deaths.h"
#ifndef MPIR_WITHOUT_AGGREGATES
#include "mpir_arena.h"
#endif
#include "rma/peers/direct.h"
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

    - name        : MPIR_CVAR_CH4_RMA_DIRECT
      category    : CH4
      type        : enum
      default     : dynamic
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_GROUP_EQ
      description : |-
        In which windows, whose processes are all on one node, one-sided operations are system calls
        of the origin, and locks are atomic instructions:
        dynamic - those of MPI_Win_create_dynamic; with recovery also those of MPI_Win_create
        all     - both
        none    - in none
        Otherwise, if the kernel does not permit these calls, and with MPIR_CVAR_CH4_RMA_SHARED=0,
        they are messages.

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

/* More processes of a node post by messages: a post takes a word for each pair of them. */
enum { MOST_POSTING = 64 };

/* What the processes of a node agree on: does one refuse, has one memory in the window, has one no
 * arena, does one not know yet whether the kernel copies? */
enum { UNWILLING = 1, HAS_MEMORY = 2, NO_ARENA = 4, UNTRIED = 8 };

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

static void peer_set_mapped(MPIR_Win *win, MPIDIG_rma_shared_t *shared, int i)
{
    const MPIDIG_win_shared_info_t *table = MPIDIG_WIN(win, shared_table);

    shared->peer[i].base = table ? table[i].shm_base_addr : NULL;
    shared->peer[i].size = table ? table[i].size : 0;
    shared->peer[i].disp_unit = table ? table[i].disp_unit : 1;
}

static void set_peers(MPIR_Win *win, MPIDIG_rma_shared_t *shared)
{
    bool is_dynamic = win->create_flavor == MPI_WIN_FLAVOR_DYNAMIC;

    for (int i = 0; i < shared->num_peers; i++) {
        if (shared->doors)
            shared->peer[i].door = &shared->doors[i];
        else
            peer_set_mapped(win, shared, i);
        shared->peer[i].control = &shared->controls[i];
    }
    shared->own->door = NULL;
    shared->own->base = win->base;
    shared->own->size = is_dynamic ? MPIR_AINT_MAX : win->size;
    shared->own->disp_unit = win->disp_unit;
    shared->is_whole = shared->num_peers == win->comm_ptr->local_size;
}

/* Windows whose memory is the program's. */
static bool is_direct(const MPIR_Win *win)
{
    return win->create_flavor == MPI_WIN_FLAVOR_CREATE ||
           win->create_flavor == MPI_WIN_FLAVOR_DYNAMIC;
}

static size_t posts_bytes(int peers)
{
    return peers <= MOST_POSTING ? (size_t) peers * (size_t) peers * sizeof(uint32_t) : 0;
}

/* Controls, posts and doors, each from a cache line on. */
static size_t doors_offset(int peers)
{
    return peers * sizeof(MPIDIG_rma_control_t) + ((posts_bytes(peers) + 63) & ~(size_t) 63);
}

static size_t shared_bytes(const MPIR_Win *win, int peers)
{
    return doors_offset(peers) + (is_direct(win) ? peers * sizeof(MPIDIG_rma_door_t) : 0);
}

#ifdef MPIR_WITHOUT_AGGREGATES
static bool has_arena(void) { return false; }
static uint64_t block_reserve(size_t bytes MPL_UNUSED) { return 0; }
static void *block_at(uint64_t block MPL_UNUSED) { return NULL; }
static void block_release(uint64_t block MPL_UNUSED, size_t bytes MPL_UNUSED) {}
#else
static bool has_arena(void) { return MPIR_Aggr_arena() != NULL; }
static uint64_t block_reserve(size_t bytes)
{
    return MPIR_aggr_arena_reserve(MPIR_Aggr_arena(), bytes);
}
static void *block_at(uint64_t block) { return MPIR_aggr_arena_at(MPIR_Aggr_arena(), block); }
static void block_release(uint64_t block, size_t bytes)
{
    MPIR_aggr_arena_release(MPIR_Aggr_arena(), block, bytes);
}
#endif

/* A window of the program's memory is made quickly: its controls are a block of the node's arena.
 * Without room it has none. */
static int share_block(MPIR_Win *win, MPIR_Comm *node, MPIDIG_rma_shared_t *shared)
{
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    uint64_t block = node->rank == 0 ? block_reserve(shared_bytes(win, node->local_size)) : 0;

    MPIR_TRY(MPIR_Bcast(&block, sizeof(block), MPI_BYTE, 0, node, &errflag));
    shared->block = block;
    shared->controls = block ? block_at(block) : NULL;
    return MPI_SUCCESS;
}

static int share_segment(MPIR_Win *win, MPIR_Comm *node, MPIDIG_rma_shared_t *shared)
{
    bool failed = false;
    void *memory = NULL;

    MPIR_TRY(MPIDU_shm_alloc(node, shared_bytes(win, node->local_size), &memory, &failed));
    shared->controls = failed ? NULL : memory;
    return MPI_SUCCESS;
}

/* Makes the controls shared memory of the node's processes, or none. */
static int share_controls(MPIR_Win *win, MPIR_Comm *node, MPIDIG_rma_shared_t *shared)
{
    bool needs_table = win->size > 0 && !is_direct(win), wants_block = is_direct(win);
    unsigned flags = (shared ? 0 : UNWILLING) | (needs_table ? HAS_MEMORY : 0) |
                     (wants_block && !has_arena() ? NO_ARENA : 0);

    MPIR_TRY(MPIDIG_win_agree(node, MPI_SUCCESS, &flags));
    /* if there is memory but no table, no memory was shared: each process has its own */
    if (flags & UNWILLING || (flags & HAS_MEMORY && !MPIDIG_WIN(win, shared_table)))
        return MPI_SUCCESS;
    if (wants_block && !(flags & NO_ARENA))
        MPIR_TRY(share_block(win, node, shared));
    return shared->controls ? MPI_SUCCESS : share_segment(win, node, shared);
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

/* Where processes may die no helper performs messages while the program computes (ucx_events.c).
 * System calls need nobody at the target. */
static bool is_kind_direct(const MPIR_Win *win)
{
    if (win->create_flavor == MPI_WIN_FLAVOR_DYNAMIC || MPIR_Deaths_watched)
        return MPIR_CVAR_CH4_RMA_DIRECT != MPIR_CVAR_CH4_RMA_DIRECT_none;
    return MPIR_CVAR_CH4_RMA_DIRECT == MPIR_CVAR_CH4_RMA_DIRECT_all;
}

/* Threads of several VCIs would need a lock for each batch.  A window with an info key of issuing
 * wants messages. */
static bool is_direct_wanted(const MPIR_Win *win)
{
#if MPICH_THREAD_GRANULARITY == MPICH_THREAD_GRANULARITY__VCI
    return false;
#endif
    return MPIR_CVAR_CH4_RMA_SHARED && is_kind_direct(win) && !ENABLE_GPU &&
           !MPIDIG_WIN(win, info_args).disable_shm_accumulate && !MPIDIG_WIN(win, issue) &&
           MPIDIG_rma_is_copied(win->base, win->size);
}

static bool is_dead(uint32_t process) { return MPIR_Deaths_has((int) process - 1); }

static void watch_guards(void)
{
    if (!MPIR_Deaths_watched)
        return;
    MPIR_rma_lock_self = (uint32_t) MPIR_Process.rank + 1;
    MPIR_rma_lock_is_dead = is_dead;
}

/* Makes the doors.  The kernel permits all or none, so a process tries one other, once.  False, on
 * all processes: it does not. */
static int open_doors(MPIR_Win *win, MPIR_Comm *node, MPIDIG_rma_shared_t *shared, bool *are_open)
{
    static bool is_tried;
    unsigned flags = is_tried ? 0 : UNTRIED;
    int next = (node->rank + 1) % node->local_size;

    shared->doors =
        (MPIDIG_rma_door_t *) ((char *) shared->controls + doors_offset(shared->num_peers));
    MPIDIG_rma_door_describe(&shared->doors[node->rank], win);
    MPIR_TRY(MPIDIG_win_agree(node, MPI_SUCCESS, &flags));
    *are_open = true;
    if (!(flags & UNTRIED))
        return MPI_SUCCESS;
    flags = MPIR_reach_leads(&shared->doors[next].process) ? 0 : UNWILLING;
    MPIR_TRY(MPIDIG_win_agree(node, MPI_SUCCESS, &flags));
    is_tried = *are_open = !(flags & UNWILLING);
    return MPI_SUCCESS;
}

/* Do all processes of the window share a node?  The same in all of them. */
static bool is_on_one_node(const MPIR_Win *win)
{
    const MPIR_Comm *node = win->comm_ptr->node_comm;

    return node && node->local_size == win->comm_ptr->local_size && MPIR_Do_others_exist();
}

/* No process uses a block any more: it is the first one's to give back. */
static int free_controls(MPIR_Win *win, MPIDIG_rma_shared_t *shared)
{
    if (!shared->is_mapped) {
        MPL_free(shared->controls);
        return MPI_SUCCESS;
    }
    if (!shared->block)
        return MPIDU_shm_free(shared->controls);
    if (shared->own == shared->peer)
        block_release(shared->block, shared_bytes(win, shared->num_peers));
    return MPI_SUCCESS;
}

/* Controls in shared memory; NULL: the processes of the node have none. */
static int share(MPIR_Win *win, MPIR_Comm *node, MPIDIG_rma_shared_t *shared)
{
    bool are_open = true;

    MPIR_TRY(share_controls(win, node, shared));
    if (!shared || !shared->controls)
        return MPI_SUCCESS;
    shared->is_mapped = true;
    if (posts_bytes(shared->num_peers) > 0)
        shared->posts = (uint32_t *) (shared->controls + shared->num_peers);
    if (is_direct(win))
        MPIR_TRY(open_doors(win, node, shared, &are_open));
    if (!are_open) {
        MPIR_TRY(free_controls(win, shared));
        shared->controls = NULL;
    }
    return MPI_SUCCESS;
}

int MPIDIG_rma_shared_init(MPIR_Win *win)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Comm *node = win->comm_ptr->node_comm;
    MPIDIG_rma_shared_t *shared = NULL;

    watch_guards();
    if (is_direct(win) && !is_on_one_node(win))
        goto fn_exit;
    if (is_direct(win) ? is_direct_wanted(win) : is_wanted(win))
        shared = create(node ? node->local_size : 1, node ? node->rank : 0);
    if (node)
        mpi_errno = share(win, node, shared);
    else if (shared)
        shared->controls = own_control();
    if (mpi_errno || !shared || !shared->controls)
        goto fn_fail;
    set_peers(win, shared);
    MPIDIG_WIN(win, shared) = shared;

fn_exit:
    return mpi_errno;
fn_fail:
    if (shared && shared->controls)
        (void) free_controls(win, shared);
    MPL_free(shared);
    goto fn_exit;
}

int MPIDIG_rma_shared_free(MPIR_Win *win)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_shared_t *shared = MPIDIG_WIN(win, shared);

    if (!shared)
        return MPI_SUCCESS;
    MPIDIG_rma_direct_free(shared);
    mpi_errno = free_controls(win, shared);
    MPL_free(shared);
    MPIDIG_WIN(win, shared) = NULL;
    return mpi_errno;
}
