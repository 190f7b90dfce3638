/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "rma/window/segments.h"

/* No process can map so much, and a page more is no overflow. */
static const size_t TOO_MUCH = (size_t) 1 << 62;

size_t MPIDIG_alignment_of(const char *value, size_t otherwise)
{
    char *end;
    long alignment = strtol(value, &end, 10);

    if (end == value || *end || alignment <= 0 || (alignment & (alignment - 1)))
        return otherwise;
    return alignment;
}

static bool segments_adjoin(const MPIR_Win *win)
{
    return win->create_flavor == MPI_WIN_FLAVOR_SHARED &&
           !MPIDIG_WIN(win, info_args).alloc_shared_noncontig;
}

size_t MPIDIG_win_alignment(const MPIR_Win *win)
{
    size_t page = sysconf(_SC_PAGESIZE);

    if (segments_adjoin(win))
        return 1;
    if (MPIDIG_WIN(win, info_args).alloc_shared_noncontig)
        return page;
    return MPL_MIN(MPL_MAX(MPIDIG_WIN(win, info_args).alignment, MPL_CACHELINE_SIZE), page);
}

size_t MPIDIG_win_segments(MPIDIG_win_shared_info_t *table, int num)
{
    size_t end = 0;

    for (int i = 0; i < num; i++) {
        table[i].offset = (end + table[i].alignment - 1) & ~(table[i].alignment - 1);
        end = MPL_MIN(table[i].offset + MPL_MIN(table[i].size, TOO_MUCH), TOO_MUCH);
    }
    return end;
}

void MPIDIG_win_segments_at(MPIR_Win *win, int num, char *base)
{
    MPIDIG_win_shared_info_t *table = MPIDIG_WIN(win, shared_table);

    for (int i = 0; i < num; i++) {
        bool has_address = table[i].size > 0 || segments_adjoin(win);

        table[i].shm_base_addr = has_address ? base + table[i].offset : NULL;
    }
}
