/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OFI_PEERS_H_INCLUDED
#define OFI_PEERS_H_INCLUDED

/*
 * Peers: the other processes as far as this one has to do with them.
 *
 * In MPI_Init a process leaves the name of its endpoint where others find it (ch4_cards.h). The
 * first message to a peer, or operation on its memory, looks the name up and inserts it into
 * libfabric's address vector. From then on the peer's entry holds the number of its address.
 *
 * A receive needs no address: the match bits have the sender's rank. A provider compares a message
 * with a receive's address when the message arrives. So a receive that names an address would miss
 * a message that arrived before its sender was inserted.
 *
 * If the provider rules this out (ofi_peers.c), MPI_Init inserts all addresses.
 */

/* libfabric's number of an endpoint. Entries hold complements: zeroed memory says
 * FI_ADDR_NOTAVAIL. */
#define MPIDI_OFI_ADDR(av_, nic_, vni_) (~MPIDI_OFI_AV(av_).dest[nic_][vni_])
#define MPIDI_OFI_SET_ADDR(av_, nic_, vni_, addr_) (MPIDI_OFI_AV(av_).dest[nic_][vni_] = ~(addr_))

#define MPIDI_OFI_HAS_ADDR(av_) (MPIDI_OFI_AV(av_).dest[0][0] != 0)

/* A process's id among all processes that it can reach, those of other worlds too. With a VNI added
 * it tells the process's own active messages from those of others. */
extern uint64_t MPIDI_OFI_own_id;

/* Whether addresses are looked up at first use, and how the match bits are divided.
 * REQUIRES: the provider and its NICs are known, and the match bits not yet in use. */
void MPIDI_OFI_peers_choose(void);
/* The bits that there are for context id, rank, and tag as MPICH counts it. */
int MPIDI_OFI_match_room(void);
bool MPIDI_OFI_peers_are_lazy(void);
/* How many are to be expected in an address vector. */
size_t MPIDI_OFI_peers_expected(void);
/* Leaves the card, and returns when those of all others can be found. REQUIRES: lazy; the
 * endpoint exists. Collective. */
int MPIDI_OFI_peers_init(void);
/* REQUIRES: no process uses a peer for the first time after this call. */
int MPIDI_OFI_peers_finalize(void);

/* Inserts the address of a world's process at its first use. REQUIRES: the caller holds the lock
 * of VNI 0, the only one. */
int MPIDI_OFI_peer_insert(MPIDI_av_entry_t *av);
/* As MPIDI_OFI_peer_insert, for a caller without the lock. The entry may have its address. */
int MPIDI_OFI_peer_reach(MPIDI_av_entry_t *av);

/* The error of a message that could not be sent to it: adds who it is. */
int MPIDI_OFI_peer_failed(MPIDI_av_entry_t *av, int mpi_errno);

/* Statement: the entry has its address, or an error in mpi_errno and on to fn_fail. REQUIRES: as
 * MPIDI_OFI_peer_insert. */
#define MPIDI_OFI_REACH(av_) \
    do { \
        MPIDI_av_entry_t *reach_av_ = (av_); \
        if (unlikely(!MPIDI_OFI_HAS_ADDR(reach_av_))) { \
            mpi_errno = MPIDI_OFI_peer_insert(reach_av_); \
            MPIR_ERR_CHECK(mpi_errno); \
        } \
    } while (0)

/* The match bits can tell the communicator's ranks apart. */
int MPIDI_OFI_check_ranks(MPIR_Comm *comm);

/*
 * How a process of one world describes a process to another world. The name of its endpoint comes
 * first. If both are of one world, the number of that world and the rank in it follow.
 */
#define MPIDI_OFI_UPID_TAIL 16
#define MPIDI_OFI_UPID_MAX (FI_NAME_MAX + MPIDI_OFI_UPID_TAIL)

/* REQUIRES: upid[MPIDI_OFI_UPID_MAX] */
int MPIDI_OFI_upid_write(MPIR_Comm *comm, int rank, char *upid, int *bytes);
/* Is it of this world, and which rank has it there? */
int MPIDI_OFI_upid_read(const char *upid, int bytes, bool *is_ours, int *rank);

#endif /* OFI_PEERS_H_INCLUDED */
