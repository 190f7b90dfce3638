/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Finalize ends, whoever has talked to whom, and however late some come.  Between hosts
 * (maint/check hosts) closing a connection needs the other side's progress.
 *
 * Arguments:
 *   -talk=none|ring|all    nothing, neighbours, or everybody with everybody, short and long
 *                          messages
 *   -window                one-sided communication as well
 *   -late                  every third rank comes later
 *   -threads               MPI_THREAD_MULTIPLE, and each of two threads talks
 *   -sessions              two sessions at a time instead of MPI_Init
 *   -mpit                  MPI_T is initialized before and finalized between and after
 *   -kill=before|in|closing   rank 1 is killed before it calls MPI_Finalize, while it waits there
 *                          for the others, or when it has closed its first connection: the job must
 *                          end, with an error.  (maint/check hosts sees to that.)
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "mpi.h"
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONG_MESSAGE (1 << 18)

enum killed { NEVER, BEFORE, IN, CLOSING };

static struct {
    const char *talk;
    int window, late, threads, sessions, mpit;
    enum killed killed;
} option = {.talk = "ring"};

static int errs, rank, size, closed;

static void kill_me(void) { kill(getpid(), SIGKILL); }

/* UCX's own function, on its way from libmpi: one more connection is closed. */
void *ucp_disconnect_nb(void *ep)
{
    void *(*real)(void *) = (void *(*) (void *) ) dlsym(RTLD_NEXT, "ucp_disconnect_nb");
    void *request = real(ep);

    if (option.killed == CLOSING && rank == 1 && closed++ == 0)
        kill_me();
    return request;
}

static void exchange(MPI_Comm comm, int to, int from, int tag, int len)
{
    char *out = malloc(len), *in = malloc(len);

    memset(out, rank + 1, len);
    MPI_Sendrecv(out, len, MPI_CHAR, to, tag, in, len, MPI_CHAR, from, tag, comm,
                 MPI_STATUS_IGNORE);
    if (in[0] != (char) (from + 1) || in[len - 1] != (char) (from + 1)) {
        printf("rank %d: a wrong message of %d bytes from %d\n", rank, len, from);
        errs++;
    }
    free(in);
    free(out);
}

static void talk(MPI_Comm comm, int tag)
{
    int most = !strcmp(option.talk, "none") ? 0 : !strcmp(option.talk, "ring") ? 1 : size - 1;

    for (int distance = 1; distance <= most; distance++) {
        int to = (rank + distance) % size, from = (rank + size - distance) % size;
        exchange(comm, to, from, tag, 1);
        exchange(comm, to, from, tag, LONG_MESSAGE);
    }
}

static void *talk_in_thread(void *comm)
{
    talk(*(MPI_Comm *) comm, 1);
    return NULL;
}

static void put_to_next(MPI_Comm comm)
{
    int *shown, value = rank, *here;
    MPI_Win win;

    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &here, &win);
    *here = -1;
    MPI_Barrier(comm);
    MPI_Win_lock_all(0, win);
    MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(comm);
    shown = here;
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    if (*shown != (rank + size - 1) % size) {
        printf("rank %d: %d put\n", rank, *shown);
        errs++;
    }
    MPI_Win_unlock(rank, win);
    MPI_Win_free(&win);
}

static void use(MPI_Comm comm)
{
    pthread_t other;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (option.threads)
        pthread_create(&other, NULL, talk_in_thread, &comm);
    talk(comm, 0);
    if (option.threads)
        pthread_join(other, NULL);
    if (option.window)
        put_to_next(comm);
}

static void *kill_later(void *arg)
{
    usleep(300 * 1000);
    kill_me();
    return NULL;
}

/* The others are told to come later than rank 1, or that they will not see it again. */
static void before_finalize(void)
{
    pthread_t killer;

    if (option.late && rank % 3 == 0)
        usleep(200 * 1000);
    if (option.killed == BEFORE && rank == 1) {
        usleep(300 * 1000);
        kill_me();
    }
    if (option.killed == IN && rank == 1)
        pthread_create(&killer, NULL, kill_later, NULL);
    if (option.killed == IN && rank == 0)
        sleep(1);
}

static void with_sessions(void)
{
    MPI_Session session[2];
    MPI_Group group;
    MPI_Comm comm;

    for (int i = 0; i < 2; i++)
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session[i]);
    MPI_Group_from_session_pset(session[1], "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "finalize_peers", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    use(comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session[0]);
    before_finalize();
    MPI_Session_finalize(&session[1]);
}

static void with_world(int argc, char **argv)
{
    int provided;

    MPI_Init_thread(&argc, &argv, option.threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    option.threads = option.threads && provided == MPI_THREAD_MULTIPLE;
    use(MPI_COMM_WORLD);
    before_finalize();
    MPI_Finalize();
}

static void parse(int argc, char **argv)
{
    static const char *const when[] = {"-kill=", "-kill=before", "-kill=in", "-kill=closing"};

    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "-talk=", 6))
            option.talk = argv[i] + 6;
        option.window |= !strcmp(argv[i], "-window");
        option.late |= !strcmp(argv[i], "-late");
        option.threads |= !strcmp(argv[i], "-threads");
        option.sessions |= !strcmp(argv[i], "-sessions");
        option.mpit |= !strcmp(argv[i], "-mpit");
        for (int k = BEFORE; k <= CLOSING; k++)
            option.killed = strcmp(argv[i], when[k]) ? option.killed : (enum killed) k;
    }
}

int main(int argc, char **argv)
{
    int provided;

    parse(argc, argv);
    for (int i = 0; option.mpit && i < 2; i++)
        MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    if (option.mpit)
        MPI_T_finalize();
    if (option.sessions)
        with_sessions();
    else
        with_world(argc, argv);
    if (option.mpit)
        MPI_T_finalize();
    if (rank == 0 && errs == 0)
        printf(" No Errors\n");
    return errs != 0;
}
