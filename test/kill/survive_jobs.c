/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * mpiexec --enable-recovery: a job and the processes that it has spawned are in one communicator,
 * and in an intercommunicator.  The last rank dies, of the one job or of the other, while the
 * others are inside a call.
 *
 *   survive_jobs CALL kill|exit cold child|parent
 */
#include "survive.h"

enum { CHILDREN = 2 };

static MPI_Comm between; /* the groups of both jobs */
static int child_dies, is_child, is_of_dead;
static int remote_victim; /* its rank in its group */

/* ---- calls ---- */

static void in_messages(void)
{
    MPI_Request request;
    int value = 0;

    expect_failed(MPI_Recv(&value, 1, MPI_INT, victim, TAG, world, MPI_STATUS_IGNORE), "MPI_Recv");
    expect_failed(MPI_Ssend(&me, 1, MPI_INT, victim, TAG, world), "MPI_Ssend");
    expect_success(MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, TAG, world, &request),
                   "MPI_Irecv");
    expect_class(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED_PENDING, "MPI_Wait");
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Of the other group. */
static void in_messages_between(void)
{
    static char bytes[LONG];
    int value = 0;

    if (is_of_dead)
        return;
    expect_failed(MPI_Recv(&value, 1, MPI_INT, remote_victim, TAG, between, MPI_STATUS_IGNORE),
                  "MPI_Recv");
    expect_failed(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, TAG, between, MPI_STATUS_IGNORE),
                  "MPI_Recv of any source");
    expect_failed(MPI_Send(bytes, LONG, MPI_BYTE, remote_victim, TAG, between), "a long MPI_Send");
}

static void in_collectives(void)
{
    MPI_Comm copy;
    int sum;

    expect_failed(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, world), "MPI_Allreduce");
    expect_failed(MPI_Comm_dup(world, &copy), "MPI_Comm_dup");
}

static void in_collectives_between(void)
{
    MPI_Comm copy;

    expect_failed(MPI_Barrier(between), "MPI_Barrier");
    expect_failed(MPI_Comm_dup(between, &copy), "MPI_Comm_dup");
}

static void in_merge(void)
{
    MPI_Comm merged = MPI_COMM_NULL;

    expect_failed(MPI_Intercomm_merge(between, is_child, &merged), "MPI_Intercomm_merge");
    expect(merged == MPI_COMM_NULL, "there is a merged communicator");
}

static void in_agree_between(void)
{
    MPI_Request request;
    int flag = ~(1 << me);

    wait_for_death();
    expect_failed(MPIX_Comm_agree(between, &flag), "MPIX_Comm_agree");
    expect(flag == ~((1 << victim) - 1), "the flag is not that of all survivors");
    expect_success(MPIX_Comm_failure_ack(between), "MPIX_Comm_failure_ack");
    flag = 6;
    expect_success(MPIX_Comm_iagree(between, &flag, &request), "MPIX_Comm_iagree");
    expect_success(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    expect(flag == 6, "the flag is wrong");
}

static void in_shrink_between(void)
{
    MPI_Comm living, merged = MPI_COMM_NULL;
    MPI_Request request;
    int local, remote, sum = 0;

    expect_success(MPIX_Comm_ishrink(between, &living, &request), "MPIX_Comm_ishrink");
    expect_success(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    MPI_Comm_free(&living);
    expect_success(MPIX_Comm_shrink(between, &living), "MPIX_Comm_shrink");
    MPI_Comm_size(living, &local);
    MPI_Comm_remote_size(living, &remote);
    expect(local + remote == victim, "the shrunk intercommunicator has another size");
    expect_success(MPI_Barrier(living), "MPI_Barrier");
    expect_success(MPI_Intercomm_merge(living, is_child, &merged), "MPI_Intercomm_merge");
    if (merged != MPI_COMM_NULL) {
        expect_success(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, merged), "MPI_Allreduce");
        expect(sum == victim * (victim - 1) / 2, "the sum is wrong");
        MPI_Comm_free(&merged);
    }
    MPI_Comm_free(&living);
}

static void in_revoked_between(void)
{
    MPI_Comm living;
    int flag = 5;

    expect_success(MPIX_Comm_revoke(between), "MPIX_Comm_revoke");
    expect_class(MPI_Barrier(between), MPIX_ERR_REVOKED, "MPI_Barrier");
    (void) MPIX_Comm_agree(between, &flag);
    expect(flag == 5, "the flag is wrong");
    expect_success(MPIX_Comm_shrink(between, &living), "MPIX_Comm_shrink");
    MPI_Comm_free(&living);
}

static void in_disconnect(void)
{
    wait_for_death();
    expect_success(MPI_Comm_disconnect(&between), "MPI_Comm_disconnect");
}

static const call_t calls[] = {{"messages", in_messages, 0},
                               {"messages_between", in_messages_between, 0},
                               {"collectives", in_collectives, 0},
                               {"collectives_between", in_collectives_between, 0},
                               {"merge", in_merge, 0},
                               {"agree_between", in_agree_between, 0},
                               {"shrink_between", in_shrink_between, 0},
                               {"revoked_between", in_revoked_between, 0},
                               {"disconnect", in_disconnect, 0},
                               {"spawn", in_spawn, 0}};

/* The job of who dies has the high ranks, so that the last rank of all dies. */
static void meet(MPI_Comm parents, char **argv)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    is_child = parents != MPI_COMM_NULL;
    is_of_dead = is_child == child_dies;
    between = parents;
    if (!is_child)
        MPI_Comm_spawn(argv[0], argv + 1, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between,
                       MPI_ERRCODES_IGNORE);
    MPI_Comm_set_errhandler(between, MPI_ERRORS_RETURN);
    MPI_Intercomm_merge(between, is_of_dead, &world);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_rank(world, &me);
    MPI_Comm_size(world, &size);
    victim = size - 1;
    MPI_Comm_remote_size(between, &remote_victim);
    remote_victim--;
    MPI_Barrier(world); /* nobody dies before all have it */
}

int main(int argc, char **argv)
{
    MPI_Comm parents;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parents);
    if (argc == 2)
        return be_child(parents);
    begin(argc, argv);
    child_dies = argc > 4 && !strcmp(argv[4], "child");
    meet(parents, argv);
    run_call(calls, sizeof(calls) / sizeof(calls[0]));
    return finish();
}
