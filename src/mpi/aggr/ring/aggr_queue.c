/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_reserve.h"
#include "aggr_operation.h"

/*
 * The queue of a communicator: its operations that have begun and are not over, and those that
 * follow.  The progress engine looks at it until it is empty.
 */

/* Communicators with a queue that is not empty.  Each operation of a queue refers to its
 * communicator. */
static MPIR_Comm *waiting;
static int hook = -1;

bool MPIR_Aggr_is_pending;

/* Both may call functions of the user, which delete attributes, and these may call MPI. */
static void complete(struct MPIR_Aggr_operation *op)
{
    MPIR_Comm *comm = op->comm;

    if (op->kind->give_up)
        op->kind->give_up(op);
    op->kind->release(op);
    if (op->request) {
        op->request->status.MPI_ERROR = op->mpi_errno;
        MPIR_Request_complete(op->request);
    }
    MPL_free(op);
    MPIR_Comm_release(comm);
}

static void complete_all(struct MPIR_Aggr_operation *list)
{
    while (list) {
        struct MPIR_Aggr_operation *op = list;

        list = op->next;
        complete(op);
    }
}

/* May it begin, behind the other operations of its ring in the queue? */
static bool can_begin(const struct MPIR_Aggr_operation *op)
{
    const struct MPIR_Aggr_operation *other = op->comm->aggr->queue;

    while (other && other != op && (other->has_begun || other->ring != op->ring))
        other = other->next;
    return (!other || other == op) && MPIR_aggr_ring_ready(op->ring);
}

static void begin(struct MPIR_Aggr_operation *op)
{
    op->kind->put(op);
    op->has_begun = true;
}

/* The others wait for this process, which may pack, unpack, send or receive here: memory comes from
 * the reserve if there is no other. */
static bool is_over(struct MPIR_Aggr_operation *op)
{
    bool answer;

    MPIR_Reserve_enter();
    if (!op->has_begun && can_begin(op))
        begin(op);
    answer = op->has_begun && op->kind->look(op);
    MPIR_Reserve_leave();
    return answer;
}

/* Moves what is over from the queue to the end of a list, which is returned. */
static struct MPIR_Aggr_operation **serve(struct MPIR_Aggr *aggr, struct MPIR_Aggr_operation **end)
{
    struct MPIR_Aggr_operation **at = &aggr->queue, *op;

    while ((op = *at) != NULL) {
        if (!is_over(op)) {
            at = &op->next;
            continue;
        }
        *at = op->next;
        op->next = NULL;
        *end = op;
        end = &op->next;
    }
    return end;
}

/* Operations are completed when no queue is looked at any more. */
static int serve_all(int *made_progress)
{
    struct MPIR_Aggr_operation *over = NULL, **end = &over;
    MPIR_Comm **at = &waiting, *comm;

    while ((comm = *at) != NULL) {
        end = serve(comm->aggr, end);
        if (comm->aggr->queue)
            at = &comm->aggr->next_waiting;
        else
            *at = comm->aggr->next_waiting;
    }
    if (!waiting) {
        MPIR_Progress_hook_deactivate(hook);
        MPIR_Aggr_is_pending = false;
    }
    *made_progress |= over != NULL;
    complete_all(over);
    return MPI_SUCCESS;
}

void MPIR_Aggr_serve(void)
{
    int made_progress = 0;

    serve_all(&made_progress);
}

/* The progress engine looks at the communicator's queue until it is empty. */
static int start_to_wait(MPIR_Comm *comm)
{
    if (hook < 0)
        MPIR_TRY(MPIR_Progress_hook_register(serve_all, &hook));
    comm->aggr->next_waiting = waiting;
    waiting = comm;
    MPIR_Progress_hook_activate(hook);
    MPIR_Aggr_is_pending = true;

    return MPI_SUCCESS;
}

static bool is_waiting(const MPIR_Comm *comm)
{
    const MPIR_Comm *other = waiting;

    while (other && other != comm)
        other = other->aggr->next_waiting;
    return other != NULL;
}

static struct MPIR_Aggr_operation **end_of_queue(struct MPIR_Aggr *aggr)
{
    struct MPIR_Aggr_operation **at = &aggr->queue;

    while (*at)
        at = &(*at)->next;
    return at;
}

static int enqueue(const struct MPIR_Aggr_operation *op, MPIR_Request **request)
{
    struct MPIR_Aggr_operation *copy =
        MPL_malloc(sizeof(*copy) + op->kind->array_bytes(op), MPL_MEM_COLL);
    int mpi_errno = MPI_SUCCESS;

    MPIR_ERR_CHKANDJUMP(!copy, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    *copy = *op;
    if (!is_waiting(op->comm))
        mpi_errno = start_to_wait(op->comm);
    MPIR_ERR_CHECK(mpi_errno);
    if (request) {
        *request = copy->request = MPIR_Request_create(MPIR_REQUEST_KIND__COLL);
        MPIR_Request_add_ref(copy->request); /* the user's, and the queue's */
        copy->request->comm = op->comm;
        MPIR_Comm_add_ref(op->comm);
    }
    MPIR_Comm_add_ref(op->comm);
    op->kind->keep(copy, copy + 1);
    *end_of_queue(op->comm->aggr) = copy;
    MPIR_Aggr_counts.calls++;

fn_exit:
    return mpi_errno;
fn_fail:
    MPL_free(copy);
    goto fn_exit;
}

static int end(struct MPIR_Aggr_operation *op)
{
    MPIR_Aggr_done(0, &op->mpi_errno);
    return op->mpi_errno;
}

/* With all the memory that there is, as is_over().  Once a communicator has ended, nobody ends the
 * queue again. */
int MPIR_Aggr_start(struct MPIR_Aggr_operation *op, MPIR_Request **request)
{
    if (unlikely(op->comm->ended))
        return op->mpi_errno = MPIR_Comm_end_error(op->comm);
    MPIR_Reserve_enter();
    if (!is_over(op)) {
        op->mpi_errno = enqueue(op, request);
    } else {
        if (request)
            *request = MPIR_Request_create_complete(MPIR_REQUEST_KIND__COLL);
        end(op);
    }
    MPIR_Reserve_leave();
    return op->mpi_errno;
}

/* Looks as often as a process polls that waits. */
static bool is_over_soon(struct MPIR_Aggr_operation *op, unsigned polls)
{
    bool ends = is_over(op);

    for (; polls > 0 && !ends && !op->has_messages; polls--)
        ends = is_over(op);
    return ends;
}

int MPIR_Aggr_run(struct MPIR_Aggr_operation *op)
{
    aggr_group_t *group = &op->comm->aggr->group;
    int status = AGGR_OK;

    while (status == AGGR_OK && !is_over_soon(op, group->waiting->polls))
        status = MPIR_aggr_turn(group);
    if (unlikely(status != AGGR_OK)) {
        op->kind->give_up(op);
        return MPIR_Aggr_error(status, 0, group);
    }
    return end(op);
}

static void end_queue(MPIR_Comm *comm, int mpi_errno)
{
    struct MPIR_Aggr_operation *list = comm->aggr->queue;
    MPIR_Comm **at = &waiting;

    while (*at && *at != comm)
        at = &(*at)->aggr->next_waiting;
    if (*at)
        *at = comm->aggr->next_waiting;
    comm->aggr->queue = NULL;
    for (struct MPIR_Aggr_operation *op = list; op; op = op->next)
        op->mpi_errno = mpi_errno;
    complete_all(list);
}

void MPIR_Aggr_revoke(MPIR_Comm *comm)
{
    if (MPIR_Aggr_has_lines(comm))
        end_queue(comm, MPIR_Aggr_end_waits(comm));
}
