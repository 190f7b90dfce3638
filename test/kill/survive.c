/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * mpiexec --enable-recovery: the last rank dies while the others are inside a call, which then
 * returns an error of class MPIX_ERR_PROC_FAILED.
 *
 *   survive CALL [kill]    the rank ends by _exit(3), or by SIGKILL
 */
#include "survive.h"
#include <sys/time.h>

/* ---- calls ---- */

static void in_receive(void)
{
    MPI_Request request;
    MPI_Status status;
    int value = 0;

    expect_failed(MPI_Recv(&value, 1, MPI_INT, victim, TAG, world, MPI_STATUS_IGNORE), "MPI_Recv");
    expect_success(MPI_Irecv(&value, 1, MPI_INT, victim, TAG, world, &request), "MPI_Irecv");
    expect_failed(MPI_Wait(&request, &status), "MPI_Wait");
    expect(request == MPI_REQUEST_NULL, "the request that has ended is there");
    expect_failed(MPI_Probe(victim, TAG, world, &status), "MPI_Probe");
}

static void in_waitall(void)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int in[2] = {0, 0}, next = (me + 1) % victim, previous = (me + victim - 1) % victim;

    MPI_Irecv(&in[0], 1, MPI_INT, previous, TAG, world, &requests[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, victim, TAG, world, &requests[1]);
    MPI_Send(&me, 1, MPI_INT, next, TAG, world);
    expect_class(MPI_Waitall(2, requests, statuses), MPI_ERR_IN_STATUS, "MPI_Waitall");
    expect_failed(statuses[1].MPI_ERROR, "the status");
    if (requests[0] != MPI_REQUEST_NULL)
        expect_success(MPI_Wait(&requests[0], MPI_STATUS_IGNORE), "the other one");
    expect(in[0] == previous, "the message of a survivor is wrong");
}

/* A message that has come before the death is received. */
static void in_late_receive(void)
{
    int value = 0;

    if (me == victim) {
        for (int i = 0; i < victim; i++)
            MPI_Send(&i, 1, MPI_INT, i, TAG, world);
        return;
    }
    wait_for_death();
    value = -1;
    expect_success(MPI_Recv(&value, 1, MPI_INT, victim, TAG, world, MPI_STATUS_IGNORE),
                   "the first");
    expect(value == me, "the message is wrong");
    expect_failed(MPI_Recv(&value, 1, MPI_INT, victim, TAG, world, MPI_STATUS_IGNORE),
                  "the second");
}

static void in_any_source(void)
{
    MPI_Request request;
    MPI_Group group;
    int value = -1, next = (me + 1) % victim, previous = (me + victim - 1) % victim, n, flag;

    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, TAG, world, &request);
    expect_class(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED_PENDING, "MPI_Wait");
    expect(request != MPI_REQUEST_NULL, "the pending request is gone");
    expect_class(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED_PENDING,
                 "MPI_Test");
    expect_success(MPIX_Comm_failure_get_acked(world, &group), "MPIX_Comm_failure_get_acked");
    expect(group == MPI_GROUP_EMPTY, "a death is acknowledged by itself");
    expect_success(MPIX_Comm_failure_ack(world), "MPIX_Comm_failure_ack");
    expect_success(MPIX_Comm_failure_get_acked(world, &group), "MPIX_Comm_failure_get_acked");
    MPI_Group_size(group, &n);
    expect(n == 1, "not one death is acknowledged");
    if (group != MPI_GROUP_EMPTY)
        MPI_Group_free(&group);
    expect_success(MPIX_Comm_ack_failed(world, 1, &n), "MPIX_Comm_ack_failed");
    expect(n == 1, "MPIX_Comm_ack_failed returns another number");
    expect_success(MPIX_Comm_agree(world, &flag), "MPIX_Comm_agree"); /* all know of the death */
    expect_success(MPI_Send(&me, 1, MPI_INT, next, TAG, world), "MPI_Send");
    expect_success(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait after the acknowledgement");
    expect(value == previous, "the message is wrong");
}

static void in_blocking_any_source(void)
{
    int value;

    expect_failed(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, TAG, world, MPI_STATUS_IGNORE),
                  "MPI_Recv");
}

static void in_send(void)
{
    static char bytes[LONG];
    MPI_Request request;

    expect_failed(MPI_Ssend(&me, 1, MPI_INT, victim, TAG, world), "MPI_Ssend");
    expect_failed(MPI_Send(bytes, LONG, MPI_BYTE, victim, TAG, world), "a long MPI_Send");
    expect_failed(MPI_Send(&me, 1, MPI_INT, victim, TAG, world), "a short MPI_Send");
    expect_success(MPI_Isend(&me, 1, MPI_INT, victim, TAG, world, &request), "MPI_Isend");
    expect_failed(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
}

static void in_long_send(void)
{
    static char bytes[LONG];

    expect_failed(MPI_Send(bytes, LONG, MPI_BYTE, victim, TAG, world), "a long MPI_Send");
}

/* More than the process has cells: the first ones wait in the memory of the dead.  Whether the last
 * ones fail is open, but messages to others find cells. */
static void in_many_sends(void)
{
    enum { MESSAGES = 2000 };
    static int values[MESSAGES];
    MPI_Request requests[MESSAGES];
    int next = (me + 1) % victim, previous = (me + victim - 1) % victim;

    for (int i = 0; i < MESSAGES; i++)
        MPI_Isend(&values[i], 1, MPI_INT, victim, TAG, world, &requests[i]);
    for (int i = 0; i < MESSAGES; i++)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    wait_for_death();
    for (int i = 0; i < MESSAGES; i++) {
        int value = -1;
        expect_success(MPI_Sendrecv(&i, 1, MPI_INT, next, TAG, &value, 1, MPI_INT, previous, TAG,
                                    world, MPI_STATUS_IGNORE),
                       "MPI_Sendrecv");
        expect(value == i, "a message between survivors is wrong");
    }
}

enum { PARTS = 4, OF_PART = 100 };

static void start_parts(MPI_Request requests[2])
{
    expect_success(MPI_Startall(2, requests), "MPI_Startall");
}

/* Of a send to the dead, and of a receive from it. */
static void end_parts(MPI_Request requests[2])
{
    expect_success(MPI_Pready_range(0, PARTS - 1, requests[0]), "MPI_Pready_range");
    for (int i = 0; i < 2; i++)
        expect_failed(MPI_Wait(&requests[i], MPI_STATUS_IGNORE), i ? "the receive" : "the send");
}

static void make_parts(int other, MPI_Request requests[2])
{
    static int out[PARTS * OF_PART], in[64][PARTS * OF_PART];

    expect_success(MPI_Psend_init(out, PARTS, OF_PART, MPI_INT, other, TAG, world, MPI_INFO_NULL,
                                  &requests[0]),
                   "MPI_Psend_init");
    expect_success(MPI_Precv_init(in[other], PARTS, OF_PART, MPI_INT, other, TAG, world,
                                  MPI_INFO_NULL, &requests[1]),
                   "MPI_Precv_init");
}

static void in_partitioned(void)
{
    MPI_Request requests[2];

    make_parts(victim, requests);
    for (int times = 0; times < 2; times++) {
        start_parts(requests);
        end_parts(requests);
    }
    for (int i = 0; i < 2; i++)
        MPI_Request_free(&requests[i]);
}

/* The dead one was ready to receive, and had not sent. */
static void in_started_partitioned(void)
{
    MPI_Request requests[64][2];

    if (me == victim) {
        for (int i = 0; i < victim; i++) {
            make_parts(i, requests[i]);
            start_parts(requests[i]);
        }
        return;
    }
    make_parts(victim, requests[0]);
    start_parts(requests[0]);
    wait_for_death();
    end_parts(requests[0]);
    make_parts(victim, requests[1]);
    start_parts(requests[1]);
    end_parts(requests[1]);
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&requests[i / 2][i % 2]);
}

static void in_barrier(void) { expect_failed(MPI_Barrier(world), "MPI_Barrier"); }

static void in_allreduce(void)
{
    int one = 1, sum;

    expect_failed(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, world), "MPI_Allreduce");
    expect_failed(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, world), "the next MPI_Allreduce");
}

static void in_long_allreduce(void)
{
    static char in[LONG], out[LONG];

    expect_failed(MPI_Allreduce(in, out, LONG, MPI_CHAR, MPI_MAX, world), "MPI_Allreduce");
}

static void in_nonblocking(void)
{
    MPI_Request requests[3];
    int one = 1, sum;
    static char in[LONG], out[LONG];

    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, world, &requests[0]);
    MPI_Ibarrier(world, &requests[1]);
    MPI_Iallreduce(in, out, LONG, MPI_CHAR, MPI_MAX, world, &requests[2]);
    for (int i = 0; i < 3; i++)
        expect_failed(MPI_Wait(&requests[i], MPI_STATUS_IGNORE), "MPI_Wait");
}

/* A root's data may have come before it died, so only one that nobody sends is missed. */
static void in_rooted(void)
{
    static char bytes[LONG];

    expect_failed(MPI_Bcast(bytes, LONG, MPI_BYTE, victim, world), "MPI_Bcast");
    expect_failed(MPI_Gather(bytes, 8, MPI_BYTE, NULL, 0, MPI_BYTE, victim, world), "MPI_Gather");
    expect_failed(MPI_Alltoall(bytes, 8, MPI_BYTE, bytes + LONG / 2, 8, MPI_BYTE, world),
                  "MPI_Alltoall");
}

static void in_dup(void)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request request;
    int error;

    expect_failed(MPI_Comm_dup(world, &made), "MPI_Comm_dup");
    error = MPI_Comm_idup(world, &made, &request);
    if (error == MPI_SUCCESS)
        error = MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_failed(error, "MPI_Comm_idup");
}

static void in_idup(void)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request request;
    int error = MPI_Comm_idup(world, &made, &request);

    if (error == MPI_SUCCESS)
        error = MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_failed(error, "MPI_Comm_idup");
}

static void in_split(void)
{
    MPI_Comm made = MPI_COMM_NULL;

    expect_failed(MPI_Comm_split(world, me % 2, me, &made), "MPI_Comm_split");
    expect_failed(MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made),
                  "MPI_Comm_split_type");
}

static void in_create(void)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group group;

    MPI_Comm_group(world, &group);
    expect_failed(MPI_Comm_create(world, group, &made), "MPI_Comm_create");
    MPI_Group_free(&group);
}

/* The dead process is no member: all members get their communicator, as often as they like. */
static void in_create_group(void)
{
    MPI_Group all, living;
    MPI_Comm made;
    int sum;

    MPI_Comm_group(world, &all);
    MPI_Group_excl(all, 1, &victim, &living);
    for (int i = 0; i < 300; i++) {
        expect_success(MPI_Comm_create_group(world, living, TAG, &made), "MPI_Comm_create_group");
        if (errs)
            break;
        expect_success(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, made), "MPI_Allreduce");
        MPI_Comm_free(&made);
        usleep(1000);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&living);
}

static void in_agree(void)
{
    int flag = ~(1 << me);

    expect_failed(MPIX_Comm_agree(world, &flag), "MPIX_Comm_agree");
    expect(flag == ~((1 << victim) - 1), "the flag is not that of all survivors");
}

static void in_shrink(void)
{
    MPI_Comm made = MPI_COMM_NULL;

    expect_success(MPIX_Comm_shrink(world, &made), "MPIX_Comm_shrink");
    MPI_Comm_free(&made);
}

/* Three under way at a time.  MPI_Waitall may return when one has failed. */
static void in_nonblocking_repair(void)
{
    MPI_Comm made[2] = {MPI_COMM_NULL, MPI_COMM_NULL};
    MPI_Request requests[3];
    MPI_Status statuses[3];
    int flag = 5, members, error;

    expect_success(MPIX_Comm_ishrink(world, &made[0], &requests[0]), "MPIX_Comm_ishrink");
    expect_success(MPIX_Comm_iagree(world, &flag, &requests[1]), "MPIX_Comm_iagree");
    expect_success(MPIX_Comm_ishrink(world, &made[1], &requests[2]), "MPIX_Comm_ishrink");
    error = MPI_Waitall(3, requests, statuses);
    expect(flag == 5, "the flag is not 5");
    if (error != MPI_SUCCESS) {
        expect(error == MPI_ERR_IN_STATUS, "MPI_Waitall returns no MPI_ERR_IN_STATUS");
        expect_failed(statuses[1].MPI_ERROR, "MPIX_Comm_iagree");
    }
    expect_success(MPI_Wait(&requests[0], MPI_STATUS_IGNORE), "the first MPIX_Comm_ishrink");
    expect_success(MPI_Wait(&requests[2], MPI_STATUS_IGNORE), "the second MPIX_Comm_ishrink");
    for (int i = 0; i < 2; i++) {
        MPI_Comm_size(made[i], &members);
        expect(members >= size - 1, "a communicator has too few members");
        MPI_Comm_free(&made[i]);
    }
}

/* Each process has begun others before it ends one, in an order of its own.  So the ids that they
 * propose are sometimes taken. */
static void in_shrinks_of_several(void)
{
    enum { SEVERAL = 6, ROUNDS = 100 };
    MPI_Comm copies[SEVERAL], made[SEVERAL];
    MPI_Request requests[SEVERAL];

    for (int i = 0; i < SEVERAL; i++)
        MPI_Comm_dup(world, &copies[i]);
    if (me == victim)
        return;
    wait_for_death();
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < SEVERAL; i++) {
            int at = me % 2 ? SEVERAL - 1 - i : i;

            expect_success(MPIX_Comm_ishrink(copies[at], &made[at], &requests[at]), "begin");
        }
        for (int i = 0; i < SEVERAL; i++) {
            int at = (i + me) % SEVERAL;

            expect_success(MPI_Wait(&requests[at], MPI_STATUS_IGNORE), "MPIX_Comm_ishrink");
            MPI_Comm_free(&made[at]);
        }
    }
    for (int i = 0; i < SEVERAL; i++)
        MPI_Comm_free(&copies[i]);
}

static void in_revoked(void)
{
    int flag;
    MPI_Request parts[2];

    make_parts((me + 1) % victim, parts);
    start_parts(parts);
    expect_success(MPIX_Comm_is_revoked(world, &flag), "MPIX_Comm_is_revoked");
    expect(!flag, "the communicator is revoked by itself");
    wait_for_death();
    MPIX_Comm_agree(world, &flag); /* all know of the death */
    if (me == 0)
        MPIX_Comm_revoke(world);
    expect_class(MPI_Recv(&flag, 1, MPI_INT, me, TAG, world, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED,
                 "MPI_Recv");
    expect_success(MPIX_Comm_is_revoked(world, &flag), "MPIX_Comm_is_revoked");
    expect(flag, "the communicator is not revoked");
    for (int i = 0; i < 2; i++) {
        expect_class(MPI_Wait(&parts[i], MPI_STATUS_IGNORE), MPIX_ERR_REVOKED, "of parts");
        MPI_Request_free(&parts[i]);
    }
}

static int handled, handled_class;

static void handle(MPI_Comm *comm, int *error, ...)
{
    (void) comm;
    MPI_Error_class(*error, &handled_class);
    handled++;
}

/* The handler of the requests' communicator: others would end the job. */
static void in_waitall_of_comm(void)
{
    MPI_Comm comm;
    MPI_Errhandler handler;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int from[2], error, which, index;

    error = MPI_Comm_dup(world, &comm);
    if (error != MPI_SUCCESS)
        return;
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&from[i], 1, MPI_INT, i ? victim : MPI_PROC_NULL, TAG, comm, &requests[i]);
    error = MPI_Waitall(2, requests, statuses);
    expect(error == MPI_ERR_IN_STATUS, "MPI_Waitall returns another code");
    expect_failed(statuses[1].MPI_ERROR, "the receive");
    expect(handled == 1 && handled_class == MPIX_ERR_PROC_FAILED,
           "the communicator's handler did not run once, with the reason");
    MPI_Irecv(from, 1, MPI_INT, MPI_ANY_SOURCE, TAG, comm, requests);
    expect_class(MPI_Waitany(2, requests, &which, statuses), MPIX_ERR_PROC_FAILED_PENDING,
                 "MPI_Waitany");
    expect_class(MPI_Waitsome(1, requests, &which, &index, statuses), MPI_ERR_IN_STATUS,
                 "MPI_Waitsome");
    expect(handled == 3 && handled_class == MPIX_ERR_PROC_FAILED_PENDING,
           "the communicator's handler did not run for a pending receive");
    MPIX_Comm_failure_ack(comm);
    MPI_Cancel(requests);
    expect_success(MPI_Wait(requests, MPI_STATUS_IGNORE), "MPI_Wait");
    MPI_Comm_free(&comm);
}

/* The first rank alone revokes, some time later; the others call until they hear of it. */
static void in_calls_until_revoked(void)
{
    int error;

    error = MPI_Barrier(world);
    expect(error == MPIX_ERR_PROC_FAILED || (me > 0 && error == MPIX_ERR_REVOKED),
           "the first MPI_Barrier has another error");
    if (me == 0) {
        usleep(50000);
        MPIX_Comm_revoke(world);
    }
    while (class_of(error = MPI_Barrier(world)) == MPIX_ERR_PROC_FAILED)
        ;
    expect_class(error, MPIX_ERR_REVOKED, "the last MPI_Barrier");
}

enum { COPIES = 400 };

static int count_revoked(MPI_Comm copies[])
{
    int n = 0, flag;

    for (int i = 0; i < COPIES; i++) {
        MPIX_Comm_is_revoked(copies[i], &flag);
        n += flag;
    }
    return n;
}

/* The victim is killed while it tells the others of one.  All survivors learn of it, or nobody. */
static void in_revoker(void)
{
    MPI_Comm copies[COPIES];
    struct itimerval soon = {.it_value = {0, 2000 + getpid() % 40 * 200}};
    int of_all = 0, not_of_all = 0, flag = 1;

    for (int i = 0; i < COPIES; i++) {
        MPI_Comm_split(world, 0, me, &copies[i]); /* a death revokes some duplicates */
        MPI_Comm_set_errhandler(copies[i], MPI_ERRORS_RETURN);
    }
    MPIX_Comm_agree(world, &flag);
    if (me == victim) {
        signal(SIGALRM, SIG_DFL);
        setitimer(ITIMER_REAL, &soon, NULL);
        for (int i = 0; i < COPIES; i++)
            MPIX_Comm_revoke(copies[i]);
        pause();
    }
    if (me > 0)
        usleep(100000); /* what does not fit into their memory is lost with the victim */
    wait_for_death();
    while (of_all != ~not_of_all) { /* the same number on all */
        of_all = count_revoked(copies);
        not_of_all = ~of_all;
        MPIX_Comm_agree(world, &of_all);
        MPIX_Comm_agree(world, &not_of_all);
    }
    for (int i = 0; i < COPIES; i++)
        MPI_Comm_free(&copies[i]);
}

/* The others are in MPI_Finalize, where they still answer those who are in an agreement. */
static void in_finalize(void)
{
    MPI_Comm copy;
    int flag = 1, all;

    expect_success(MPI_Comm_dup(world, &copy), "MPI_Comm_dup");
    expect_success(MPIX_Comm_agree(copy, &flag), "MPIX_Comm_agree");
    MPI_Comm_free(&copy);
    MPI_Allreduce(&errs, &all, 1, MPI_INT, MPI_SUM, world);
    expect_success(MPIX_Comm_agree(world, &flag), "MPIX_Comm_agree");
    if (me == victim)
        return;
    if (me == 0 && errs + all == 0)
        printf(" No Errors\n");
    MPI_Finalize();
    exit(errs > 0);
}

static const call_t calls[] = {{"receive", in_receive, 0},
                               {"waitall", in_waitall, 0},
                               {"late_receive", in_late_receive, 1},
                               {"any_source", in_any_source, 0},
                               {"blocking_any_source", in_blocking_any_source, 0},
                               {"send", in_send, 0},
                               {"long_send", in_long_send, 0},
                               {"many_sends", in_many_sends, 0},
                               {"partitioned", in_partitioned, 0},
                               {"started_partitioned", in_started_partitioned, 1},
                               {"barrier", in_barrier, 0},
                               {"allreduce", in_allreduce, 0},
                               {"long_allreduce", in_long_allreduce, 0},
                               {"nonblocking", in_nonblocking, 0},
                               {"rooted", in_rooted, 0},
                               {"dup", in_dup, 0},
                               {"idup", in_idup, 0},
                               {"split", in_split, 0},
                               {"create", in_create, 0},
                               {"create_group", in_create_group, 0},
                               {"agree", in_agree, 0},
                               {"shrink", in_shrink, 0},
                               {"nonblocking_repair", in_nonblocking_repair, 0},
                               {"shrinks_of_several", in_shrinks_of_several, 1},
                               {"revoked", in_revoked, 0},
                               {"waitall_of_comm", in_waitall_of_comm, 0},
                               {"calls_until_revoked", in_calls_until_revoked, 0},
                               {"revoker", in_revoker, 1},
                               {"finalize", in_finalize, 1},
                               {"spawn", in_spawn, 0}};

int main(int argc, char **argv)
{
    MPI_Comm parents;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parents);
    if (parents != MPI_COMM_NULL)
        return be_child(parents);
    begin(argc, argv);
    run_call(calls, sizeof(calls) / sizeof(calls[0]));
    return finish();
}
