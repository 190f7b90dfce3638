/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The free function of a generalized request runs once: in MPI_Grequest_complete if the request was
 * freed before, in MPI_Request_free or the wait otherwise.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

static int freed, result;

static int query(void *state, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, 1);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int release(void *state)
{
    freed++;
    *(int *) state = -1;
    return result;
}

static int cancel(void *state, int complete) { return MPI_SUCCESS; }

static void expect(int times, int state, const char *when)
{
    CT_CHECK(freed == times, "%s: the free function ran %d times", when, freed);
    CT_CHECK(state == (times ? -1 : 7), "%s: the state is %d", when, state);
}

static void free_first(void)
{
    MPI_Request request, copy;
    int state = 7;

    freed = 0;
    MPI_Grequest_start(query, release, cancel, &state, &request);
    copy = request;
    MPI_Request_free(&request);
    expect(0, state, "after MPI_Request_free");
    CT_CHECK(MPI_Grequest_complete(copy) == MPI_SUCCESS, "MPI_Grequest_complete fails");
    expect(1, state, "after MPI_Grequest_complete");
}

static void fail_to_free(void)
{
    MPI_Request request, copy;
    int state = 7;

    freed = 0;
    result = MPI_ERR_OTHER;
    MPI_Grequest_start(query, release, cancel, &state, &request);
    copy = request;
    MPI_Request_free(&request);
    CT_CHECK(MPI_Grequest_complete(copy) != MPI_SUCCESS, "the error of the free function is lost");
    result = MPI_SUCCESS;
}

static void complete_first(int wait)
{
    MPI_Request request;
    int state = 7;

    freed = 0;
    MPI_Grequest_start(query, release, cancel, &state, &request);
    MPI_Grequest_complete(request);
    expect(0, state, "after an early MPI_Grequest_complete");
    if (wait)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    else
        MPI_Request_free(&request);
    expect(1, state, wait ? "after MPI_Wait" : "after MPI_Request_free");
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int i = 0; i < 100; i++) {
        free_first();
        complete_first(0);
        complete_first(1);
    }
    fail_to_free();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
