/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Which buffer a buffered send takes: that of the communicator, of its session, of the process. It
 * is seen by what fits: each buffer has room for one message only. A duplicate and what is split
 * off inherit no buffer, but belong to the session of their parent. Wrong arguments are errors, and
 * what ends the communicator or the session detaches the buffer.
 */
#include "cmaptest.h"

#define BYTES 4000
#define ROOM (BYTES + MPI_BSEND_OVERHEAD)

static char memory[3][ROOM], out[BYTES];
static int got;

static int class_of(int err)
{
    int class = MPI_SUCCESS;

    if (err)
        MPI_Error_class(err, &class);
    return class;
}

/* A message without a receive: its room stays taken. */
static int send(MPI_Comm comm, int bytes)
{
    return class_of(MPI_Bsend(out, bytes, MPI_BYTE, 0, 1, comm));
}

static void receive(MPI_Comm comm, int bytes)
{
    static char in[BYTES];
    MPI_Status status;

    MPI_Recv(in, BYTES, MPI_BYTE, 0, 1, comm, &status);
    MPI_Get_count(&status, MPI_BYTE, &got);
    CT_CHECK(got == bytes, "%d bytes, not %d", got, bytes);
}

/* The buffer has room for a message of these bytes, and not for a larger one. */
static void check_room(MPI_Comm comm, int bytes, const char *what)
{
    int class = send(comm, bytes);

    CT_CHECK(class == MPI_SUCCESS, "%s: class %d for %d bytes", what, class, bytes);
    if (class == MPI_SUCCESS)
        receive(comm, bytes);
    class = send(comm, bytes + 200);
    CT_CHECK(class == MPI_ERR_BUFFER, "%s: class %d for more", what, class);
    if (class == MPI_SUCCESS)
        receive(comm, bytes + 200);
}

static MPI_Comm with_handler(MPI_Comm comm)
{
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

static MPI_Comm session_comm(MPI_Session session)
{
    MPI_Group whole, part;
    MPI_Comm comm;
    int zero = 0;

    MPI_Group_from_session_pset(session, "mpi://SELF", &whole);
    MPI_Group_incl(whole, 1, &zero, &part);
    MPI_Comm_create_from_group(part, "bsend", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Group_free(&whole);
    MPI_Group_free(&part);
    return comm;
}

static void check_detached(void *address, MPI_Aint size, const char *from, MPI_Aint expected)
{
    CT_CHECK(address == from && size == expected, "detached %p of %ld bytes, not %p", address,
             (long) size, from);
}

static void check_order(void)
{
    MPI_Session session;
    MPI_Comm plain, derived, copy, part;
    void *address;
    int size;
    MPI_Count count;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Comm_dup(MPI_COMM_SELF, &plain);
    with_handler(plain);
    derived = session_comm(session);
    MPI_Comm_dup(derived, &copy);
    MPI_Comm_split(copy, 0, 0, &part);
    with_handler(copy);
    with_handler(part);
    CT_CHECK(send(plain, 0) == MPI_ERR_BUFFER, "a message without a buffer");
    MPI_Buffer_attach(memory[0], 1000 + MPI_BSEND_OVERHEAD);
    check_room(plain, 1000, "the process");
    check_room(part, 1000, "the process, for a session's communicator");
    MPI_Session_attach_buffer(session, memory[1], 2000 + MPI_BSEND_OVERHEAD);
    check_room(plain, 1000, "the process beside a session");
    check_room(derived, 2000, "the session");
    check_room(copy, 2000, "the session, for a duplicate");
    check_room(part, 2000, "the session, for a split");
    MPI_Comm_attach_buffer(derived, memory[2], 3000 + MPI_BSEND_OVERHEAD);
    check_room(derived, 3000, "the communicator");
    check_room(copy, 2000, "the session, for an earlier duplicate");
    MPI_Comm_free(&copy);
    MPI_Comm_dup(derived, &copy);
    with_handler(copy);
    check_room(copy, 2000, "the session, for a later duplicate");
    MPI_Comm_detach_buffer_c(derived, &address, &count);
    check_detached(address, count, memory[2], 3000 + MPI_BSEND_OVERHEAD);
    check_room(derived, 2000, "the session again");
    MPI_Session_detach_buffer(session, &address, &size);
    check_detached(address, size, memory[1], 2000 + MPI_BSEND_OVERHEAD);
    check_room(derived, 1000, "the process again");
    MPI_Buffer_detach(&address, &size);
    check_detached(address, size, memory[0], 1000 + MPI_BSEND_OVERHEAD);
    MPI_Comm_free(&plain);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&part);
    MPI_Comm_free(&derived);
    MPI_Session_finalize(&session);
}

static void check_automatic(void)
{
    MPI_Comm comm;
    void *address = NULL;
    int size = -1;

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    with_handler(comm);
    MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0);
    for (int i = 0; i < 100; i++)
        CT_CHECK(send(comm, BYTES) == MPI_SUCCESS, "message %d", i);
    for (int i = 0; i < 100; i++)
        receive(comm, BYTES);
    MPI_Comm_detach_buffer(comm, &address, &size);
    check_detached(address, size, MPI_BUFFER_AUTOMATIC, 0);
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 17);
    CT_CHECK(send(comm, BYTES) == MPI_SUCCESS, "automatic for the process");
    receive(comm, BYTES);
    MPI_Buffer_detach(&address, &size);
    check_detached(address, size, MPI_BUFFER_AUTOMATIC, 0);
    MPI_Comm_free(&comm);
}

static void check_errors(void)
{
    MPI_Comm comm;
    void *address = memory[0];
    int size = -1;

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    with_handler(comm);
    CT_CHECK(class_of(MPI_Comm_attach_buffer(comm, memory[0], 1)) == MPI_ERR_BUFFER, "1 byte");
    CT_CHECK(class_of(MPI_Comm_attach_buffer(comm, memory[0], -1)) == MPI_ERR_ARG, "-1 bytes");
    CT_CHECK(class_of(MPI_Comm_attach_buffer(comm, NULL, ROOM)) == MPI_ERR_ARG, "no buffer");
    CT_CHECK(class_of(MPI_Comm_attach_buffer(MPI_COMM_NULL, memory[0], ROOM)) == MPI_ERR_COMM,
             "no communicator");
    MPI_Comm_detach_buffer(comm, &address, &size);
    check_detached(address, size, NULL, 0);
    MPI_Comm_attach_buffer(comm, memory[0], ROOM);
    CT_CHECK(class_of(MPI_Comm_attach_buffer(comm, memory[1], ROOM)) == MPI_ERR_BUFFER, "twice");
    MPI_Comm_free(&comm);
    MPI_Comm_dup(MPI_COMM_SELF, &comm); /* may have the place of the one before */
    with_handler(comm);
    MPI_Comm_detach_buffer(comm, &address, &size);
    check_detached(address, size, NULL, 0);
    MPI_Comm_free(&comm);
}

/* A segment is found although those around it are in use, and rooms become one again. */
static void check_pieces(void)
{
    enum { N = 5, EACH = 500 };
    static char room[N * (EACH + MPI_BSEND_OVERHEAD)];
    MPI_Comm comm;
    void *address;
    int size;

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    with_handler(comm);
    MPI_Comm_attach_buffer(comm, room, sizeof(room));
    for (int turn = 0; turn < 50; turn++) {
        for (int i = 0; i < N; i++)
            CT_CHECK(send(comm, EACH - turn * i) == MPI_SUCCESS, "turn %d, message %d", turn, i);
        for (int i = 0; i < N; i++)
            receive(comm, EACH - turn * i);
        CT_CHECK(send(comm, N * EACH) == MPI_SUCCESS, "turn %d: the room is in pieces", turn);
        receive(comm, N * EACH);
    }
    MPI_Comm_detach_buffer(comm, &address, &size);
    check_detached(address, size, room, sizeof(room));
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check_order();
    check_automatic();
    check_errors();
    check_pieces();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
