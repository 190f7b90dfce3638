/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "ucx_impl.h"
#include "ucx_win_target.h"
#include "deaths.h"
#ifndef MPIR_WITHOUT_ONE_SIDED
#include "rma/issue/issue_internal.h"
#endif
#include "mpir_tvars.h"

typedef struct {
    uint64_t win_id;
    int rank; /* who asks */
} question_t;

typedef struct {
    uint64_t win_id;
    uint64_t addr, size;
    uint32_t disp;
    int rank;           /* who answers */
    uint64_t key_bytes; /* what follows; none: UCX cannot reach the memory */
} answer_t;

static int question_id, answer_id;

/* Targets in the tables of this process' windows. */
static unsigned long long known;

#ifdef MPIR_WITHOUT_HELPER
static ucp_context_h context_of(MPIR_Win *win MPL_UNUSED) { return MPIDI_UCX_global.context; }
#else
static ucp_context_h context_of(MPIR_Win *win)
{
    return MPIDI_UCX_events_context(MPIDI_UCX_get_win_vni(win));
}
#endif

int MPIDI_UCX_win_expose(MPIR_Win *win, size_t length, void **base)
{
    int mpi_errno = MPI_SUCCESS;
    ucs_status_t status;
    MPIDI_UCX_win_t *mine = &MPIDI_UCX_WIN(win);
    ucp_context_h context = context_of(win);
    ucp_mem_map_params_t params = {.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS |
                                                 UCP_MEM_MAP_PARAM_FIELD_LENGTH |
                                                 UCP_MEM_MAP_PARAM_FIELD_FLAGS,
                                   .address = *base,
                                   .length = length,
                                   .flags = *base ? 0 : UCP_MEM_MAP_ALLOCATE};
    ucp_mem_attr_t attr = {.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS | UCP_MEM_ATTR_FIELD_LENGTH};

    mine->is_exposed = true;
    /* UCX maps memory of some devices, and then fails to reach it. */
    if (MPIR_GPU_query_pointer_is_dev(*base))
        goto fn_exit;
    status = ucp_mem_map(context, &params, &mine->mem_h);
    if (status == UCS_ERR_UNSUPPORTED)
        goto fn_exit;
    MPIDI_UCX_CHK_STATUS(status);
    mine->mem_mapped = true;
    status = ucp_mem_query(mine->mem_h, &attr);
    MPIDI_UCX_CHK_STATUS(status);
    /* A region that UCX registers begins up to 15 bytes before the given address. */
    if (!*base)
        *base = attr.address;
    status = ucp_rkey_pack(context, mine->mem_h, &mine->key, &mine->key_bytes);
    MPIDI_UCX_CHK_STATUS(status);
    /* it travels in the header of an active message */
    if (mine->key_bytes + sizeof(answer_t) > (size_t) MPIDI_NM_am_hdr_max_sz())
        mine->key_bytes = 0;

fn_exit:
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

/* Where processes may die, UCX reaches memory in a node by TCP.  Active messages come by lines. */
static bool is_near(MPIR_Win *win, int rank)
{
    return MPIR_Deaths_watched && MPIDI_UCX_lines.on &&
           MPIDI_UCX_lines_have_am(win->comm_ptr, question_id, MPIDI_WIN(win, am_vci)) &&
           MPIDIU_comm_rank_to_av(win->comm_ptr, rank)->is_local;
}

MPIDI_UCX_win_target_t *MPIDI_UCX_win_target_ask(MPIR_Win *win, int rank)
{
    int vci = MPIDI_WIN(win, am_vci);
    question_t question = {.win_id = MPIDIG_WIN(win, win_id), .rank = win->comm_ptr->rank};
    MPIDI_UCX_win_target_t *target = MPL_calloc(1, sizeof(*target), MPL_MEM_RMA);

    if (!target)
        return NULL;
    target->rank = rank;
    if (!is_near(win, rank)) {
        if (MPIDI_NM_am_send_hdr(rank, win->comm_ptr, question_id, &question, sizeof(question), vci,
                                 vci)) {
            MPL_free(target);
            return NULL;
        }
        MPIDI_UCX_WIN(win).unanswered++;
    }
    HASH_ADD(hash_handle, MPIDI_UCX_WIN(win).targets, rank, sizeof(int), target, MPL_MEM_RMA);
    known++;
    return target;
}

static int question_cb(void *am_hdr, void *data MPL_UNUSED, MPI_Aint bytes MPL_UNUSED,
                       uint32_t attr MPL_UNUSED, MPIR_Request **req MPL_UNUSED)
{
    int mpi_errno = MPI_SUCCESS, vci;
    const question_t *question = am_hdr;
    MPIR_Win *win = (MPIR_Win *) MPIDIU_map_lookup(MPIDI_global.win_map, question->win_id);
    MPIDI_UCX_win_t *mine = &MPIDI_UCX_WIN(win);
    answer_t *answer = MPL_malloc(sizeof(*answer) + mine->key_bytes, MPL_MEM_RMA);

    MPIR_ERR_CHKANDJUMP1(!answer, mpi_errno, MPI_ERR_NO_MEM, "**nomem", "**nomem %s",
                         "key of a window");
    *answer = (answer_t){.win_id = question->win_id,
                         .addr = (uintptr_t) win->base,
                         .size = win->size,
                         .disp = win->disp_unit,
                         .rank = win->comm_ptr->rank,
                         .key_bytes = mine->key_bytes};
    memcpy(answer + 1, mine->key, mine->key_bytes);
    vci = MPIDI_WIN(win, am_vci);
    mpi_errno = MPIDI_NM_am_send_hdr_reply(win->comm_ptr, question->rank, answer_id, answer,
                                           sizeof(*answer) + mine->key_bytes, vci, vci);

fn_exit:
    MPL_free(answer);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

static int answer_cb(void *am_hdr, void *data MPL_UNUSED, MPI_Aint bytes MPL_UNUSED,
                     uint32_t attr MPL_UNUSED, MPIR_Request **req MPL_UNUSED)
{
    int mpi_errno = MPI_SUCCESS;
    const answer_t *answer = am_hdr;
    MPIR_Win *win = (MPIR_Win *) MPIDIU_map_lookup(MPIDI_global.win_map, answer->win_id);
    MPIDI_UCX_win_target_t *target = MPIDI_UCX_win_target_find(win, answer->rank);
    ucs_status_t status;

    MPIR_Assert(target);
    MPIDI_UCX_WIN(win).unanswered--;
    target->addr = answer->addr;
    target->size = (MPI_Aint) answer->size;
    target->disp = answer->disp;
    if (answer->key_bytes == 0 || MPIDIG_deaths_are_of_target(win, answer->rank))
        goto fn_exit;
    int vni = MPIDI_UCX_get_win_vni(win);
    status =
        ucp_ep_rkey_unpack(MPIDI_UCX_WIN_TO_EP(win, answer->rank, vni), answer + 1, &target->rkey);
    if (status == UCS_ERR_UNREACHABLE)
        target->rkey = NULL;
    else
        MPIDI_UCX_CHK_STATUS(status);

fn_exit:
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

int MPIDI_UCX_win_await_keys(MPIR_Win *win)
{
    while (MPIDI_UCX_WIN(win).unanswered > 0 && !MPIDIG_deaths_are_in_win(win)) {
        MPIR_TRY(MPID_Progress_test(NULL));
        MPID_THREAD_CS_YIELD(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    }

    return MPI_SUCCESS;
}

#ifdef MPIR_WITHOUT_SURVIVE
#define forget_rkey_of_dead(target)
#else

static void forget_rkey_of_dead(MPIDI_UCX_win_target_t *target)
{
    if (target->rkey_of_dead)
        ucp_rkey_destroy(target->rkey_of_dead);
}

/* Without an endpoint.  Operations that UCX still has of it may need the key. */
static void lose_target(MPIR_Win *win, uint32_t process)
{
    int rank = (int) MPIR_cmap_rank(win->comm_ptr->map, process);
    MPIDI_UCX_win_target_t *target = MPIDI_UCX_win_target_find(win, rank);

    if (target && target->rkey) {
        target->rkey_of_dead = target->rkey;
        target->rkey = NULL;
    }
}

void MPIDI_UCX_win_lose_process(uint32_t process)
{
    MPIDIU_map_entry_t *entry, *next_entry;

    HASH_ITER(hh, MPIDI_global.win_map->head, entry, next_entry)
    {
        MPIR_Win *win = entry->value;

        if (win && MPIR_cmap_rank(win->comm_ptr->map, process) != CMAP_NONE)
            lose_target(win, process);
    }
}

#endif

void MPIDI_UCX_win_forget(MPIR_Win *win)
{
    MPIDI_UCX_win_t *mine = &MPIDI_UCX_WIN(win);
    MPIDI_UCX_win_target_t *target, *next_target;

    HASH_ITER(hash_handle, mine->targets, target, next_target)
    {
        HASH_DELETE(hash_handle, mine->targets, target);
        if (target->rkey)
            ucp_rkey_destroy(target->rkey);
        forget_rkey_of_dead(target);
        MPL_free(target);
        known--;
    }
    if (mine->key)
        ucp_rkey_buffer_release(mine->key);
    /* Memory of some kinds was not mapped. */
    if (mine->mem_mapped)
        ucp_mem_unmap(context_of(win), mine->mem_h);
    /* The next window that has this place may fail before it gets here. */
    memset(mine, 0, sizeof(*mine));
}

void MPIDI_UCX_win_forget_all(void)
{
    MPIDIU_map_entry_t *entry, *next_entry;

    HASH_ITER(hh, MPIDI_global.win_map->head, entry, next_entry)
    {
        if (entry->value)
            MPIDI_UCX_win_forget(entry->value);
    }
}

static int flush_target(MPIR_Win *win, MPIDI_UCX_win_target_t *target)
{
    int vni = MPIDI_UCX_get_win_vni(win);
    unsigned marks = MPIDI_UCX_WIN(win).marks;
    ucp_ep_h ep = MPIDI_UCX_WIN_TO_EP(win, target->rank, vni);
    int mpi_errno;

    if (!ep) /* its process has died */
        return MPIDIG_deaths_of_win(win, MPI_SUCCESS);
    mpi_errno = MPIDI_UCX_wait(ucp_ep_flush_nb(ep, 0, &MPIDI_UCX_flush_cmpl_cb), vni);
    if (mpi_errno == MPI_SUCCESS && marks == MPIDI_UCX_WIN(win).marks)
        MPIDI_UCX_win_unmark(win, target);
    return mpi_errno;
}

/* UCX 1.13 may call a worker flushed when pieces of a long get have not begun; their endpoint
 * knows of them.  The worker comes first, so that no target waits for the one before it. */
static int flush_targets(MPIR_Win *win)
{
    int mpi_errno, dead_errno = MPI_SUCCESS, marked = 0;
    MPIDI_UCX_win_t *mine = &MPIDI_UCX_WIN(win);
    MPIDI_UCX_win_target_t *target;

    mpi_errno = MPIDI_UCX_flush(MPIDI_UCX_get_win_vni(win));
    MPIR_ERR_CHKRETURN(mpi_errno);
    DL_FOREACH(mine->unflushed, target)
    marked++;
    while (marked-- > 0 && (target = mine->unflushed) != NULL) {
        mpi_errno = flush_target(win, target);
        if (mpi_errno && MPIR_Deaths_watched) { /* the others are flushed all the same */
            dead_errno = mpi_errno;
            mpi_errno = MPI_SUCCESS;
        }
        MPIR_ERR_CHKRETURN(mpi_errno);
        if (target == mine->unflushed) { /* another thread has used it meanwhile */
            DL_DELETE(mine->unflushed, target);
            DL_APPEND(mine->unflushed, target);
        }
    }

    return dead_errno;
}

#ifdef MPIR_WITHOUT_ONE_SIDED
static bool is_timed(MPIR_Win *win MPL_UNUSED) { return false; }
static void add_time_since(MPIR_Win *win MPL_UNUSED, const MPL_time_t *begin MPL_UNUSED) {}
static void set_early_flush(void) {}
#else

/* ---- flushes that nobody waits for ---- */

typedef struct {
    uint64_t win_id;
    int rank;
    unsigned marks;
} early_flush_t;

/* A later flush of the endpoint ends behind this one, and so does the window. */
static void end_early_flush(void *request, ucs_status_t status, void *user_data)
{
    early_flush_t *early = user_data;
    MPIR_Win *win = (MPIR_Win *) MPIDIU_map_lookup(MPIDI_global.win_map, early->win_id);

    if (status == UCS_OK && win != MPIDIU_MAP_NOT_FOUND && early->marks == MPIDI_UCX_WIN(win).marks)
        MPIDI_UCX_win_unmark(win, MPIDI_UCX_win_target_find(win, early->rank));
    MPL_free(early);
    ucp_request_free(request);
}

/* Then the flush at the end of the epoch has nothing to do, if nothing follows.  Without memory,
 * that one does it all. */
static void begin_early_flush(MPIR_Win *win, int rank)
{
    int vni = MPIDI_UCX_get_win_vni(win);
    MPIDI_UCX_win_target_t *target = MPIDI_UCX_win_target_find(win, rank);
    ucp_ep_h ep = MPIDI_UCX_WIN_TO_EP(win, rank, vni);
    early_flush_t *early;
    ucs_status_ptr_t request;

    if (!target || target->need_sync == MPIDI_UCX_WIN_SYNC_UNSET || !ep)
        return;
    early = MPL_malloc(sizeof(*early), MPL_MEM_RMA);
    if (!early)
        return;
    *early = (early_flush_t){MPIDIG_WIN(win, win_id), rank, MPIDI_UCX_WIN(win).marks};
    request =
        ucp_ep_flush_nbx(ep, &(ucp_request_param_t){.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                                                                    UCP_OP_ATTR_FIELD_USER_DATA,
                                                    .cb.send = end_early_flush,
                                                    .user_data = early});
    if (UCS_PTR_IS_PTR(request))
        return;
    MPL_free(early);
    if (UCS_PTR_STATUS(request) == UCS_OK)
        MPIDI_UCX_win_unmark(win, target);
}

static void set_early_flush(void) { MPIDIG_rma_flush_early = begin_early_flush; }

/* A fence takes its time itself. */
static bool is_timed(MPIR_Win *win)
{
    return MPIDIG_rma_is_timed && MPIDIG_WIN(win, issue) &&
           MPIDIG_WIN(win, sync).access_epoch_type != MPIDIG_EPOTYPE_FENCE;
}

static void add_time_since(MPIR_Win *win, const MPL_time_t *begin)
{
    MPL_time_t end;
    double seconds;

    MPL_wtime(&end);
    MPL_wtime_diff((MPL_time_t *) begin, &end, &seconds);
    MPIDIG_WIN(win, issue)->counts.waited[MPIDIG_RMA_WAIT_LOCK] += (uint64_t) (seconds * 1e9);
}

#endif

int MPIDI_UCX_win_flush_target(MPIR_Win *win, MPIDI_UCX_win_target_t *target)
{
    MPL_time_t begin;
    int mpi_errno;

    if (likely(!is_timed(win)))
        return flush_target(win, target);
    MPL_wtime(&begin);
    mpi_errno = flush_target(win, target);
    add_time_since(win, &begin);
    return mpi_errno;
}

int MPIDI_UCX_win_flush_targets(MPIR_Win *win)
{
    MPL_time_t begin;
    int mpi_errno;

    if (likely(!is_timed(win)))
        return flush_targets(win);
    MPL_wtime(&begin);
    mpi_errno = flush_targets(win);
    add_time_since(win, &begin);
    return mpi_errno;
}

void MPIDI_UCX_win_target_init(void)
{
    question_id = MPIDIG_am_reg_cb_dynamic(NULL, question_cb);
    answer_id = MPIDIG_am_reg_cb_dynamic(NULL, answer_cb);
    MPIR_Assert(question_id >= 0 && answer_id >= 0);
    set_early_flush();
    MPIR_Pvar_register(
        MPI_T_PVAR_CLASS_LEVEL, "rma_ucx_targets", &known, NULL, "CH4_UCX",
        "other processes whose part of a window this one has a key to, or has asked for");
}
