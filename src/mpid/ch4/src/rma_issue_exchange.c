/* SPDX-License-Identifier: BSD-3-Clause */

#include "rma_issue_exchange.h"
#include "rma_shared.h"

/* Nothing else that is done on a window's communicator has it. */
#define TAG MPIR_REDUCE_SCATTER_BLOCK_TAG

/* Those that are not over, of all windows. */
static MPIDIG_rma_exchange_t *running;

MPIDIG_rma_exchange_t *MPIDIG_rma_exchange_new(MPIR_Win * win)
{
    uint32_t size = (uint32_t) win->comm_ptr->local_size;
    rma_issue_sums_t sums;
    MPIDIG_rma_exchange_t *exchange;
    size_t words;

    rma_issue_sums_begin(&sums, size, NULL);
    words = rma_issue_sums_words(&sums);
    /* one block, given back after each fence: none holds it through the program's epochs */
    exchange = MPL_calloc(1, sizeof(*exchange) + (size + 2 * words) * sizeof(uint32_t), MPL_MEM_RMA);
    if (exchange) {
        rma_issue_sums_begin(&exchange->sums, size, (uint32_t *) (exchange + 1));
        exchange->out = exchange->sums.sums + size;
        exchange->in = exchange->out + words;
        exchange->win = win;
    }
    return exchange;
}

/* The process so many ranks on. */
static int rank_of(const MPIDIG_rma_exchange_t * exchange, uint32_t ahead)
{
    return (int) (((uint64_t) exchange->win->comm_ptr->rank + ahead) % exchange->sums.size);
}

/* Both messages of a round.  One that could not begin is tried again. */
static int begin_round(MPIDIG_rma_exchange_t * exchange)
{
    int mpi_errno = MPI_SUCCESS;
    const rma_issue_sums_t *sums = &exchange->sums;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    size_t words = rma_issue_sums_words(sums);

    if (!exchange->receives) {
        mpi_errno = MPIC_Irecv(exchange->in, (MPI_Aint) words, MPI_UINT32_T, rank_of(exchange, sums->size - sums->distance),
                               TAG, exchange->win->comm_ptr, &exchange->recv);
        MPIR_ERR_CHECK(mpi_errno);
        exchange->receives = true;
    }
    if (!exchange->sends) {
        rma_issue_sums_pack(sums, exchange->out);
        mpi_errno = MPIC_Isend(exchange->out, (MPI_Aint) words, MPI_UINT32_T, rank_of(exchange, sums->distance), TAG,
                               exchange->win->comm_ptr, &exchange->send, &errflag);
        MPIR_ERR_CHECK(mpi_errno);
        exchange->sends = true;
    }

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

static void end_message(MPIDIG_rma_exchange_t * exchange, MPIR_Request ** request)
{
    if (*request && (*request)->status.MPI_ERROR && !exchange->mpi_errno)
        exchange->mpi_errno = (*request)->status.MPI_ERROR;
    if (*request)
        MPIR_Request_free(*request);
    *request = NULL;
}

static bool is_done(MPIR_Request * request)
{
    return !request || MPIR_Request_is_complete(request);
}

static void go_on(MPIDIG_rma_exchange_t * exchange)
{
    while (!MPIDIG_rma_exchange_is_over(exchange)) {
        if (begin_round(exchange) || !is_done(exchange->send) || !is_done(exchange->recv))
            return;
        end_message(exchange, &exchange->send);
        end_message(exchange, &exchange->recv);
        exchange->sends = exchange->receives = false;
        if (!exchange->mpi_errno)
            rma_issue_sums_merge(&exchange->sums, exchange->in);
    }
}

static void stop(MPIDIG_rma_exchange_t * exchange)
{
    DL_DELETE(running, exchange);
    MPL_atomic_fetch_sub_int(&MPIDIG_rma_todo, 1);
}

void MPIDIG_rma_exchange_start(MPIDIG_rma_exchange_t * exchange, void (*then) (MPIR_Win * win))
{
    exchange->then = then;
    DL_APPEND(running, exchange);
    MPL_atomic_fetch_add_int(&MPIDIG_rma_todo, 1);
    MPIDIG_rma_exchanges_go_on();
}

void MPIDIG_rma_exchanges_go_on(void)
{
    MPIDIG_rma_exchange_t *exchange, *next_exchange;

    DL_FOREACH_SAFE(running, exchange, next_exchange) {
        go_on(exchange);
        if (MPIDIG_rma_exchange_is_over(exchange)) {
            stop(exchange);
            exchange->then(exchange->win);
        }
    }
}

/* MPICH writes to the messages of what is given up: better lost than written over. */
void MPIDIG_rma_exchange_free(MPIDIG_rma_exchange_t * exchange)
{
    if (!exchange)
        return;
    if (!MPIDIG_rma_exchange_is_over(exchange))
        stop(exchange);
    if (!exchange->send && !exchange->recv)
        MPL_free(exchange);
}
