/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * mpiexec --enable-recovery: a process dies in MPI_Comm_spawn: a member, the root, or one that is
 * spawned, before or in its MPI_Init.  The call fails on the others, without an intercommunicator,
 * and nobody else ends.  So it does if a host cannot start its proxy, or this one ends at once.
 *
 *   survive_in_spawn CALL [alive]    nobody dies after the call
 */
#include "survive.h"
#include <sys/time.h>

static MPI_Info where = MPI_INFO_NULL;

/* What the shell starts; its errors say that there are no parents any more. */
static MPI_Comm spawn(const char *format, int n, int root, const int classes[2])
{
    MPI_Comm started = MPI_COMM_NULL;
    char command[512], *words[] = {"-c", command, NULL};
    int class;

    snprintf(command, sizeof(command), format, program);
    class = class_of(
        MPI_Comm_spawn("/bin/sh", words, n, where, root, world, &started, MPI_ERRCODES_IGNORE));
    if (class != classes[0] && class != classes[1]) {
        char text[64];
        snprintf(text, sizeof(text), "MPI_Comm_spawn has class %d", class);
        expect(0, text);
    }
    expect((started == MPI_COMM_NULL) == (class != MPI_SUCCESS),
           "an intercommunicator after an error, or none after success");
    return started;
}

static const int failed[2] = {MPIX_ERR_PROC_FAILED, MPI_ERR_SPAWN};
static const int not_spawned[2] = {MPI_ERR_SPAWN, MPI_ERR_SPAWN};

static void in_member(void)
{
    spawn("exec %s child 2>/dev/null", 1, 0, failed);
    expect_failed(MPI_Barrier(world), "MPI_Barrier");
}

/* The spawned process comes when the root is dead. */
static void in_root(void)
{
    struct itimerval soon = {.it_value = {0, 100000}};

    if (me == victim) {
        signal(SIGALRM, SIG_DFL);
        setitimer(ITIMER_REAL, &soon, NULL);
    }
    spawn("sleep 1; exec %s child 2>/dev/null", 1, victim, failed);
}

static void in_child(void) { spawn("kill -9 $$ # %s", 2, 0, not_spawned); }

static void in_init_of_child(void) { spawn("exec %s early 2>/dev/null", 2, 0, not_spawned); }

/* The calls after all that work. */
static void in_nobody(void)
{
    const int well[2] = {MPI_SUCCESS, MPI_SUCCESS};
    MPI_Comm started;

    for (int i = 0; i < 2; i++) {
        spawn("kill -9 $$ # %s", 1, 0, not_spawned);
        started = spawn("exec %s child", 2, 0, well);
        if (started != MPI_COMM_NULL)
            MPI_Comm_disconnect(&started);
    }
}

/* The launcher of the test knows the hosts. */
static void in_no_host(void)
{
    static const char *const hosts[] = {"broken", "dying", "localhost,broken", "dying,localhost"};
    const int well[2] = {MPI_SUCCESS, MPI_SUCCESS};
    MPI_Comm started;

    MPI_Info_create(&where);
    for (int i = 0; i < 4; i++) {
        MPI_Info_set(where, "hosts", hosts[i]);
        spawn("exec %s child 2>/dev/null", 2, 0, not_spawned);
    }
    MPI_Info_free(&where);
    started = spawn("exec %s child", 2, 0, well);
    if (started != MPI_COMM_NULL)
        MPI_Comm_disconnect(&started);
}

/* One of two dies in MPI_Init, where it waits for the other one. */
static void be_early(void)
{
    const char *rank = getenv("PMI_RANK");
    struct itimerval soon = {.it_value = {0, 100000}};

    if (rank && atoi(rank) == 1)
        setitimer(ITIMER_REAL, &soon, NULL);
    else
        sleep(20); /* it is killed meanwhile */
}

static const call_t calls[] = {{"member", in_member, 0}, {"root", in_root, 1},
                               {"child", in_child, 1},   {"init_of_child", in_init_of_child, 1},
                               {"nobody", in_nobody, 1}, {"no_host", in_no_host, 1}};

static int be_alive(void)
{
    in_no_host();
    if (me == 0 && errs == 0)
        printf(" No Errors\n");
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Comm parents;

    if (argc > 1 && !strcmp(argv[1], "early"))
        be_early();
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parents);
    if (parents != MPI_COMM_NULL) {
        MPI_Comm_disconnect(&parents);
        MPI_Finalize();
        return 0;
    }
    begin(argc, argv);
    if (argc > 2 && !strcmp(argv[2], "alive"))
        return be_alive();
    run_call(calls, sizeof(calls) / sizeof(calls[0]));
    return finish();
}
