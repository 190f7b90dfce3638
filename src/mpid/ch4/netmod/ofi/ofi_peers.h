/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OFI_PEERS_H_INCLUDED
#define OFI_PEERS_H_INCLUDED

/*
 * Peers: the other processes as far as this one has to do with them.
 *
 * In MPI_Init a process leaves the name of its endpoint where others find it (ch4_cards.h). The
 * first message, or operation on memory, for a peer looks its name up and inserts it into
 * libfabric's address vector, whose number for it the process's entry holds from then on. Receiving
 * needs no address: the match bits have the sender's rank. (Providers compare a message with the
 * address that a receive names when the message comes; one that came before its sender was inserted
 * would not be found.)
 *
 * Where that cannot be (ofi_peers.c), MPI_Init inserts all addresses.
 */

/* libfabric's number of an endpoint. Entries hold complements: zeroed memory says
 * FI_ADDR_NOTAVAIL. */
#define MPIDI_OFI_ADDR(av_, nic_, vni_)  (~MPIDI_OFI_AV(av_).dest[nic_][vni_])
#define MPIDI_OFI_SET_ADDR(av_, nic_, vni_, addr_)  (MPIDI_OFI_AV(av_).dest[nic_][vni_] = ~(addr_))

#define MPIDI_OFI_HAS_ADDR(av_)  (MPIDI_OFI_AV(av_).dest[0][0] != 0)

/* What a process adds a VNI to, to tell active messages of its own from those of others: the same
 * for all of them, of other worlds, too. */
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
/* REQUIRES: nobody is used for the first time any more. */
int MPIDI_OFI_peers_finalize(void);

/* Inserts the address of a world's process at its first use. REQUIRES: the caller holds the lock
 * of VNI 0, the only one. */
int MPIDI_OFI_peer_insert(MPIDI_av_entry_t * av);
/* The same for who does not hold the lock, and where the entry may have its address. */
int MPIDI_OFI_peer_reach(MPIDI_av_entry_t * av);

/* The error of a message that could not be sent to it: adds who it is. */
int MPIDI_OFI_peer_failed(MPIDI_av_entry_t * av, int mpi_errno);

/* Statement: the entry has its address, or an error in mpi_errno and on to fn_fail. REQUIRES: as
 * MPIDI_OFI_peer_insert. */
#define MPIDI_OFI_REACH(av_)                                    \
    do {                                                        \
        MPIDI_av_entry_t *reach_av_ = (av_);                    \
        if (unlikely(!MPIDI_OFI_HAS_ADDR(reach_av_))) {         \
            mpi_errno = MPIDI_OFI_peer_insert(reach_av_);       \
            MPIR_ERR_CHECK(mpi_errno);                          \
        }                                                       \
    } while (0)

/* The match bits can tell the communicator's ranks apart. */
int MPIDI_OFI_check_ranks(MPIR_Comm * comm);

/*
 * What processes of several worlds tell each other about one: the name of its endpoint and, behind
 * that, its world and its rank there, if it is of the world of the process that tells.
 */
#define MPIDI_OFI_UPID_TAIL 16
#define MPIDI_OFI_UPID_MAX (FI_NAME_MAX + MPIDI_OFI_UPID_TAIL)

/* REQUIRES: upid[MPIDI_OFI_UPID_MAX] */
int MPIDI_OFI_upid_write(MPIR_Comm * comm, int rank, char *upid, int *bytes);
/* Is it of this world, and which rank has it there? */
int MPIDI_OFI_upid_read(const char *upid, int bytes, bool * is_ours, int *rank);

#endif /* OFI_PEERS_H_INCLUDED */
