/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "ucx_impl.h"
#include "ucx_gaps.h"
#include "ucx_lanes.h"
#include "ucx_peers.h"
#include "mpir_arena.h"
#include "mpir_deaths.h"
#include "deaths.h"
#include "mpir_nodes.h"
#include "mpir_tvars.h"

enum {
    FEW = 2,    /* short messages before a fence */
    MANY = 64,  /* most such, and messages by lines for which a lane is worth opening */
    RECENT = 16 /* lanes in the cache */
};

/* A message that waits, or whose data are lent. */
typedef struct waiting {
    struct waiting *next;
    MPIDI_UCX_parcel_t parcel;
    MPIR_Request *req; /* NULL: a loan is returned */
    void *packed;      /* what is lent, if its data have gaps; what parcel.head is in */
    uint64_t number;   /* of the loan */
} waiting_t;

/* What a lender is told. */
typedef struct {
    waiting_t waiting;
    return_t back;
} told_t;

/* A message of a lender. */
typedef struct {
    told_t told; /* its return */
    MPIDI_UCX_taken_t taken;
    MPIDI_UCX_lane_t *lane; /* to the lender */
    char room[];            /* of `taken` */
} borrowed_t;

struct MPIDI_UCX_lane {
    lines_sender_t sender; /* its box is NULL before the receiver has made it */
    MPIDI_av_entry_t *av;
    const uint64_t *notice; /* the receiver's word */
    const uint32_t *answer; /* the receiver's, to fences */
    waiting_t *first, **end;
    waiting_t *lent, **lent_end; /* most come back in their order */
    const uint32_t *may_lend;    /* the receiver's answer; NULL: it was not asked */
    MPIDI_UCX_lane_t *next;
    bool open;
    bool is_fresh;        /* no message has gone by UCX */
    bool is_fence_due;    /* progress sends it */
    bool is_fenced;       /* no message has followed the last fence */
    bool is_fence_unsent; /* UCX still has it */
    uint32_t fence[2];    /* the sender, and the number: what is sent */
    unsigned shorts;      /* short messages by UCX since the lane was closed */
    unsigned wanted;      /* so many for a fence */
    unsigned by_lines;    /* messages since the lane was opened */
};

static struct {
    size_t most; /* bytes of a message */
    uint64_t *notices;
    bool (*progress)(void);
    uint64_t loans; /* that this process has made */
    MPIDI_UCX_lane_t *first;
    MPIDI_UCX_lane_t **of_process; /* by local rank */
    struct {
        const MPIDI_av_entry_t *av;
        MPIDI_UCX_lane_t *lane;
    } recent[RECENT];
} lanes;

static unsigned long long sent_by_lines, sent_by_loans;

/* ---- lanes ---- */

static MPIDI_UCX_lane_t *make_lane(int local_rank, MPIDI_av_entry_t *av)
{
    MPIDI_UCX_lane_t *lane;

    if (!lanes.of_process)
        lanes.of_process =
            MPL_calloc(MPIR_Process.local_size, sizeof(*lanes.of_process), MPL_MEM_ADDRESS);
    if (!lanes.of_process)
        return NULL;
    if (lanes.of_process[local_rank])
        return lanes.of_process[local_rank];
    lane = MPL_calloc(1, sizeof(*lane), MPL_MEM_ADDRESS);
    if (!lane)
        return NULL;
    lane->av = av;
    lane->notice = &lanes.notices[local_rank];
    lane->end = &lane->first;
    lane->lent_end = &lane->lent;
    lane->wanted = FEW;
    lane->is_fresh = true;
    lane->fence[0] = (uint32_t) MPIR_Process.local_rank;
    lane->next = lanes.first;
    lanes.first = lane;
    lanes.of_process[local_rank] = lane;
    return lane;
}

/* NULL: to a process beyond the node, or to this one. */
static MPIDI_UCX_lane_t *look_up(MPIDI_av_entry_t *av)
{
    ptrdiff_t rank = av - MPIDI_global.avt_mgr.av_table0->table;
    int local_rank;

    if (rank < 0 || rank >= MPIR_Process.size || rank == MPIR_Process.rank)
        return NULL;
    local_rank = MPIR_World_local_rank((int) rank);
    return local_rank < 0 ? NULL : make_lane(local_rank, av);
}

static inline MPIDI_UCX_lane_t *lane_to(MPIDI_av_entry_t *av)
{
    size_t i = (uintptr_t) av / sizeof(*av) % RECENT;

    if (unlikely(lanes.recent[i].av != av)) {
        lanes.recent[i].lane = look_up(av);
        lanes.recent[i].av = av;
    }
    return lanes.recent[i].lane;
}

/* Some bytes and more of them.  REQUIRES all are at most MPIDI_UCX_LINE_MOST.  False: the box is
 * full. */
static bool put_both(MPIDI_UCX_lane_t *lane, const void *data, size_t bytes, const void *more,
                     size_t more_bytes, uint64_t word)
{
    lines_letter_t letter;

    if (!MPIR_lines_begin(&lane->sender, bytes + more_bytes, &letter))
        return false;
    memcpy(letter.data, data, bytes);
    if (more_bytes > 0)
        memcpy((char *) letter.data + bytes, more, more_bytes);
    MPIR_lines_send(&lane->sender, &letter, bytes + more_bytes, word);
    return true;
}

static bool put_words(MPIDI_UCX_lane_t *lane, const void *data, size_t bytes, uint64_t word)
{
    return put_both(lane, data, bytes, NULL, 0, word);
}

/* Where processes may die.  The receiver tries whether the kernel lets it read this process. */
static void ask_whether_to_lend(MPIDI_UCX_lane_t *lane)
{
    const wish_t wish = {MPIR_reach_self(), (uint32_t) MPIR_Process.local_rank};

    if (put_words(lane, &wish, sizeof(wish), WISH))
        lane->may_lend = MPIDI_UCX_box_lenders(lane->sender.box) + MPIR_Process.local_rank;
}

/* The receiver makes the box when it sees the wish.  A first message may be the only one. */
static void ask_for_box(MPIDI_UCX_lane_t *lane)
{
    uint64_t block = NO_BOX;

    if (lane->shorts > 0 && __atomic_load_n(lane->notice, __ATOMIC_RELAXED) == NO_BOX)
        __atomic_compare_exchange_n((uint64_t *) lane->notice, &block, WANTED, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    /* acquire: zeros of the box */
    block = __atomic_load_n(lane->notice, __ATOMIC_ACQUIRE);
    if (block > NEVER && MPIR_Aggr_arena()) {
        lane->sender.box = MPIR_aggr_arena_at(MPIR_Aggr_arena(), block);
        lane->answer = MPIDI_UCX_box_answers(lane->sender.box) + MPIR_Process.local_rank;
        if (MPIR_Deaths_watched) {
            lane->sender.claim = MPIDI_UCX_box_claims(lane->sender.box) + MPIR_Process.local_rank;
            ask_whether_to_lend(lane);
        }
    }
}

/* ---- fences ---- */

static void fence_has_left(void *request, ucs_status_t status MPL_UNUSED, void *lane)
{
    ((MPIDI_UCX_lane_t *) lane)->is_fence_unsent = false;
    ucp_request_release(request);
}

/* A fence that fails is never answered, and the lane stays closed.  Who has died, and who could not
 * be reached, has no endpoint. */
static void send_fence(MPIDI_UCX_lane_t *lane)
{
    const ucp_request_param_t param = {.op_attr_mask =
                                           UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                       .cb.send = fence_has_left,
                                       .user_data = lane};
    void *request;

    if (lane->is_fence_unsent || !MPIDI_UCX_AV(lane->av).dest[0][0])
        return;
    lane->fence[1]++;
    request = ucp_am_send_nbx(MPIDI_UCX_AV(lane->av).dest[0][0], FENCE_ID, NULL, 0, lane->fence,
                              sizeof(lane->fence), &param);
    lane->is_fence_unsent = UCS_PTR_IS_PTR(request);
    lane->is_fenced = !UCS_PTR_IS_ERR(request);
}

static void set_fence_due(MPIDI_UCX_lane_t *lane, bool due)
{
    MPIDI_UCX_lines.waiting += (unsigned) due - (unsigned) lane->is_fence_due;
    lane->is_fence_due = due;
    lane->shorts = 0;
}

static void open_if_answered(MPIDI_UCX_lane_t *lane)
{
    /* acquire: what the receiver has matched */
    if (!lane->is_fresh &&
        (!lane->is_fenced || __atomic_load_n(lane->answer, __ATOMIC_ACQUIRE) != lane->fence[1]))
        return;
    lane->open = true;
    lane->is_fenced = false;
    lane->by_lines = 0;
}

/* It was opened, or was to be opened, in vain. */
static void want_more(MPIDI_UCX_lane_t *lane)
{
    lane->wanted = MPL_MIN(MPL_MAX(2 * lane->wanted, FEW), MANY);
}

static void close_lane(MPIDI_UCX_lane_t *lane)
{
    if (lane->by_lines < MANY)
        want_more(lane);
    else
        lane->wanted = 0;
    lane->open = false;
    lane->shorts = 0;
}

/* ---- sending ---- */

static inline bool is_for_lines(const MPIDI_UCX_parcel_t *parcel)
{
    return parcel->bytes <= lanes.most && !parcel->is_sync;
}

static inline bool could_go_by_line(const MPIDI_UCX_parcel_t *parcel)
{
    return parcel->bytes <= MPIDI_UCX_LINE_MOST && !parcel->is_sync;
}

/* REQUIRES the lane is open.  False: the box is full. */
static inline bool put_into_box(MPIDI_UCX_lane_t *lane, const MPIDI_UCX_parcel_t *parcel)
{
    lines_letter_t letter;
    MPI_Aint packed;

    if (unlikely(!MPIR_lines_begin(&lane->sender, parcel->bytes, &letter)))
        return false;
    if (likely(!parcel->has_gaps))
        memcpy(letter.data, parcel->data, parcel->bytes);
    else
        MPIR_Typerep_pack(parcel->buf, parcel->count, parcel->datatype, 0, letter.data,
                          (MPI_Aint) parcel->bytes, &packed);
    MPIR_lines_send(&lane->sender, &letter, parcel->bytes, parcel->tag);
    lane->by_lines++;
    sent_by_lines++;
    return true;
}

/* Do its data stay where they are until the receiver has them? */
static bool is_for_loan(MPIDI_UCX_lane_t *lane, const MPIDI_UCX_parcel_t *parcel)
{
    return lane->open && lane->may_lend && !is_for_lines(parcel) &&
           parcel->am != MPIDI_UCX_SHORT_AM &&
           __atomic_load_n(lane->may_lend, __ATOMIC_RELAXED) == LENDS;
}

/* Where the next message of a lane may go now, if none waits before it.  What UCX would send at
 * once does not wait for the lines before it: it joins them. */
static enum MPIDI_UCX_way find_way(MPIDI_UCX_lane_t *lane, const MPIDI_UCX_parcel_t *parcel)
{
    bool by_line = is_for_lines(parcel);

    if (!lane->open) {
        if (!lane->sender.box)
            ask_for_box(lane);
        if (lane->sender.box)
            open_if_answered(lane);
        if (!lane->open)
            return MPIDI_UCX_BY_UCX;
    }
    if (is_for_loan(lane, parcel))
        return MPIDI_UCX_WAITS;
    if (!by_line && lane->by_lines > 0 && !MPIR_lines_are_taken(&lane->sender)) {
        by_line = could_go_by_line(parcel);
        if (!by_line)
            return MPIDI_UCX_WAITS;
    }
    if (by_line)
        return put_into_box(lane, parcel) ? MPIDI_UCX_BY_LINE : MPIDI_UCX_WAITS;
    close_lane(lane);
    return MPIDI_UCX_BY_UCX;
}

void MPIDI_UCX_lines_sent(MPIDI_UCX_lane_t *lane, const MPIDI_UCX_parcel_t *parcel)
{
    if (lane->is_fenced)
        want_more(lane);
    lane->is_fenced = lane->is_fresh = false;
    lane->shorts += is_for_lines(parcel);
    if (lane->sender.box && !lane->is_fence_due && lane->shorts >= lane->wanted)
        set_fence_due(lane, true);
}

static void enqueue(MPIDI_UCX_lane_t *lane, waiting_t *waiting)
{
    waiting->next = NULL;
    *lane->end = waiting;
    lane->end = &waiting->next;
    MPIDI_UCX_lines.waiting++;
}

/* False: no memory. */
static bool wait_in_lane(MPIDI_UCX_lane_t *lane, const MPIDI_UCX_parcel_t *parcel,
                         MPIR_Request **request)
{
    waiting_t *waiting = MPL_malloc(sizeof(*waiting), MPL_MEM_BUFFER);
    MPIR_Request *req = *request;

    if (waiting && req)
        MPIR_Request_add_ref(req);
    else if (waiting)
        req = MPIR_Request_create_from_pool(MPIR_REQUEST_KIND__SEND, 0, 2);
    if (!waiting || !req) {
        MPL_free(waiting);
        return false;
    }
    MPIDI_UCX_REQ(req).ucp_request = NULL;
    MPIR_Datatype_add_ref_if_not_builtin(parcel->datatype);
    *waiting = (waiting_t){.parcel = *parcel, .req = req};
    enqueue(lane, waiting);
    *request = req;
    return true;
}

/* *at: where the lane's queue leads to a message. */
static waiting_t *take_out(MPIDI_UCX_lane_t *lane, waiting_t **at)
{
    waiting_t *waiting = *at;

    *at = waiting->next;
    if (!*at)
        lane->end = at;
    MPIDI_UCX_lines.waiting--;
    return waiting;
}

/* False: no memory, and the lane lends no more. */
static bool pack(MPIDI_UCX_lane_t *lane, waiting_t *waiting)
{
    MPIDI_UCX_parcel_t *parcel = &waiting->parcel;
    MPI_Aint packed;

    waiting->packed = MPL_malloc(parcel->bytes, MPL_MEM_BUFFER);
    if (!waiting->packed)
        lane->may_lend = NULL;
    else
        MPIR_Typerep_pack(parcel->buf, parcel->count, parcel->datatype, 0, waiting->packed,
                          (MPI_Aint) parcel->bytes, &packed);
    parcel->data = waiting->packed;
    return waiting->packed != NULL;
}

/* The first message of the queue.  False: not now. */
static bool lend_first(MPIDI_UCX_lane_t *lane)
{
    waiting_t *waiting = lane->first;
    const MPIDI_UCX_parcel_t *parcel = &waiting->parcel;
    MPIDI_UCX_loan_t loan = {.tag = parcel->tag,
                             .bytes = parcel->bytes,
                             .number = lanes.loans + 1,
                             .process = (int32_t) getpid(),
                             .rank = (uint32_t) MPIR_Process.rank,
                             .is_sync = parcel->is_sync};

    if (parcel->has_gaps && parcel->bytes > 0 && !waiting->packed && !pack(lane, waiting))
        return false;
    loan.address = (uintptr_t) parcel->data;
    if (!(parcel->am
              ? put_both(lane, &loan, sizeof(loan), parcel->head, parcel->head_bytes, LOAN_AM)
              : put_words(lane, &loan, sizeof(loan), LOAN)))
        return false;
    waiting->number = ++lanes.loans;
    take_out(lane, &lane->first);
    waiting->next = NULL;
    *lane->lent_end = waiting;
    lane->lent_end = &waiting->next;
    MPIDI_UCX_lines.lent++;
    lane->by_lines++;
    sent_by_loans++;
    return true;
}

static void send_loans(MPIDI_UCX_lane_t *lane)
{
    while (lane->first && is_for_loan(lane, &lane->first->parcel) && lend_first(lane)) {
    }
}

/* For who cannot wait in the lane, nor be lent. */
static enum MPIDI_UCX_way wait_here(MPIDI_UCX_lane_t *lane, const MPIDI_UCX_parcel_t *parcel)
{
    enum MPIDI_UCX_way way = MPIDI_UCX_WAITS;

    lane->may_lend = NULL;
    for (;;) {
        if (!lane->first)
            way = find_way(lane, parcel);
        if (way != MPIDI_UCX_WAITS)
            return way;
        lanes.progress();
        ucp_worker_progress(MPIDI_UCX_global.ctx[0].worker);
        (void) MPIDI_deferred_poll(0);
        MPIR_Yield_idle_in_vci();
    }
}

enum MPIDI_UCX_way MPIDI_UCX_lines_send(MPIDI_av_entry_t *av, const MPIDI_UCX_parcel_t *parcel,
                                        MPIDI_UCX_lane_t **out, MPIR_Request **request)
{
    MPIDI_UCX_lane_t *lane = *out = lane_to(av);
    enum MPIDI_UCX_way way = MPIDI_UCX_WAITS;

    if (!lane)
        return MPIDI_UCX_BY_UCX;
    if (likely(lane->open && is_for_lines(parcel) && !lane->first && put_into_box(lane, parcel)))
        return MPIDI_UCX_BY_LINE;
    if (!lane->first)
        way = find_way(lane, parcel);
    if (way != MPIDI_UCX_WAITS)
        return way;
    if (!wait_in_lane(lane, parcel, request))
        return wait_here(lane, parcel);
    send_loans(lane);
    return way;
}

void MPIDI_UCX_lanes_make_way(MPIDI_av_entry_t *av)
{
    const MPIDI_UCX_parcel_t by_ucx = {.is_sync = true};
    MPIDI_UCX_lane_t *lane = lane_to(av);

    if (!lane)
        return;
    (void) wait_here(lane, &by_ucx);
    MPIDI_UCX_lines_sent(lane, &by_ucx);
}

bool MPIDI_UCX_lanes_send_long(MPIDI_av_entry_t *av, const MPIDI_UCX_parcel_t *parcel,
                               MPIR_Request *sreq, void *buffer)
{
    MPIDI_UCX_lane_t *lane = lane_to(av);
    enum MPIDI_UCX_way way = MPIDI_UCX_WAITS;
    waiting_t *waiting = NULL;

    if (!lane)
        return false;
    if (!lane->first)
        way = find_way(lane, parcel);
    if (way == MPIDI_UCX_WAITS) {
        waiting = MPL_malloc(sizeof(*waiting), MPL_MEM_BUFFER);
        if (!waiting)
            way = wait_here(lane, parcel);
    }
    if (way == MPIDI_UCX_BY_UCX) {
        MPIDI_UCX_lines_sent(lane, parcel);
        return false;
    }
    *waiting = (waiting_t){.parcel = *parcel, .req = sreq, .packed = buffer};
    enqueue(lane, waiting);
    send_loans(lane);
    return true;
}

/* ---- what waits ---- */

/* NULL: it is no message of the program. */
static void complete(MPIR_Request *req, ucs_status_t status)
{
    if (!req)
        return;
    if (status == UCS_ERR_CANCELED) {
        MPIR_STATUS_SET_CANCEL_BIT(req->status, TRUE);
    } else if (status == UCS_ERR_NO_MEMORY) {
        req->status.MPI_ERROR = MPI_ERR_NO_MEM;
    } else if (status != UCS_OK && MPIR_Deaths_watched) {
        MPIDIG_deaths_end_with_error(req);
    } else if (status != UCS_OK) {
        req->status.MPI_ERROR = MPI_ERR_OTHER;
    }
    MPIDIU_request_complete(req);
}

/* What waits, or is lent. */
static void finish(waiting_t *waiting, ucs_status_t status)
{
    int mpi_errno;

    if (waiting->parcel.am != MPIDI_UCX_LONG_AM) {
        complete(waiting->req, status);
        return;
    }
    mpi_errno = MPIDIG_global.origin_cbs[waiting->parcel.handler](waiting->req);
    if (mpi_errno)
        MPIDI_UCX_handler_errno = mpi_errno;
}

static void has_left(void *request, ucs_status_t status, void *req)
{
    MPIDI_UCX_gaps_sent(MPIDI_UCX_REQ((MPIR_Request *) req).packing);
    complete(req, status);
    ucp_request_release(request);
}

/* Without an endpoint the receiver has died. */
static void send_note_by_ucx(MPIDI_UCX_lane_t *lane, waiting_t *waiting)
{
    void *message = (void *) waiting->parcel.data;
    MPIDI_UCX_ucp_request_t *request;

    complete(waiting->req, UCS_OK);
    if (!MPIDI_UCX_AV(lane->av).dest[0][0] && MPIDI_UCX_peer_connect(lane->av, 0, 0))
        return;
    request =
        ucp_am_send_nb(MPIDI_UCX_AV(lane->av).dest[0][0], MPIDI_UCX_AM_HANDLER_ID, message,
                       waiting->parcel.bytes, ucp_dt_make_contig(1), MPIDI_UCX_am_send_callback, 0);
    if (!UCS_PTR_IS_PTR(request))
        return;
    request->buf = message;
    waiting->parcel.data = NULL;
}

/* The request owns the buffer, and ends. */
static void send_am_by_ucx(MPIDI_UCX_lane_t *lane, waiting_t *waiting)
{
    const MPIDI_UCX_parcel_t *parcel = &waiting->parcel;
    MPIDI_UCX_ucp_request_t *request = NULL;

    if (MPIDI_UCX_AV(lane->av).dest[0][0] || !MPIDI_UCX_peer_connect(lane->av, 0, 0))
        request = MPIDI_UCX_am_send_long(MPIDI_UCX_AV(lane->av).dest[0][0], parcel->head,
                                         parcel->head_bytes, parcel->data, parcel->bytes,
                                         MPIDI_UCX_am_send_long_callback);
    if (!UCS_PTR_IS_PTR(request)) {
        finish(waiting, UCS_OK);
        return;
    }
    waiting->req->dev.ch4.am.netmod_am.ucx.pack_buffer = waiting->packed;
    waiting->req->dev.ch4.am.netmod_am.ucx.handler_id = parcel->handler;
    waiting->packed = NULL;
    request->req = waiting->req;
    ucp_request_release(request);
}

static void return_has_left(void *request, ucs_status_t status MPL_UNUSED, void *borrowed)
{
    MPL_free(borrowed);
    ucp_request_release(request);
}

static void return_by_ucx(MPIDI_UCX_lane_t *lane, waiting_t *waiting)
{
    const ucp_request_param_t param = {.op_attr_mask =
                                           UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                       .cb.send = return_has_left,
                                       .user_data = waiting};
    void *request = NULL;

    if (MPIDI_UCX_AV(lane->av).dest[0][0] || !MPIDI_UCX_peer_connect(lane->av, 0, 0))
        request = ucp_am_send_nbx(MPIDI_UCX_AV(lane->av).dest[0][0], RETURN_ID, NULL, 0,
                                  waiting->parcel.data, waiting->parcel.bytes, &param);
    if (!UCS_PTR_IS_PTR(request))
        MPL_free(waiting);
}

static void send_message_by_ucx(MPIDI_UCX_lane_t *lane, waiting_t *waiting)
{
    const MPIDI_UCX_parcel_t *parcel = &waiting->parcel;
    ucp_request_param_t param = {.op_attr_mask =
                                     UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                 .cb.send = has_left,
                                 .user_data = waiting->req};
    ucp_ep_h ep = MPIDI_UCX_AV(lane->av).dest[0][0];
    struct MPIDI_UCX_gaps *packing = NULL;
    const void *buffer = parcel->data;
    size_t count = parcel->bytes;
    void *request;

    if (parcel->has_gaps) {
        MPIR_Datatype *datatype;

        MPIR_Datatype_get_ptr(parcel->datatype, datatype);
        buffer = packing = MPIDI_UCX_gaps_of_send(parcel->buf, parcel->count, datatype);
        count = parcel->count;
        param.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
        param.datatype = datatype->dev.netmod.ucx.ucp_datatype;
        if (!buffer) {
            complete(waiting->req, UCS_ERR_NO_MEMORY);
            return;
        }
    }
    request = parcel->is_sync ? ucp_tag_send_sync_nbx(ep, buffer, count, parcel->tag, &param)
                              : ucp_tag_send_nbx(ep, buffer, count, parcel->tag, &param);
    if (UCS_PTR_IS_PTR(request)) {
        MPIDI_UCX_REQ(waiting->req).ucp_request = request;
        MPIDI_UCX_REQ(waiting->req).packing = packing;
    } else {
        MPIDI_UCX_gaps_sent(packing);
        complete(waiting->req, UCS_PTR_STATUS(request));
    }
}

static void forget(waiting_t *waiting)
{
    if (waiting->parcel.am == MPIDI_UCX_SHORT_AM)
        MPL_free((void *) waiting->parcel.data);
    MPIR_Datatype_release_if_not_builtin(waiting->parcel.datatype);
    MPL_free(waiting->packed);
    MPL_free(waiting);
}

/* *at: where the lane's list leads to it. */
static void end_loan(MPIDI_UCX_lane_t *lane, waiting_t **at, ucs_status_t status)
{
    waiting_t *waiting = *at;

    *at = waiting->next;
    if (!*at)
        lane->lent_end = at;
    MPIDI_UCX_lines.lent--;
    finish(waiting, status);
    forget(waiting);
}

static void send_waiting(MPIDI_UCX_lane_t *lane)
{
    static void (*const send_by_ucx[])(MPIDI_UCX_lane_t *, waiting_t *) = {
        [MPIDI_UCX_NO_AM] = send_message_by_ucx,
        [MPIDI_UCX_SHORT_AM] = send_note_by_ucx,
        [MPIDI_UCX_LONG_AM] = send_am_by_ucx,
    };

    for (send_loans(lane); lane->first; send_loans(lane)) {
        enum MPIDI_UCX_way way = find_way(lane, &lane->first->parcel);
        waiting_t *waiting;

        if (way == MPIDI_UCX_WAITS)
            return;
        waiting = take_out(lane, &lane->first);
        if (way == MPIDI_UCX_BY_UCX && !waiting->req) {
            return_by_ucx(lane, waiting);
            continue;
        }
        if (way == MPIDI_UCX_BY_UCX) {
            send_by_ucx[waiting->parcel.am](lane, waiting);
            MPIDI_UCX_lines_sent(lane, &waiting->parcel);
        } else {
            complete(waiting->req, UCS_OK);
        }
        forget(waiting);
    }
}

void MPIDI_UCX_lines_cancel(MPIR_Request *request)
{
    for (MPIDI_UCX_lane_t *lane = lanes.first; lane; lane = lane->next) {
        waiting_t **at = &lane->first;

        while (*at && (*at)->req != request)
            at = &(*at)->next;
        if (*at) {
            forget(take_out(lane, at));
            complete(request, UCS_ERR_CANCELED);
            return;
        }
    }
}

/* ---- loans of others ---- */

static void data_have_left(void *request, ucs_status_t status MPL_UNUSED,
                           void *user_data MPL_UNUSED)
{
    ucp_request_release(request);
}

/* The kernel refuses them to the receiver.  The loan goes on. */
static void send_data(MPIDI_UCX_lane_t *lane, const waiting_t *lent, uint64_t tag)
{
    const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK,
                                       .cb.send = data_have_left};

    if (MPIDI_UCX_AV(lane->av).dest[0][0] || !MPIDI_UCX_peer_connect(lane->av, 0, 0))
        (void) ucp_tag_send_nbx(MPIDI_UCX_AV(lane->av).dest[0][0], lent->parcel.data,
                                lent->parcel.bytes, tag, &param);
}

/* After a death the loan is not there any more. */
void MPIDI_UCX_lanes_returned(const void *data)
{
    return_t back;
    MPIDI_UCX_lane_t *lane;
    waiting_t **at;

    memcpy(&back, data, sizeof(back));
    lane = lane_to(&MPIDI_global.avt_mgr.av_table0->table[back.rank]);
    at = lane ? &lane->lent : NULL;
    while (at && *at && (*at)->number != back.number)
        at = &(*at)->next;
    if (!at || !*at)
        return;
    if (back.fetch_tag)
        send_data(lane, *at, back.fetch_tag);
    else
        end_loan(lane, at, UCS_OK);
}

static borrowed_t *borrowed_of(MPIDI_UCX_taken_t *taken)
{
    return (borrowed_t *) ((char *) taken - offsetof(borrowed_t, taken));
}

static void write_told(told_t *told, const borrowed_t *borrowed, uint64_t fetch_tag)
{
    told->back = (return_t){borrowed->taken.loan.number, fetch_tag, (uint32_t) MPIR_Process.rank};
    told->waiting = (waiting_t){
        .parcel = {
            .data = &told->back, .bytes = sizeof(told->back), .tag = RETURN, .datatype = MPI_BYTE}};
}

/* Perhaps in a callback of UCX. */
static void return_loan(MPIDI_UCX_taken_t *taken)
{
    borrowed_t *borrowed = borrowed_of(taken);
    MPIDI_UCX_lane_t *lane = borrowed->lane;
    told_t *told = &borrowed->told;

    write_told(told, borrowed, 0);
    if (MPIR_Deaths_has(taken->loan.rank) ||
        (lane->open && !lane->first && put_words(lane, &told->back, sizeof(told->back), RETURN)))
        MPL_free(borrowed);
    else
        enqueue(lane, &told->waiting);
}

/* By UCX, for the lender's box may be held up likewise. */
static bool ask_for_data(MPIDI_UCX_taken_t *taken, uint64_t tag)
{
    borrowed_t *borrowed = borrowed_of(taken);
    told_t *told = MPL_malloc(sizeof(*told), MPL_MEM_BUFFER);

    if (!told)
        return false;
    write_told(told, borrowed, tag);
    return_by_ucx(borrowed->lane, &told->waiting);
    return true;
}

MPIDI_UCX_taken_t *MPIDI_UCX_lanes_borrow(const void *data, uint32_t *lenders)
{
    MPIDI_UCX_loan_t loan;
    borrowed_t *borrowed;

    memcpy(&loan, data, sizeof(loan));
    borrowed = MPL_malloc(sizeof(*borrowed) + MPIDI_UCX_loan_room(&loan), MPL_MEM_BUFFER);
    if (!borrowed)
        return NULL;
    borrowed->taken =
        (MPIDI_UCX_taken_t){.loan = loan,
                            .returns = return_loan,
                            .asks = ask_for_data,
                            .may_lend = lenders + MPIR_World_local_rank((int) loan.rank),
                            .room = borrowed->room};
    borrowed->lane = lane_to(&MPIDI_global.avt_mgr.av_table0->table[loan.rank]);
    if (borrowed->lane)
        return &borrowed->taken;
    MPL_free(borrowed);
    return NULL;
}

/* ---- all lanes ---- */

void MPIDI_UCX_lanes_send(void)
{
    for (MPIDI_UCX_lane_t *lane = lanes.first; lane; lane = lane->next) {
        send_waiting(lane);
        if (lane->is_fence_due) {
            set_fence_due(lane, false);
            send_fence(lane);
        }
    }
}

void MPIDI_UCX_lanes_end(int local_rank)
{
    MPIDI_UCX_lane_t *lane = lanes.of_process ? lanes.of_process[local_rank] : NULL;

    if (!lane)
        return;
    while (lane->first) {
        waiting_t *waiting = take_out(lane, &lane->first);
        finish(waiting, UCS_ERR_CONNECTION_RESET);
        forget(waiting);
    }
    while (lane->lent)
        end_loan(lane, &lane->lent, UCS_ERR_CONNECTION_RESET);
    set_fence_due(lane, false);
    lane->open = lane->is_fenced = lane->is_fresh = false;
}

static void read_sent(void *address, void *obj_handle MPL_UNUSED, int count MPL_UNUSED,
                      void *buffer)
{
    *(unsigned long long *) buffer = *(unsigned long long *) address;
}

void MPIDI_UCX_lanes_init(uint64_t *notices, size_t most, bool (*progress)(void))
{
    lanes.notices = notices;
    lanes.most = most;
    lanes.progress = progress;
    MPIR_Pvar_register(MPI_T_PVAR_CLASS_COUNTER, "ucx_lines", &sent_by_lines, read_sent, "CH4_UCX",
                       "messages sent through cache lines that the processes of a node share");
    MPIR_Pvar_register(MPI_T_PVAR_CLASS_COUNTER, "ucx_loans", &sent_by_loans, read_sent, "CH4_UCX",
                       "messages that were lent to their receivers in a node");
}

/* If a process has failed there may be messages left. */
void MPIDI_UCX_lanes_free(void)
{
    while (lanes.first) {
        MPIDI_UCX_lane_t *lane = lanes.first;

        while (lane->first)
            forget(take_out(lane, &lane->first));
        while (lane->lent) {
            waiting_t *waiting = lane->lent;

            lane->lent = waiting->next;
            forget(waiting);
        }
        lanes.first = lane->next;
        MPL_free(lane);
    }
    MPIDI_UCX_lines.lent = 0;
    MPL_free(lanes.of_process);
    memset(&lanes, 0, sizeof(lanes));
}
