/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "ucx_impl.h"
#include "ucx_events.h"
#include "ucx_transports.h"
#include "mpir_arrivals.h"
#include "mpir_events.h"
#include "mpir_others.h"
#include "rma/window/agree.h"

/* Members of a window whose addresses a process keeps: some 200 bytes each. */
enum { MEMBERS_MOST = 8192 };

/* Addresses that came in one exchange. */
typedef struct block {
    struct block *next;
    char addresses[];
} block_t;

struct MPIDI_UCX_events MPIDI_UCX_events;

static bool has_failed; /* to make the second worker: it is not tried again */
static block_t *blocks;

static MPIDI_UCX_context_t *second(void) { return &MPIDI_UCX_global.ctx[MPIDI_UCX_EVENTS]; }

static void keep_error(int code) { MPIDI_UCX_handler_errno = code; }

/* After another error the helper sleeps, too: it must not go round and round. */
static bool arm_first(void)
{
    return ucp_worker_arm(MPIDI_UCX_global.ctx[0].worker) != UCS_ERR_BUSY;
}

static bool arm_second(void) { return ucp_worker_arm(second()->worker) != UCS_ERR_BUSY; }

static bool set_source(ucp_worker_h worker, bool (*arm)(void))
{
    MPIR_Events_source_t source = {.arm = arm, .keep_error = keep_error};

    if (ucp_worker_get_efd(worker, &source.descriptor) != UCS_OK)
        return false;
    MPIR_Events_set_source(&source);
    return true;
}

/* ---- processes that were met ---- */

/* For so many more.  Nothing changes without memory. */
static bool make_room(int more)
{
    const struct MPIDI_UCX_events old = MPIDI_UCX_events;
    unsigned bits = 1;
    MPIDI_UCX_events_peer_t *peers;

    while (1u << bits < 2 * (old.met + (unsigned) more))
        bits++;
    if (bits <= old.bits)
        return true;
    peers = MPL_calloc((size_t) 1 << bits, sizeof(*peers), MPL_MEM_ADDRESS);
    if (!peers)
        return false;
    MPIDI_UCX_events.peers = peers;
    MPIDI_UCX_events.bits = bits;
    for (size_t i = 0; old.peers && i < (size_t) 1 << old.bits; i++) {
        if (old.peers[i].address)
            *MPIDI_UCX_events_find(old.peers[i].rank) = old.peers[i];
    }
    MPL_free(old.peers);
    return true;
}

/* REQUIRES: there is room. */
static MPIDI_UCX_events_peer_t *note_address(uint32_t rank, const void *address)
{
    MPIDI_UCX_events_peer_t *peer = MPIDI_UCX_events_find(rank);

    if (!peer->address) {
        *peer = (MPIDI_UCX_events_peer_t){.address = address, .rank = rank};
        MPIDI_UCX_events.met++;
    }
    return peer;
}

/* ---- the second worker ---- */

static void clear_request(void *request) { ((MPIDI_UCX_ucp_request_t *) request)->req = NULL; }

/* With tags, which it does not use, UCX takes transports with events only. */
static bool make_context(void)
{
    const ucp_params_t params = {
        .field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_REQUEST_SIZE |
                      UCP_PARAM_FIELD_REQUEST_INIT | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS,
        .features = UCP_FEATURE_TAG | UCP_FEATURE_RMA | UCP_FEATURE_AM | UCP_FEATURE_WAKEUP,
        .request_size = sizeof(MPIDI_UCX_ucp_request_t),
        .request_init = clear_request,
        .estimated_num_eps = (size_t) MPIR_Process.size};
    ucp_config_t *config;
    ucs_status_t status;

    if (ucp_config_read(NULL, NULL, &config) != UCS_OK)
        return false;
    MPIDI_UCX_transports_choose(config);
    status = ucp_init(&params, config, &MPIDI_UCX_events.context);
    ucp_config_release(config);
    if (status != UCS_OK)
        MPIDI_UCX_events.context = NULL;
    return status == UCS_OK;
}

static bool make_worker(void)
{
    const ucp_worker_params_t params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                        .thread_mode = UCS_THREAD_MODE_SERIALIZED};

    if (ucp_worker_create(MPIDI_UCX_events.context, &params, &second()->worker) != UCS_OK) {
        second()->worker = NULL;
        return false;
    }
    return ucp_worker_get_address(second()->worker, &second()->if_address,
                                  &second()->addrname_len) == UCS_OK &&
           MPIDI_UCX_peers_keep_messages(MPIDI_UCX_EVENTS) == MPI_SUCCESS;
}

/* Shows that UCX has a transport with events. */
static bool connect_to_self(void)
{
    MPIDI_UCX_events_peer_t *self =
        note_address((uint32_t) MPIR_Process.rank, second()->if_address);
    const ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
                                    .address = self->address};

    return MPIDI_UCX_peers_create(second()->worker, &params, &self->ep) == MPI_SUCCESS;
}

static void poll_second(void) { MPIR_Arrivals += ucp_worker_progress(second()->worker); }

static bool make_all(void)
{
    return make_room(1) && make_context() && make_worker() && connect_to_self() &&
           set_source(second()->worker, arm_second);
}

void MPIDI_UCX_events_free(void)
{
    MPIDI_deferred_set_source(NULL);
    if (second()->if_address)
        ucp_worker_release_address(second()->worker, second()->if_address);
    if (second()->worker)
        ucp_worker_destroy(second()->worker);
    if (MPIDI_UCX_events.context)
        ucp_cleanup(MPIDI_UCX_events.context);
    while (blocks) {
        block_t *block = blocks;

        blocks = block->next;
        MPL_free(block);
    }
    MPL_free(MPIDI_UCX_events.peers);
    memset(&MPIDI_UCX_events, 0, sizeof(MPIDI_UCX_events));
    memset(second(), 0, sizeof(*second()));
    MPIR_Events_set_source(&(MPIR_Events_source_t){0});
}

/* With one endpoint, to this process, that peers_disconnect() must not find. */
static void discard(void)
{
    const MPIDI_UCX_events_peer_t *self =
        MPIDI_UCX_events.met ? MPIDI_UCX_events_find((uint32_t) MPIR_Process.rank) : NULL;

    has_failed = true;
    if (self && self->ep)
        MPIDI_UCX_peers_close(self->ep);
    MPIDI_UCX_events_free();
}

static bool open_second(void)
{
    if (MPIDI_UCX_events.context)
        return true;
    /* where processes may die, their endpoints would have to be watched, too */
    if (has_failed || MPIR_Deaths_watched)
        return false;
    if (!make_all()) {
        discard();
        return false;
    }
    MPIDI_deferred_set_source(poll_second);
    return true;
}

void MPIDI_UCX_events_poll(void)
{
    if (MPIDI_UCX_events.context)
        poll_second();
}

void MPIDI_UCX_events_flush(void)
{
    if (MPIDI_UCX_events.context)
        (void) MPIDI_UCX_flush(MPIDI_UCX_EVENTS);
}

/* ---- members ---- */

static ptrdiff_t rank_of(MPIR_Comm *comm, int member)
{
    return MPIDIU_comm_rank_to_av(comm, member) - MPIDI_global.avt_mgr.av_table0->table;
}

/* Endpoints to other worlds end with these (ucx_worlds.h), and the second worker has none. */
static bool can_meet(MPIR_Comm *comm)
{
    bool can = MPIR_Do_others_exist() && comm->local_size <= MEMBERS_MOST;

    for (int i = 0; i < comm->local_size && can; i++)
        can = rank_of(comm, i) >= 0 && rank_of(comm, i) < MPIR_Process.size;
    return can;
}

static bool has_met(MPIR_Comm *comm)
{
    bool has = true;

    for (int i = 0; i < comm->local_size && has; i++)
        has = MPIDI_UCX_events_find((uint32_t) rank_of(comm, i))->address != NULL;
    return has;
}

static void note_addresses(MPIR_Comm *comm, const char *addresses, size_t bytes)
{
    for (int i = 0; i < comm->local_size; i++)
        (void) note_address((uint32_t) rank_of(comm, i), addresses + (size_t) i * bytes);
}

static int meet(MPIR_Comm *comm)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    uint64_t bytes = (second()->addrname_len + 7) / 8 * 8; /* the next one is aligned */
    block_t *block;
    char *mine;

    mpi_errno = MPIR_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_UINT64_T, MPI_MAX, comm, &errflag);
    MPIR_ERR_CHKRETURN(mpi_errno);
    block = MPL_calloc(1, sizeof(*block) + (size_t) comm->local_size * bytes, MPL_MEM_ADDRESS);
    if (!block || !make_room(comm->local_size))
        MPIR_ERR_SET1(mpi_errno, MPI_ERR_NO_MEM, "**nomem", "**nomem %s", "addresses");
    mpi_errno = MPIDIG_win_agree(comm, mpi_errno, NULL);
    MPIR_ERR_CHECK(mpi_errno);
    mine = block->addresses + (size_t) comm->rank * bytes;
    memcpy(mine, second()->if_address, second()->addrname_len);
    mpi_errno = MPIR_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, block->addresses,
                               (MPI_Aint) bytes, MPI_BYTE, comm, &errflag);
    MPIR_ERR_CHECK(mpi_errno);
    note_addresses(comm, block->addresses, bytes);
    block->next = blocks;
    blocks = block;
    return mpi_errno;

fn_fail:
    MPL_free(block);
    return mpi_errno;
}

static void use(MPIR_Comm *comm) { MPIDI_UCX_COMM(comm).by_events = 1; }

int MPIDI_UCX_events_get_ep(MPIR_Comm *comm, int rank, ucp_ep_h *ep)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDI_UCX_events_peer_t *peer = MPIDI_UCX_events_peer(MPIDIU_comm_rank_to_av(comm, rank));
    const ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
                                    .address = peer->address};

    if (unlikely(!peer->ep))
        mpi_errno = MPIDI_UCX_peers_create(second()->worker, &params, &peer->ep);
    *ep = peer->ep;
    return mpi_errno;
}

/* ---- begin ---- */

uint64_t MPIDI_UCX_events_feature(void)
{
    return MPIR_Events_may_come() && MPIR_Events_are_for_all() ? UCP_FEATURE_WAKEUP : 0;
}

void MPIDI_UCX_events_init(void)
{
    static const MPIR_Events_late_t never = {0}, late = {open_second, can_meet, has_met, meet, use};
    bool may_come = MPIR_Events_may_come() && MPIDI_UCX_global.num_vnis == 1;

    has_failed = false;
    if (may_come && MPIR_Events_are_for_all())
        (void) set_source(MPIDI_UCX_global.ctx[0].worker, arm_first);
    MPIR_Events_set_late(may_come && !MPIR_Events_are_for_all() ? &late : &never);
}
