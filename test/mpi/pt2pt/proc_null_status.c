/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A receive from MPI_PROC_NULL has the status that MPI gives it, source MPI_PROC_NULL, tag
 * MPI_ANY_TAG and count 0: however it was started, and by whichever function it is completed.
 */
#include "cmaptest.h"

#define TAG 5

static int got, gave = 7;

typedef MPI_Request (*starter)(void);
typedef void (*finisher)(MPI_Request *request, MPI_Status *status);

static void spoil(MPI_Status *status) { memset(status, 0x5a, sizeof(*status)); }

static void check(const MPI_Status *status, const char *what, const char *how)
{
    int count = -1, cancelled = -1;

    MPI_Get_count(status, MPI_INT, &count);
    MPI_Test_cancelled(status, &cancelled);
    CT_CHECK(status->MPI_SOURCE == MPI_PROC_NULL && status->MPI_TAG == MPI_ANY_TAG && count == 0 &&
                 !cancelled,
             "%s, %s: source %d, tag %d, count %d, cancelled %d", what, how, status->MPI_SOURCE,
             status->MPI_TAG, count, cancelled);
}

/* ---- ways to start --------------------------------------------------------------------------- */

static MPI_Request start_irecv(void)
{
    MPI_Request request;
    MPI_Irecv(&got, 1, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &request);
    return request;
}

static MPI_Request start_imrecv(void)
{
    MPI_Request request;
    MPI_Message message = MPI_MESSAGE_NO_PROC;
    MPI_Imrecv(&got, 1, MPI_INT, &message, &request);
    return request;
}

static MPI_Request start_persistent(void)
{
    MPI_Request request;
    MPI_Recv_init(&got, 1, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    return request;
}

static const struct {
    const char *what;
    starter start;
} starters[] = {
    {"MPI_Irecv", start_irecv},
    {"MPI_Imrecv", start_imrecv},
    {"MPI_Recv_init", start_persistent},
};

/* ---- ways to complete: the other one of two requests is a message that this process sends
 * itself */

static MPI_Request other_receive(void)
{
    static int other;
    MPI_Request request;

    MPI_Irecv(&other, 1, MPI_INT, ct_me, TAG + 1, MPI_COMM_WORLD, &request);
    return request;
}

static void other_send(void) { MPI_Send(&gave, 1, MPI_INT, ct_me, TAG + 1, MPI_COMM_WORLD); }

static void by_wait(MPI_Request *request, MPI_Status *status) { MPI_Wait(request, status); }

static void by_test(MPI_Request *request, MPI_Status *status)
{
    int flag = 0;
    while (!flag)
        MPI_Test(request, &flag, status);
}

static void by_get_status(MPI_Request *request, MPI_Status *status)
{
    int flag = 0;
    while (!flag)
        MPI_Request_get_status(*request, &flag, status);
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void by_waitall(MPI_Request *request, MPI_Status *status)
{
    MPI_Request both[2] = {other_receive(), *request};
    MPI_Status statuses[2] = {*status, *status};

    other_send();
    MPI_Waitall(2, both, statuses);
    *request = both[1];
    *status = statuses[1];
}

static void by_testall(MPI_Request *request, MPI_Status *status)
{
    MPI_Request both[2] = {other_receive(), *request};
    MPI_Status statuses[2] = {*status, *status};
    int flag = 0;

    other_send();
    while (!flag)
        MPI_Testall(2, both, &flag, statuses);
    *request = both[1];
    *status = statuses[1];
}

static void finish_other(MPI_Request *other)
{
    other_send();
    MPI_Wait(other, MPI_STATUS_IGNORE);
}

static void by_waitany(MPI_Request *request, MPI_Status *status)
{
    MPI_Request both[2] = {other_receive(), *request};
    int index = -1;

    MPI_Waitany(2, both, &index, status);
    CT_CHECK(index == 1, "MPI_Waitany: index %d, not 1", index);
    *request = both[1];
    finish_other(&both[0]);
}

static void by_testany(MPI_Request *request, MPI_Status *status)
{
    MPI_Request both[2] = {other_receive(), *request};
    int index = -1, flag = 0;

    while (!flag)
        MPI_Testany(2, both, &index, &flag, status);
    CT_CHECK(index == 1, "MPI_Testany: index %d, not 1", index);
    *request = both[1];
    finish_other(&both[0]);
}

static void by_waitsome(MPI_Request *request, MPI_Status *status)
{
    MPI_Request both[2] = {other_receive(), *request};
    int n = 0, indices[2] = {-1, -1};

    MPI_Waitsome(2, both, &n, indices, status);
    CT_CHECK(n == 1 && indices[0] == 1, "MPI_Waitsome: %d, first is %d", n, indices[0]);
    *request = both[1];
    finish_other(&both[0]);
}

static void by_testsome(MPI_Request *request, MPI_Status *status)
{
    MPI_Request both[2] = {other_receive(), *request};
    int n = 0, indices[2] = {-1, -1};

    while (n == 0)
        MPI_Testsome(2, both, &n, indices, status);
    CT_CHECK(n == 1 && indices[0] == 1, "MPI_Testsome: %d, first is %d", n, indices[0]);
    *request = both[1];
    finish_other(&both[0]);
}

static const struct {
    const char *how;
    finisher finish;
} finishers[] = {
    {"MPI_Wait", by_wait},
    {"MPI_Test", by_test},
    {"MPI_Request_get_status", by_get_status},
    {"MPI_Waitall", by_waitall},
    {"MPI_Testall", by_testall},
    {"MPI_Waitany", by_waitany},
    {"MPI_Testany", by_testany},
    {"MPI_Waitsome", by_waitsome},
    {"MPI_Testsome", by_testsome},
};

#define LENGTH(array_) ((int) (sizeof(array_) / sizeof((array_)[0])))

static void started_and_completed(void)
{
    for (int s = 0; s < LENGTH(starters); s++) {
        for (int f = 0; f < LENGTH(finishers); f++) {
            MPI_Status status[2]; /* as many as MPI_Waitsome may write */
            MPI_Request request = starters[s].start();

            spoil(&status[0]);
            finishers[f].finish(&request, status);
            check(&status[0], starters[s].what, finishers[f].how);
            if (request != MPI_REQUEST_NULL)
                MPI_Request_free(&request);
        }
    }
}

/* ---- a persistent send to nobody is active, too, and either can be started again ------------- */

static void persistent_pair(void)
{
    MPI_Request both[2];
    MPI_Status statuses[2];
    int n, indices[2];

    MPI_Send_init(&gave, 1, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &both[0]);
    MPI_Recv_init(&got, 1, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &both[1]);
    for (int round = 0; round < 3; round++) {
        MPI_Startall(2, both);
        n = -1;
        spoil(&statuses[1]);
        MPI_Waitsome(2, both, &n, indices, statuses);
        CT_CHECK(n == 2, "persistent, both to and from nobody: %d complete, not 2", n);
        if (n == 2)
            check(&statuses[1], "MPI_Startall", "MPI_Waitsome");
        MPI_Waitsome(2, both, &n, indices, statuses);
        CT_CHECK(n == MPI_UNDEFINED, "persistent, inactive: %d complete, not none", n);
    }
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
}

/* ---- functions that complete by themselves --------------------------------------------------- */

static void blocking(void)
{
    MPI_Status status;
    MPI_Message message;

    spoil(&status);
    MPI_Recv(&got, 1, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &status);
    check(&status, "MPI_Recv", "itself");
    spoil(&status);
    MPI_Probe(MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &status);
    check(&status, "MPI_Probe", "itself");
    spoil(&status);
    MPI_Mprobe(MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &message, &status);
    check(&status, "MPI_Mprobe", "itself");
    spoil(&status);
    MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
    check(&status, "MPI_Mrecv", "itself");
    spoil(&status);
    MPI_Sendrecv(&gave, 1, MPI_INT, MPI_PROC_NULL, TAG, &got, 1, MPI_INT, MPI_PROC_NULL, TAG,
                 MPI_COMM_WORLD, &status);
    check(&status, "MPI_Sendrecv", "itself");
    spoil(&status);
    MPI_Sendrecv_replace(&got, 1, MPI_INT, MPI_PROC_NULL, TAG, MPI_PROC_NULL, TAG, MPI_COMM_WORLD,
                         &status);
    check(&status, "MPI_Sendrecv_replace", "itself");
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    started_and_completed();
    persistent_pair();
    blocking();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
