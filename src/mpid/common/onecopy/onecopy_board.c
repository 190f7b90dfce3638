/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include "onecopy_impl.h"

size_t MPIR_onecopy_board_bytes(unsigned processes)
{
    return sizeof(board_t) + processes * sizeof(board_part_t);
}

/* The place goes last, and comes first when an entry goes: readers begin with it. */
void MPIR_onecopy_board_offer(board_part_t *part, unsigned slot, uint64_t hash, uint64_t place)
{
    __atomic_store_n(&part->entry[slot].hash, hash, __ATOMIC_RELAXED);
    __atomic_store_n(&part->entry[slot].place, place, __ATOMIC_RELEASE);
    if (slot >= part->used)
        __atomic_store_n(&part->used, slot + 1, __ATOMIC_RELEASE);
}

void MPIR_onecopy_board_withdraw(board_part_t *part, unsigned slot)
{
    uint32_t used = part->used;
    __atomic_store_n(&part->entry[slot].place, 0, __ATOMIC_RELEASE);
    while (used > 0 && part->entry[used - 1].place == 0)
        used--;
    __atomic_store_n(&part->used, used, __ATOMIC_RELEASE);
}

unsigned MPIR_onecopy_board_slots(const board_part_t *part)
{
    uint32_t used = __atomic_load_n(&part->used, __ATOMIC_ACQUIRE);

    return used < ONECOPY_MOST ? used : ONECOPY_MOST;
}

/* Acquire: with a place comes the hash that belongs to it, or a later one. */
bool MPIR_onecopy_board_look(const board_part_t *part, unsigned slot, uint64_t hash,
                             uint64_t *place, int32_t *process)
{
    const board_entry_t *entry = &part->entry[slot];

    *place = __atomic_load_n(&entry->place, __ATOMIC_ACQUIRE);
    if (!*place || __atomic_load_n(&entry->hash, __ATOMIC_RELAXED) != hash)
        return false;
    *process = __atomic_load_n(&part->process, __ATOMIC_ACQUIRE);
    return true;
}

/* Readers may be at work.  The number of the process is 0 meanwhile, which is nobody's. */
void MPIR_onecopy_board_begin(board_part_t *part, int32_t process)
{
    __atomic_store_n(&part->process, 0, __ATOMIC_RELAXED);
    for (unsigned slot = 0; slot < ONECOPY_MOST; slot++) {
        __atomic_store_n(&part->entry[slot].place, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&part->entry[slot].hash, 0, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&part->used, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&part->process, process, __ATOMIC_RELEASE);
}

static uint64_t *lock_of(board_t *board, uint64_t hash)
{
    return &board->holder[hash % BOARD_LOCKS];
}

static int64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The holder may need this processor. */
static void give_way(unsigned round)
{
    if (round < 16) {
        sched_yield();
    } else {
        const struct timespec pause = {0, 100000};
        nanosleep(&pause, NULL);
    }
}

static bool has_ended(uint64_t process) { return kill((pid_t) process, 0) == -1 && errno == ESRCH; }

/* The lock is taken from `from`, which is 0 or a holder that does not give it back. */
static bool board_take(uint64_t *lock, uint64_t from, int32_t self)
{
    return __atomic_compare_exchange_n(lock, &from, (uint64_t) self, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

bool MPIR_onecopy_board_enter(board_t *board, uint64_t hash, int32_t self)
{
    uint64_t *lock = lock_of(board, hash), holder;
    const int64_t end = milliseconds() + ONECOPY_PATIENCE_MS;

    for (unsigned round = 0;; round++) {
        holder = __atomic_load_n(lock, __ATOMIC_ACQUIRE);
        const bool forfeit = holder && (has_ended(holder) || milliseconds() >= end);
        if ((!holder || forfeit) && board_take(lock, holder, self))
            return true;
        /* another one was faster every time: without the lock then */
        if (milliseconds() >= end + ONECOPY_PATIENCE_MS)
            return false;
        give_way(round);
    }
}

void MPIR_onecopy_board_leave(board_t *board, uint64_t hash, int32_t self)
{
    uint64_t ours = (uint64_t) self;
    /* not ours any more: another process has lost its patience */
    (void) __atomic_compare_exchange_n(lock_of(board, hash), &ours, 0, false, __ATOMIC_RELEASE,
                                       __ATOMIC_RELAXED);
}
