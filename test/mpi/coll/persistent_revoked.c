/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A communicator is revoked while its members make a persistent collective: the last one never
 * calls, so that some have the request, and others an error.  When the communicator is free, the
 * node's memory for lines is as before.  Persistent collectives alone get lines, too.
 */
#include "cmaptest_mpit.h"

enum { ROUNDS = 20 };

static int size, mine, sum, one_node;

static long long used(void)
{
    ct_pvar bytes;
    long long n = -1;

    MPI_Barrier(MPI_COMM_WORLD);
    if (ct_pvar_find("aggr_arena_bytes", &bytes)) {
        n = ct_pvar_read(&bytes);
        ct_pvar_close(&bytes);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return n;
}

static int make(MPI_Comm comm, MPI_Request *request)
{
    return MPI_Allreduce_init(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, request);
}

/* What has been made ends without an error. */
static void revoked_meanwhile(int is_late)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm comm;
    int err = MPI_SUCCESS;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Barrier(comm);
    MPI_Barrier(comm);
    if (ct_me < size - 1)
        err = make(comm, &request);
    else if (is_late && size > 1)
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (ct_me == size - 1)
        MPIX_Comm_revoke(comm);
    if (ct_me == 0 && is_late && size > 1)
        MPI_Send(NULL, 0, MPI_INT, size - 1, 0, MPI_COMM_WORLD);
    CT_CHECK(err == MPI_SUCCESS || ct_class_of(err) == MPIX_ERR_REVOKED, "the error is of class %d",
             ct_class_of(err));
    MPI_Barrier(MPI_COMM_WORLD);
    while (ct_me < size - 1 && err == MPI_SUCCESS && MPI_Barrier(comm) == MPI_SUCCESS) {
    }
    if (request != MPI_REQUEST_NULL)
        MPI_Request_free(&request);
    MPI_Comm_free(&comm);
}

/* No collective that waits has come before. */
static void persistent_alone(void)
{
    ct_pvar calls;
    MPI_Request request;
    MPI_Comm comm;
    long long before;

    if (!ct_pvar_find("aggr_calls", &calls))
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    make(comm, &request);
    before = ct_pvar_read(&calls);
    for (int i = 0; i < ROUNDS; i++) {
        mine = ct_me + i;
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CT_CHECK(sum == size * (size - 1) / 2 + i * size, "start %d: the sum is %d", i, sum);
    }
    CT_CHECK(size == 1 || !one_node || ct_pvar_read(&calls) - before >= ROUNDS,
             "%lld of %d starts went by lines", ct_pvar_read(&calls) - before, ROUNDS);
    MPI_Request_free(&request);
    MPI_Comm_free(&comm);
    ct_pvar_close(&calls);
}

int main(int argc, char **argv)
{
    long long before, after;

    MTest_Init(&argc, &argv);
    ct_mpit_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    one_node = ct_is_one_node(MPI_COMM_WORLD);
    persistent_alone();
    used();
    before = used();
    for (int i = 0; i < ROUNDS; i++)
        revoked_meanwhile(i % 2);
    after = used();
    CT_CHECK(!one_node || after == before,
             "%lld bytes of the node's memory are taken, and %lld were before", after, before);
    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
