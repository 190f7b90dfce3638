/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: session_alone [-world]
 *
 * Each process has a session and a communicator of itself; a process that is the only one has no
 * world besides: messages, a wait that has to poll, collectives and windows work. With -world a
 * communicator of all processes is made of the session after that, and the first one is used again.
 */
#include <stdio.h>
#include <string.h>
#include "cmaptest_sessions.h"

static int errs;

static void expect(int is_right, const char *what)
{
    if (is_right)
        return;
    errs++;
    printf("%s\n", what);
}

static void send_to_myself(MPI_Comm comm)
{
    int sent = 17, received = 0, flag = 0;
    MPI_Request request;

    MPI_Irecv(&received, 1, MPI_INT, 0, 4, comm, &request);
    for (int i = 0; i < 100; i++)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    expect(!flag, "a receive is complete before its message was sent");
    MPI_Send(&sent, 1, MPI_INT, 0, 4, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(received == sent, "another message was received");
}

static void sum(MPI_Comm comm)
{
    int one = 1, size, total;

    MPI_Comm_size(comm, &size);
    MPI_Allreduce(&one, &total, 1, MPI_INT, MPI_SUM, comm);
    expect(total == size, "MPI_Allreduce has another sum than processes");
}

/* Puts and accumulates into its own memory. */
static void use_window(MPI_Win win, const int *memory)
{
    int one = 1;

    MPI_Win_fence(0, win);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    expect(memory[0] == 1, "an accumulate did not come between fences");
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
    expect(memory[1] == 1, "a put did not come under a lock");
}

static void use_windows(MPI_Comm comm)
{
    int own[2] = {0, 0}, *given;
    MPI_Win win;

    MPI_Win_create(own, sizeof own, sizeof(int), MPI_INFO_NULL, comm, &win);
    use_window(win, own);
    MPI_Win_free(&win);
    MPI_Win_allocate(sizeof own, sizeof(int), MPI_INFO_NULL, comm, &given, &win);
    memset(given, 0, sizeof own);
    use_window(win, given);
    MPI_Win_free(&win);
}

static void use(MPI_Comm comm)
{
    MPI_Comm copy;

    send_to_myself(comm);
    MPI_Comm_dup(comm, &copy);
    sum(copy);
    use_windows(copy);
    MPI_Comm_free(&copy);
}

int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Comm self, world;
    int with_world = argc > 1 && !strcmp(argv[1], "-world");

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    self = ct_comm_from(session, "mpi://SELF");
    use(self);
    if (with_world) {
        int rank, size, all_errs = 0;

        world = ct_comm_from(session, "mpi://WORLD");
        sum(world);
        use(self);
        MPI_Comm_rank(world, &rank);
        MPI_Comm_size(world, &size);
        MPI_Reduce(&errs, &all_errs, 1, MPI_INT, MPI_SUM, 0, world);
        if (rank == 0 && all_errs == 0)
            printf(" No Errors\n");
        MPI_Comm_free(&world);
    } else if (errs == 0) {
        printf(" No Errors\n");
    }
    MPI_Comm_free(&self);
    MPI_Session_finalize(&session);
    return errs > 0;
}
