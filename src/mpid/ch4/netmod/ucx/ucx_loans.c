/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "ucx_impl.h"
#include "ucx_loans.h"
#include "mpir_deaths.h"
#include "reach.h"

struct MPIDI_UCX_loans MPIDI_UCX_loans;
bool MPIDI_UCX_loan_is_lost;

static MPIDI_UCX_loan_t lost;
static MPIDI_UCX_taken_t *lost_taken; /* NULL: its sender has died */
static MPIDI_UCX_taken_t *fetched;    /* whose data were asked for */
static void *room;                    /* for what is sent at once */
static ucp_datatype_t as_lent, as_received;

/* ---- copies ---- */

static bool copy(const MPIDI_UCX_loan_t *loan, size_t offset, void *to, size_t bytes)
{
    struct iovec mine = {to, bytes},
                 theirs = {(void *) (uintptr_t) (loan->address + offset), bytes};

    return bytes == 0 || MPIR_reach_copy(loan->process, false, &mine, &theirs, 1) == 0;
}

/* The dead's number may be another process's by now. */
bool MPIDI_UCX_loan_copy(const MPIDI_UCX_loan_t *loan, size_t offset, void *to, size_t bytes)
{
    return !MPIR_Deaths_has(loan->rank) && copy(loan, offset, to, bytes);
}

static bool has_living_sender(const MPIDI_UCX_loan_t *loan)
{
    return !MPIR_Deaths_has(loan->rank) && MPIR_reach_is_alive(loan->process);
}

/* For UCX, which takes no error here. */
static void copy_or_note(MPIDI_UCX_taken_t *taken, size_t offset, void *to, size_t bytes)
{
    const MPIDI_UCX_loan_t *loan = &taken->loan;

    if (!taken->is_refused && MPIDI_UCX_loan_copy(loan, offset, to, bytes))
        return;
    memset(to, 0, bytes);
    taken->is_refused =
        taken->is_refused || (MPIDI_UCX_loans.are_direct && taken->asks && has_living_sender(loan));
    MPIDI_UCX_loan_is_lost = true;
    lost = *loan;
    lost_taken = taken->is_refused ? taken : NULL;
}

/* ---- data that the kernel refuses ---- */

/* UCX's tags of data that were asked for: no context has these numbers. */
#define FETCH_TAG (~UINT64_C(0) << MPIDI_UCX_CONTEXT_ID_SHIFT)

static void end_fetch(MPIDI_UCX_taken_t *taken)
{
    MPIDI_UCX_taken_t **at = &fetched;

    while (*at && *at != taken)
        at = &(*at)->next;
    if (*at)
        *at = taken->next;
    taken->fetch = NULL;
}

/* UCX may still have the message that it has matched. */
static void release(MPIDI_UCX_taken_t *taken)
{
    taken->is_refused = false;
    if (taken->is_matched)
        taken->returns(taken);
}

static void fetch_arrives(void *request, ucs_status_t status, const ucp_tag_recv_info_t *info,
                          void *user_data)
{
    MPIDI_UCX_taken_t *taken = user_data;
    struct MPIR_Request *rreq = taken->rreq;
    const ucp_tag_recv_info_t matched = {.sender_tag = taken->loan.tag, .length = info->length};

    end_fetch(taken);
    if (rreq) {
        ucp_tag_recv_nbx_callback_t call = taken->call;

        ucp_request_release(taken->match);
        release(taken);
        call(request, status, &matched, rreq);
    } else if (taken->arrived) {
        ucp_request_release(request);
        taken->arrived(taken->message, status);
        taken->returns(taken);
    } else {
        taken->is_refused = status != UCS_OK;
        ucp_request_release(request);
    }
}

/* param has the datatype, if there is one.  False: the data will not come. */
static bool fetch(MPIDI_UCX_taken_t *taken, void *buffer, size_t count, ucp_request_param_t *param)
{
    static uint64_t number;
    const uint64_t tag = FETCH_TAG | (++number & 0xffffffff);

    param->op_attr_mask |=
        UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
    param->cb.recv = fetch_arrives;
    param->user_data = taken;
    __atomic_store_n(taken->may_lend, 0, __ATOMIC_RELAXED); /* no more of them */
    if (!taken->asks(taken, tag))
        return false;
    taken->fetch =
        ucp_tag_recv_nbx(MPIDI_UCX_global.ctx[0].worker, buffer, count, tag, ~UINT64_C(0), param);
    if (UCS_PTR_IS_ERR(taken->fetch))
        return false;
    taken->next = fetched;
    fetched = taken;
    return true;
}

bool MPIDI_UCX_loan_ask(MPIDI_UCX_taken_t *taken, void *buffer, size_t count, ucp_datatype_t type)
{
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE, .datatype = type};

    return has_living_sender(&taken->loan) && fetch(taken, buffer, count, &param);
}

/* Of a receive that UCX has matched.  UCX has put nothing where the data belong. */
static bool fetch_for_receive(MPIDI_UCX_taken_t *taken, struct MPIR_Request *rreq)
{
    struct MPIDI_UCX_gaps *target = &MPIDI_UCX_REQ(rreq).gaps;
    ucp_request_param_t param = {0};

    taken->rreq = rreq;
    if (!target->datatype)
        return fetch(taken, target->buffer, taken->loan.bytes, &param);
    param.op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE;
    param.datatype = target->datatype->dev.netmod.ucx.ucp_datatype;
    return fetch(taken, target, target->count, &param);
}

/* UCX matches and copies in one call.  So the next receive that ends with this tag is the one. */
bool MPIDI_UCX_loan_fetch(void *request, ucs_status_t *status, uint64_t tag,
                          struct MPIR_Request *rreq, ucp_tag_recv_nbx_callback_t call)
{
    if (*status == UCS_ERR_CANCELED || tag != lost.tag)
        return false;
    MPIDI_UCX_loan_is_lost = false;
    *status = UCS_ERR_CONNECTION_RESET;
    if (!lost_taken)
        return false;
    lost_taken->call = call;
    lost_taken->match = request; /* whoever cancels the receive finds it complete */
    if (!fetch_for_receive(lost_taken, rreq)) {
        release(lost_taken);
        return false;
    }
    return true;
}

void MPIDI_UCX_loans_end(uint32_t rank)
{
    MPIDI_UCX_taken_t *next;

    for (MPIDI_UCX_taken_t *taken = fetched; taken; taken = next) {
        next = taken->next;
        if (taken->loan.rank == rank)
            ucp_request_cancel(MPIDI_UCX_global.ctx[0].worker, taken->fetch);
    }
}

/* ---- what UCX calls for the sender ---- */

/* UCX asks for the parts of a message when it is matched, and hands each to the receive before it
 * asks for the next one.  So the receive can copy, to where the data belong. */
static struct {
    MPIDI_UCX_taken_t *taken;
    size_t offset;
    const void *at;
} part;

static void *begin_packing(void *context MPL_UNUSED, const void *taken, size_t count MPL_UNUSED)
{
    return (void *) taken;
}

static size_t bytes_of(void *taken) { return ((MPIDI_UCX_taken_t *) taken)->loan.bytes; }

static size_t pack_part(void *state, size_t offset, void *to, size_t most)
{
    MPIDI_UCX_taken_t *taken = state;
    size_t bytes = MPL_MIN(most, taken->loan.bytes - offset);

    part.taken = taken;
    part.offset = offset;
    part.at = to;
    if (!MPIDI_UCX_loans.are_direct)
        copy_or_note(taken, offset, to, bytes);
    return bytes;
}

static void end_packing(void *taken MPL_UNUSED) {}

/* ---- and for the receiver ---- */

void MPIDI_UCX_loan_unpack(const void *at, void *to, size_t bytes)
{
    if (MPIDI_UCX_loans.are_direct && part.at == at)
        copy_or_note(part.taken, part.offset, to, bytes);
    else if (to != at)
        memcpy(to, at, bytes);
    part.at = NULL;
}

static void *begin_unpacking(void *context MPL_UNUSED, void *target, size_t count MPL_UNUSED)
{
    return target;
}

static size_t bytes_for(void *target) { return (size_t) ((struct MPIDI_UCX_gaps *) target)->count; }

static ucs_status_t unpack_part(void *target, size_t offset, const void *at, size_t bytes)
{
    char *buffer = ((struct MPIDI_UCX_gaps *) target)->buffer;

    MPIDI_UCX_loan_unpack(at, buffer + offset, bytes);
    return UCS_OK;
}

static void end_unpacking(void *target MPL_UNUSED) {}

void MPIDI_UCX_loans_receive(struct MPIDI_UCX_gaps *target, size_t bytes, void **buffer,
                             ucp_request_param_t *param)
{
    target->buffer = *buffer;
    target->count = (MPI_Aint) bytes;
    target->datatype = NULL;
    *buffer = target;
    param->op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
    param->datatype = as_received;
}

/* ---- messages ---- */

static bool have_type(const ucp_generic_dt_ops_t *calls, ucp_datatype_t *type)
{
    return *type || ucp_dt_create_generic(calls, NULL, type) == UCS_OK;
}

bool MPIDI_UCX_loans_can_be_taken(void)
{
    static const ucp_generic_dt_ops_t lent = {.start_pack = begin_packing,
                                              .packed_size = bytes_of,
                                              .pack = pack_part,
                                              .finish = end_packing},
                                      received = {.start_unpack = begin_unpacking,
                                                  .packed_size = bytes_for,
                                                  .unpack = unpack_part,
                                                  .finish = end_unpacking};

    if (!room)
        room = MPL_malloc(MPIDI_UCX_loans.at_once, MPL_MEM_BUFFER);
    return room && have_type(&lent, &as_lent) && have_type(&received, &as_received);
}

/* The data may have to come yet. */
static void end_match(MPIDI_UCX_taken_t *taken)
{
    taken->is_matched = true;
    if (!taken->is_refused)
        taken->returns(taken);
}

static void is_matched(void *request, ucs_status_t status MPL_UNUSED, void *taken)
{
    end_match(taken);
    ucp_request_release(request);
}

/* The loan ends when UCX has matched the message. */
static void take_until_matched(MPIDI_UCX_taken_t *taken, ucp_ep_h self, bool is_copied)
{
    const MPIDI_UCX_loan_t *loan = &taken->loan;
    ucp_request_param_t param = {.op_attr_mask =
                                     UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                 .cb.send = is_matched,
                                 .user_data = taken};
    const void *data = is_copied ? taken->room : taken;
    size_t count = is_copied ? loan->bytes : 1;
    void *request;

    if (!is_copied) {
        param.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
        param.datatype = as_lent;
    }
    request = (loan->is_sync ? ucp_tag_send_sync_nbx : ucp_tag_send_nbx)(self, data, count,
                                                                         loan->tag, &param);
    if (UCS_PTR_IS_ERR(request))
        MPIDI_UCX_handler_errno = MPI_ERR_OTHER;
    if (!UCS_PTR_IS_PTR(request))
        end_match(taken);
}

void MPIDI_UCX_finish_with_self(void *request)
{
    while (ucp_request_check_status(request) == UCS_INPROGRESS)
        ucp_worker_progress(MPIDI_UCX_global.ctx[0].worker);
    ucp_request_release(request);
}

static void *room_of(const MPIDI_UCX_taken_t *taken)
{
    return taken->loan.is_sync ? taken->room : room;
}

/* Its data are in the room. */
static void match_copied(MPIDI_UCX_taken_t *taken, ucp_ep_h self)
{
    const MPIDI_UCX_loan_t loan = taken->loan;

    if (loan.is_sync) {
        take_until_matched(taken, self, true);
    } else {
        taken->returns(taken);
        MPIDI_UCX_match_at_once(self, room, loan.bytes, loan.tag);
    }
}

/* Of a process that has died the message has not come. */
static void delay_or_drop(MPIDI_UCX_taken_t *taken)
{
    const bool is_alive = has_living_sender(&taken->loan);
    ucp_request_param_t param = {0};

    if (is_alive && fetch(taken, room_of(taken), taken->loan.bytes, &param)) {
        MPIDI_UCX_loans.delayed = taken;
        return;
    }
    if (is_alive)
        MPIDI_UCX_handler_errno = MPI_ERR_NO_MEM;
    taken->returns(taken);
}

void MPIDI_UCX_loan_take(MPIDI_UCX_taken_t *taken, ucp_ep_h self)
{
    const MPIDI_UCX_loan_t *loan = &taken->loan;

    if (loan->bytes > MPIDI_UCX_loans.at_once)
        take_until_matched(taken, self, false);
    else if (copy(loan, 0, room_of(taken), loan->bytes))
        match_copied(taken, self);
    else
        delay_or_drop(taken);
}

bool MPIDI_UCX_loan_resume(ucp_ep_h self)
{
    MPIDI_UCX_taken_t *taken = MPIDI_UCX_loans.delayed;

    if (taken->fetch)
        return false;
    MPIDI_UCX_loans.delayed = NULL;
    if (taken->is_refused)
        taken->returns(taken);
    else
        match_copied(taken, self);
    return true;
}

/* ---- begin and end ---- */

static void note_end(void *request, ucs_status_t status MPL_UNUSED, void *is_over)
{
    *(bool *) is_over = true;
    ucp_request_release(request);
}

static void note_receive(void *request, ucs_status_t status,
                         const ucp_tag_recv_info_t *info MPL_UNUSED, void *is_over)
{
    note_end(request, status, is_over);
}

static void receive_trial(void *buffer, size_t bytes, uint64_t tag)
{
    bool is_over = false;
    struct MPIDI_UCX_gaps target;
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                                                 UCP_OP_ATTR_FIELD_USER_DATA |
                                                 UCP_OP_ATTR_FLAG_NO_IMM_CMPL,
                                 .cb.recv = note_receive,
                                 .user_data = &is_over};
    void *request;

    MPIDI_UCX_loans_receive(&target, bytes, &buffer, &param);
    request =
        ucp_tag_recv_nbx(MPIDI_UCX_global.ctx[0].worker, buffer, 1, tag, ~UINT64_C(0), &param);
    while (UCS_PTR_IS_PTR(request) && !is_over)
        ucp_worker_progress(MPIDI_UCX_global.ctx[0].worker);
}

/* A message that this process lends to itself.  Its receive comes late. */
static bool try_parts(MPIDI_UCX_taken_t *taken, void *buffer, ucp_ep_h self)
{
    const MPIDI_UCX_loan_t *loan = &taken->loan;
    bool is_over = false, is_asked;
    const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                                                       UCP_OP_ATTR_FIELD_USER_DATA |
                                                       UCP_OP_ATTR_FIELD_DATATYPE,
                                       .cb.send = note_end,
                                       .user_data = &is_over,
                                       .datatype = as_lent};
    void *request;

    part.taken = NULL;
    request = ucp_tag_send_nbx(self, taken, 1, loan->tag, &param);
    is_asked = part.taken != NULL;
    if (UCS_PTR_IS_ERR(request))
        return false;
    receive_trial(buffer, loan->bytes, loan->tag);
    while (UCS_PTR_IS_PTR(request) && !is_over)
        ucp_worker_progress(MPIDI_UCX_global.ctx[0].worker);
    return !is_asked && memcmp(buffer, (void *) (uintptr_t) loan->address, loan->bytes) == 0;
}

void MPIDI_UCX_loans_init(size_t at_once, uint64_t tag, ucp_ep_h self)
{
    const size_t bytes = at_once + 1;
    char *data = MPL_calloc(2, bytes, MPL_MEM_BUFFER);
    MPIDI_UCX_taken_t taken = {.loan = {.tag = tag,
                                        .address = (uintptr_t) data,
                                        .bytes = bytes,
                                        .process = (int32_t) getpid(),
                                        .rank = (uint32_t) MPIR_Process.rank}};

    MPIDI_UCX_loans.at_once = at_once;
    if (!data || !MPIDI_UCX_loans_can_be_taken()) {
        MPL_free(data);
        return;
    }
    memset(data, 1, bytes);
    MPIDI_UCX_loans.are_direct = true;
    MPIDI_UCX_loans.are_direct = try_parts(&taken, data + bytes, self);
    MPL_free(data);
}

void MPIDI_UCX_loans_free(void)
{
    if (as_lent)
        ucp_dt_destroy(as_lent);
    if (as_received)
        ucp_dt_destroy(as_received);
    as_lent = as_received = 0;
    MPL_free(room);
    room = NULL;
    MPIDI_UCX_loan_is_lost = false;
    fetched = NULL;
    memset(&MPIDI_UCX_loans, 0, sizeof(MPIDI_UCX_loans));
}
