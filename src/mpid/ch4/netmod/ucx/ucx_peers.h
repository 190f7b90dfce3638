/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UCX_PEERS_H_INCLUDED
#define UCX_PEERS_H_INCLUDED

/*
 * Peers: the other processes as far as this one has to do with them.
 *
 * In MPI_Init a process leaves its card (the addresses of its workers) where others find it. The
 * first use of a peer looks its card up and makes an endpoint, which the address vector holds from
 * then on. A process that has only received makes its endpoint when it answers.
 */

/* MPIR_CVAR_CH4_UCX_LAZY_ENDPOINTS. With several VNIs, both sides of a new connection must make
 * progress on all of them. If MPIR_CVAR_CH4_GLOBAL_PROGRESS forbids that, MPI_Init sets all
 * connections up (MPIDI_UCX_post_init). */
bool MPIDI_UCX_peers_are_lazy(void);
/* Leaves the card, and returns when those of all others can be found. REQUIRES: the workers
 * exist. Collective. */
int MPIDI_UCX_peers_init(void);
/* Puts the endpoint of a world's process into its entry at its first use: MPIDI_UCX_GET_EP calls
 * it. REQUIRES: the caller holds the lock of vni_src. */
int MPIDI_UCX_peer_connect(MPIDI_av_entry_t *av, int vni_src, int vni_dst);

/* Before an endpoint is made where deaths are watched: UCX 1.13 to 1.19 end the program if the
 * peer's connection is reset meanwhile, and UCX has not read that yet. */
void MPIDI_UCX_peers_learn_of_resets(ucp_worker_h worker);

/* Closes all endpoints, with `progress` while that takes time. REQUIRES: no process sends any
 * more. */
int MPIDI_UCX_peers_disconnect(void (*progress)(void));

/* An endpoint that MPIDI_UCX_peers_disconnect() closes, or that is closed at once: what was sent by
 * it, and has not left, ends with an error. */
int MPIDI_UCX_peers_create(ucp_worker_h worker, const ucp_ep_params_t *params, ucp_ep_h *ep);
void MPIDI_UCX_peers_close(ucp_ep_h ep);

/* Active messages of the worker ctx[index] are kept until UCX has handed them over. */
int MPIDI_UCX_peers_keep_messages(int index);
/* Called where processes may die, at the end of MPI_Init, when the connections are made.  NULL:
 * nothing. */
extern void (*MPIDI_UCX_peers_met)(void);
/* One that has come another way, and belongs behind those of the first VNI that wait. */
void MPIDI_UCX_peers_keep_message(const void *data, size_t length);
/* The same of one whose data are lent. */
struct MPIDI_UCX_taken;
void MPIDI_UCX_peers_keep_lent(const void *header, size_t length, struct MPIDI_UCX_taken *taken);

/* Statement: the endpoint of an entry of the address vector, or an error in mpi_errno and on to
 * fn_fail. */
#define MPIDI_UCX_GET_EP(ep_, av_, vni_src_, vni_dst_) \
    do { \
        (ep_) = MPIDI_UCX_AV(av_).dest[vni_src_][vni_dst_]; \
        if (unlikely(!(ep_))) { \
            mpi_errno = MPIDI_UCX_peer_connect(av_, vni_src_, vni_dst_); \
            MPIR_ERR_CHECK(mpi_errno); \
            (ep_) = MPIDI_UCX_AV(av_).dest[vni_src_][vni_dst_]; \
        } \
    } while (0)

/* The same for an active message of a communicator. */
#ifdef MPIR_WITHOUT_HELPER
#define MPIDI_UCX_GET_AM_EP(ep_, comm_, rank_, vni_src_, vni_dst_) \
    MPIDI_UCX_GET_EP(ep_, MPIDIU_comm_rank_to_av(comm_, rank_), vni_src_, vni_dst_)
#else
#define MPIDI_UCX_GET_AM_EP(ep_, comm_, rank_, vni_src_, vni_dst_) \
    do { \
        if (unlikely(MPIDI_UCX_COMM(comm_).by_events)) { \
            mpi_errno = MPIDI_UCX_events_get_ep(comm_, rank_, &(ep_)); \
            MPIR_ERR_CHECK(mpi_errno); \
        } else { \
            MPIDI_UCX_GET_EP(ep_, MPIDIU_comm_rank_to_av(comm_, rank_), vni_src_, vni_dst_); \
        } \
    } while (0)
#endif

#endif /* UCX_PEERS_H_INCLUDED */
