/* SPDX-License-Identifier: BSD-3-Clause */

/* What rma_issue_sums.h adds up goes over a window's communicator: one exchange of a communicator
 * after the other. */
#ifndef RMA_ISSUE_EXCHANGE_H_INCLUDED
#define RMA_ISSUE_EXCHANGE_H_INCLUDED

#include "mpidimpl.h"
#include "rma/deferred.h"
#include "rma_issue_sums.h"

typedef struct MPIDIG_rma_exchange {
    MPIDI_deferred_job_t job; /* first; while it is not over */
    rma_issue_sums_t sums;
    MPIR_Win *win;
    void (*then)(MPIR_Win *win); /* called from progress when it is over */
    int mpi_errno;               /* it has failed for good, and is over */
    uint32_t *out, *in;          /* messages of this round, each in `room` words */
    size_t room;
    MPIR_Request **sends, **recvs; /* NULL: complete */
    uint32_t messages;             /* of this round, each way */
    uint32_t sent, received;       /* so many have begun */
    uint32_t ended;                /* and the first ones are complete, both ways */
} MPIDIG_rma_exchange_t;

/* The numbers are zero, for the caller to set in sums.sums.  NULL without memory. */
MPIDIG_rma_exchange_t *MPIDIG_rma_exchange_new(MPIR_Win *win);
/* From now on all progress goes on with it, until MPIDIG_rma_exchange_is_over(). */
void MPIDIG_rma_exchange_start(MPIDIG_rma_exchange_t *exchange, void (*then)(MPIR_Win *win));
/* One that is not over is given up.  NULL is none. */
void MPIDIG_rma_exchange_free(MPIDIG_rma_exchange_t *exchange);

extern MPIDI_deferred_kind_t MPIDIG_rma_exchanges;

MPL_STATIC_INLINE_PREFIX bool MPIDIG_rma_exchange_is_over(const MPIDIG_rma_exchange_t *exchange)
{
    return exchange->mpi_errno || MPIR_rma_issue_sums_over(&exchange->sums);
}

#endif /* RMA_ISSUE_EXCHANGE_H_INCLUDED */
