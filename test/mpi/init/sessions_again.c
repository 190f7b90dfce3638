/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * usage: sessions_again [-world] [-fork]
 *
 * Sessions that come one after another: each has communicators, messages, a window and a file.
 * Processes have sessions of their own in between, some more than others. What a process sends in
 * a session arrives while the process is in none. MPI_T may end in between. With -world MPI_Init
 * follows, and after MPI_Finalize MPI does not begin again. With -fork another process ends
 * earlier.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cmaptest_sessions.h"

enum { ROUNDS = 4, MESSAGES = 20, LENGTH = 1000 };

static int errs, rank, size;

static void expect(int is_right, const char *what)
{
    if (is_right)
        return;
    errs++;
    printf("%d: %s\n", rank, what);
    fflush(stdout);
}

static MPI_Session begin(void)
{
    MPI_Session session = MPI_SESSION_NULL;
    int error = MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);

    expect(error == MPI_SUCCESS, "MPI_Session_init fails");
    if (error != MPI_SUCCESS)
        exit(1);
    return session;
}

static MPI_Comm comm_from(MPI_Session session, const char *pset)
{
    MPI_Comm comm = ct_comm_from(session, pset);

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    return comm;
}

static void use_window(MPI_Comm comm)
{
    int *mine, one = 1;
    MPI_Win win;

    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &mine, &win);
    *mine = 0;
    MPI_Win_fence(0, win);
    MPI_Accumulate(&one, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    expect(*mine == 1, "the window has another value");
    MPI_Win_free(&win);
}

static void use_file(MPI_Comm comm)
{
    int mine = rank, got = -1, other = (rank + 1) % size;
    MPI_File file;

    MPI_File_open(comm, "sessions_again.data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &file);
    MPI_File_write_at_all(file, rank * sizeof(int), &mine, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(comm);
    MPI_File_read_at(file, other * sizeof(int), &got, 1, MPI_INT, MPI_STATUS_IGNORE);
    expect(got == other, "the file has another value");
    MPI_File_close(&file);
}

static void all_together(MPI_Session session)
{
    MPI_Comm comm = comm_from(session, "mpi://WORLD"), copy;
    int sum = 0;

    MPI_Comm_dup(comm, &copy);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copy);
    expect(sum == size * (size - 1) / 2, "the sum is wrong");
    use_window(copy);
    use_file(copy);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
}

static void each_alone(void)
{
    for (int i = 0; i <= rank; i++) {
        MPI_Session session = begin();
        MPI_Group group;
        MPI_Comm comm;
        int got = -1, sent = i;

        MPI_Group_from_session_pset(session, "mpi://SELF", &group);
        MPI_Comm_create_from_group(group, "alone", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
        MPI_Group_free(&group);
        MPI_Sendrecv(&sent, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
        expect(got == sent, "a message to itself is wrong");
        MPI_Comm_free(&comm);
        MPI_Session_finalize(&session);
    }
}

static void use_tools(void)
{
    int level, count = 0;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
    MPI_T_cvar_get_num(&count);
    expect(count > 0, "MPI_T has no control variables");
    MPI_T_finalize();
}

/* The last process is in no session until the first one has what it sent. */
static void late_messages(void)
{
    static const char *const flag = "sessions_again.flag";
    MPI_Session session = begin();
    MPI_Comm comm = comm_from(session, "mpi://WORLD");
    static int data[LENGTH];

    unlink(flag);
    MPI_Barrier(comm);
    for (int i = 0; i < MESSAGES && size > 1; i++) {
        data[0] = i;
        if (rank == size - 1)
            MPI_Send(data, LENGTH, MPI_INT, 0, i, comm);
    }
    if (rank == size - 1 && size > 1) {
        MPI_Comm_free(&comm);
        MPI_Session_finalize(&session);
        while (access(flag, F_OK))
            usleep(1000);
        return;
    }
    for (int i = 0; i < MESSAGES && rank == 0 && size > 1; i++) {
        MPI_Recv(data, LENGTH, MPI_INT, size - 1, i, comm, MPI_STATUS_IGNORE);
        expect(data[0] == i, "a late message is wrong");
    }
    if (rank == 0)
        close(open(flag, O_CREAT | O_WRONLY, 0600));
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}

/* A process that was forked ends, and MPI does not. */
static void fork_one(void)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0)
        exit(7);
    waitpid(child, &status, 0);
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 7, "the forked process ends otherwise");
}

static void the_world(void)
{
    MPI_Session session;
    int sum = 0;

    MPI_Init(NULL, NULL);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum == size * (size - 1) / 2, "the sum of the world is wrong");
    MPI_Finalize();
    expect(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS,
           "MPI begins after MPI_Finalize");
}

static void report(void)
{
    MPI_Session session = begin();
    MPI_Comm comm = comm_from(session, "mpi://WORLD");
    int all = 0;

    MPI_Allreduce(&errs, &all, 1, MPI_INT, MPI_SUM, comm);
    if (rank == 0) {
        unlink("sessions_again.flag");
        unlink("sessions_again.data");
        if (all == 0)
            printf(" No Errors\n");
    }
    fflush(stdout);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}

static int has(int argc, char **argv, const char *word)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], word) == 0)
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Session session = begin();

        all_together(session);
        MPI_Session_finalize(&session);
        each_alone();
        use_tools();
    }
    late_messages();
    if (has(argc, argv, "-fork"))
        fork_one();
    report();
    if (has(argc, argv, "-world"))
        the_world();
    return errs > 0;
}
