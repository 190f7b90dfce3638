/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: revoke [-collective | -receives]
 *
 * MPIX_Comm_revoke by one process, or by all: receives, probes and collectives that are pending end
 * with MPIX_ERR_REVOKED everywhere, so do later calls, and what is local still works.  Sends that
 * are pending end.  Then the communicator is agreed on and shrunk, and messages that no process
 * received on it come to no later communicator.  With -collective a small one has been used before,
 * with -receives no process waits in a collective.
 */
#include "cmaptest_mpit.h"

static const char *const collectives[] = {"barrier",        "allreduce",      "broadcast",
                                          "alltoall",       "long broadcast", "long alltoall",
                                          "long reduction", "long scan"};

enum { STALE = 77, FRESH = 1234, TAG = 5, MOST_RANKS = 64, LONG = 300000 };
enum { COLLECTIVES = 8, LEAVES = 6 }; /* in those from LEAVES on, some processes only send */

static int size, uses_collectives, receives_only;

static void expect_revoked(int code, const char *what)
{
    CT_CHECK(ct_class_of(code) == MPIX_ERR_REVOKED, "%s: error class %d, not MPIX_ERR_REVOKED",
             what, ct_class_of(code));
}

static MPI_Comm to_revoke(void)
{
    MPI_Comm comm;
    int one = 1, sum;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; uses_collectives && i < 3; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    return comm;
}

static void refused_calls(MPI_Comm comm)
{
    MPI_Comm child;
    MPI_Request request;
    MPI_Status status;
    int number = 0, flag, next = (ct_me + 1) % size;

    expect_revoked(MPI_Send(&number, 1, MPI_INT, next, 0, comm), "send");
    expect_revoked(MPI_Isend(&number, 1, MPI_INT, next, 0, comm, &request), "isend");
    expect_revoked(MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, &status), "recv");
    expect_revoked(MPI_Irecv(&number, 1, MPI_INT, next, 0, comm, &request), "irecv");
    expect_revoked(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &status), "iprobe");
    expect_revoked(MPI_Barrier(comm), "barrier");
    expect_revoked(MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_SUM, comm), "allreduce");
    expect_revoked(MPI_Ibarrier(comm, &request), "ibarrier");
    expect_revoked(MPI_Comm_dup(comm, &child), "dup");
    expect_revoked(MPI_Comm_split(comm, 0, 0, &child), "split");
}

static void local_calls(MPI_Comm comm)
{
    MPI_Group group;
    MPI_Info info;
    int n = 0, rank = -1, result;

    CT_CHECK(MPI_Comm_size(comm, &n) == MPI_SUCCESS && n == size,
             "size %d of the revoked communicator", n);
    CT_CHECK(MPI_Comm_rank(comm, &rank) == MPI_SUCCESS && rank == ct_me,
             "rank %d in the revoked communicator", rank);
    CT_CHECK(MPI_Comm_compare(comm, MPI_COMM_WORLD, &result) == MPI_SUCCESS &&
                 result == MPI_CONGRUENT,
             "comparison %d", result);
    CT_CHECK(MPI_Comm_group(comm, &group) == MPI_SUCCESS, "no group");
    MPI_Group_free(&group);
    CT_CHECK(MPI_Comm_test_inter(comm, &result) == MPI_SUCCESS && !result, "of two groups");
    CT_CHECK(MPI_Comm_set_name(comm, "revoked") == MPI_SUCCESS, "no name");
    CT_CHECK(MPI_Comm_get_info(comm, &info) == MPI_SUCCESS, "no hints");
    CT_CHECK(MPI_Comm_set_info(comm, info) == MPI_SUCCESS, "no new hints");
    MPI_Info_free(&info);
    CT_CHECK(MPIX_Comm_revoke(comm) == MPI_SUCCESS, "revoked again");
}

static void repair(MPI_Comm comm)
{
    MPI_Comm small;
    int flag = ct_me == size / 2 ? 6 : 7, one = 1, sum = 0;

    CT_CHECK(MPIX_Comm_agree(comm, &flag) == MPI_SUCCESS && flag == 6, "agreed on %d", flag);
    CT_CHECK(MPIX_Comm_shrink(comm, &small) == MPI_SUCCESS, "shrink of a revoked communicator");
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, small);
    CT_CHECK(sum == size, "a sum of %d in the repaired communicator", sum);
    MPI_Sendrecv(&ct_me, 1, MPI_INT, (ct_me + 1) % size, TAG, &sum, 1, MPI_INT,
                 (ct_me + size - 1) % size, TAG, small, MPI_STATUS_IGNORE);
    CT_CHECK(sum == (ct_me + size - 1) % size, "another message in the repaired communicator");
    MPI_Comm_free(&small);
}

static void after_revoked(MPI_Comm comm)
{
    refused_calls(comm);
    local_calls(comm);
    repair(comm);
    MPI_Comm_free(&comm);
}

/* By the last process; the others wait for what does not come. */
static void pending_receives(void)
{
    enum { REQUESTS = 4 };
    MPI_Comm comm = to_revoke();
    MPI_Request requests[REQUESTS];
    MPI_Status statuses[REQUESTS];
    int numbers[REQUESTS], last = size - 1, cancelled;

    MPI_Irecv(&numbers[0], 1, MPI_INT, last, TAG, comm, &requests[0]);
    MPI_Irecv(&numbers[1], 1, MPI_INT, MPI_ANY_SOURCE, TAG, comm, &requests[1]);
    MPI_Recv_init(&numbers[2], 1, MPI_INT, last, MPI_ANY_TAG, comm, &requests[2]);
    MPI_Start(&requests[2]);
    MPI_Irecv(&numbers[3], 1, MPI_INT, ct_me, TAG, comm, &requests[3]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (ct_me == last)
        CT_CHECK(MPIX_Comm_revoke(comm) == MPI_SUCCESS, "revoke fails");
    for (int i = 0; i < REQUESTS; i++) {
        expect_revoked(MPI_Wait(&requests[i], &statuses[i]), "a pending receive");
        MPI_Test_cancelled(&statuses[i], &cancelled);
        CT_CHECK(!cancelled, "a pending receive counts as cancelled");
    }
    MPI_Request_free(&requests[2]);
    after_revoked(comm);
}

static void blocked_receive(void)
{
    MPI_Comm comm = to_revoke();
    int number;

    if (ct_me == 0)
        MPIX_Comm_revoke(comm);
    else
        expect_revoked(MPI_Recv(&number, 1, MPI_INT, ct_me % 2 ? 0 : MPI_ANY_SOURCE, TAG, comm,
                                MPI_STATUS_IGNORE),
                       "a blocked receive");
    after_revoked(comm);
}

static void blocked_probe(void)
{
    MPI_Comm comm = to_revoke();
    MPI_Message message;
    int from = ct_me % 2 ? 0 : MPI_ANY_SOURCE;

    if (ct_me == 0)
        MPIX_Comm_revoke(comm);
    else if (ct_me % 3 == 0)
        expect_revoked(MPI_Probe(from, TAG, comm, MPI_STATUS_IGNORE), "a blocked probe");
    else
        expect_revoked(MPI_Mprobe(from, TAG, comm, &message, MPI_STATUS_IGNORE),
                       "a blocked matching probe");
    after_revoked(comm);
}

/* Sends that wait for their receivers end, with an error or without. */
static void pending_sends(void)
{
    MPI_Comm comm = to_revoke();
    MPI_Request requests[2];
    static int numbers[LONG];
    int next = (ct_me + 1) % size;

    if (ct_me == 0) {
        MPIX_Comm_revoke(comm);
    } else {
        if (MPI_Isend(numbers, LONG, MPI_INT, next, TAG, comm, &requests[0]) == MPI_SUCCESS)
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        if (MPI_Issend(numbers, 1, MPI_INT, next, TAG, comm, &requests[1]) == MPI_SUCCESS)
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        while (MPI_Send(numbers, LONG, MPI_INT, next, TAG, comm) == MPI_SUCCESS)
            ;
    }
    after_revoked(comm);
}

/* Of as many elements for each process. */
static int length_of(int which) { return which < 4 ? 1 : LONG / MOST_RANKS; }

static int call_collective(int which, MPI_Comm comm)
{
    static int all[LONG], sums[LONG];
    int one = 1, sum;

    switch (which) {
        case 0: return MPI_Barrier(comm);
        case 1: return MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
        case 2:
        case 4: return MPI_Bcast(all, length_of(which) * size, MPI_INT, size - 1, comm);
        case 3:
        case 5:
            return MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, length_of(which), MPI_INT,
                                comm);
        case 6: return MPI_Reduce(all, sums, LONG / 2, MPI_INT, MPI_SUM, size - 1, comm);
        case 7: return MPI_Scan(all, sums, LONG / 2, MPI_INT, MPI_SUM, comm);
    }
    return MPI_SUCCESS;
}

static int start_collective(int which, MPI_Comm comm, MPI_Request *request)
{
    static int all[COLLECTIVES][LONG], sums[COLLECTIVES][LONG], sum;

    switch (which) {
        case 0: return MPI_Ibarrier(comm, request);
        case 1: return MPI_Iallreduce(&ct_me, &sum, 1, MPI_INT, MPI_SUM, comm, request);
        case 2:
        case 4:
            return MPI_Ibcast(all[which], length_of(which) * size, MPI_INT, size - 1, comm,
                              request);
        case 3:
        case 5:
            return MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all[which], length_of(which),
                                 MPI_INT, comm, request);
        case 6:
            return MPI_Ireduce(all[which], sums[which], LONG / 2, MPI_INT, MPI_SUM, size - 1, comm,
                               request);
        case 7:
            return MPI_Iscan(all[which], sums[which], LONG / 2, MPI_INT, MPI_SUM, comm, request);
    }
    return MPI_SUCCESS;
}

/* A process that only sends in a collective may have left it before the revocation. */
static void learn(MPI_Comm comm)
{
    int number;

    expect_revoked(MPI_Recv(&number, 1, MPI_INT, size - 1, TAG, comm, MPI_STATUS_IGNORE),
                   "a receive after a collective");
}

/* The last process revokes it instead of taking part. */
static void blocked_collective(int which)
{
    MPI_Comm comm = to_revoke();
    char what[64];
    int result;

    snprintf(what, sizeof(what), "a blocked %s", collectives[which]);
    if (ct_me == size - 1) {
        MPIX_Comm_revoke(comm);
    } else {
        result = call_collective(which, comm);
        if (result != MPI_SUCCESS || which < LEAVES)
            expect_revoked(result, what);
        learn(comm);
    }
    after_revoked(comm);
}

/* Some may have been over for a process before it learned of the revocation, as a barrier whose
 * last process comes after it. */
static void pending_collectives(void)
{
    MPI_Comm comm = to_revoke();
    MPI_Request requests[COLLECTIVES];
    int started = 0, result;

    if (ct_me == size - 1) {
        MPIX_Comm_revoke(comm);
    } else {
        while (started < COLLECTIVES &&
               start_collective(started, comm, &requests[started]) == MPI_SUCCESS)
            started++;
        for (int i = 0; i < started; i++) {
            result = MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
            if (result != MPI_SUCCESS || i == 0)
                expect_revoked(result, collectives[i]);
        }
        learn(comm);
    }
    after_revoked(comm);
}

/* One process revokes it, and all go on at once: some have not learned of it yet. */
static void repaired_at_once(void)
{
    MPI_Comm comm, small;
    int flag = 7;

    for (int which = 0; which < 3; which++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        if (ct_me == which % size)
            CT_CHECK(MPIX_Comm_revoke(comm) == MPI_SUCCESS, "revoke fails");
        if (which == 0) {
            CT_CHECK(MPIX_Comm_agree(comm, &flag) == MPI_SUCCESS && flag == 7, "agree at once");
        } else if (which == 1) {
            CT_CHECK(MPIX_Comm_shrink(comm, &small) == MPI_SUCCESS, "shrink at once");
            MPI_Comm_free(&small);
        }
        MPI_Comm_free(&comm);
    }
}

/* The last process revokes the parent instead of taking part. */
static void pending_creations(void)
{
    for (int which = 0; which < 3; which++) {
        MPI_Comm comm = to_revoke(), made = MPI_COMM_NULL;
        MPI_Group group;
        int next = (ct_me + 1) % size, degree = 1, result;

        MPI_Comm_group(comm, &group);
        if (ct_me == size - 1) {
            MPIX_Comm_revoke(comm);
        } else {
            if (which == 0)
                result = MPI_Comm_create_group(comm, group, TAG, &made);
            else if (which == 1)
                result = MPI_Dist_graph_create(comm, 1, &ct_me, &degree, &next, MPI_UNWEIGHTED,
                                               MPI_INFO_NULL, 0, &made);
            else
                result = MPI_Comm_split(comm, 0, 0, &made);
            expect_revoked(result, "a pending creation");
        }
        MPI_Group_free(&group);
        after_revoked(comm);
    }
}

/* A message without a receive; then the id is not another communicator's. */
static void stale_message(void)
{
    MPI_Comm comm = to_revoke(), next;
    MPI_Request request;
    int number = STALE, received = 0, to = (ct_me + 1) % size, from = (ct_me + size - 1) % size;

    MPI_Send(&number, 1, MPI_INT, to, TAG, comm);
    MPIX_Comm_revoke(comm);
    after_revoked(comm);
    for (int i = 0; i < 20; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &next);
        number = FRESH + i;
        MPI_Irecv(&received, 1, MPI_INT, from, TAG, next, &request);
        MPI_Send(&number, 1, MPI_INT, to, TAG, next);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CT_CHECK(received == FRESH + i, "received %d in the communicator after a revoked one",
                 received);
        MPI_Comm_free(&next);
    }
}

/* The caller is of one group, and members of both wait for messages of the other one, or in a
 * collective. */
static void between_groups(void)
{
    MPI_Comm half, inter, small;
    MPI_Request receive, barrier;
    int number = 0, flag = ct_me == 0 ? 5 : 7, n = 0;
    static int numbers[LONG];

    MPI_Comm_split(MPI_COMM_WORLD, ct_me % 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - ct_me % 2, TAG, &inter);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    MPI_Irecv(&number, 1, MPI_INT, MPI_ANY_SOURCE, TAG, inter, &receive);
    MPI_Barrier(MPI_COMM_WORLD);
    if (ct_me == size - 1) {
        MPIX_Comm_revoke(inter);
    } else if (!receives_only) {
        if (MPI_Ibarrier(inter, &barrier) == MPI_SUCCESS)
            expect_revoked(MPI_Wait(&barrier, MPI_STATUS_IGNORE), "a barrier between groups");
        expect_revoked(MPI_Barrier(inter), "a blocked barrier between groups");
    }
    while (MPI_Send(numbers, LONG, MPI_INT, 0, TAG + 1, inter) == MPI_SUCCESS)
        ;
    expect_revoked(MPI_Wait(&receive, MPI_STATUS_IGNORE), "a receive from the other group");
    CT_CHECK(MPIX_Comm_agree(inter, &flag) == MPI_SUCCESS, "no agreement between groups");
    CT_CHECK(MPIX_Comm_shrink(inter, &small) == MPI_SUCCESS,
             "shrink of a revoked intercommunicator");
    MPI_Comm_remote_size(small, &n);
    CT_CHECK(n == (ct_me % 2 ? (size + 1) / 2 : size / 2), "%d processes in the other group", n);
    MPI_Barrier(small);
    MPI_Comm_free(&small);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    uses_collectives = argc > 1 && !strcmp(argv[1], "-collective");
    receives_only = argc > 1 && !strcmp(argv[1], "-receives");
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 3; round++) {
        pending_receives();
        blocked_receive();
        blocked_probe();
        pending_sends();
        for (int which = 0; which < COLLECTIVES && !receives_only; which++) {
            blocked_collective(which);
        }
        repaired_at_once();
        if (!receives_only) {
            pending_collectives();
            pending_creations();
        }
        stale_message();
        if (size > 1)
            between_groups();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
