/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_sparse.h"
#include "split_reserve.h"

static const split_reserve none;

static MPL_initlock_t keeping = MPL_INITLOCK_INITIALIZER;
static split_reserve kept;
static bool will_end; /* MPI_Finalize is going to call end() */

static split_reserve exchange(split_reserve next)
{
    split_reserve before;

    MPL_initlock_lock(&keeping);
    before = kept;
    kept = next;
    MPL_initlock_unlock(&keeping);
    return before;
}

void MPIR_split_reserve_free(split_reserve reserve)
{
    MPIR_Sparse_free(reserve.memory, reserve.bytes);
}

static int end(void *unused MPL_UNUSED)
{
    will_end = false;
    MPIR_split_reserve_free(exchange(none));
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
    split_reserve reserve = exchange(none);

    if (reserve.bytes >= bytes)
        return reserve;
    MPIR_split_reserve_free(reserve);
    end_with_mpi();
    reserve = (split_reserve){.memory = MPIR_Sparse_alloc(bytes), .bytes = bytes};
    return reserve.memory ? reserve : none;
}

/* At 4 KiB a page the faults of a million rows take longer than all else. */
enum { LEAST_FILLED = SPLIT_KEPT / 8 };

void MPIR_split_reserve_fill(split_reserve *reserve, size_t bytes)
{
    if (bytes < LEAST_FILLED || reserve->is_filled)
        return;
    reserve->is_filled = true;
    MPIR_Sparse_fill(reserve->memory, reserve->bytes);
}

/* Pages beyond the first stay if this split and the one before used them. */
void MPIR_split_reserve_settle(split_reserve *reserve, size_t used)
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
    other = exchange(reserve);
    if (other.bytes > reserve.bytes)
        other = exchange(other);
    MPIR_split_reserve_free(other);
}
