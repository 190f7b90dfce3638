/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "deaths.h"
#include "rma/deferred.h"

/* Requests of operations on windows whose members may die. */

int MPIDIG_deaths_end_wait(const MPIR_Win *win) { return MPIR_Comm_end_error(win->comm_ptr); }

typedef struct {
    MPIDI_deferred_job_t job; /* first */
    MPIR_Win *win;
    int rank;
    MPIR_Request *real, *shown;
} stand_in_t;

/* What UCX does by itself ends, also after a death. */
static bool awaits_answer(const MPIR_Request *real) { return MPIDIG_REQUEST(real, req) != NULL; }

static bool is_over(MPIDI_deferred_job_t *job)
{
    const stand_in_t *one = (stand_in_t *) job;

    return MPIR_Request_is_complete(one->real) ||
           (MPIDIG_deaths_are_of_target(one->win, one->rank) && awaits_answer(one->real));
}

/* One that has no answer stays, as the answer may be on its way. */
static int end(MPIDI_deferred_job_t *job)
{
    stand_in_t *one = (stand_in_t *) job;

    if (MPIR_Request_is_complete(one->real)) {
        one->shown->status.MPI_ERROR = one->real->status.MPI_ERROR;
        MPIR_Request_free(one->real);
    } else {
        MPIDIG_deaths_end_with_error(one->shown);
    }
    MPID_Request_complete(one->shown);
    MPL_free(one);
    return MPI_SUCCESS;
}

static MPIDI_deferred_kind_t stand_ins = {.is_due = is_over, .perform = end, .is_common = true};

void MPIDIG_deaths_make_stand_in(MPIR_Win *win, int rank, MPIR_Request **request)
{
    stand_in_t *one = MPL_malloc(sizeof(*one), MPL_MEM_RMA);
    MPIR_Request *shown = one ? MPIR_Request_create_from_pool(MPIR_REQUEST_KIND__RMA, 0, 2) : NULL;

    if (!shown) {
        MPL_free(one);
        return;
    }
    *one = (stand_in_t){.win = win, .rank = rank, .real = *request, .shown = shown};
    MPIDI_deferred_register(MPIDI_DEFERRED_STAND_INS, &stand_ins);
    MPIDI_deferred_add(&stand_ins, 0, &one->job);
    *request = shown;
}
