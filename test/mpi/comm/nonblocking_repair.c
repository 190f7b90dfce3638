/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPIX_Comm_iagree and MPIX_Comm_ishrink while nobody dies: many under way at a time, on several
 * communicators, beside other creations, on a communicator that is revoked or freed meanwhile, and
 * on one of a single process.  Also those of an intercommunicator.
 */
#include "cmaptest.h"

enum { COMMS = 6, CALLS = 20 };

static int rank, size;

static int all_bits_but(int bit) { return ~(1 << bit % 30); }

/* Those of all members at once. */
static int expected_flag(int k)
{
    int flag = ~0;

    for (int i = 0; i < size; i++)
        flag &= all_bits_but(i + k);
    return flag;
}

static void check_shrunk(MPI_Comm parent, MPI_Comm shrunk)
{
    int result, sum, members;

    MPI_Comm_compare(parent, shrunk, &result);
    CT_CHECK(result == MPI_CONGRUENT, "a shrunk communicator is not congruent");
    MPI_Comm_size(shrunk, &members);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, shrunk);
    CT_CHECK(sum == members * (members - 1) / 2 || parent == MPI_COMM_SELF, "the sum is %d", sum);
}

static void check_many(void)
{
    MPI_Comm comms[COMMS], shrunk[COMMS], duplicate;
    MPI_Request requests[COMMS * (CALLS + 1)];
    int flags[COMMS][CALLS], n = 0;

    for (int c = 0; c < COMMS; c++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[c]);
    for (int k = 0; k < CALLS; k++) {
        for (int c = 0; c < COMMS; c++) {
            flags[c][k] = all_bits_but(rank + k);
            MPIX_Comm_iagree(comms[c], &flags[c][k], &requests[n++]);
        }
    }
    for (int c = 0; c < COMMS; c++)
        MPIX_Comm_ishrink(comms[c], &shrunk[c], &requests[n++]);
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    MPI_Comm_free(&duplicate);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    for (int c = 0; c < COMMS; c++) {
        for (int k = 0; k < CALLS; k++)
            CT_CHECK(flags[c][k] == expected_flag(k), "flag %d is %x, not %x", k, flags[c][k],
                     expected_flag(k));
        check_shrunk(comms[c], shrunk[c]);
        MPI_Comm_free(&shrunk[c]);
        MPI_Comm_free(&comms[c]);
    }
}

static void check_revoked_and_freed(void)
{
    MPI_Comm comm, shrunk;
    MPI_Request requests[2];
    int flag = all_bits_but(rank);

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPIX_Comm_iagree(comm, &flag, &requests[0]);
    if (rank == 0)
        MPIX_Comm_revoke(comm);
    MPIX_Comm_ishrink(comm, &shrunk, &requests[1]);
    MPI_Comm_free(&comm);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CT_CHECK(flag == expected_flag(0), "the flag is %x", flag);
    check_shrunk(MPI_COMM_WORLD, shrunk);
    MPI_Comm_free(&shrunk);
}

static void check_alone(void)
{
    MPI_Comm shrunk;
    MPI_Request request;
    int flag = 6;

    MPIX_Comm_iagree(MPI_COMM_SELF, &flag, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CT_CHECK(flag == 6, "the flag of one process is %d", flag);
    MPIX_Comm_ishrink(MPI_COMM_SELF, &shrunk, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_shrunk(MPI_COMM_SELF, shrunk);
    MPI_Comm_free(&shrunk);
}

static void check_inter(void)
{
    MPI_Comm half, inter;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm shrunk;
    int flag = ~(1 << rank), result;

    if (size < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &inter);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    MPIX_Comm_iagree(inter, &flag, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CT_CHECK(flag == ~((1 << size) - 1), "the flag of both groups is %d", flag);
    MPIX_Comm_ishrink(inter, &shrunk, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_compare(inter, shrunk, &result);
    CT_CHECK(result == MPI_CONGRUENT, "a shrunk intercommunicator is not congruent");
    MPI_Barrier(shrunk);
    MPI_Comm_free(&shrunk);
    CT_CHECK(request == MPI_REQUEST_NULL, "there is a request");
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 5; i++) {
        check_many();
        check_revoked_and_freed();
        check_alone();
        check_inter();
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
