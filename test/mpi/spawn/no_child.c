/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * If a spawned process ends before it calls MPI_Init, or in it, MPI_Comm_spawn returns an error of
 * class MPI_ERR_SPAWN in all processes. The root's names the program and its exit status. The
 * others of the call are ended on all hosts, also one that would never end, and the parents go on.
 * The next spawn succeeds. If one of the others loses its connection to the process that ended, it
 * aborts. The parents may hear of that first, from another host.
 *
 * A failed spawn leaves no port open. A spawn of no processes is an error. Some processes may
 * ignore the error codes.
 *
 * A process ends in MPI_Init when it is about to connect to its parent, over UCX: the program has a
 * function in front of connect(). Another one, in front of send(), ends it after some messages to
 * the parent: the roots have agreed then, and make the intercommunicator. Or it holds the first
 * process there for ever, and the last one exits, kills itself, or fails in MPI_Init.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include "cmaptest.h"

enum {
    ROUNDS = 8,
    AGREED = 2,    /* messages to the parent until the roots have met */
    MESSAGES = 8,  /* until the parent has all that it waits for */
    LATER = 300000 /* microseconds in which the roots meet, on a quiet machine */
};

static int rank, is_ending, messages, last_message, holds;

int connect(int fd, const struct sockaddr *address, socklen_t length)
{
    int (*next)(int, const struct sockaddr *, socklen_t) =
        (int (*)(int, const struct sockaddr *, socklen_t)) dlsym(RTLD_NEXT, "connect");

    if (is_ending && (address->sa_family == AF_INET || address->sa_family == AF_INET6))
        _exit(7);
    return next(fd, address, length);
}

ssize_t send(int fd, const void *data, size_t bytes, int flags)
{
    ssize_t (*next)(int, const void *, size_t, int) =
        (ssize_t(*)(int, const void *, size_t, int)) dlsym(RTLD_NEXT, "send");

    if (last_message > 0 && bytes >= 8 && memcmp(data, "MPIport1", 8) == 0 &&
        messages++ == last_message) {
        while (holds)
            pause();
        _exit(7);
    }
    return next(fd, data, bytes, flags);
}

static void exit_now(int number) { _exit(7); }

static void kill_now(int number) { raise(SIGKILL); }

/* The process manager says which process this is. */
static void hold_or_end(const char *how)
{
    struct itimerval later = {.it_value = {.tv_usec = LATER}};
    const char *me = getenv("PMI_RANK"), *all = getenv("PMI_SIZE");

    holds = 1;
    last_message = AGREED;
    if (!me || !all || atoi(me) != atoi(all) - 1)
        return;
    if (!strcmp(how, "fail"))
        setenv("MPIR_CVAR_PROGRESS_YIELD", "often", 1);
    signal(SIGALRM, !strcmp(how, "kill") ? kill_now : exit_now);
    if (strcmp(how, "fail") != 0)
        setitimer(ITIMER_REAL, &later, NULL);
}

static int is_told(const char *text, const char *status, int n)
{
    return strstr(text, status) || (n > 1 && strstr(text, "it aborted"));
}

/* The error of a spawn: its reason at the root.  If n > 1 processes call MPI_Init, one of them may
 * abort because another one has ended. */
static void check(int result, const char *reason, const char *status, int n)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length, class = MPI_SUCCESS;

    CT_CHECK(result != MPI_SUCCESS, "no error, although there is no child");
    if (result == MPI_SUCCESS)
        return;
    MPI_Error_class(result, &class);
    CT_CHECK(class == MPI_ERR_SPAWN, "class %d", class);
    MPI_Error_string(result, text, &length);
    CT_CHECK(rank != 0 || (strstr(text, reason) && is_told(text, status, n)),
             "the error does not say '%s' and '%s': %s", reason, status, text);
}

static int spawn(char *program, char *arg, int n)
{
    char *args[] = {arg, NULL};
    MPI_Comm inter = MPI_COMM_NULL;

    return MPI_Comm_spawn(program, args, n, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                          MPI_ERRCODES_IGNORE);
}

static void spawn_some(char *program)
{
    char *quit[] = {"-quit", NULL}, *silent[] = {"-silent", NULL}, *wait[] = {"-wait", NULL};
    char **args[] = {quit, silent, wait};
    char *commands[] = {program, program, program};
    int n[] = {1, 2, 1};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm inter = MPI_COMM_NULL;
    int result = MPI_Comm_spawn_multiple(3, commands, args, n, infos, 0, MPI_COMM_WORLD, &inter,
                                         MPI_ERRCODES_IGNORE);

    check(result, "ended before MPI_Init", "exit status 0", 1);
}

static void spawn_again(char *program)
{
    int files = 0;

    for (int i = 0; i < ROUNDS; i++) {
        check(spawn(program, "-quit", 1), "no_child", "exit status 0", 1);
        if (i == 0)
            files = ct_count_files();
    }
    CT_CHECK(ct_count_files() == files, "%d open files became %d", files, ct_count_files());
}

static int has_tcp_ports(void)
{
    char port[MPI_MAX_PORT_NAME] = "";

    MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Close_port(port);
    return strncmp(port, "tcp#", 4) == 0;
}

/* The first process ends when the roots have agreed. */
static void spawn_partly(char *program)
{
    char arg[32];
    int files = 0;

    for (int n = AGREED; n < MESSAGES; n++) {
        snprintf(arg, sizeof(arg), "-messages=%d", n);
        check(spawn(program, arg, 1 + n % 3), "no_child", "exit status 7", 1 + n % 3);
        if (n == AGREED)
            files = ct_count_files();
    }
    CT_CHECK(ct_count_files() == files, "%d open files became %d", files, ct_count_files());
}

/* The first process is held when the roots have agreed, the last one ends. */
static void spawn_held(char *program)
{
    static const char *const ways[][2] = {
        {"-held=exit", "exit status 7"},
        {"-held=kill", "signal 9"},
        {"-held=fail", ""},
    };
    char arg[32];

    for (int i = 0; i < 3; i++) {
        snprintf(arg, sizeof(arg), "%s", ways[i][0]);
        for (int n = 1; n <= 3; n += 2)
            check(spawn(program, arg, n), "no_child", ways[i][1], n);
    }
}

/* Only rank 0 looks at the error code. */
static void spawn_one(char *program)
{
    MPI_Comm inter;
    int got = -1, code = -1;

    MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                   rank == 0 ? &code : MPI_ERRCODES_IGNORE);
    CT_CHECK(rank != 0 || code == MPI_SUCCESS, "code %d", code);
    MPI_Bcast(&got, 1, MPI_INT, 0, inter);
    CT_CHECK(got == 5, "%d from the child", got);
    MPI_Comm_disconnect(&inter);
}

static int be_child(MPI_Comm parent)
{
    int number = 5;

    MPI_Bcast(&number, 1, MPI_INT, MPI_ROOT, parent);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Comm parent;

    if (argc > 1 && !strcmp(argv[1], "-quit"))
        return 0;
    while (argc > 1 && !strcmp(argv[1], "-wait"))
        pause();
    /* its MPI_Init may fail, because this process ends, or another one has ended */
    if (argc > 1)
        CT_CHECK(freopen("/dev/null", "w", stderr), "no /dev/null");
    is_ending = argc > 1 && !strcmp(argv[1], "-end");
    if (argc > 1 && !strncmp(argv[1], "-messages=", 10))
        last_message = atoi(argv[1] + 10);
    if (argc > 1 && !strncmp(argv[1], "-held=", 6))
        hold_or_end(argv[1] + 6);
    MTest_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        return be_child(parent);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ct_me = rank;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check(spawn(argv[0], "-quit", 1), "no_child", "exit status 0", 1);
    check(spawn(argv[0], "-quit", 3), "no_child", "exit status 0", 1);
    spawn_some(argv[0]);
    spawn_again(argv[0]);
    if (has_tcp_ports()) {
        check(spawn(argv[0], "-end", 3), "no_child", "exit status 7", 3);
        spawn_partly(argv[0]);
        spawn_held(argv[0]);
    }
    CT_CHECK(spawn(argv[0], "-quit", 0) != MPI_SUCCESS, "no error for no processes");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    spawn_one(argv[0]);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
