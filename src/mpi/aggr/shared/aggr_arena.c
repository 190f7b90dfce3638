/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpidu_init_shm.h"
#include "mpir_tvars.h"
#include "aggr_shared.h"
#include "mpir_deaths.h"

/* One arena for the node.  Its name is in the shared segment of the node's start-up, put there
 * by who came first. */

struct notice {
    int state; /* NOBODY, SOMEBODY makes it, or one of the other two for good */
    int unused;
    aggr_arena_name_t name;
    uint64_t said, denied; /* what the processes have to say, and its complement, each by OR */
    uint64_t hall;         /* 0 before the first process looks for it, or a block, or NO_HALL */
};

enum { NO_HALL = 1 };

enum { NOBODY, SOMEBODY, THERE, NOT_TO_BE_HAD };

static aggr_arena_t *arena;
static bool tried;
/* Threads: one of them makes or attaches it. */
static MPL_initlock_t trying = MPL_INITLOCK_INITIALIZER;
static aggr_desk_t desk;
static bool has_desk;
static aggr_hall_t hall;
static bool has_hall, tried_hall;

/* Of each of a desk's buffers.  With twice as much, data of 1 MB take up to a quarter less time;
 * all processes together pay the memory. */
enum { DESK_BYTES = 65536 };
/* who reads figures beside MPI_Finalize */
static MPL_initlock_t closing = MPL_INITLOCK_INITIALIZER;

void MPIR_Aggr_say(uint64_t mine)
{
    struct notice *notice = MPIDU_Init_shm_notice();

    if (notice) {
        __atomic_fetch_or(&notice->said, mine, __ATOMIC_RELAXED);
        __atomic_fetch_or(&notice->denied, ~mine, __ATOMIC_RELAXED);
    }
}

/* What was said is here since a barrier, which orders it: nothing to acquire. */
bool MPIR_Aggr_all_say(uint64_t mine)
{
    const struct notice *notice = MPIDU_Init_shm_notice();

    return notice && __atomic_load_n(&notice->said, __ATOMIC_RELAXED) == mine &&
           __atomic_load_n(&notice->denied, __ATOMIC_RELAXED) == ~mine;
}

static void have(aggr_arena_t *ours)
{
    MPL_initlock_lock(&closing);
    arena = ours;
    MPL_initlock_unlock(&closing);
}

static void make(struct notice *notice)
{
    aggr_arena_t *created;
    aggr_desks_t desks = {MPIR_Aggr_settings.long_bytes ? MPIR_Process.local_size : 0, DESK_BYTES};
    bool made = MPIR_aggr_arena_create(MPIR_Aggr_settings.arena_bytes, desks, &created) == AGGR_OK;
    if (made) {
        notice->name = MPIR_aggr_arena_name(created);
        have(created);
    }
    /* release, and acquire in look_up: with it comes the name */
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
    /* somebody who has died makes no arena: this process does without */
    while ((state = __atomic_load_n(&notice->state, __ATOMIC_ACQUIRE)) == SOMEBODY &&
           !MPIR_Deaths_any())
        MPIR_Yield_idle();
    aggr_arena_t *attached;
    if (state == THERE && MPIR_aggr_arena_attach(&notice->name, &attached) == AGGR_OK)
        have(attached);
}

static void try_once(void)
{
    struct notice *notice = MPIDU_Init_shm_notice();

    MPL_initlock_lock(&trying);
    if (!tried && notice)
        look_up(notice);
    /* release: the arena */
    __atomic_store_n(&tried, true, __ATOMIC_RELEASE);
    MPL_initlock_unlock(&trying);
}

aggr_arena_t *MPIR_Aggr_arena(void)
{
    if (!__atomic_load_n(&tried, __ATOMIC_ACQUIRE))
        try_once();
    return arena;
}

/* The first answer is everybody's. */
static uint64_t find_hall(struct notice *notice)
{
    uint64_t mine, seen = __atomic_load_n(&notice->hall, __ATOMIC_ACQUIRE);

    if (seen)
        return seen;
    mine = MPIR_aggr_hall_reserve(arena, MPIR_Process.local_size);
    if (__atomic_compare_exchange_n(&notice->hall, &seen, mine ? mine : NO_HALL, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return mine ? mine : NO_HALL;
    MPIR_aggr_hall_release(arena, mine, MPIR_Process.local_size);
    return seen;
}

const aggr_hall_t *MPIR_Aggr_hall(bool has_memory)
{
    if (!tried_hall && has_memory && MPIR_Aggr_arena()) {
        uint64_t block = find_hall(MPIDU_Init_shm_notice());

        has_hall = block != NO_HALL;
        if (has_hall)
            MPIR_aggr_hall_enter(&hall, arena, block, MPIR_Process.local_rank);
    }
    tried_hall = true;
    return has_hall ? &hall : NULL;
}

aggr_desk_t *MPIR_Aggr_desk(void)
{
    if (!has_desk && arena && MPIR_Process.local_size <= DESK_BYTES / AGGR_LINE) {
        desk = (aggr_desk_t){.number = MPIR_Process.local_rank};
        has_desk = MPIR_aggr_arena_has_desk(arena, desk.number);
    }
    return has_desk ? &desk : NULL;
}

aggr_desk_t *MPIR_Aggr_desk_in_use(void) { return has_desk ? &desk : NULL; }

void MPIR_Aggr_arena_close(void)
{
    if (has_desk)
        MPIR_aggr_desk_close(&desk);
    has_desk = has_hall = tried_hall = false;
    MPL_initlock_lock(&closing);
    MPIR_aggr_arena_detach(arena);
    arena = NULL;
    tried = false;
    MPL_initlock_unlock(&closing);
}

unsigned long long MPIR_Aggr_arena_used(void)
{
    aggr_arena_figures_t figures = {0, 0};

    MPL_initlock_lock(&closing);
    if (arena)
        MPIR_aggr_arena_figures(arena, &figures);
    MPL_initlock_unlock(&closing);
    return figures.used;
}
