/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Buffer_flush, MPI_Buffer_iflush and those of communicators and sessions. The request of an
 * iflush completes once the messages before it are received, also while later ones are not.
 * MPI_Comm_free and MPI_Comm_disconnect detach the buffer once its messages are delivered.
 */
#include "cmaptest.h"

#define MANY 20
#define LONG (1 << 20)

static int rank, size;

typedef int (*iflush_fn)(MPI_Request *request);

static MPI_Comm comm;
static MPI_Session session;

static int iflush_process(MPI_Request *request) { return MPI_Buffer_iflush(request); }

static int iflush_comm(MPI_Request *request) { return MPI_Comm_iflush_buffer(comm, request); }

static int iflush_session(MPI_Request *request)
{
    return MPI_Session_iflush_buffer(session, request);
}

static void send(int tag) { MPI_Bsend(&tag, 1, MPI_INT, 0, tag, comm); }

static void receive(int tag)
{
    int in = -1;

    MPI_Recv(&in, 1, MPI_INT, 0, tag, comm, MPI_STATUS_IGNORE);
    CT_CHECK(in == tag, "%d, not %d", in, tag);
}

static int test(MPI_Request *request)
{
    int flag;
    MPI_Status status;

    MPI_Test(request, &flag, &status);
    if (flag)
        CT_CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG,
                 "source %d, tag %d", status.MPI_SOURCE, status.MPI_TAG);
    return flag;
}

/* Messages to the process itself stay under way until they are received. */
static void check_iflush(iflush_fn iflush, const char *what)
{
    MPI_Request first, second, both[2];

    iflush(&first);
    CT_CHECK(test(&first), "%s: nothing to wait for", what);
    send(1);
    iflush(&first);
    CT_CHECK(!test(&first), "%s: the message is not received", what);
    send(2);
    iflush(&second);
    receive(1);
    MPI_Wait(&first, MPI_STATUS_IGNORE);
    CT_CHECK(!test(&second), "%s: the second message is not received", what);
    receive(2);
    iflush(&both[0]);
    both[1] = second;
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    CT_CHECK(both[0] == MPI_REQUEST_NULL && both[1] == MPI_REQUEST_NULL, "%s: requests stay", what);
}

static void check_flush(void)
{
    MPI_Comm_flush_buffer(comm);
    MPI_Session_flush_buffer(session);
    MPI_Buffer_flush();
}

static void make_session_comm(void)
{
    MPI_Group group;

    MPI_Group_from_session_pset(session, "mpi://SELF", &group);
    MPI_Comm_create_from_group(group, "flush", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
}

static void check_each(void)
{
    static char memory[3][10 * (MPI_BSEND_OVERHEAD + sizeof(int))];
    void *address;
    int bytes;

    check_flush(); /* without buffers */
    MPI_Buffer_attach(memory[0], sizeof(memory[0]));
    check_iflush(iflush_process, "process");
    MPI_Session_attach_buffer(session, memory[1], sizeof(memory[1]));
    check_iflush(iflush_session, "session");
    MPI_Comm_attach_buffer(comm, memory[2], sizeof(memory[2]));
    check_iflush(iflush_comm, "communicator");
    check_flush();
    MPI_Comm_detach_buffer(comm, &address, &bytes);
    MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0);
    check_iflush(iflush_comm, "automatic");
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    MPI_Buffer_detach(&address, &bytes);
    CT_CHECK(address == memory[0], "the buffer of the process is %p", address);
}

/* ---- between processes ---- */

static void exchange(MPI_Comm ring, char *in, int n)
{
    for (int i = 0; i < n; i++) {
        memset(in, 0, LONG);
        MPI_Recv(in, LONG, MPI_CHAR, (rank + size - 1) % size, i, ring, MPI_STATUS_IGNORE);
        CT_CHECK(in[0] == (char) i && in[LONG - 1] == (char) i, "message %d has %d, %d", i, in[0],
                 in[LONG - 1]);
    }
}

static void send_many(MPI_Comm ring, char *out, int n)
{
    for (int i = 0; i < n; i++) {
        memset(out, i, LONG);
        MPI_Bsend(out, LONG, MPI_CHAR, (rank + 1) % size, i, ring);
    }
}

/* Each way gives the memory back. The program overwrites it, and all messages stay correct. */
static void check_memory(int turn)
{
    char *memory = malloc(MANY * (LONG + MPI_BSEND_OVERHEAD)), *text = malloc(LONG);
    MPI_Comm ring;
    MPI_Request request;
    void *address;
    int bytes, is_attached = 1;

    MPI_Comm_dup(MPI_COMM_WORLD, &ring);
    MPI_Comm_attach_buffer(ring, memory, MANY * (LONG + MPI_BSEND_OVERHEAD));
    send_many(ring, text, MANY);
    if (turn == 3)
        MPI_Comm_iflush_buffer(ring, &request);
    exchange(ring, text, MANY);
    if (turn == 0)
        MPI_Comm_flush_buffer(ring);
    else if (turn == 1)
        MPI_Comm_detach_buffer(ring, &address, &bytes);
    else if (turn == 2)
        MPI_Comm_free(&ring);
    else if (turn == 3)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    else
        MPI_Comm_disconnect(&ring);
    is_attached = turn == 0 || turn == 3;
    if (is_attached)
        MPI_Comm_detach_buffer(ring, &address, &bytes);
    memset(memory, 'x', MANY * (LONG + MPI_BSEND_OVERHEAD));
    if (ring != MPI_COMM_NULL)
        MPI_Comm_free(&ring);
    free(memory);
    free(text);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    make_session_comm();
    check_each();
    for (int turn = 0; turn < 5; turn++)
        check_memory(turn);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
