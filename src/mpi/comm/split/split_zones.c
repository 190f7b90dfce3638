/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_sparse.h"
#include "split_zones.h"

/* ---- the reserve of the process -------------------------------------------------------------- */

static const split_reserve none;

static MPL_initlock_t keeping = MPL_INITLOCK_INITIALIZER;
static split_reserve kept;
static bool will_end; /* MPI_Finalize is going to call end() */

static split_reserve reserve_exchange(split_reserve next)
{
    split_reserve before;

    MPL_initlock_lock(&keeping);
    before = kept;
    kept = next;
    MPL_initlock_unlock(&keeping);
    return before;
}

static void free_reserve(split_reserve reserve) { MPIR_Sparse_free(reserve.memory, reserve.bytes); }

static int end(void *unused MPL_UNUSED)
{
    will_end = false;
    free_reserve(reserve_exchange(none));
    return MPI_SUCCESS;
}

static void end_with_mpi(void)
{
    bool was_known;

    MPL_initlock_lock(&keeping);
    was_known = will_end;
    will_end = true;
    MPL_initlock_unlock(&keeping);
    if (!was_known)
        MPIR_Add_finalize(end, NULL, 0);
}

split_reserve MPIR_split_reserve_take(size_t bytes)
{
    split_reserve reserve = reserve_exchange(none);

    if (reserve.bytes >= bytes)
        return reserve;
    free_reserve(reserve);
    end_with_mpi();
    reserve = (split_reserve){.memory = MPIR_Sparse_alloc(bytes), .bytes = bytes};
    return reserve.memory ? reserve : none;
}

/* At 4 KiB a page the faults of a million rows take longer than all else. */
enum { LEAST_FILLED = SPLIT_KEPT / 8 };

/* From here on the split writes so many bytes at a time. */
static void fill(split_reserve *reserve, size_t bytes)
{
    if (bytes < LEAST_FILLED || reserve->is_filled)
        return;
    reserve->is_filled = true;
    MPIR_Sparse_fill(reserve->memory, reserve->bytes);
}

/* After its use, of which only the first `used` bytes were written.  Pages beyond the first stay if
 * this split and the one before used them. */
static void settle(split_reserve *reserve, size_t used)
{
    bool is_in_use = used > SPLIT_KEPT && used <= SPLIT_KEPT_IN_USE;

    if ((used > SPLIT_KEPT || reserve->is_in_use) && !(is_in_use && reserve->is_in_use))
        MPIR_Sparse_forget(reserve->memory + SPLIT_KEPT, reserve->bytes - SPLIT_KEPT);
    reserve->is_in_use = is_in_use;
}

void MPIR_split_reserve_put(split_reserve reserve)
{
    split_reserve other;

    if (!reserve.memory)
        return;
    other = reserve_exchange(reserve);
    if (other.bytes > reserve.bytes)
        other = reserve_exchange(other);
    free_reserve(other);
}

/* ---- zones ----------------------------------------------------------------------------------- */

static void take_zones(split_zones *zones, uint8_t *two, uint8_t *third, size_t room)
{
    zones->mine = two;
    zones->theirs = two + room;
    zones->spare = third;
    zones->room = room;
}

static size_t most_room(uint32_t ranks)
{
    return (size_t) ranks * COLOURS_ROW + 2 * COLOURS_EXTRA + COLOURS_SLACK;
}

/* Of each of three zones */
static size_t reserved_room(const split_zones *zones)
{
    return MPL_ROUND_UP_ALIGN(most_room(zones->ranks), (size_t) 16);
}

static bool has_moved(const split_zones *zones) { return zones->room > SPLIT_ZONE; }

bool MPIR_split_zones_begin(split_zones *zones, uint32_t ranks)
{
    take_zones(zones, zones->few[0], zones->few[2], SPLIT_ZONE);
    zones->ranks = ranks;
    zones->by_nodes = false;
    zones->reserve = none;
    zones->used = 0;
    if (most_room(ranks) <= SPLIT_ZONE)
        return true;
    zones->reserve = MPIR_split_reserve_take(3 * reserved_room(zones));
    return zones->reserve.memory != NULL;
}

void MPIR_split_zones_end(split_zones *zones)
{
    if (zones->reserve.memory)
        settle(&zones->reserve, zones->used);
    MPIR_split_reserve_put(zones->reserve);
    zones->reserve = none;
}

void MPIR_split_zones_give_up(split_zones *zones)
{
    if (has_moved(zones))
        return;
    free_reserve(zones->reserve);
    zones->reserve = none;
}

/* The two zones beside zones->mine, or the first two. */
void *MPIR_split_zones_lend(split_zones *zones)
{
    size_t room = reserved_room(zones);
    uint8_t *first = zones->reserve.memory, *second = first + room, *third = second + room;

    zones->used = has_moved(zones) ? 3 * room : 2 * room;
    fill(&zones->reserve, 2 * room);
    if (zones->mine == first)
        return second;
    if (zones->mine == second) {
        memcpy(third, second, MPIR_colours_bytes(second));
        zones->mine = third;
    }
    return first;
}

size_t MPIR_split_room_for(const uint8_t *low, const uint8_t *high, uint32_t ranks)
{
    size_t room =
        MPIR_colours_bytes(low) + MPIR_colours_bytes(high) + COLOURS_EXTRA + COLOURS_SLACK;

    return MPL_MIN(room, most_room(ranks));
}

/* Moves to zones that hold the description of all ranks, whatever it is. */
static bool grow(split_zones *zones)
{
    uint8_t *mine = zones->mine, *theirs = zones->theirs;
    size_t room = reserved_room(zones);

    if (!zones->reserve.memory || has_moved(zones))
        return false;
    take_zones(zones, zones->reserve.memory, zones->reserve.memory + 2 * room, room);
    zones->used = 3 * room;
    memcpy(zones->mine, mine, SPLIT_ZONE);
    memcpy(zones->theirs, theirs, SPLIT_ZONE);
    return true;
}

bool MPIR_split_zones_hold(split_zones *zones, size_t bytes)
{
    if (bytes > zones->room && (!grow(zones) || bytes > zones->room))
        return false;
    if (has_moved(zones))
        fill(&zones->reserve, bytes);
    return true;
}

int MPIR_split_zones_check(bool is_description, int from, size_t bytes)
{
    int mpi_errno = MPI_SUCCESS;

    if (!is_description)
        MPIR_ERR_SET2(mpi_errno, MPI_ERR_OTHER, "**splitbytes", "**splitbytes %d %d", from,
                      (int) bytes);
    return mpi_errno;
}
