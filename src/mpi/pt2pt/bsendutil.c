/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "bsend_buffer.h"

/*
 * Buffered sends. The process has a buffer, and so may each communicator and each session. A send
 * takes the first that exists: the communicator's, its session's, the process's.
 *
 * Owners of buffers are found by their handles, in a list that is nearly always empty. So a
 * communicator has no field for a buffer, and a session that is gone cannot be reached.
 *
 * A message is packed into the buffer and sent from there by MPID_Isend. Segments of delivered
 * messages become free when the buffer is next looked at. A flush that does not wait has a request,
 * which a progress hook completes.
 *
 * Threads: MPIR_THREAD_VCI_BSEND_MUTEX protects all of this. No call makes progress while it holds
 * the mutex, because the hook takes it.
 */

typedef struct bsend_owner {
    int handle;
    bsend_buffer buffer;
    struct bsend_owner *next;
} bsend_owner;

/* A flush under way: done when no message up to the number is left in the buffer. */
typedef struct bsend_flush {
    bsend_buffer *buffer;
    uint64_t number;
    MPIR_Request *request;
    struct bsend_flush *next;
} bsend_flush;

static bsend_buffer process_buffer;
static bsend_owner *owners;
static bsend_flush *flushes;
static int flush_hook = -1;
static bool is_initialized;

static void bsend_lock(void) { MPID_THREAD_CS_ENTER(VCI, MPIR_THREAD_VCI_BSEND_MUTEX); }

static void bsend_unlock(void) { MPID_THREAD_CS_EXIT(VCI, MPIR_THREAD_VCI_BSEND_MUTEX); }

/* ---- which buffer ---- */

#define BSEND_PROCESS 0 /* no object has this handle */

/* The place of the pointer to the owner; the end of the list if there is none. */
static bsend_owner **place_of(int handle)
{
    bsend_owner **place = &owners;

    while (*place && (*place)->handle != handle)
        place = &(*place)->next;
    return place;
}

/* The buffer of this owner, or NULL. */
static bsend_buffer *buffer_of(int handle)
{
    bsend_owner *owner;

    if (handle == BSEND_PROCESS)
        return process_buffer.memory ? &process_buffer : NULL;
    owner = *place_of(handle);
    return owner ? &owner->buffer : NULL;
}

static bsend_buffer *buffer_for(const MPIR_Comm *comm)
{
    bsend_buffer *found = NULL;

    if (owners)
        found = buffer_of(comm->handle);
    if (owners && !found && comm->session)
        found = buffer_of(comm->session);
    return found ? found : &process_buffer;
}

/* ---- flushes ---- */

/* Completes the flushes whose messages are delivered. */
static bool complete_flushes(void)
{
    bsend_flush **place = &flushes;
    bool has_completed = false;

    while (*place) {
        bsend_flush *flush = *place;

        if (MPIR_bsend_buffer_has_sent(flush->buffer, flush->number)) {
            *place = flush->next;
            MPIR_Request_complete(flush->request);
            MPL_free(flush);
            has_completed = true;
        } else {
            place = &flush->next;
        }
    }
    if (!flushes && flush_hook >= 0)
        MPIR_Progress_hook_deactivate(flush_hook);
    return has_completed;
}

static int progress_flushes(int *made_progress)
{
    bsend_lock();
    *made_progress = complete_flushes();
    bsend_unlock();
    return MPI_SUCCESS;
}

/* Lets messages move; the caller holds the mutex, but not meanwhile. */
static int bsend_progress(void)
{
    int mpi_errno;

    bsend_unlock();
    mpi_errno = MPID_Progress_test(NULL);
    MPIR_Yield_idle();
    MPID_THREAD_CS_YIELD(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    bsend_lock();
    return mpi_errno;
}

static int bsend_flush_owner(int handle)
{
    int mpi_errno = MPI_SUCCESS;
    bsend_buffer *buffer;
    uint64_t number;

    bsend_lock();
    buffer = buffer_of(handle);
    number = buffer ? buffer->last : 0;
    while (buffer && !MPIR_bsend_buffer_has_sent(buffer, number)) {
        mpi_errno = bsend_progress();
        MPIR_ERR_CHECK(mpi_errno);
        buffer = buffer_of(handle); /* another thread may have detached it */
    }

fn_exit:
    bsend_unlock();
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

static int add_flush(bsend_buffer *buffer, MPIR_Request *request)
{
    int mpi_errno = MPI_SUCCESS;
    bsend_flush *flush = NULL;

    if (flush_hook < 0)
        MPIR_TRY(MPIR_Progress_hook_register(progress_flushes, &flush_hook));
    flush = MPL_malloc(sizeof(*flush), MPL_MEM_BUFFER);
    MPIR_ERR_CHKANDSTMT(!flush, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem");
    *flush = (bsend_flush){
        .buffer = buffer, .number = buffer->last, .request = request, .next = flushes};
    MPIR_Request_add_ref(request);
    flushes = flush;
    MPIR_Progress_hook_activate(flush_hook);

    return mpi_errno;
}

static int bsend_iflush_owner(int handle, MPIR_Request **request)
{
    int mpi_errno = MPI_SUCCESS;
    bsend_buffer *buffer;
    MPIR_Request *made = MPIR_Request_create(MPIR_REQUEST_KIND__COLL);

    MPIR_ERR_CHKANDSTMT(!made, mpi_errno, MPIX_ERR_NOREQ, return mpi_errno, "**nomemreq");
    MPIR_Status_set_empty(&made->status);
    bsend_lock();
    buffer = buffer_of(handle);
    if (buffer && !MPIR_bsend_buffer_has_sent(buffer, buffer->last))
        mpi_errno = add_flush(buffer, made);
    else
        MPIR_cc_set(&made->cc, 0);
    bsend_unlock();
    if (mpi_errno)
        MPIR_Request_free(made);
    MPIR_ERR_CHKRETURN(mpi_errno);
    *request = made;

    return mpi_errno;
}

/* ---- attach and detach ---- */

static int detach_all(void *unused);

static void bsend_init(void)
{
    if (!is_initialized)
        MPIR_Add_finalize(detach_all, NULL, 10);
    is_initialized = true;
}

/* An owner that has no buffer gets room for one. */
static bsend_buffer *make_buffer(int handle)
{
    bsend_owner *owner;

    if (handle == BSEND_PROCESS)
        return &process_buffer;
    owner = MPL_calloc(1, sizeof(*owner), MPL_MEM_BUFFER);
    if (!owner)
        return NULL;
    owner->handle = handle;
    owner->next = owners;
    owners = owner;
    return &owner->buffer;
}

static int bsend_attach_owner(int handle, void *memory, MPI_Aint size)
{
    int mpi_errno = MPI_SUCCESS;
    bsend_buffer *buffer;

    bsend_lock();
    MPIR_ERR_CHKANDJUMP(buffer_of(handle), mpi_errno, MPI_ERR_BUFFER, "**bufexists");
    MPIR_ERR_CHKANDJUMP2(memory != MPI_BUFFER_AUTOMATIC && size < MPI_BSEND_OVERHEAD, mpi_errno,
                         MPI_ERR_BUFFER, "**bsendbufsmall", "**bsendbufsmall %d %d", (int) size,
                         (int) MPI_BSEND_OVERHEAD);
    bsend_init();
    buffer = make_buffer(handle);
    MPIR_ERR_CHKANDJUMP(!buffer, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    MPIR_bsend_buffer_attach(buffer, memory, size);

fn_exit:
    bsend_unlock();
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

static void forget_buffer(int handle)
{
    bsend_owner **place, *owner;

    complete_flushes();
    if (handle == BSEND_PROCESS) {
        MPIR_bsend_buffer_detach(&process_buffer);
        return;
    }
    place = place_of(handle);
    owner = *place;
    *place = owner->next;
    MPL_free(owner);
}

/* Without a buffer the address is NULL, and the size 0. */
static int bsend_detach_owner(int handle, void **memory, MPI_Aint *size)
{
    int mpi_errno = bsend_flush_owner(handle);
    bsend_buffer *buffer;

    MPIR_ERR_CHKRETURN(mpi_errno);
    *memory = NULL;
    *size = 0;
    bsend_lock();
    buffer = buffer_of(handle);
    if (buffer) {
        *memory = buffer->memory;
        *size = buffer->size;
        forget_buffer(handle);
    }
    bsend_unlock();

    return mpi_errno;
}

static int detach_all(void *unused ATTRIBUTE((unused)))
{
    void *memory;
    MPI_Aint size;

    while (owners)
        MPIR_Bsend_owner_ends(owners->handle);
    bsend_detach_owner(BSEND_PROCESS, &memory, &size);
    if (flush_hook >= 0)
        MPIR_Progress_hook_deregister(flush_hook);
    flush_hook = -1;
    return MPI_SUCCESS;
}

/* The user may free the memory once the communicator is freed, or the session finalized. */
int MPIR_Bsend_owner_ends(int handle)
{
    void *memory;
    MPI_Aint size;

    return owners ? bsend_detach_owner(handle, &memory, &size) : MPI_SUCCESS;
}

/* ---- sends ---- */

static int pack(const void *buf, MPI_Aint count, MPI_Datatype datatype, void *message,
                MPI_Aint *bytes)
{
    MPI_Aint room = *bytes;

    if (datatype != MPI_PACKED)
        return MPIR_Typerep_pack(buf, count, datatype, 0, message, room, bytes);
    MPIR_Memcpy(message, buf, count);
    return MPI_SUCCESS;
}

/* A segment of the buffer; the messages before it may have to be delivered first. */
static bsend_segment *take_segment(bsend_buffer *buffer, MPI_Aint bytes)
{
    MPIR_bsend_buffer_has_sent(buffer, 0);
    return MPIR_bsend_buffer_take(buffer, bytes);
}

static int bsend_take(MPIR_Comm *comm, MPI_Aint bytes, bsend_buffer **buffer,
                      bsend_segment **segment)
{
    int mpi_errno = MPI_SUCCESS;

    *buffer = buffer_for(comm);
    *segment = take_segment(*buffer, bytes);
    if (!*segment) {
        MPIR_TRY(bsend_progress());
        *buffer = buffer_for(comm);
        *segment = take_segment(*buffer, bytes);
    }
    MPIR_ERR_CHKANDSTMT2(!*segment, mpi_errno, MPI_ERR_BUFFER, return mpi_errno, "**bufbsend",
                         "**bufbsend %d %d", (int) bytes, (int) (*buffer)->size);

    return mpi_errno;
}

int MPIR_Bsend_isend(const void *buf, MPI_Aint count, MPI_Datatype datatype, int dest, int tag,
                     MPIR_Comm *comm, MPIR_Request **request)
{
    int mpi_errno = MPI_SUCCESS;
    MPI_Aint bytes = count;
    bsend_buffer *buffer;
    bsend_segment *segment = NULL;

    if (datatype != MPI_PACKED)
        MPIR_Pack_size(count, datatype, &bytes);
    bsend_lock();
    mpi_errno = bsend_take(comm, bytes, &buffer, &segment);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = pack(buf, count, datatype, MPIR_bsend_segment_data(segment), &bytes);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = MPID_Isend(MPIR_bsend_segment_data(segment), bytes, MPI_PACKED, dest, tag, comm,
                           MPIR_CONTEXT_INTRA_PT2PT, &segment->request);
    MPIR_ERR_CHECK(mpi_errno);
    if (request) {
        MPIR_Request_add_ref(segment->request);
        *request = segment->request;
    }

fn_exit:
    bsend_unlock();
    return mpi_errno;
fn_fail:
    if (segment)
        MPIR_bsend_buffer_put_back(buffer, segment);
    goto fn_exit;
}

/* ---- the functions of MPI ---- */

int MPIR_Bsend_attach(void *buffer, MPI_Aint size)
{
    return bsend_attach_owner(BSEND_PROCESS, buffer, size);
}

int MPIR_Buffer_detach_impl(void *buffer_addr, MPI_Aint *size)
{
    return bsend_detach_owner(BSEND_PROCESS, buffer_addr, size);
}

int MPIR_Buffer_flush_impl(void) { return bsend_flush_owner(BSEND_PROCESS); }

int MPIR_Buffer_iflush_impl(MPIR_Request **request_ptr)
{
    return bsend_iflush_owner(BSEND_PROCESS, request_ptr);
}

int MPIR_Comm_attach_buffer_impl(MPIR_Comm *comm_ptr, void *buffer, MPI_Aint size)
{
    return bsend_attach_owner(comm_ptr->handle, buffer, size);
}

int MPIR_Comm_detach_buffer_impl(MPIR_Comm *comm_ptr, void *buffer_addr, MPI_Aint *size)
{
    return bsend_detach_owner(comm_ptr->handle, buffer_addr, size);
}

int MPIR_Comm_flush_buffer_impl(MPIR_Comm *comm_ptr) { return bsend_flush_owner(comm_ptr->handle); }

int MPIR_Comm_iflush_buffer_impl(MPIR_Comm *comm_ptr, MPIR_Request **request_ptr)
{
    return bsend_iflush_owner(comm_ptr->handle, request_ptr);
}

int MPIR_Session_attach_buffer_impl(MPIR_Session *session_ptr, void *buffer, MPI_Aint size)
{
    return bsend_attach_owner(session_ptr->handle, buffer, size);
}

int MPIR_Session_detach_buffer_impl(MPIR_Session *session_ptr, void *buffer_addr, MPI_Aint *size)
{
    return bsend_detach_owner(session_ptr->handle, buffer_addr, size);
}

int MPIR_Session_flush_buffer_impl(MPIR_Session *session_ptr)
{
    return bsend_flush_owner(session_ptr->handle);
}

int MPIR_Session_iflush_buffer_impl(MPIR_Session *session_ptr, MPIR_Request **request_ptr)
{
    return bsend_iflush_owner(session_ptr->handle, request_ptr);
}
