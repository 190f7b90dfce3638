/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "ucx_impl.h"
#include "rma/deferred.h"
#include "ch4_cards.h"
#include "deaths.h"
#include "ucx_am_long.h"
#include "ucx_card.h"
#include "ucx_worlds.h"
#include "mpir_nodes.h"
#include "mpir_tvars.h"

/*
=== BEGIN_MPI_T_CVAR_INFO_BLOCK ===

cvars:
    - name        : MPIR_CVAR_CH4_UCX_LAZY_ENDPOINTS
      category    : CH4_UCX
      type        : boolean
      default     : true
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_ALL_EQ
      description : >-
        If true, the address of a process is looked up, and an endpoint made, when it is first used. If false, MPI_Init
        does so for all processes.

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

static struct {
    ucp_ep_h *eps;
    int count, room;
    unsigned long long address_bytes;
    bool are_closing;
} peers;

void (*MPIDI_UCX_peers_met)(void);

bool MPIDI_UCX_peers_are_lazy(void)
{
    return MPIR_Deaths_watched ||
           (MPIR_CVAR_CH4_UCX_LAZY_ENDPOINTS &&
            (MPIDI_UCX_global.num_vnis == 1 || MPIR_CVAR_CH4_GLOBAL_PROGRESS));
}

static void read_endpoints(void *address MPL_UNUSED, void *obj_handle MPL_UNUSED,
                           int count MPL_UNUSED, void *buffer)
{
    int n = MPIDI_UCX_global.num_vnis;

    *(unsigned long long *) buffer =
        MPIDI_UCX_worlds_endpoints() + (MPIDI_UCX_peers_are_lazy()
                                            ? (unsigned long long) peers.count
                                            : (unsigned long long) MPIR_Process.size * n * n);
}

static void read_bytes(void *address MPL_UNUSED, void *obj_handle MPL_UNUSED, int count MPL_UNUSED,
                       void *buffer)
{
    *(unsigned long long *) buffer = peers.address_bytes;
}

static void register_variables(void)
{
    MPIR_Pvar_register(MPI_T_PVAR_CLASS_LEVEL, "ucx_endpoints", &peers.count, read_endpoints,
                       "CH4_UCX", "endpoints to other processes that are alive");
    MPIR_Pvar_register(MPI_T_PVAR_CLASS_LEVEL, "ucx_address_bytes", &peers.address_bytes,
                       read_bytes, "CH4_UCX", "bytes of addresses of peers that were looked up");
}

/*
 * A message's handler may be the first to use a peer, but must not make an endpoint while UCX hands
 * the message over: the TCP transport of 1.13 gives the endpoint the connection that the message
 * came by, and goes on with a buffer that is gone. So messages are kept for the handler until UCX
 * has returned.
 */
typedef struct {
    MPIDI_deferred_job_t job; /* first */
    size_t length;
    int vni;
    bool is_long, has_begun; /* then the data are a long_message_t */
    _Alignas(16) char data[];
} message_t;

typedef struct {
    MPIDI_UCX_am_long_t transfer; /* first */
    _Alignas(16) char header[];
} long_message_t;

/* Each VNI keeps the blocks of a few handled messages for later ones: the allocator takes longer
 * than most handlers.  UCX sends messages of up to 92 bytes inside a node without a buffer. */
enum { SHORT_BYTES = 96, SPARES_MOST = 8 };

static struct {
    MPIDI_deferred_job_t *first; /* linked by `next` */
    int count;
} spares[MPIDI_CH4_MAX_VCIS];

/* NULL without memory. */
static message_t *take_block(int vni, size_t length)
{
    message_t *message = (message_t *) spares[vni].first;

    if (!message || length > SHORT_BYTES)
        return MPL_malloc(sizeof(*message) + MPL_MAX(length, SHORT_BYTES), MPL_MEM_BUFFER);
    spares[vni].first = message->job.next;
    spares[vni].count--;
    return message;
}

static void give_block(message_t *message)
{
    int vni = message->vni;

    if (message->length > SHORT_BYTES || spares[vni].count == SPARES_MOST) {
        MPL_free(message);
        return;
    }
    message->job.next = spares[vni].first;
    spares[vni].first = &message->job;
    spares[vni].count++;
}

static void free_spares(void)
{
    for (int i = 0; i < MPIDI_CH4_MAX_VCIS; i++) {
        while (spares[i].first)
            MPL_free(take_block(i, 0));
    }
}

/* First its header comes, then its data. */
static void handle_long(message_t *message)
{
    long_message_t *parts = (long_message_t *) message->data;

    if (!message->has_begun) {
        message->has_begun = true;
        MPIDI_UCX_am_long_begin(&parts->transfer, (MPIDI_UCX_am_header_t *) parts->header);
    } else {
        MPIDI_UCX_am_long_end(&parts->transfer);
        give_block(message);
    }
}

static int handle_message(MPIDI_deferred_job_t *job)
{
    message_t *message = (message_t *) job;

    /* what this process waits for may be this message, which completes no request */
    MPIR_Yield_wait_begins();
    if (message->is_long) {
        handle_long(message);
    } else {
        MPIDI_UCX_am_handler(NULL, message->data, message->length, NULL, 0);
        give_block(message);
    }
    return MPI_SUCCESS;
}

/* By VNI, which is the VCI.  One after the other, also when a handler makes progress or another
 * thread comes. */
static MPIDI_deferred_kind_t messages = {.perform = handle_message};

/* Without memory a message is handled at once, after those that wait: most make no endpoint. */
static ucs_status_t handle_now(int vni, void *data, size_t length)
{
    MPIDI_deferred_run(&messages, vni);
    if (messages.queues[vni].first)
        MPID_Abort(NULL, MPI_ERR_NO_MEM, 1, "no memory for a message that has arrived");
    return MPIDI_UCX_am_handler(NULL, data, length, NULL, 0);
}

static ucs_status_t keep_message(void *vni, void *data, size_t length, ucp_ep_h reply_ep MPL_UNUSED,
                                 unsigned flags MPL_UNUSED)
{
    int queue = (int) (intptr_t) vni;
    message_t *message = take_block(queue, length);

    if (!message)
        return handle_now(queue, data, length);
    message->length = length;
    message->vni = queue;
    message->is_long = false;
    MPIR_Memcpy(message->data, data, length);
    MPIDI_deferred_add(&messages, queue, &message->job);
    return UCS_OK;
}

void MPIDI_UCX_peers_keep_message(const void *data, size_t length)
{
    (void) keep_message(NULL, (void *) data, length, NULL, 0);
}

/* The handler is called inside UCX's progress, or by MPIDI_UCX_am_long_begin(). */
static void queue_again(MPIDI_UCX_am_long_t *transfer)
{
    message_t *message = (message_t *) ((char *) transfer - offsetof(message_t, data));

    MPIDI_deferred_add(&messages, message->vni, &message->job);
}

/* The messages of windows with events wait with those of the first VNI: they have one lock. */
static int queue_of(int index) { return index < MPIDI_UCX_global.num_vnis ? index : 0; }

/* It keeps its place among the others. */
static void keep_long(int index, const void *header, size_t header_length, void *data, bool is_lent)
{
    int queue = queue_of(index);
    size_t bytes = MPL_MAX(sizeof(long_message_t) + header_length, SHORT_BYTES + 1);
    message_t *message = take_block(queue, bytes);
    long_message_t *parts;

    if (!message)
        MPID_Abort(NULL, MPI_ERR_NO_MEM, 1, "no memory for a message that has arrived");
    message->length = bytes;
    message->vni = queue;
    message->is_long = true;
    message->has_begun = false;
    parts = (long_message_t *) message->data;
    parts->transfer = (MPIDI_UCX_am_long_t){
        .data = data, .is_lent = is_lent, .vni = index, .arrived = queue_again};
    MPIR_Memcpy(parts->header, header, header_length);
    MPIDI_deferred_add(&messages, queue, &message->job);
}

static ucs_status_t keep_long_message(void *index, const void *header, size_t header_length,
                                      void *data, size_t length MPL_UNUSED,
                                      const ucp_am_recv_param_t *param MPL_UNUSED)
{
    keep_long((int) (intptr_t) index, header, header_length, data, false);
    return UCS_INPROGRESS;
}

void MPIDI_UCX_peers_keep_lent(const void *header, size_t length, struct MPIDI_UCX_taken *taken)
{
    keep_long(0, header, length, taken, true);
}

static ucs_status_t keep_long_messages(int index)
{
    const ucp_am_handler_param_t param = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                      UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG,
        .id = MPIDI_UCX_AM_LONG_ID,
        .flags = UCP_AM_FLAG_WHOLE_MSG | UCP_AM_FLAG_PERSISTENT_DATA,
        .cb = keep_long_message,
        .arg = (void *) (intptr_t) index};

    return ucp_worker_set_am_recv_handler(MPIDI_UCX_global.ctx[index].worker, &param);
}

int MPIDI_UCX_peers_keep_messages(int index)
{
    int mpi_errno = MPI_SUCCESS;
    ucs_status_t status = ucp_worker_set_am_handler(
        MPIDI_UCX_global.ctx[index].worker, MPIDI_UCX_AM_HANDLER_ID, keep_message,
        (void *) (intptr_t) queue_of(index), UCP_AM_FLAG_WHOLE_MSG);

    MPIDI_UCX_CHK_STATUS(status);
    status = keep_long_messages(index);
    MPIDI_UCX_CHK_STATUS(status);

fn_exit:
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

static int keep_messages(void)
{
    int mpi_errno = MPI_SUCCESS;

    MPIDI_deferred_register(MPIDI_DEFERRED_MESSAGES, &messages);
    for (int i = 0; i < MPIDI_UCX_global.num_vnis && mpi_errno == MPI_SUCCESS; i++)
        mpi_errno = MPIDI_UCX_peers_keep_messages(i);
    return mpi_errno;
}

static int leave_card(void)
{
    int mpi_errno = MPI_SUCCESS;
    size_t bytes = MPIDI_UCX_card_bytes(), most = MPIDI_UCX_card_bytes_most();
    void *card = NULL;

    MPIR_ERR_CHKANDJUMP2(bytes > most, mpi_errno, MPI_ERR_OTHER, "**ucx_card", "**ucx_card %d %d",
                         (int) bytes, (int) most);
    card = MPL_malloc(bytes, MPL_MEM_ADDRESS);
    MPIR_ERR_CHKANDJUMP(!card, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    MPIDI_UCX_card_write(card);
    mpi_errno = MPIDI_Cards_leave(card, (int) bytes, (int) most);
    MPIR_ERR_CHECK(mpi_errno);

fn_exit:
    MPL_free(card);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

static void forget(uint32_t index);
static int meet_peers(void);

int MPIDI_UCX_peers_init(void)
{
    int mpi_errno = MPI_SUCCESS;

    register_variables();
    if (MPIR_Deaths_watched) {
        MPIDIG_deaths_forget_peer = forget;
        MPIDIG_deaths_meet_peers = meet_peers;
    }
    mpi_errno = MPIDI_UCX_worlds_init();
    MPIR_ERR_CHKRETURN(mpi_errno);
    mpi_errno = keep_messages();
    MPIR_ERR_CHKRETURN(mpi_errno);
    if (MPIR_Process.size > 1)
        mpi_errno = leave_card();

    return mpi_errno;
}

static int make_room(void)
{
    int mpi_errno = MPI_SUCCESS;
    int room = peers.room ? 2 * peers.room : 16;
    ucp_ep_h *eps;

    if (peers.count < peers.room)
        return mpi_errno;
    eps = MPL_realloc(peers.eps, room * sizeof(*eps), MPL_MEM_ADDRESS);
    MPIR_ERR_CHKANDSTMT(!eps, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem");
    peers.eps = eps;
    peers.room = room;

    return mpi_errno;
}

static int add_endpoint(ucp_ep_h ep)
{
    int mpi_errno = make_room();

    if (mpi_errno == MPI_SUCCESS)
        peers.eps[peers.count++] = ep;
    return mpi_errno;
}

int MPIDI_UCX_peers_create(ucp_worker_h worker, const ucp_ep_params_t *params, ucp_ep_h *ep)
{
    int mpi_errno = make_room(); /* before the endpoint, so that none is ever without a place */
    ucs_status_t status;

    MPIR_ERR_CHKRETURN(mpi_errno);
    MPIR_Deaths_obey_lease();
    status = ucp_ep_create(worker, params, ep);
    MPIDI_UCX_CHK_STATUS(status);
    mpi_errno = add_endpoint(*ep);

fn_fail:
    return mpi_errno;
}

/* The process manager says who has died, and then the endpoint is closed. */
static void on_failure(void *arg MPL_UNUSED, ucp_ep_h ep MPL_UNUSED, ucs_status_t status MPL_UNUSED)
{
}

void MPIDI_UCX_peers_learn_of_resets(ucp_worker_h worker)
{
    enum { POLLS = 8 };

    for (int i = 0; i < POLLS; i++)
        ucp_worker_progress(worker);
}

static int make_endpoint(int rank, int vni_src, int vni_dst, ucp_ep_h *ep)
{
    int mpi_errno = MPI_SUCCESS;
    ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS};
    const void *card;
    void *buffer = NULL;
    size_t address_bytes;
    int bytes;

    if (MPIR_Deaths_watched) {
        params.field_mask |= UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
        params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
        params.err_handler.cb = on_failure;
        MPIDI_UCX_peers_learn_of_resets(MPIDI_UCX_global.ctx[vni_src].worker);
        MPIR_ERR_CHKANDJUMP(MPIR_Deaths_has(rank), mpi_errno, MPIX_ERR_PROC_FAILED,
                            "**proc_failed");
    }
    if (rank == MPIR_Process.rank) {
        params.address = MPIDI_UCX_global.ctx[vni_dst].if_address;
    } else {
        mpi_errno = MPIDI_Cards_find(rank, &card, &bytes, &buffer);
        MPIR_ERR_CHECK(mpi_errno);
        mpi_errno =
            MPIDI_UCX_card_read(card, (size_t) bytes, vni_dst, &params.address, &address_bytes);
        MPIR_ERR_CHECK(mpi_errno);
        peers.address_bytes += address_bytes;
    }
    mpi_errno = MPIDI_UCX_peers_create(MPIDI_UCX_global.ctx[vni_src].worker, &params, ep);

fn_exit:
    MPL_free(buffer);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

int MPIDI_UCX_peer_connect(MPIDI_av_entry_t *av, int vni_src, int vni_dst)
{
    int mpi_errno = MPI_SUCCESS;
    ptrdiff_t rank = av - MPIDI_global.avt_mgr.av_table0->table;
    ucp_ep_h ep;

    if (rank < 0 || rank >= MPIR_Process.size)
        return MPIDI_UCX_worlds_connect(av, vni_src, vni_dst);

    /* Only one thread at a time looks for a card, and has the list of endpoints. */
    MPID_THREAD_CS_ENTER(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    if (MPIDI_UCX_AV(av).dest[vni_src][vni_dst])
        goto fn_exit;
    mpi_errno = make_endpoint((int) rank, vni_src, vni_dst, &ep);
    /* this process may be the last to be told */
    if (mpi_errno != MPI_SUCCESS && MPIR_Deaths_watched)
        MPIR_ERR_SETANDJUMP(mpi_errno, MPIX_ERR_PROC_FAILED, "**proc_failed");
    MPIR_ERR_CHKANDJUMP2(mpi_errno, mpi_errno, MPI_ERR_OTHER, "**card_peer", "**card_peer %d %d",
                         MPIR_Process.rank, (int) rank);
    MPIDI_UCX_AV(av).dest[vni_src][vni_dst] = ep;

fn_exit:
    MPID_THREAD_CS_EXIT(VCI, MPIDIU_THREAD_DYNPROC_MUTEX);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

/* UCX 1.13 ends the program if a process dies while its connection to this one is being made.  So
 * those of a small job, and those of a node, connect before the program begins. */
static bool is_whole_world_met(void)
{
    enum { MOST_OF_WORLD = 64 };

    return MPIR_Process.size <= MOST_OF_WORLD;
}

static bool is_to_meet(int rank)
{
    enum { MOST_OF_NODE = 128 };

    return rank != MPIR_Process.rank &&
           (is_whole_world_met() ||
            (MPIR_Process.local_size <= MOST_OF_NODE && MPIR_World_local_rank(rank) >= 0));
}

/* When all connections are made.  An error of one comes again when it is used. */
static int flush(ucp_worker_h worker)
{
    int mpi_errno = MPI_SUCCESS;
    ucp_request_param_t param = {0};
    void *request = ucp_worker_flush_nbx(worker, &param);

    while (UCS_PTR_IS_PTR(request) && ucp_request_check_status(request) == UCS_INPROGRESS &&
           mpi_errno == MPI_SUCCESS) {
        mpi_errno = MPIDI_NM_progress(0, 0);
        MPIR_Yield_idle();
    }
    if (UCS_PTR_IS_PTR(request))
        ucp_request_free(request);
    return mpi_errno;
}

/* What fails here is tried again. */
static int meet_peers(void)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;

    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(0).lock);
    for (int rank = 0; rank < MPIR_Process.size; rank++) {
        if (is_to_meet(rank))
            (void) MPIDI_UCX_peer_connect(&MPIDIU_get_av(0, rank), 0, 0);
    }
    mpi_errno = flush(MPIDI_UCX_global.ctx[0].worker);
    if (MPIDI_UCX_peers_met)
        MPIDI_UCX_peers_met();
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(0).lock);
    if (mpi_errno == MPI_SUCCESS && is_whole_world_met())
        mpi_errno = MPIR_Barrier_intra_dissemination(MPIR_Process.comm_world, &errflag);
    return mpi_errno;
}

void MPIDI_UCX_peers_close(ucp_ep_h ep)
{
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                 .flags = UCP_EP_CLOSE_FLAG_FORCE};
    void *request = ucp_ep_close_nbx(ep, &param);

    if (UCS_PTR_IS_PTR(request))
        ucp_request_free(request);
    for (int i = 0; i < peers.count; i++) {
        if (peers.eps[i] == ep)
            peers.eps[i] = peers.eps[--peers.count];
    }
}

static void forget_of_world(int rank)
{
    MPIDI_UCX_addr_t *addr = &MPIDI_UCX_AV(&MPIDIU_get_av(0, rank));
    const int n = MPIDI_UCX_global.num_vnis;

    for (int i = 0; i < n * n && !peers.are_closing; i++) {
        ucp_ep_h *ep = &addr->dest[i / n][i % n];

        if (*ep)
            MPIDI_UCX_peers_close(*ep);
        *ep = NULL;
    }
}

static void forget(uint32_t index)
{
    if (MPIDIU_index_is_in_world(index))
        forget_of_world((int) index);
    else
        MPIDI_UCX_worlds_forget(index);
    MPIDI_UCX_win_lose_process(index);
}

/* Those that MPI_Init made. */
static int add_all(void)
{
    int mpi_errno = MPI_SUCCESS;
    int n = MPIDI_UCX_global.num_vnis;

    for (int r = 0; r < MPIR_Process.size && mpi_errno == MPI_SUCCESS; r++) {
        for (int i = 0; i < n * n && mpi_errno == MPI_SUCCESS; i++)
            mpi_errno = add_endpoint(MPIDI_UCX_AV(&MPIDIU_get_av(0, r)).dest[i / n][i % n]);
    }
    return mpi_errno;
}

/* An endpoint is closed with a flush, which may need the other side's progress, and that side
 * ours. */
static int close_endpoints(void (*progress)(void))
{
    int mpi_errno = MPI_SUCCESS;
    void **pending = (void **) peers.eps;
    int n = 0;

    for (int i = 0; i < peers.count; i++) {
        void *request = ucp_disconnect_nb(peers.eps[i]);

        if (UCS_PTR_IS_PTR(request))
            pending[n++] = request; /* n <= i: endpoints before i are closed */
        if (!MPIR_Deaths_watched)
            MPIDI_UCX_CHK_REQUEST(request);
    }
    while (n > 0) {
        if (ucp_request_is_completed(pending[n - 1]))
            ucp_request_release(pending[--n]);
        else
            progress();
    }

fn_exit:
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

int MPIDI_UCX_peers_disconnect(void (*progress)(void))
{
    int mpi_errno = MPI_SUCCESS;

    if (!MPIDI_UCX_peers_are_lazy()) {
        mpi_errno = add_all();
        MPIR_ERR_CHKRETURN(mpi_errno);
    }
    peers.are_closing = true;
    mpi_errno = close_endpoints(progress);
    MPIR_ERR_CHKRETURN(mpi_errno);
    mpi_errno = MPIDI_Cards_free();
    MPIR_ERR_CHKRETURN(mpi_errno);
    free_spares();
    MPL_free(peers.eps);
    memset(&peers, 0, sizeof(peers));

    return mpi_errno;
}
