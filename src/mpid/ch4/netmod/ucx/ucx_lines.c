/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "ucx_impl.h"
#include "ucx_lanes.h"
#include "ucx_peers.h"
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

enum {
    AT_A_TIME = 16,       /* lines that a call takes */
    UCX_EVERY = 8,        /* of so many calls that take lines UCX is called after one at least */
    LENT_MOST = 128 << 10 /* bytes of a loan that UCX may match at once */
};

static const uint32_t nothing = 0;

struct MPIDI_UCX_lines MPIDI_UCX_lines = {.watched = &nothing, .awaited = 1};

static struct {
    lines_receiver_t receiver;
    uint64_t *notices;
    uint32_t *answers; /* of this process */
    uint32_t *claims;  /* of its senders */
    uint32_t *lenders; /* whether they may lend */
    bool *dead;        /* by local rank; NULL: nobody has died */
    uint64_t suspect;  /* messages of the dead that will not come have lower tickets */
    ucp_ep_h self;
    unsigned taking;   /* calls of take_lines in each other */
    unsigned arrivals; /* in lines, since rests() has last let UCX look */
} lines;

/* ---- receiving ---- */

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

/* As MPIDI_UCX_match_at_once(). */
static const ucp_request_param_t to_self = {.op_attr_mask = UCP_OP_ATTR_FLAG_FAST_CMPL};

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
        MPIDI_UCX_finish_with_self(request);
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
        MPIDI_UCX_finish_with_self(request);
}

/* Half of the arena is left to collectives. */
static bool has_room(const aggr_arena_t *arena)
{
    aggr_arena_figures_t figures;

    MPIR_aggr_arena_figures(arena, &figures);
    return figures.used + MPIDI_UCX_box_bytes() <= figures.bytes / 2;
}

static void prepare_loans(void)
{
    size_t bytes = 2 * (MPIDI_UCX_LINE_MOST + 8);

    while (bytes <= LENT_MOST && matches_at_once(bytes - 1))
        bytes *= 2;
    MPIDI_UCX_loans_init(bytes / 2 - 1, NOTE, lines.self);
}

static bool make_box(uint64_t *block)
{
    aggr_arena_t *arena = MPIR_Aggr_arena();

    if (!arena || !has_room(arena) || !connect_to_self() || !matches_at_once(MPIDI_UCX_LINE_MOST))
        return false;
    if (MPIR_Deaths_watched)
        prepare_loans();
    *block = MPIR_aggr_arena_reserve(arena, MPIDI_UCX_box_bytes());
    if (*block <= NEVER)
        return false;
    lines.receiver = (lines_receiver_t){.box = MPIR_aggr_arena_at(arena, *block)};
    lines.answers = MPIDI_UCX_box_answers(lines.receiver.box);
    lines.claims = MPIDI_UCX_box_claims(lines.receiver.box);
    lines.lenders = MPIDI_UCX_box_lenders(lines.receiver.box);
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

static ucs_status_t return_arrives(void *unused MPL_UNUSED, const void *header MPL_UNUSED,
                                   size_t header_length MPL_UNUSED, void *data, size_t length,
                                   const ucp_am_recv_param_t *param MPL_UNUSED)
{
    if (length == sizeof(return_t))
        MPIDI_UCX_lanes_returned(data);
    return UCS_OK;
}

/* False: there is no memory now, and the slot stays. */
static bool borrow(const lines_slot_t *slot)
{
    const char *data = MPIR_lines_data(&lines.receiver, slot);
    MPIDI_UCX_taken_t *taken = NULL;

    if (MPIDI_UCX_loans_can_be_taken())
        taken = MPIDI_UCX_lanes_borrow(data, lines.lenders);
    if (!taken) {
        MPIDI_UCX_handler_errno = MPI_ERR_NO_MEM; /* for the call that waits for it */
        return false;
    }
    if (slot->word == LOAN_AM)
        MPIDI_UCX_peers_keep_lent(data + sizeof(taken->loan), slot->length - sizeof(taken->loan),
                                  taken);
    MPIR_lines_pass(&lines.receiver, slot);
    if (slot->word == LOAN)
        MPIDI_UCX_loan_take(taken, lines.self);
    return true;
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

    /* A receive that completes may free a type or a communicator, and the program's function that
     * deletes an attribute of it may come back here: for the next line. */
    MPIR_lines_pass(&lines.receiver, slot);
    MPIDI_UCX_match_at_once(lines.self, data, slot->length, slot->word);
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

static bool resume(void)
{
    if (!MPIDI_UCX_loan_resume(lines.self))
        return false;
    if (lines.taking == 1)
        MPIR_lines_give_back(&lines.receiver);
    return true;
}

static const lines_slot_t *look(void)
{
    const lines_slot_t *slot;

    if (unlikely(MPIDI_UCX_loans.delayed) && !resume())
        return NULL;
    slot = MPIR_lines_look(&lines.receiver);
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
    } else if (slot->word == LOAN || slot->word == LOAN_AM) {
        return borrow(slot);
    } else if (slot->word == RETURN) {
        memcpy(&back, MPIR_lines_data(&lines.receiver, slot), sizeof(back));
        MPIR_lines_pass(&lines.receiver, slot);
        MPIDI_UCX_lanes_returned(&back);
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
        if (likely(lines.taking == 1 && !MPIDI_UCX_loans.delayed))
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
    if (MPIDI_UCX_lines_are_behind())
        MPIDI_UCX_lanes_send();
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
    MPIDI_UCX_lanes_end(local_rank);
    MPIDI_UCX_loans_end((uint32_t) rank);
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
    lines.notices = MPIDU_Init_shm_boxes();
    MPIDI_UCX_lanes_init(lines.notices,
                         MPIR_Deaths_watched ? MPIDI_UCX_LINE_MOST
                                             : (size_t) MPIR_CVAR_CH4_UCX_LINE_BYTES,
                         MPIDI_UCX_lines_progress);
    if (MPIR_CVAR_CH4_UCX_LINE_BYTES < 0 || MPIR_CVAR_CH4_UCX_LINE_BYTES > MPIDI_UCX_LINE_MOST) {
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
    MPIDI_UCX_lanes_free();
    MPIDI_UCX_lines.waiting = 0;
    MPIDI_UCX_loans_free();
    MPL_free(lines.dead);
    memset(&lines, 0, sizeof(lines));
}
