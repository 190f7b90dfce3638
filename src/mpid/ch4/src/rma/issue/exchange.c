/* SPDX-License-Identifier: BSD-3-Clause */

#include "rma/issue/exchange.h"

/* No other call uses this tag on a window's communicator. */
#define TAG MPIR_REDUCE_SCATTER_BLOCK_TAG

/* With at most this many processes, one round sends a message to each.  A round takes a turn of the
 * cores or the latency of a wire, so one round is shorter than several, in spite of more messages.
 */
enum { ONE_ROUND_MOST = 16 };

MPIDIG_rma_exchange_t *MPIDIG_rma_exchange_new(MPIR_Win *win)
{
    uint32_t size = (uint32_t) win->comm_ptr->local_size, messages;
    rma_issue_sums_t sums;
    MPIDIG_rma_exchange_t *exchange;
    size_t room;

    MPIR_rma_issue_sums_begin(&sums, size, size > 2 && size <= ONE_ROUND_MOST ? size : 2, NULL);
    messages = MPIR_rma_issue_sums_over(&sums) ? 0 : MPIR_rma_issue_sums_messages(&sums);
    room = messages ? MPIR_rma_issue_sums_words(&sums, 1) : 0;
    /* one block, freed after each fence: it takes no memory during the program's epochs */
    exchange = MPL_calloc(1,
                          sizeof(*exchange) + 2 * messages * sizeof(MPIR_Request *) +
                              (size + 2 * messages * room) * sizeof(uint32_t),
                          MPL_MEM_RMA);
    if (exchange) {
        exchange->win = win;
        exchange->room = room;
        exchange->sends = (MPIR_Request **) (exchange + 1);
        exchange->recvs = exchange->sends + messages;
        exchange->sums = sums;
        exchange->sums.sums = (uint32_t *) (exchange->recvs + messages);
        exchange->out = exchange->sums.sums + size;
        exchange->in = exchange->out + messages * room;
        exchange->messages = messages;
    }
    return exchange;
}

/* The rank that follows this process's at that distance. */
static int rank_of(const MPIDIG_rma_exchange_t *exchange, uint64_t ahead)
{
    return (int) ((exchange->win->comm_ptr->rank + ahead) % exchange->sums.size);
}

static int begin_recv(MPIDIG_rma_exchange_t *exchange, uint32_t i)
{
    const rma_issue_sums_t *sums = &exchange->sums;
    int source = rank_of(exchange, sums->size - (uint64_t) i * sums->distance);

    return MPIC_Irecv(exchange->in + (i - 1) * exchange->room,
                      (MPI_Aint) MPIR_rma_issue_sums_words(sums, i), MPI_UINT32_T, source, TAG,
                      exchange->win->comm_ptr, &exchange->recvs[i - 1]);
}

static int begin_send(MPIDIG_rma_exchange_t *exchange, uint32_t i)
{
    const rma_issue_sums_t *sums = &exchange->sums;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    uint32_t *message = exchange->out + (i - 1) * exchange->room;

    MPIR_rma_issue_sums_pack(sums, i, message);
    return MPIC_Isend(message, (MPI_Aint) MPIR_rma_issue_sums_words(sums, i), MPI_UINT32_T,
                      rank_of(exchange, (uint64_t) i * sums->distance), TAG,
                      exchange->win->comm_ptr, &exchange->sends[i - 1], &errflag);
}

/* Starts all messages of a round.  If one cannot start, the next call tries it again. */
static int begin_round(MPIDIG_rma_exchange_t *exchange)
{
    for (; exchange->received < exchange->messages; exchange->received++)
        MPIR_TRY(begin_recv(exchange, exchange->received + 1));
    for (; exchange->sent < exchange->messages; exchange->sent++)
        MPIR_TRY(begin_send(exchange, exchange->sent + 1));

    return MPI_SUCCESS;
}

/* Is the message complete?  The function may be called again after that. */
static bool end_message(MPIDIG_rma_exchange_t *exchange, MPIR_Request **request)
{
    if (!*request)
        return true;
    if (!MPIR_Request_is_complete(*request))
        return false;
    if ((*request)->status.MPI_ERROR && !exchange->mpi_errno)
        exchange->mpi_errno = (*request)->status.MPI_ERROR;
    MPIR_Request_free(*request);
    *request = NULL;
    return true;
}

/* A poll examines only the first message that is not complete. */
static bool end_messages(MPIDIG_rma_exchange_t *exchange)
{
    for (; exchange->ended < exchange->messages; exchange->ended++) {
        if (!end_message(exchange, &exchange->recvs[exchange->ended]) ||
            !end_message(exchange, &exchange->sends[exchange->ended]))
            return false;
    }
    return true;
}

static void merge_round(MPIDIG_rma_exchange_t *exchange)
{
    for (uint32_t i = 1; i <= exchange->messages; i++)
        MPIR_rma_issue_sums_merge(&exchange->sums, i, exchange->in + (i - 1) * exchange->room);
    MPIR_rma_issue_sums_end_round(&exchange->sums);
    exchange->messages = MPIR_rma_issue_sums_over(&exchange->sums)
                             ? 0
                             : MPIR_rma_issue_sums_messages(&exchange->sums);
    exchange->sent = exchange->received = exchange->ended = 0;
}

/* Makes progress with the exchange.  Answers whether it is over. */
static bool is_over_now(MPIDI_deferred_job_t *job)
{
    MPIDIG_rma_exchange_t *exchange = (MPIDIG_rma_exchange_t *) job;

    while (!MPIDIG_rma_exchange_is_over(exchange)) {
        if (begin_round(exchange) || !end_messages(exchange))
            return false;
        if (!exchange->mpi_errno)
            merge_round(exchange);
    }
    return true;
}

static int end_exchange(MPIDI_deferred_job_t *job)
{
    MPIDIG_rma_exchange_t *exchange = (MPIDIG_rma_exchange_t *) job;

    exchange->then(exchange->win);
    return MPI_SUCCESS;
}

MPIDI_deferred_kind_t MPIDIG_rma_exchanges = {
    .is_due = is_over_now, .perform = end_exchange, .is_common = true};

/* Is any message incomplete? */
static bool has_begun(const MPIDIG_rma_exchange_t *exchange)
{
    bool any = false;

    for (uint32_t i = 0; i < exchange->messages; i++)
        any |= exchange->sends[i] || exchange->recvs[i];
    return any;
}

void MPIDIG_rma_exchange_start(MPIDIG_rma_exchange_t *exchange, void (*then)(MPIR_Win *win))
{
    exchange->then = then;
    MPIDI_deferred_add(&MPIDIG_rma_exchanges, 0, &exchange->job);
    MPIDI_deferred_run(&MPIDIG_rma_exchanges, 0);
}

/* MPICH still writes to the buffers of incomplete messages: they are leaked, not freed. */
void MPIDIG_rma_exchange_free(MPIDIG_rma_exchange_t *exchange)
{
    if (!exchange)
        return;
    if (!MPIDIG_rma_exchange_is_over(exchange))
        MPIDI_deferred_remove(&MPIDIG_rma_exchanges, 0, &exchange->job);
    if (!has_begun(exchange))
        MPL_free(exchange);
}
