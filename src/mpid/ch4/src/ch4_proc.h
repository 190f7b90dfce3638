/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef CH4_PROC_H_INCLUDED
#define CH4_PROC_H_INCLUDED

#include "ch4_types.h"

/* The names a process has inside CH4:
 *   upid   the netmod's address of it, a string of bytes that travels between processes
 *   gpid   address-vector table and entry (avtid, lpid) in one 64-bit word; the netmods' name
 *   index  the dense number that maps hold (mpir_map.h): the world's processes are 0 .. world size
 *          - 1 and live in table 0, where index, lpid and world rank are the same; a later table
 *          owns the indices base .. base + size - 1
 * An index is never given out twice, so that a group which outlives its processes names nobody
 * else by accident. */

/* The table of tables: slot 0 is the world's, slots of tables that are gone are NULL and are
 * used again. */
int MPIDIU_avt_init(void);
int MPIDIU_avt_destroy(void);
int MPIDIU_get_n_avts(void);

/* A table of `size` entries without references, and its slot. */
int MPIDIU_new_avt(int size, int *avtid);
int MPIDIU_get_avt_size(int avtid);
/* The last reference takes the table with it. */
int MPIDIU_avt_add_ref(int avtid);
int MPIDIU_avt_release_ref(int avtid);
int MPIDIU_free_avt(int avtid);
/* Asked when the last reference has gone. True: the table stays, and the netmod frees it later.
 * NULL: no table stays. */
extern bool (*MPIDIU_avt_keeps)(int avtid);

/* The digest of what names a process among the processes of all worlds: the same in each process.
 * 0: not known.  NULL: the netmod has none.  REQUIRES the table to be alive. */
extern uint64_t (*MPIDIU_process_digest)(int avtid, int lpid);

/* Node of a rank, or -1 for a process beyond the world. */
int MPIDIU_get_node_id(MPIR_Comm *comm, int rank, int *id_p);
/* Netmod addresses to gpids; addresses seen for the first time get a table. */
int MPIDIU_upids_to_gpids(int size, int *remote_upid_size, char *remote_upids,
                          uint64_t *remote_gpids);

/* Table and entry of a process beyond the world.  REQUIRES its table to be alive, which holds for
 * the members of a communicator: it keeps a reference to each table it touches. */
void MPIDIU_dynamic_index_to_pid(uint32_t index, int *avtid, int *lpid);

/* References to the tables beyond the world's that a communicator's maps reach into: taken and
 * given back together. */
int MPIDIU_comm_avts_add_ref(MPIR_Comm *comm);
int MPIDIU_comm_avts_release_ref(MPIR_Comm *comm);

/* Indices of n processes given by gpid, as a map in their order. */
int MPIDIU_map_from_gpids(const uint64_t gpids[], int n, cmap_t **map);

MPL_STATIC_INLINE_PREFIX bool MPIDIU_index_is_in_world(uint32_t index)
{
    return index < (uint32_t) MPIDI_global.avt_mgr.av_table0->size;
}

MPL_STATIC_INLINE_PREFIX bool MPIDIU_map_is_in_world(const cmap_t *map)
{
    return map == NULL || MPIR_cmap_size(map) == 0 || MPIDIU_index_is_in_world(MPIR_cmap_max(map));
}

MPL_STATIC_INLINE_PREFIX void MPIDIU_index_to_pid(uint32_t index, int *avtid, int *lpid)
{
    if (likely(MPIDIU_index_is_in_world(index))) {
        *avtid = 0;
        *lpid = (int) index;
    } else {
        MPIDIU_dynamic_index_to_pid(index, avtid, lpid);
    }
}

MPL_STATIC_INLINE_PREFIX uint64_t MPIDIU_index_to_gpid(uint32_t index)
{
    int avtid, lpid;

    MPIDIU_index_to_pid(index, &avtid, &lpid);
    return MPIDIU_GPID_CREATE(avtid, lpid);
}

MPL_STATIC_INLINE_PREFIX uint32_t MPIDIU_gpid_to_index(uint64_t gpid)
{
    return MPIDIU_get_av_table(MPIDIU_GPID_GET_AVTID(gpid))->base +
           (uint32_t) MPIDIU_GPID_GET_LPID(gpid);
}

/* Recent peers of a communicator, so that repeated messages cost the same under every
 * representation: direct mapped by the low bits of the rank, rank and index in one word, which
 * is read and written whole.  Threads that race for an entry overwrite each other's, and either
 * is right: a rank's index never changes, even when MPI_Comm_set_info changes the
 * representation.  Bit 63 is set in every entry in use. */
#define MPIDIU_PEER_TAG(rank_) ((uint64_t) (0x80000000u | (uint32_t) (rank_)) << 32)

MPL_STATIC_INLINE_PREFIX void MPIDIU_comm_forget_peers(MPIR_Comm *comm)
{
    memset(MPIDI_COMM(comm, peers), 0, sizeof(MPIDI_COMM(comm, peers)));
}

MPL_STATIC_INLINE_PREFIX uint32_t MPIDIU_recent_peer_index(MPIR_Comm *comm, const cmap_t *map,
                                                           int rank)
{
    uint64_t *entry = &MPIDI_COMM(comm, peers)[(uint32_t) rank % MPIDI_RECENT_PEERS];
    uint64_t word = __atomic_load_n(entry, __ATOMIC_RELAXED);

    if (unlikely((word ^ MPIDIU_PEER_TAG(rank)) > UINT32_MAX)) {
        word = MPIDIU_PEER_TAG(rank) | MPIR_cmap_select_outlined(map, (uint32_t) rank);
        __atomic_store_n(entry, word, __ATOMIC_RELAXED);
    }
    return (uint32_t) word;
}

/* Of the remote group in an intercommunicator.  REQUIRES a rank of the communicator: MPI_PROC_NULL
 * and MPI_ANY_SOURCE have no index.  A closed form or a list in the header's reach is faster
 * than any cache. */
MPL_STATIC_INLINE_PREFIX uint32_t MPIDIU_comm_rank_to_index(MPIR_Comm *comm, int rank)
{
    const cmap_t *map = MPIR_Map_load(&comm->map);

    if (likely(MPIR_cmap_is_arithmetic(map)))
        return MPIR_cmap_arithmetic_select(map, (uint32_t) rank);
    if (MPIR_cmap_select_is_inline(map))
        return MPIR_cmap_select(map, (uint32_t) rank);
    return MPIDIU_recent_peer_index(comm, map, rank);
}

MPL_STATIC_INLINE_PREFIX int MPIDIU_comm_rank_to_pid(MPIR_Comm *comm, int rank, int *idx,
                                                     int *avtid)
{
    MPIDIU_index_to_pid(MPIDIU_comm_rank_to_index(comm, rank), avtid, idx);
    return *idx;
}

MPL_STATIC_INLINE_PREFIX int MPIDIU_comm_rank_to_pid_local(MPIR_Comm *comm, int rank, int *idx,
                                                           int *avtid)
{
    MPIDIU_index_to_pid(MPIR_cmap_select(MPIR_Comm_map(comm, MPIR_MAP_LOCAL), (uint32_t) rank),
                        avtid, idx);
    return *idx;
}

/* On the path of every message. */
MPL_STATIC_INLINE_PREFIX MPIDI_av_entry_t *MPIDIU_comm_rank_to_av(MPIR_Comm *comm, int rank)
{
    MPIDI_av_table_t *world = MPIDI_global.avt_mgr.av_table0;
    uint32_t index = MPIDIU_comm_rank_to_index(comm, rank);
    int avtid, lpid;

    if (likely(index < (uint32_t) world->size))
        return &world->table[index];
    MPIDIU_dynamic_index_to_pid(index, &avtid, &lpid);
    return &MPIDIU_get_av(avtid, lpid);
}

/* World rank, or -1 for a process of another table. */
MPL_STATIC_INLINE_PREFIX int MPIDIU_rank_to_lpid(int rank, MPIR_Comm *comm)
{
    uint32_t index = MPIDIU_comm_rank_to_index(comm, rank);

    return MPIDIU_index_is_in_world(index) ? (int) index : -1;
}

MPL_STATIC_INLINE_PREFIX int MPIDIU_av_is_local(MPIDI_av_entry_t *av)
{
#ifdef MPIDI_BUILD_CH4_LOCALITY_INFO
    return av->is_local;
#else
    return 0;
#endif
}

MPL_STATIC_INLINE_PREFIX int MPIDIU_rank_is_local(int rank, MPIR_Comm *comm)
{
#ifdef MPIDI_BUILD_CH4_LOCALITY_INFO
    return MPIDIU_av_is_local(MPIDIU_comm_rank_to_av(comm, rank));
#else
    return 0;
#endif
}

/* A netmod that carries everything may know better; otherwise the address vector says it. */
MPL_STATIC_INLINE_PREFIX int MPIDI_rank_is_local(int rank, MPIR_Comm *comm)
{
#ifdef MPIDI_CH4_DIRECT_NETMOD
    return MPIDI_NM_rank_is_local(rank, comm);
#else
    return MPIDIU_rank_is_local(rank, comm);
#endif
}

MPL_STATIC_INLINE_PREFIX int MPIDI_av_is_local(MPIDI_av_entry_t *av MPL_UNUSED)
{
#ifdef MPIDI_CH4_DIRECT_NETMOD
    return 0;
#else
    return MPIDIU_av_is_local(av);
#endif
}

#endif /* CH4_PROC_H_INCLUDED */
