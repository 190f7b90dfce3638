/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpidu_init_shm.h"
#include "aggr_shared.h"

/* The last level of cache and the memory that a process is bound to.  Processes of a node see the
 * same machine, and so have the same numbers for the same things; a number in which they should
 * differ costs time, not the result. */

static const MPIR_hwtopo_type_e level_types[AGGR_LEVELS] = {MPIR_HWTOPO_TYPE__L3CACHE,
                                                            MPIR_HWTOPO_TYPE__DDR};

enum { LEVEL_BITS = 32 }; /* of the word that the start-up segment has for each process */

/* One that may use all hardware threads has no place: no reason to look at the hardware in
 * MPI_Init. */
static bool is_bound(void)
{
    long threads = 0;
    int words = MPIR_hwtopo_get_num_bindset_words();

    for (int i = 0; i < words; i++)
        threads += __builtin_popcountl(MPIR_hwtopo_get_bindset_word(i));
    return threads < sysconf(_SC_NPROCESSORS_ONLN);
}

static uint64_t own_place(void)
{
    uint64_t place = 0;

    if (!is_bound())
        return 0;
    for (int level = 0; level < AGGR_LEVELS; level++) {
        MPIR_hwtopo_gid_t gid = MPIR_hwtopo_get_obj_by_type(level_types[level]);

        /* the whole machine: there is none, or the process is not bound to one */
        if (gid != MPIR_HWTOPO_GID_ROOT)
            place |= (uint64_t) (uint32_t) gid << level * LEVEL_BITS;
    }
    return place;
}

void MPIR_Aggr_say_place(void)
{
    uint64_t *words = MPIDU_Init_shm_words();

    if (words)
        words[MPIR_Process.local_rank] = own_place();
}

uint32_t MPIR_Aggr_place(int local_rank, int level)
{
    const uint64_t *words = MPIDU_Init_shm_words();

    return words && local_rank >= 0 ? (uint32_t) (words[local_rank] >> level * LEVEL_BITS) : 0;
}
