/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpidu_init_shm.h"
#include "mpir_tvars.h"
#include "aggr_comm.h"

/* One arena for the node.  Its name is in the shared segment of the node's start-up, put there by who came first. */

struct notice {
    int state;                  /* NOBODY, SOMEBODY makes it, or one of the other two for good */
    int unused;
    aggr_arena_name_t name;
};

enum { NOBODY, SOMEBODY, THERE, NOT_TO_BE_HAD };

static aggr_arena_t *arena;
static bool tried;

static void make(struct notice *notice)
{
    bool made = aggr_arena_create((size_t) MPIR_CVAR_AGGR_ARENA_MB << 20, &arena) == AGGR_OK;
    if (made)
        notice->name = aggr_arena_name(arena);
    __atomic_store_n(&notice->state, made ? THERE : NOT_TO_BE_HAD, __ATOMIC_RELEASE);
}

static void look_up(struct notice *notice)
{
    int nobody = NOBODY, state;

    if (__atomic_compare_exchange_n(&notice->state, &nobody, SOMEBODY, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        make(notice);
        return;
    }
    while ((state = __atomic_load_n(&notice->state, __ATOMIC_ACQUIRE)) == SOMEBODY)
        MPIR_Yield_idle();
    if (state == THERE && aggr_arena_attach(&notice->name, &arena) != AGGR_OK)
        arena = NULL;
}

aggr_arena_t *MPIR_Aggr_arena(void)
{
    struct notice *notice = MPIDU_Init_shm_notice();

    if (!tried && notice && MPIR_CVAR_AGGR_ARENA_MB > 0)
        look_up(notice);
    tried = true;
    return arena;
}

void MPIR_Aggr_arena_close(void)
{
    aggr_arena_detach(arena);
    arena = NULL;
    tried = false;
}

aggr_arena_t *MPIR_Aggr_arena_if_any(void)
{
    return arena;
}
