/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Barriers where one process has no memory left go on, on all processes; with memory again so do
 * other small collectives.  Each process in turn; from a communicator's second collective on, in
 * which the others may want to share memory.
 *
 * The first one makes its communicators by nodes.  A process without memory for that takes it from
 * the reserve, and the collective works on all of them.
 *
 * So does the second MPI_Allgather over several nodes, but there another way is left, which needs
 * none (for 2, 4, 8 .. processes).
 */
#include "cmaptest_poor.h"

static int missed; /* allocations that failed here */

/* The process `poor` has no memory left after so many allocations. */
static void poor_begin(int poor, int allowed)
{
    if (ct_me == poor)
        ct_poor_begin_after(allowed);
}

static void sums(MPI_Comm comm, int size, int n, const char *when)
{
    int in[300], out[300];

    for (int i = 0; i < n; i++)
        in[i] = i + ct_me;
    MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, comm);
    CT_CHECK(out[n - 1] == size * (n - 1) + size * (size - 1) / 2, "%s: sum %d is %d", when, n - 1,
             out[n - 1]);
}

static void barriers(MPI_Comm comm, int poor)
{
    poor_begin(poor, 0);
    for (int k = 0; k < 4; k++) {
        int err = MPI_Barrier(comm);
        CT_CHECK(err == MPI_SUCCESS, "barrier %d without memory at %d fails", k, poor);
    }
    ct_poor_end();
}

/* Of those whose data need no memory. */
static int first_collective(MPI_Comm comm, int kind)
{
    int one = 1;

    return kind == 0 ? MPI_Barrier(comm) : MPI_Bcast(&one, 1, MPI_INT, 0, comm);
}

/* Without memory, after so many allocations. */
static void poor_first(int poor, int size, int kind, int allowed)
{
    int err;
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    poor_begin(poor, allowed);
    err = first_collective(comm, kind);
    missed += ct_poor_end();
    CT_CHECK(err == MPI_SUCCESS, "collective %d, %d without memory after %d: it fails", kind, poor,
             allowed);
    err = first_collective(comm, kind);
    CT_CHECK(err == MPI_SUCCESS, "collective %d, %d had no memory after %d: the next one fails",
             kind, poor, allowed);
    sums(comm, size, 1, "after that");
    MPI_Comm_free(&comm);
}

static void poor_first_of_all(int size)
{
    /* few: messages that wait for a process take memory of UCX, which ends without */
    enum { KINDS = 2, MOST = 3 };

    for (int poor = 0; poor < size; poor++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int allowed = 0; allowed < MOST; allowed++)
                poor_first(poor, size, kind, allowed);
    /* where each is alone on its node there are none to be made */
    CT_CHECK(!ct_is_one_node(MPI_COMM_WORLD) || size == 1 || missed > 0, "no memory is missed");
}

static void gather_all(MPI_Comm comm, int size, int poor, int allowed)
{
    int *all = ct_ints(size), err;

    for (int k = 0; k < 4; k++) {
        for (int m = 0; m < size; m++)
            all[m] = -1;
        if (k == 1)
            poor_begin(poor, allowed);
        err = MPI_Allgather(&ct_me, 1, MPI_INT, all, 1, MPI_INT, comm);
        ct_poor_end();
        CT_CHECK(err == MPI_SUCCESS, "allgather %d, %d without memory after %d: it fails", k, poor,
                 allowed);
        for (int m = 0; m < size; m++)
            CT_CHECK(all[m] == m, "allgather %d, %d without memory after %d: %d is %d", k, poor,
                     allowed, m, all[m]);
    }
    free(all);
}

static void gather_all_with_another_poor(int size)
{
    enum { MOST = 6 };
    MPI_Comm comm;

    for (int poor = 0; poor < size; poor++)
        for (int allowed = 0; allowed < MOST; allowed++) {
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
            gather_all(comm, size, poor, allowed);
            MPI_Comm_free(&comm);
        }
}

static void check(int size)
{
    enum { ROUNDS = 3 };
    MPI_Comm comm;

    poor_first_of_all(size);
    if ((size & (size - 1)) == 0)
        gather_all_with_another_poor(size);
    for (int poor = 0; poor < size * ROUNDS; poor++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        MPI_Barrier(comm);
        barriers(comm, poor % size);
        sums(comm, size, 1, "one");
        sums(comm, size, 300, "many");
        MPI_Comm_free(&comm);
    }
}

/* Who has spoken with whom needs no memory for that again, nor does UCX for messages that come
 * before they are asked for. */
static void speak(MPI_Comm comm, int right, int left_one)
{
    int message = 0;
    MPI_Request request;

    MPI_Isend(&ct_me, 1, MPI_INT, right, 0, comm, &request);
    MPI_Probe(left_one, 0, comm, MPI_STATUS_IGNORE);
    MPI_Recv(&message, 1, MPI_INT, left_one, 0, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    int size;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int vci = 0; vci < ct_vcis(); vci++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int step = 1; step < size; step++)
            speak(comm, (ct_me + step) % size, (ct_me - step + size) % size);
        MPI_Comm_free(&comm);
    }
    /* over a network UCX takes memory for messages, and ends a process without */
    if (ct_can_be_poor() && ct_is_one_host(MPI_COMM_WORLD))
        check(size);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
