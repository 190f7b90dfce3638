/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "mpidig_win.h"
#include "mpir_tvars.h"
#include "rma/peers/combine.h"
#include "rma/peers/direct.h"
#include "rma/range.h"

enum {
    MOST = 64,            /* pieces and updates of a batch */
    STAGE = 16384,        /* bytes that updates change at a time */
    MOST_WAITING = 65536, /* bytes of puts or gets */
    ALIGNMENT = 16        /* of elements, at most */
};

typedef struct {
    MPIDIG_rma_op_t what;
    size_t bytes;
    int piece;
    char *at; /* its copy of the target's elements */
} update_t;

typedef struct MPIDIG_rma_batch {
    struct MPIDIG_rma_batch *next; /* of those that wait */
    MPIDIG_rma_peer_t *peer;
    int rank;
    enum batch_kind { EMPTY, PUTS, GETS, UPDATES } kind;
    int pieces, updates;
    size_t bytes; /* of puts or gets; of updates: of the stage */
    struct iovec mine[MOST], theirs[MOST];
    bool is_changed[MOST]; /* all of the piece; copies have no others */
    update_t update[MOST];
} batch_t;

static unsigned long long copies;

void MPIDIG_rma_direct_init(void)
{
    MPIR_Pvar_register(MPI_T_PVAR_CLASS_COUNTER, "rma_copies", &copies, NULL, "CH4_RMA",
                       "system calls that have copied window memory of other processes");
}

/* Where updates are done, for one batch at a time: the process runs one after the other. */
static char *stage;

static bool stage_is_there(void)
{
    if (!stage)
        stage = MPL_malloc(STAGE, MPL_MEM_RMA);
    return stage != NULL;
}

/* ---- to run a batch ------------------------------------------------------------------------ */

/* A process that ends has no memory before the others are told: an error tells nobody of a death
 * that this process does not know.  Not for ever: who would tell may have been stopped. */
static int await_death(MPIR_Win *win, int rank)
{
    enum { MOST_SECONDS = 1 };
    int mpi_errno = MPI_SUCCESS, vci = MPIDI_WIN(win, am_vci);
    MPL_time_t begin, now;
    double seconds = 0;

    MPL_wtime(&begin);
    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(vci).lock);
    while (!MPIDIG_deaths_is_dead(win->comm_ptr, rank) && seconds < MOST_SECONDS &&
           mpi_errno == MPI_SUCCESS) {
        mpi_errno = MPIDI_progress_test_vci(vci);
        MPL_wtime(&now);
        MPL_wtime_diff(&begin, &now, &seconds);
    }
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(vci).lock);
    return mpi_errno;
}

static int batch_error(MPIR_Win *win, const batch_t *batch, int number)
{
    int mpi_errno = MPI_SUCCESS;

    if (MPIR_Deaths_watched && !MPIR_reach_is_alive(batch->peer->door->process.id)) {
        number = ESRCH;
        mpi_errno = await_death(win, batch->rank);
        MPIR_ERR_CHKRETURN(mpi_errno);
    }
    if (number == EFAULT)
        MPIR_ERR_SET1(mpi_errno, MPI_ERR_RMA_RANGE, "**rmacopy", "**rmacopy %d", batch->rank);
    else
        MPIR_ERR_SET2(mpi_errno, MPI_ERR_OTHER, "**rmacopy", "**rmacopy %d %s", batch->rank,
                      strerror(number));
    return mpi_errno;
}

static int batch_copy(batch_t *batch, bool is_written)
{
    struct iovec mine[MOST], theirs[MOST];
    int n = 0;

    for (int i = 0; i < batch->pieces; i++) {
        if (is_written && !batch->is_changed[i])
            continue;
        mine[n] = batch->mine[i];
        theirs[n++] = batch->theirs[i];
    }
    copies += n > 0;
    return MPIR_reach_copy(batch->peer->door->process.id, is_written, mine, theirs, n);
}

/* Is the element changed? */
static bool update_swap(const update_t *update)
{
    const MPIDIG_rma_op_t *what = &update->what;
    bool is_equal = !memcmp(what->compare, update->at, update->bytes);

    memcpy(what->result, update->at, update->bytes);
    if (is_equal)
        memcpy(update->at, what->origin, update->bytes);
    return is_equal;
}

static int update_perform(batch_t *batch, const update_t *update)
{
    const MPIDIG_rma_op_t *what = &update->what;

    if (what->kind == MPIDIG_RMA_CAS) {
        batch->is_changed[update->piece] |= update_swap(update);
        return MPI_SUCCESS;
    }
    if (what->kind != MPIDIG_RMA_ACC)
        memcpy(what->result, update->at, update->bytes);
    if (what->op == MPI_NO_OP)
        return MPI_SUCCESS;
    return MPIDIG_rma_combine(what->origin, what->count, what->type, update->at, what->op);
}

static int batch_update(MPIR_Win *win, batch_t *batch)
{
    int mpi_errno = MPI_SUCCESS, error;
    uint32_t *guard = &batch->peer->control->guard;

    MPIR_rma_lock_guard_enter(guard);
    error = batch_copy(batch, false);
    for (int i = 0; !error && !mpi_errno && i < batch->updates; i++)
        mpi_errno = update_perform(batch, &batch->update[i]);
    if (!error && !mpi_errno)
        error = batch_copy(batch, true);
    MPIR_rma_lock_guard_leave(guard);
    return error ? batch_error(win, batch, error) : mpi_errno;
}

/* The batch is empty afterwards, or gone if it has failed: the kernel may refuse from now on. */
static int batch_run(MPIR_Win *win, batch_t *batch)
{
    int mpi_errno = MPI_SUCCESS, error = 0;

    LL_DELETE(MPIDIG_WIN(win, shared)->waiting, MPIDIG_WIN(win, shared)->last_waiting, batch);
    /* the number of one that has died may be another process's */
    if (MPIDIG_deaths_are_of_target(win, batch->rank))
        error = ESRCH;
    else if (batch->kind == UPDATES)
        mpi_errno = batch_update(win, batch);
    else
        error = batch_copy(batch, batch->kind == PUTS);
    if (error)
        mpi_errno = batch_error(win, batch, error);
    if (mpi_errno) {
        batch->peer->batch = NULL;
        MPL_free(batch);
        return mpi_errno;
    }
    batch->kind = EMPTY;
    batch->pieces = batch->updates = 0;
    batch->bytes = 0;
    return MPI_SUCCESS;
}

int MPIDIG_rma_direct_run(MPIR_Win *win)
{
    int mpi_errno = MPI_SUCCESS, error;
    batch_t *batch;

    while ((batch = MPIDIG_WIN(win, shared)->waiting) != NULL) {
        error = batch_run(win, batch);
        mpi_errno = mpi_errno ? mpi_errno : error;
    }
    return mpi_errno;
}

/* ---- to fill a batch ----------------------------------------------------------------------- */

static batch_t *batch_of(MPIDIG_rma_peer_t *peer, int rank)
{
    if (!peer->batch) {
        peer->batch = MPL_calloc(1, sizeof(batch_t), MPL_MEM_RMA);
        if (peer->batch) {
            peer->batch->peer = peer;
            peer->batch->rank = rank;
        }
    }
    return peer->batch;
}

/* Room for one more piece of so many bytes, in a batch of the kind. */
static int batch_prepare(MPIR_Win *win, batch_t *batch, enum batch_kind kind, bool has_room)
{
    MPIDIG_rma_shared_t *shared = MPIDIG_WIN(win, shared);

    if (batch->kind != EMPTY && (batch->kind != kind || !has_room))
        MPIR_TRY(batch_run(win, batch));
    if (batch->kind == EMPTY) {
        batch->kind = kind;
        LL_APPEND(shared->waiting, shared->last_waiting, batch);
    }
    return MPI_SUCCESS;
}

/* The target may store at any time into what is only read.  So only pieces that are changed, and
 * adjoin on both sides, are one. */
static int batch_add_piece(batch_t *batch, void *mine, void *theirs, size_t bytes, bool changes)
{
    int last = batch->pieces - 1;

    if (last >= 0 && changes && batch->is_changed[last] &&
        (char *) batch->mine[last].iov_base + batch->mine[last].iov_len == mine &&
        (char *) batch->theirs[last].iov_base + batch->theirs[last].iov_len == theirs) {
        batch->mine[last].iov_len += bytes;
        batch->theirs[last].iov_len += bytes;
        return last;
    }
    batch->mine[batch->pieces] = (struct iovec){mine, bytes};
    batch->theirs[batch->pieces] = (struct iovec){theirs, bytes};
    batch->is_changed[batch->pieces] = changes;
    return batch->pieces++;
}

static int batch_add_copy(MPIR_Win *win, batch_t *batch, int kind, void *mine, void *theirs,
                          size_t bytes)
{
    MPIR_TRY(batch_prepare(win, batch, kind, batch->pieces < MOST));
    batch_add_piece(batch, mine, theirs, bytes, true);
    batch->bytes += bytes;
    return batch->bytes >= MOST_WAITING ? batch_run(win, batch) : MPI_SUCCESS;
}

/* The piece that holds the bytes; -1: none has one of them; -2: some have some.  A piece that is
 * not changed serves only as a whole. */
static int batch_find(const batch_t *batch, const char *theirs, size_t bytes)
{
    for (int i = 0; i < batch->pieces; i++) {
        const char *begin = batch->theirs[i].iov_base, *end = begin + batch->theirs[i].iov_len;

        if (batch->is_changed[i] ? theirs >= begin && theirs + bytes <= end
                                 : theirs == begin && theirs + bytes == end)
            return i;
        if (theirs < end && theirs + bytes > begin)
            return -2;
    }
    return -1;
}

/* The stage's next place with the alignment of the target's elements. */
static size_t stage_place(const batch_t *batch, const char *theirs)
{
    return batch->bytes + (((uintptr_t) theirs - batch->bytes) & (ALIGNMENT - 1));
}

/* REQUIRES: at most STAGE - ALIGNMENT bytes. */
static int batch_add_update(MPIR_Win *win, batch_t *batch, const MPIDIG_rma_op_t *what,
                            char *theirs, size_t bytes)
{
    int piece = batch->kind == UPDATES ? batch_find(batch, theirs, bytes) : -1;
    bool has_room = batch->pieces < MOST && batch->updates < MOST && piece != -2 &&
                    stage_place(batch, theirs) + bytes <= STAGE;
    bool changes = what->kind != MPIDIG_RMA_CAS && what->op != MPI_NO_OP;
    update_t *update;

    MPIR_TRY(batch_prepare(win, batch, UPDATES, has_room));
    if (batch->updates == 0)
        piece = -1;
    if (piece < 0) {
        size_t place = stage_place(batch, theirs);

        piece = batch_add_piece(batch, stage + place, theirs, bytes, changes);
        batch->bytes = place + bytes;
    }
    batch->is_changed[piece] |= changes;
    update = &batch->update[batch->updates++];
    *update = (update_t){.what = *what, .bytes = bytes, .piece = piece};
    update->at =
        (char *) batch->mine[piece].iov_base + (theirs - (char *) batch->theirs[piece].iov_base);
    return MPI_SUCCESS;
}

/* An array is done in parts that the stage holds: each element is atomic by itself. */
static int batch_add_updates(MPIR_Win *win, batch_t *batch, const MPIDIG_rma_op_t *what,
                             char *theirs)
{
    MPI_Aint size = MPIR_Datatype_get_basic_size(what->type), left = what->count;
    const MPI_Aint most = (STAGE - ALIGNMENT) / size;
    MPIDIG_rma_op_t part = *what;

    for (; left > 0; left -= part.count) {
        part.count = MPL_MIN(left, most);
        MPIR_TRY(batch_add_update(win, batch, &part, theirs, (size_t) (part.count * size)));
        theirs += part.count * size;
        part.origin = (const char *) part.origin + (part.origin ? part.count * size : 0);
        part.result = (char *) part.result + (part.result ? part.count * size : 0);
    }
    return MPI_SUCCESS;
}

/* ---- operations ---------------------------------------------------------------------------- */

/* Contiguous bytes. */
typedef struct {
    void *at;
    size_t bytes;
    int is_contiguous;
} bytes_t;

static bytes_t bytes_of(const void *buffer, MPI_Aint count, MPI_Datatype type)
{
    bytes_t bytes;
    MPI_Aint first;

    MPIDI_Datatype_check_contig_size_lb(type, count, bytes.is_contiguous, bytes.bytes, first);
    bytes.at = MPIR_get_contig_ptr(buffer, first);
    return bytes;
}

/* Is an update of so many elements of one builtin type? */
static bool is_plain_update(const MPIDIG_rma_op_t *what)
{
    bool reads = what->kind != MPIDIG_RMA_ACC, writes = what->op != MPI_NO_OP;

    return HANDLE_IS_BUILTIN(what->type) && HANDLE_IS_BUILTIN(what->op) &&
           (!writes || (what->origin_type == what->type && what->origin_count == what->count)) &&
           (!reads || (what->result_type == what->type && what->result_count == what->count));
}

static bool is_reached(const MPIDIG_rma_peer_t *peer)
{
    return (peer->batch || MPIR_reach_leads(&peer->door->process)) &&
           !__atomic_load_n(&peer->door->is_closed, __ATOMIC_ACQUIRE);
}

static int no_memory(void)
{
    int mpi_errno = MPI_SUCCESS;

    MPIR_ERR_SETANDSTMT(mpi_errno, MPI_ERR_NO_MEM, ;, "**nomem");
    return mpi_errno;
}

/* CH4's record of the epoch, which active messages look at, is not made without memory. */
static int leave_to_messages(MPIR_Win *win, int rank)
{
    MPIDIG_win_target_t *target;

    MPIR_Reserve_enter();
    target = MPIDIG_win_target_get(win, rank);
    MPIR_Reserve_leave();
    if (MPIDIG_WIN(win, sync).access_epoch_type == MPIDIG_EPOTYPE_LOCK)
        target->sync.access_epoch_type = MPIDIG_EPOTYPE_LOCK;
    MPIR_TRY(MPIDIG_rma_direct_run(win));
    MPIDIG_WIN(win, shared)->has_messages = true;
    return MPI_SUCCESS;
}

static int add_copy(MPIR_Win *win, batch_t *batch, const MPIDIG_rma_op_t *what, bytes_t theirs,
                    bool *is_done)
{
    bool is_put = what->kind == MPIDIG_RMA_PUT;
    bytes_t mine = is_put ? bytes_of(what->origin, what->origin_count, what->origin_type)
                          : bytes_of(what->result, what->result_count, what->result_type);

    *is_done = mine.is_contiguous && theirs.is_contiguous && mine.bytes == theirs.bytes;
    if (!*is_done)
        return MPI_SUCCESS;
    return batch_add_copy(win, batch, is_put ? PUTS : GETS, mine.at, theirs.at, mine.bytes);
}

static int add_update(MPIR_Win *win, batch_t *batch, const MPIDIG_rma_op_t *what, bytes_t theirs,
                      bool *is_done)
{
    *is_done = is_plain_update(what);
    if (!*is_done)
        return MPI_SUCCESS;
    if (!stage_is_there())
        return no_memory();
    /* no accumulate overtakes an earlier one */
    if (MPIDIG_WIN(win, shared)->has_messages)
        MPIR_TRY(MPIDIG_rma_direct_finish(win));
    return batch_add_updates(win, batch, what, theirs.at);
}

int MPIDIG_rma_direct(MPIR_Win *win, MPIDIG_rma_peer_t *peer, int rank, const MPIDIG_rma_op_t *what,
                      bool *is_done)
{
    int mpi_errno = MPIDIG_rma_shared_access(win, peer, rank);
    bool is_copy = what->kind == MPIDIG_RMA_PUT || what->kind == MPIDIG_RMA_GET;
    char *base = peer->door->base + what->disp * peer->door->disp_unit;
    bytes_t theirs = bytes_of(base, what->count, what->type);
    batch_t *batch;

    *is_done = mpi_errno || theirs.bytes == 0;
    if (*is_done)
        return mpi_errno;
    mpi_errno = MPIDIG_rma_check_range(rank, peer->door->size, peer->door->disp_unit, what->disp,
                                       what->count, what->type);
    MPIR_ERR_CHKRETURN(mpi_errno);
    if (is_reached(peer)) {
        batch = batch_of(peer, rank);
        if (!batch) /* messages would need memory, too */
            return no_memory();
        mpi_errno = is_copy ? add_copy(win, batch, what, theirs, is_done)
                            : add_update(win, batch, what, theirs, is_done);
    }
    if (!mpi_errno && !*is_done)
        mpi_errno = leave_to_messages(win, rank);
    return mpi_errno;
}

/* ---- synchronization ----------------------------------------------------------------------- */

static bool messages_are_done(MPIR_Win *win)
{
    return MPIDIG_win_check_all_targets_remote_completed(win) &&
           MPIR_cc_get(MPIDIG_WIN(win, remote_cmpl_cnts)) == 0 &&
           MPIR_cc_get(MPIDIG_WIN(win, remote_acc_cmpl_cnts)) == 0;
}

static void forget_locks(MPIR_Win *win)
{
    MPIDIG_win_target_t *target, *next_target;

    HASH_ITER(hash_handle, MPIDIG_WIN(win, targets), target, next_target)
    {
        target->sync.access_epoch_type = MPIDIG_EPOTYPE_NONE;
    }
}

static int await_messages(MPIR_Win *win)
{
    int mpi_errno = MPI_SUCCESS, vci = MPIDI_WIN(win, am_vci);

    MPIR_TRY(MPIDI_NM_rma_win_cmpl_hook(win));
#ifndef MPIDI_CH4_DIRECT_NETMOD
    MPIR_TRY(MPIDI_SHM_rma_win_cmpl_hook(win));
#endif
    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(vci).lock);
    MPIDIU_PROGRESS_WHILE(!messages_are_done(win), vci);
    forget_locks(win);
    MPIDIG_WIN(win, shared)->has_messages = false;

fn_exit:
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(vci).lock);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

int MPIDIG_rma_direct_finish(MPIR_Win *win)
{
    int mpi_errno = MPIDIG_rma_direct_run(win);

    if (MPIDIG_WIN(win, shared)->has_messages)
        MPIR_Err_keep_first(&mpi_errno, await_messages(win));
    return mpi_errno;
}

void MPIDIG_rma_direct_free(MPIDIG_rma_shared_t *shared)
{
    for (int i = 0; i < shared->num_peers; i++)
        MPL_free(shared->peer[i].batch);
}

/* Memory has one kind from its first byte to its last, as far as one call can tell. */
bool MPIDIG_rma_is_copied(const void *base, MPI_Aint size)
{
    char ends[2];
    struct iovec mine[2] = {{ends, 1}, {ends + 1, 1}};
    struct iovec theirs[2] = {{(char *) base, 1}, {(char *) base + size - 1, 1}};

    return size <= 0 || !MPIR_reach_copy((int32_t) getpid(), false, mine, theirs, 2);
}

void MPIDIG_rma_door_describe(MPIDIG_rma_door_t *door, const MPIR_Win *win)
{
    bool is_dynamic = win->create_flavor == MPI_WIN_FLAVOR_DYNAMIC;

    *door = (MPIDIG_rma_door_t){.base = win->base,
                                .size = is_dynamic ? MPIR_AINT_MAX : win->size,
                                .disp_unit = win->disp_unit,
                                .process = MPIR_reach_self()};
}

void MPIDIG_rma_direct_attach(MPIR_Win *win, const void *base, MPI_Aint size)
{
    MPIDIG_rma_shared_t *shared = MPIDIG_WIN(win, shared);

    if (shared && shared->doors && !MPIDIG_rma_is_copied(base, size))
        __atomic_store_n(&shared->doors[shared->own - shared->peer].is_closed, 1, __ATOMIC_RELEASE);
}
