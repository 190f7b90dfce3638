/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "ucx_impl.h"
#include "ucx_lines.h"
#include "ucx_loans.h"
#include "ucx_peers.h"
#include "lines.h"
#include "reach.h"
#include "mpidu_init_shm.h"
#include "mpir_arena.h"
#include "mpir_arrivals.h"
#include "mpir_deaths.h"
#include "deaths.h"
#include "mpir_nodes.h"
#include "mpir_ticks.h"
#include "mpir_tvars.h"

/*
=== BEGIN_MPI_T_CVAR_INFO_BLOCK ===

cvars:
    - name        : MPIR_CVAR_CH4_UCX_LINE_BYTES
      category    : CH4_UCX
      type        : int
      default     : 4096
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_LOCAL
      description : >-
        Messages of at most so many bytes, 8,184 at most, go through shared cache lines inside a
        node. Longer ones, and with 0 all, go through UCX.

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

/* In the node's start-up segment, a word of each process. */
enum {
    NO_BOX = 0,
    WANTED = 1, /* somebody wants to send */
    NEVER = 2   /* larger numbers are the box's block in the arena */
};

enum {
    BYTES_MOST = 8184,     /* what UCX sends at once inside a node, and to this process */
    FEW = 2,               /* short messages before a fence */
    MANY = 64,             /* most such, and messages by lines for which a lane is worth opening */
    AT_A_TIME = 16,        /* lines that a call takes */
    UCX_EVERY = 8,         /* of so many calls that take lines UCX is called after one at least */
    RECENT = 16,           /* lanes in the cache */
    LENT_MOST = 128 << 10, /* bytes of a loan that UCX may match at once */
    FENCE_ID = 3,          /* UCX's number of the message */
    RETURN_ID = 4
};

/* Words of slots with something else than a message: no context has these numbers. */
#define NOTE (~UINT64_C(0))   /* an active message */
#define LOAN (~UINT64_C(1))   /* a long message: MPIDI_UCX_loan_t */
#define RETURN (~UINT64_C(2)) /* of a loan: return_t */
#define WISH (~UINT64_C(3))   /* to lend: wish_t */
#define LEAST_WORD WISH

/* In the receiver's box, a word for each sender: may it lend? */
enum { LENDS = 1, LENDS_NOT = 2 };

typedef struct {
    reach_process_t process;
    uint32_t local_rank;
} wish_t;

typedef struct {
    uint64_t number;
    uint32_t rank; /* who returns it */
} return_t;

/* A message that waits, or whose data are lent. */
typedef struct waiting {
    struct waiting *next;
    MPIDI_UCX_parcel_t parcel;
    MPIR_Request *req; /* NULL: a loan is returned */
    void *packed;      /* what is lent, if its data have gaps */
    uint64_t number;   /* of the loan */
} waiting_t;

/* A message of a lender. */
typedef struct {
    waiting_t waiting; /* for its return */
    MPIDI_UCX_taken_t taken;
    MPIDI_UCX_lane_t *lane; /* to the lender */
    return_t back;
} borrowed_t;

struct MPIDI_UCX_lane {
    lines_sender_t sender; /* its box is NULL before the receiver has made it */
    MPIDI_av_entry_t *av;
    const uint64_t *notice; /* the receiver's word */
    const uint32_t *answer; /* the receiver's, to fences */
    waiting_t *first, **end;
    waiting_t *lent;          /* in any order */
    const uint32_t *may_lend; /* the receiver's answer; NULL: it was not asked */
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

static const uint32_t nothing = 0;

struct MPIDI_UCX_lines MPIDI_UCX_lines = {.watched = &nothing, .awaited = 1};

static struct {
    size_t most; /* bytes of a message */
    lines_receiver_t receiver;
    uint64_t *notices;
    uint32_t *answers; /* of this process */
    uint32_t *claims;  /* of its senders */
    uint32_t *lenders; /* whether they may lend */
    uint64_t loans;    /* that this process has made */
    bool *dead;        /* by local rank; NULL: nobody has died */
    uint64_t suspect;  /* messages of the dead that will not come have lower tickets */
    ucp_ep_h self;
    unsigned taking;   /* calls of take_lines in each other */
    unsigned arrivals; /* in lines, since rests() has last let UCX look */
    MPIDI_UCX_lane_t *lanes;
    MPIDI_UCX_lane_t **of_process; /* by local rank */
    struct {
        const MPIDI_av_entry_t *av;
        MPIDI_UCX_lane_t *lane;
    } recent[RECENT];
} lines;

static unsigned long long sent_by_lines, sent_by_loans;

static size_t box_bytes(void)
{
    return sizeof(lines_box_t) + 3 * MPIR_Process.local_size * sizeof(uint32_t);
}

static uint32_t *answers_of(lines_box_t *box) { return (uint32_t *) (box + 1); }

static uint32_t *claims_of(lines_box_t *box) { return answers_of(box) + MPIR_Process.local_size; }

static uint32_t *lenders_of(lines_box_t *box) { return claims_of(box) + MPIR_Process.local_size; }

/* ---- lanes ---- */

static MPIDI_UCX_lane_t *make_lane(int local_rank, MPIDI_av_entry_t *av)
{
    MPIDI_UCX_lane_t *lane;

    if (!lines.of_process)
        lines.of_process =
            MPL_calloc(MPIR_Process.local_size, sizeof(*lines.of_process), MPL_MEM_ADDRESS);
    if (!lines.of_process)
        return NULL;
    if (lines.of_process[local_rank])
        return lines.of_process[local_rank];
    lane = MPL_calloc(1, sizeof(*lane), MPL_MEM_ADDRESS);
    if (!lane)
        return NULL;
    lane->av = av;
    lane->notice = &lines.notices[local_rank];
    lane->end = &lane->first;
    lane->wanted = FEW;
    lane->is_fresh = true;
    lane->fence[0] = (uint32_t) MPIR_Process.local_rank;
    lane->next = lines.lanes;
    lines.lanes = lane;
    lines.of_process[local_rank] = lane;
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

    if (unlikely(lines.recent[i].av != av)) {
        lines.recent[i].lane = look_up(av);
        lines.recent[i].av = av;
    }
    return lines.recent[i].lane;
}

/* REQUIRES bytes <= LINES_FIRST.  False: the box is full. */
static bool put_words(MPIDI_UCX_lane_t *lane, const void *data, size_t bytes, uint64_t word)
{
    lines_letter_t letter;

    if (!MPIR_lines_begin(&lane->sender, bytes, &letter))
        return false;
    memcpy(letter.data, data, bytes);
    MPIR_lines_send(&lane->sender, &letter, bytes, word);
    return true;
}

/* Where processes may die.  The receiver tries whether the kernel lets it read this process. */
static void ask_whether_to_lend(MPIDI_UCX_lane_t *lane)
{
    const wish_t wish = {MPIR_reach_self(), (uint32_t) MPIR_Process.local_rank};

    if (put_words(lane, &wish, sizeof(wish), WISH))
        lane->may_lend = lenders_of(lane->sender.box) + MPIR_Process.local_rank;
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
        lane->answer = answers_of(lane->sender.box) + MPIR_Process.local_rank;
        if (MPIR_Deaths_watched) {
            lane->sender.claim = claims_of(lane->sender.box) + MPIR_Process.local_rank;
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

/* All that was sent by UCX before it has been matched, or is kept for a receive. */
static ucs_status_t fence_arrives(void *unused MPL_UNUSED, const void *header MPL_UNUSED,
                                  size_t header_length MPL_UNUSED, void *data, size_t length,
                                  const ucp_am_recv_param_t *param MPL_UNUSED)
{
    uint32_t fence[2];

    if (length == sizeof(fence) && lines.answers) {
        memcpy(fence, data, sizeof(fence));
        if (fence[0] < (uint32_t) MPIR_Process.local_size)
            __atomic_store_n(&lines.answers[fence[0]], fence[1], __ATOMIC_RELEASE);
    }
    return UCS_OK;
}

/* A fence that fails is never answered, and the lane stays closed. */
static void send_fence(MPIDI_UCX_lane_t *lane)
{
    const ucp_request_param_t param = {.op_attr_mask =
                                           UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                       .cb.send = fence_has_left,
                                       .user_data = lane};
    void *request;

    if (lane->is_fence_unsent)
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
    return parcel->bytes <= lines.most && !parcel->is_sync;
}

static inline bool could_go_by_line(const MPIDI_UCX_parcel_t *parcel)
{
    return parcel->bytes <= BYTES_MOST && !parcel->is_sync;
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
    const MPIDI_UCX_parcel_t *parcel = &waiting->parcel;
    MPI_Aint packed;

    waiting->packed = MPL_malloc(parcel->bytes, MPL_MEM_BUFFER);
    if (!waiting->packed)
        lane->may_lend = NULL;
    else
        MPIR_Typerep_pack(parcel->buf, parcel->count, parcel->datatype, 0, waiting->packed,
                          (MPI_Aint) parcel->bytes, &packed);
    return waiting->packed != NULL;
}

/* The first message of the queue.  False: not now. */
static bool lend_first(MPIDI_UCX_lane_t *lane)
{
    waiting_t *waiting = lane->first;
    const MPIDI_UCX_parcel_t *parcel = &waiting->parcel;
    MPIDI_UCX_loan_t loan = {.tag = parcel->tag,
                             .bytes = parcel->bytes,
                             .number = lines.loans + 1,
                             .process = (int32_t) getpid(),
                             .rank = (uint32_t) MPIR_Process.rank,
                             .is_sync = parcel->is_sync};

    if (parcel->has_gaps && parcel->bytes > 0 && !waiting->packed && !pack(lane, waiting))
        return false;
    loan.address = (uintptr_t) (waiting->packed ? waiting->packed : parcel->data);
    if (!put_words(lane, &loan, sizeof(loan), LOAN))
        return false;
    waiting->number = ++lines.loans;
    take_out(lane, &lane->first);
    waiting->next = lane->lent;
    lane->lent = waiting;
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
    while (way == MPIDI_UCX_WAITS) {
        MPIDI_UCX_lines_progress();
        ucp_worker_progress(MPIDI_UCX_global.ctx[0].worker);
        (void) MPIDI_deferred_poll(0);
        MPIR_Yield_idle_in_vci();
        if (!lane->first)
            way = find_way(lane, parcel);
    }
    return way;
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

bool MPIDI_UCX_lines_send_note(MPIR_Comm *comm, int rank, int handler, const void *header,
                               size_t bytes)
{
    const MPIDI_UCX_am_header_t ucx_header = {.handler_id = (uint16_t) handler};
    MPIDI_UCX_parcel_t parcel = {
        .bytes = bytes + MPIDI_UCX_AM_BRIEF_SZ, .tag = NOTE, .datatype = MPI_BYTE, .is_note = true};
    char *message;
    MPIDI_UCX_lane_t *lane;
    MPIR_Request *req = NULL;
    enum MPIDI_UCX_way way;

    if (!MPIDI_UCX_lines.on)
        return false;
    message = MPL_malloc(parcel.bytes, MPL_MEM_BUFFER);
    if (!message)
        return false;
    memcpy(MPIDI_UCX_am_brief_pack(ucx_header, message), header, bytes);
    parcel.data = message;
    way = MPIDI_UCX_lines_send(MPIDIU_comm_rank_to_av(comm, rank), &parcel, &lane, &req);
    if (way == MPIDI_UCX_WAITS) {
        MPIR_Request_free(req);
        return true;
    }
    MPL_free(message);
    if (way == MPIDI_UCX_BY_UCX && lane)
        MPIDI_UCX_lines_sent(lane, &parcel);
    return way == MPIDI_UCX_BY_LINE;
}

/* ---- what waits ---- */

/* NULL: it is no message of the program. */
static void complete(MPIR_Request *req, ucs_status_t status)
{
    if (!req)
        return;
    if (status == UCS_ERR_CANCELED) {
        MPIR_STATUS_SET_CANCEL_BIT(req->status, TRUE);
    } else if (status != UCS_OK && MPIR_Deaths_watched) {
        MPIDIG_deaths_end_with_error(req);
    } else if (status != UCS_OK) {
        req->status.MPI_ERROR = MPI_ERR_OTHER;
    }
    MPIDIU_request_complete(req);
}

static void has_left(void *request, ucs_status_t status, void *req)
{
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

static void send_by_ucx(MPIDI_UCX_lane_t *lane, waiting_t *waiting)
{
    const MPIDI_UCX_parcel_t *parcel = &waiting->parcel;
    ucp_request_param_t param = {.op_attr_mask =
                                     UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                 .cb.send = has_left,
                                 .user_data = waiting->req};
    ucp_ep_h ep = MPIDI_UCX_AV(lane->av).dest[0][0];
    const void *buffer = parcel->data;
    size_t count = parcel->bytes;
    void *request;

    if (parcel->has_gaps) {
        MPIR_Datatype *datatype;

        MPIR_Datatype_get_ptr(parcel->datatype, datatype);
        buffer = parcel->buf;
        count = parcel->count;
        param.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
        param.datatype = datatype->dev.netmod.ucx.ucp_datatype;
        MPIR_Datatype_ptr_add_ref(datatype); /* UCX's end of packing gives it back */
    }
    request = parcel->is_sync ? ucp_tag_send_sync_nbx(ep, buffer, count, parcel->tag, &param)
                              : ucp_tag_send_nbx(ep, buffer, count, parcel->tag, &param);
    if (UCS_PTR_IS_PTR(request))
        MPIDI_UCX_REQ(waiting->req).ucp_request = request;
    else
        complete(waiting->req, UCS_PTR_STATUS(request));
}

static void forget(waiting_t *waiting)
{
    if (waiting->parcel.is_note)
        MPL_free((void *) waiting->parcel.data);
    MPIR_Datatype_release_if_not_builtin(waiting->parcel.datatype);
    MPL_free(waiting->packed);
    MPL_free(waiting);
}

/* *at: where the lane's list leads to it. */
static void end_loan(waiting_t **at, ucs_status_t status)
{
    waiting_t *waiting = *at;

    *at = waiting->next;
    MPIDI_UCX_lines.lent--;
    complete(waiting->req, status);
    forget(waiting);
}

static void send_waiting(MPIDI_UCX_lane_t *lane)
{
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
            (waiting->parcel.is_note ? send_note_by_ucx : send_by_ucx)(lane, waiting);
            MPIDI_UCX_lines_sent(lane, &waiting->parcel);
        } else {
            complete(waiting->req, UCS_OK);
        }
        forget(waiting);
    }
}

void MPIDI_UCX_lines_cancel(MPIR_Request *request)
{
    for (MPIDI_UCX_lane_t *lane = lines.lanes; lane; lane = lane->next) {
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

/* ---- receiving ---- */

static void watch_next(void)
{
    MPIDI_UCX_lines.watched = &MPIR_lines_next(&lines.receiver)->ticket;
    MPIDI_UCX_lines.awaited = (uint32_t) (MPIR_lines_ticket(lines.receiver.next) + 1);
}

/* 0: nothing in the box is suspect. */
static void set_suspect(uint64_t ticket)
{
    MPIDI_UCX_lines.waiting += (unsigned) (ticket > 0) - (unsigned) (lines.suspect > 0);
    lines.suspect = ticket;
}

static void stop_watching(void)
{
    MPIDI_UCX_lines.watched = &nothing;
    MPIDI_UCX_lines.awaited = 1;
}

/* Without the flag UCX 1.18 makes a rendezvous with this process from 2,313 bytes on. */
static const ucp_request_param_t to_self = {.op_attr_mask = UCP_OP_ATTR_FLAG_FAST_CMPL};

/* Waits for what UCX does with this process alone. */
static void finish(void *request)
{
    while (ucp_request_check_status(request) == UCS_INPROGRESS)
        ucp_worker_progress(MPIDI_UCX_global.ctx[0].worker);
    ucp_request_release(request);
}

static void note_received(void *request, ucs_status_t status MPL_UNUSED,
                          const ucp_tag_recv_info_t *info MPL_UNUSED, void *received)
{
    *(bool *) received = true;
    ucp_request_release(request);
}

/* Does UCX match a message to this process before the call returns?  It does so by its transport
 * `self`, which the user may have left out, up to its limit for rendezvous. */
static bool matches_at_once(size_t bytes)
{
    const uint64_t tag = NOTE;
    bool received = false, at_once;
    ucp_request_param_t receiving = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                                                     UCP_OP_ATTR_FIELD_USER_DATA |
                                                     UCP_OP_ATTR_FLAG_NO_IMM_CMPL,
                                     .cb.recv = note_received,
                                     .user_data = &received};
    char *buffer = MPL_calloc(2, bytes, MPL_MEM_BUFFER);
    void *request;

    if (!buffer)
        return false;
    request = ucp_tag_recv_nbx(MPIDI_UCX_global.ctx[0].worker, buffer, bytes, tag, ~UINT64_C(0),
                               &receiving);
    if (!UCS_PTR_IS_PTR(request)) {
        MPL_free(buffer);
        return false;
    }
    request = ucp_tag_send_nbx(lines.self, buffer + bytes, bytes, tag, &to_self);
    at_once = received && request == NULL;
    while (!received && !UCS_PTR_IS_ERR(request))
        ucp_worker_progress(MPIDI_UCX_global.ctx[0].worker);
    if (UCS_PTR_IS_PTR(request))
        finish(request);
    MPL_free(buffer);
    return at_once;
}

/* An endpoint of its own: those of the address vector are made when the program uses a peer. */
static bool connect_to_self(void)
{
    const ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
                                    .address = MPIDI_UCX_global.ctx[0].if_address};

    return ucp_ep_create(MPIDI_UCX_global.ctx[0].worker, &params, &lines.self) == UCS_OK;
}

static void disconnect_from_self(void)
{
    void *request = lines.self ? ucp_disconnect_nb(lines.self) : NULL;

    lines.self = NULL;
    if (UCS_PTR_IS_PTR(request))
        finish(request);
}

/* Half of the arena is left to collectives. */
static bool has_room(const aggr_arena_t *arena)
{
    aggr_arena_figures_t figures;

    MPIR_aggr_arena_figures(arena, &figures);
    return figures.used + box_bytes() <= figures.bytes / 2;
}

static void prepare_loans(void)
{
    size_t bytes = 2 * (BYTES_MOST + 8);

    while (bytes <= LENT_MOST && matches_at_once(bytes - 1))
        bytes *= 2;
    MPIDI_UCX_loans_init(bytes / 2 - 1, NOTE, lines.self);
}

static bool make_box(uint64_t *block)
{
    aggr_arena_t *arena = MPIR_Aggr_arena();

    if (!arena || !has_room(arena) || !connect_to_self() || !matches_at_once(BYTES_MOST))
        return false;
    if (MPIR_Deaths_watched)
        prepare_loans();
    *block = MPIR_aggr_arena_reserve(arena, box_bytes());
    if (*block <= NEVER)
        return false;
    lines.receiver = (lines_receiver_t){.box = MPIR_aggr_arena_at(arena, *block)};
    lines.answers = answers_of(lines.receiver.box);
    lines.claims = claims_of(lines.receiver.box);
    lines.lenders = lenders_of(lines.receiver.box);
    return true;
}

static void answer_wish(void)
{
    uint64_t block;

    stop_watching();
    if (make_box(&block))
        watch_next();
    else
        block = NEVER;
    /* release: the zeros */
    __atomic_store_n(&lines.notices[MPIR_Process.local_rank], block, __ATOMIC_RELEASE);
}

/* Before anybody wishes for it. */
static void offer_box(void)
{
    if (!lines.receiver.box &&
        __atomic_load_n(&lines.notices[MPIR_Process.local_rank], __ATOMIC_RELAXED) != NEVER)
        answer_wish();
}

static void keep_note(const lines_slot_t *slot)
{
    MPIDI_UCX_peers_keep_message(MPIR_lines_data(&lines.receiver, slot), slot->length);
    MPIR_lines_pass(&lines.receiver, slot);
}

/* After a death the loan is not there any more. */
static void loan_has_returned(const void *data)
{
    return_t back;
    MPIDI_UCX_lane_t *lane;
    waiting_t **at;

    memcpy(&back, data, sizeof(back));
    lane = lane_to(&MPIDI_global.avt_mgr.av_table0->table[back.rank]);
    at = lane ? &lane->lent : NULL;
    while (at && *at && (*at)->number != back.number)
        at = &(*at)->next;
    if (at && *at)
        end_loan(at, UCS_OK);
}

static ucs_status_t return_arrives(void *unused MPL_UNUSED, const void *header MPL_UNUSED,
                                   size_t header_length MPL_UNUSED, void *data, size_t length,
                                   const ucp_am_recv_param_t *param MPL_UNUSED)
{
    if (length == sizeof(return_t))
        loan_has_returned(data);
    return UCS_OK;
}

/* Perhaps in a callback of UCX. */
static void return_loan(MPIDI_UCX_taken_t *taken)
{
    borrowed_t *borrowed = (borrowed_t *) ((char *) taken - offsetof(borrowed_t, taken));
    MPIDI_UCX_lane_t *lane = borrowed->lane;

    borrowed->back = (return_t){taken->loan.number, (uint32_t) MPIR_Process.rank};
    borrowed->waiting = (waiting_t){.parcel = {.data = &borrowed->back,
                                               .bytes = sizeof(borrowed->back),
                                               .tag = RETURN,
                                               .datatype = MPI_BYTE}};
    if (MPIR_Deaths_has(taken->loan.rank) ||
        (lane->open && !lane->first &&
         put_words(lane, &borrowed->back, sizeof(borrowed->back), RETURN)))
        MPL_free(borrowed);
    else
        enqueue(lane, &borrowed->waiting);
}

/* False: there is no memory now, and the slot stays. */
static bool borrow(const lines_slot_t *slot)
{
    borrowed_t *borrowed = MPL_malloc(sizeof(*borrowed), MPL_MEM_BUFFER);

    if (!borrowed || !MPIDI_UCX_loans_can_be_taken())
        goto fn_fail;
    memcpy(&borrowed->taken.loan, MPIR_lines_data(&lines.receiver, slot),
           sizeof(borrowed->taken.loan));
    borrowed->taken.returns = return_loan;
    borrowed->lane = lane_to(&MPIDI_global.avt_mgr.av_table0->table[borrowed->taken.loan.rank]);
    if (!borrowed->lane)
        goto fn_fail;
    MPIR_lines_pass(&lines.receiver, slot);
    MPIDI_UCX_loan_take(&borrowed->taken, lines.self);
    return true;

fn_fail:
    MPL_free(borrowed);
    return false;
}

static void answer_lender(const lines_slot_t *slot)
{
    wish_t wish;

    memcpy(&wish, MPIR_lines_data(&lines.receiver, slot), sizeof(wish));
    MPIR_lines_pass(&lines.receiver, slot);
    __atomic_store_n(&lines.lenders[wish.local_rank],
                     MPIR_reach_leads(&wish.process) ? LENDS : LENDS_NOT, __ATOMIC_RELAXED);
}

static void give_to_ucx(const lines_slot_t *slot)
{
    const void *data = MPIR_lines_data(&lines.receiver, slot);
    void *request;

    /* A receive that completes may free a type or a communicator, and the program's function that
     * deletes an attribute of it may come back here: for the next line. */
    MPIR_lines_pass(&lines.receiver, slot);
    request = ucp_tag_send_nbx(lines.self, data, slot->length, slot->word, &to_self);
    if (unlikely(UCS_PTR_IS_ERR(request)))
        MPIDI_UCX_handler_errno = MPI_ERR_OTHER;
    if (unlikely(UCS_PTR_IS_PTR(request))) /* matches_at_once has seen no such thing */
        finish(request);
}

/* What the dead have begun and left in the box holds up what follows it. */
static bool skip_dead(void)
{
    bool skipped =
        MPIR_lines_skip(&lines.receiver, lines.claims, lines.dead, MPIR_Process.local_size);

    if (skipped && lines.taking == 1)
        MPIR_lines_give_back(&lines.receiver);
    if (MPIR_lines_ticket(lines.receiver.next) >= lines.suspect)
        set_suspect(0);
    return skipped;
}

static const lines_slot_t *look(void)
{
    const lines_slot_t *slot = MPIR_lines_look(&lines.receiver);

    while (unlikely(lines.suspect > 0 && !slot) && skip_dead())
        slot = MPIR_lines_look(&lines.receiver);
    return slot;
}

/* False: no memory. */
static bool take(const lines_slot_t *slot)
{
    return_t back;

    if (likely(slot->word < LEAST_WORD)) {
        give_to_ucx(slot);
    } else if (slot->word == NOTE) {
        keep_note(slot);
    } else if (slot->word == LOAN) {
        return borrow(slot);
    } else if (slot->word == RETURN) {
        memcpy(&back, MPIR_lines_data(&lines.receiver, slot), sizeof(back));
        MPIR_lines_pass(&lines.receiver, slot);
        loan_has_returned(&back);
    } else {
        answer_lender(slot);
    }
    return true;
}

static unsigned take_lines(void)
{
    const lines_slot_t *slot;
    unsigned n = 0;

    lines.taking++;
    while (n < AT_A_TIME && (slot = look()) && take(slot)) {
        n++;
        /* UCX may still read what the call around this one has given to it */
        if (likely(lines.taking == 1))
            MPIR_lines_give_back(&lines.receiver);
    }
    lines.taking--;
    watch_next();
    return n;
}

/* Where processes may die, UCX asks the kernel each time whether something has come by TCP, which
 * takes longer than a line.  So it is not asked for a moment after it has found nothing.  True: no
 * look at UCX is due. */
static bool rests(void)
{
    enum { REST = 4096 }; /* ticks: about a microsecond */
    static uint64_t last; /* look */
    static unsigned before;
    uint64_t now = MPIR_Ticks();

    if (MPIR_Arrivals - before == lines.arrivals && now - last < REST)
        return true;
    last = now;
    before = MPIR_Arrivals;
    lines.arrivals = 0;
    return false;
}

bool MPIDI_UCX_lines_progress(void)
{
    static unsigned calls;
    unsigned n = 0;

    if (lines.receiver.box)
        n = take_lines();
    else if (__atomic_load_n(MPIDI_UCX_lines.watched, __ATOMIC_RELAXED) == MPIDI_UCX_lines.awaited)
        answer_wish();
    if (MPIDI_UCX_lines_are_behind()) {
        for (MPIDI_UCX_lane_t *lane = lines.lanes; lane; lane = lane->next) {
            send_waiting(lane);
            if (lane->is_fence_due) {
                set_fence_due(lane, false);
                send_fence(lane);
            }
        }
    }
    MPIR_Arrivals += n;
    lines.arrivals += n;
    if (n)
        return ++calls % UCX_EVERY;
    return lines.receiver.box && MPIR_Deaths_watched && rests();
}

/* ---- deaths ---- */

/* The box has a message of a dead process, perhaps: progress looks until all before are taken. */
static void suspect_messages(void)
{
    /* acquire: the tickets of the dead lie before it */
    if (lines.receiver.box)
        set_suspect(
            MPIR_lines_ticket(__atomic_load_n(&lines.receiver.box->head, __ATOMIC_ACQUIRE)));
}

static void end_lane(MPIDI_UCX_lane_t *lane)
{
    while (lane->first) {
        waiting_t *waiting = take_out(lane, &lane->first);
        complete(waiting->req, UCS_ERR_CONNECTION_RESET);
        forget(waiting);
    }
    while (lane->lent)
        end_loan(&lane->lent, UCS_ERR_CONNECTION_RESET);
    set_fence_due(lane, false);
    lane->open = lane->is_fenced = false;
}

/* Nothing goes to it any more, and what it has not finished holds up nobody. */
static void end_lines(int rank)
{
    int local_rank = MPIDI_UCX_lines.on ? MPIR_World_local_rank(rank) : -1;

    if (local_rank < 0)
        return;
    if (!lines.dead)
        lines.dead = MPL_calloc(MPIR_Process.local_size, sizeof(bool), MPL_MEM_ADDRESS);
    if (!lines.dead)
        MPID_Abort(NULL, MPI_ERR_NO_MEM, 1, "no memory to note that a process has died");
    lines.dead[local_rank] = true;
    suspect_messages();
    if (lines.of_process && lines.of_process[local_rank])
        end_lane(lines.of_process[local_rank]);
}

/* ---- begin and end ---- */

/* A line wakes nobody, and UCX has no transport `self` where it has events: a process whose helper
 * serves all messages has no box. */
#ifdef MPIR_WITHOUT_HELPER
static bool have_events(void) { return false; }
#else
static bool have_events(void) { return MPIDI_UCX_events_feature() != 0; }
#endif

static bool are_wanted(void)
{
    return MPIR_CVAR_CH4_UCX_LINE_BYTES > 0 && lines.notices && MPIR_Process.local_size > 1 &&
           !ENABLE_GPU && MPIDI_CH4_MT_MODEL != MPIDI_CH4_MT_LOCKLESS && !have_events();
}

static void read_sent(void *address, void *obj_handle MPL_UNUSED, int count MPL_UNUSED,
                      void *buffer)
{
    *(unsigned long long *) buffer = *(unsigned long long *) address;
}

static bool hear(unsigned id, ucp_am_recv_callback_t call)
{
    const ucp_am_handler_param_t param = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
                                                        UCP_AM_HANDLER_PARAM_FIELD_CB,
                                          .id = id,
                                          .cb = call};

    return ucp_worker_set_am_recv_handler(MPIDI_UCX_global.ctx[0].worker, &param) == UCS_OK;
}

int MPIDI_UCX_lines_init(void)
{
    int mpi_errno = MPI_SUCCESS;

    MPL_COMPILE_TIME_ASSERT(MPIDI_UCX_LINES_AHEAD == LINES_SLOT - 1);
    MPL_COMPILE_TIME_ASSERT(sizeof(lines_box_t) % sizeof(uint32_t) == 0);
    MPL_COMPILE_TIME_ASSERT(sizeof(MPIDI_UCX_loan_t) <= LINES_FIRST);
    MPIR_Pvar_register(MPI_T_PVAR_CLASS_COUNTER, "ucx_lines", &sent_by_lines, read_sent, "CH4_UCX",
                       "messages sent through cache lines that the processes of a node share");
    MPIR_Pvar_register(MPI_T_PVAR_CLASS_COUNTER, "ucx_loans", &sent_by_loans, read_sent, "CH4_UCX",
                       "messages that were lent to their receivers in a node");
    lines.notices = MPIDU_Init_shm_boxes();
    if (MPIR_CVAR_CH4_UCX_LINE_BYTES < 0 || MPIR_CVAR_CH4_UCX_LINE_BYTES > BYTES_MOST) {
        mpi_errno = MPIR_Cvar_wrong_number("MPIR_CVAR_CH4_UCX_LINE_BYTES",
                                           MPIR_CVAR_CH4_UCX_LINE_BYTES, "0 to 8184");
        goto fn_exit;
    }
    if (!are_wanted() || !hear(FENCE_ID, fence_arrives) || !hear(RETURN_ID, return_arrives))
        goto fn_exit;
    if (MPIR_Deaths_watched) {
        MPIDIG_deaths_end_lines = end_lines;
        MPIDI_UCX_peers_met = offer_box;
        MPIDI_UCX_lines.waiting = 1; /* each look is for MPIDI_UCX_lines_progress */
    }
    lines.most = MPIR_Deaths_watched ? BYTES_MOST : (size_t) MPIR_CVAR_CH4_UCX_LINE_BYTES;
    MPIDI_UCX_lines.on = true;
    MPIDI_UCX_lines.watched = (const uint32_t *) &lines.notices[MPIR_Process.local_rank];
    MPIDI_UCX_lines.awaited = WANTED;

fn_exit:
    return mpi_errno;
}

void MPIDI_UCX_lines_finalize(void)
{
    /* for receives whose requests were freed */
    while (lines.receiver.box && take_lines()) {
    }
    stop_watching();
    disconnect_from_self();
    MPIDI_UCX_lines.on = false;
    lines.receiver.box = NULL;
    lines.answers = NULL;
}

void MPIDI_UCX_lines_free(void)
{
    while (lines.lanes) {
        MPIDI_UCX_lane_t *lane = lines.lanes;

        /* only if a process has failed */
        while (lane->first)
            forget(take_out(lane, &lane->first));
        while (lane->lent) {
            waiting_t *waiting = lane->lent;

            lane->lent = waiting->next;
            forget(waiting);
        }
        lines.lanes = lane->next;
        MPL_free(lane);
    }
    MPIDI_UCX_lines.waiting = MPIDI_UCX_lines.lent = 0;
    MPIDI_UCX_loans_free();
    MPL_free(lines.of_process);
    MPL_free(lines.dead);
    memset(&lines, 0, sizeof(lines));
}
