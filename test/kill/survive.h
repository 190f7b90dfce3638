/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * mpiexec --enable-recovery: the last rank dies while the others are inside a call.  What programs
 * of such calls share: expectations, the death, and what follows.  The survivors acknowledge,
 * agree, shrink, and go on; MPI_Finalize ends.  A call that does not return ends its rank after
 * some seconds, which is an error.
 */
#ifndef SURVIVE_H_INCLUDED
#define SURVIVE_H_INCLUDED

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG = 7, LONG = 1 << 20, SECONDS = 40 };

static int me, size, victim, errs, dies_by_signal;
static char *program;
static MPI_Comm world; /* MPI_COMM_WORLD, whose errors return */
static const char *call = "";

static void hangs(int number)
{
    char text[128];

    (void) number;
    snprintf(text, sizeof(text), "rank %d hangs in: %s\n", me, call);
    (void) !write(STDOUT_FILENO, text, strlen(text));
    _exit(9);
}

static int class_of(int error)
{
    int class = MPI_SUCCESS;

    MPI_Error_class(error, &class);
    return class;
}

static void expect(int is_so, const char *what)
{
    if (is_so)
        return;
    errs++;
    printf("rank %d, %s: %s\n", me, call, what);
    fflush(stdout);
}

static void expect_class(int error, int class, const char *what)
{
    char text[MPI_MAX_ERROR_STRING + 128], message[MPI_MAX_ERROR_STRING];
    int length;

    /* programs compare the codes, too */
    if (class_of(error) == class && (class == MPI_SUCCESS || error == class))
        return;
    MPI_Error_string(error, message, &length);
    snprintf(text, sizeof(text), "%s has class %d, not %d: %s", what, class_of(error), class,
             message);
    expect(0, text);
}

static void expect_failed(int error, const char *what)
{
    expect_class(error, MPIX_ERR_PROC_FAILED, what);
}

static void expect_success(int error, const char *what) { expect_class(error, MPI_SUCCESS, what); }

/* ---- the death ---- */

static void die(void)
{
    usleep(150000); /* the others are in their calls then, mostly */
    if (dies_by_signal)
        raise(SIGKILL);
    _exit(3);
}

/* How many deaths of members this process knows. */
static int count_dead(MPI_Comm comm)
{
    MPI_Group group;
    int n;

    expect_success(MPIX_Comm_get_failed(comm, &group), "MPIX_Comm_get_failed");
    MPI_Group_size(group, &n);
    if (group != MPI_GROUP_EMPTY)
        MPI_Group_free(&group);
    return n;
}

static void wait_for_death(void)
{
    int flag;

    while (count_dead(world) == 0)
        MPI_Iprobe(MPI_ANY_SOURCE, 99, world, &flag, MPI_STATUS_IGNORE);
}

/* ---- afterwards ---- */

static void check_survivors(MPI_Comm survivors)
{
    MPI_Comm copy = MPI_COMM_NULL;
    int n, rank, sum, all;
    static char in[LONG], out[LONG];

    MPI_Comm_size(survivors, &n);
    MPI_Comm_rank(survivors, &rank);
    expect(n == victim && rank == me, "the shrunk communicator has other ranks");
    for (int i = 0; i < 20; i++) {
        sum = -1;
        expect_success(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, survivors), "MPI_Allreduce");
        expect(sum == victim * (victim - 1) / 2, "the sum is wrong");
    }
    expect_success(MPI_Allreduce(in, out, LONG, MPI_CHAR, MPI_MAX, survivors), "a long one");
    expect_success(MPI_Comm_dup(survivors, &copy), "MPI_Comm_dup");
    if (copy != MPI_COMM_NULL) {
        expect_success(MPI_Barrier(copy), "MPI_Barrier");
        MPI_Comm_free(&copy);
    }
    MPI_Allreduce(&errs, &all, 1, MPI_INT, MPI_SUM, survivors);
    if (rank == 0 && all == 0)
        printf(" No Errors\n");
    fflush(stdout);
}

/* Each of the first ranks clears a bit. */
static int cleared_by(int ranks) { return ranks < 31 ? ~((1 << ranks) - 1) : ~0x7fffffff; }

static void repair(void)
{
    MPI_Comm survivors = MPI_COMM_NULL;
    int flag = me < 31 ? ~(1 << me) : ~0, error;

    wait_for_death();
    error = MPIX_Comm_agree(world, &flag);
    expect(error == MPI_SUCCESS || class_of(error) == MPIX_ERR_PROC_FAILED,
           "MPIX_Comm_agree has another error");
    expect(flag == cleared_by(victim), "the flag is not that of all survivors");
    expect_success(MPIX_Comm_failure_ack(world), "MPIX_Comm_failure_ack");
    flag = 5;
    expect_success(MPIX_Comm_agree(world, &flag), "MPIX_Comm_agree after the acknowledgement");
    expect(flag == 5, "the flag is wrong");
    expect(count_dead(world) == 1, "not one member is dead");
    expect_success(MPIX_Comm_shrink(world, &survivors), "MPIX_Comm_shrink");
    if (survivors != MPI_COMM_NULL) {
        check_survivors(survivors);
        MPI_Comm_free(&survivors);
    }
}

/* ---- calls ---- */

/* The survivors start another process, with the word "child", in the place of the dead one. */
static inline void in_spawn(void)
{
    MPI_Comm survivors = MPI_COMM_NULL, started = MPI_COMM_NULL, repaired = MPI_COMM_NULL;
    char *words[] = {"child", NULL};
    int one = 1, sum = 0;

    wait_for_death();
    expect_success(MPIX_Comm_shrink(world, &survivors), "MPIX_Comm_shrink");
    expect_success(MPI_Comm_spawn(program, words, 1, MPI_INFO_NULL, 0, survivors, &started,
                                  MPI_ERRCODES_IGNORE),
                   "MPI_Comm_spawn");
    expect_success(MPI_Intercomm_merge(started, 0, &repaired), "MPI_Intercomm_merge");
    expect_success(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, repaired), "MPI_Allreduce");
    expect(sum == size, "the repaired communicator has another size");
    MPI_Comm_free(&repaired);
    MPI_Comm_disconnect(&started);
    MPI_Comm_free(&survivors);
}

/* That process. */
static inline int be_child(MPI_Comm parents)
{
    MPI_Comm repaired;
    int one = 1, sum;

    MPI_Intercomm_merge(parents, 1, &repaired);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, repaired);
    MPI_Comm_free(&repaired);
    MPI_Comm_disconnect(&parents);
    MPI_Finalize();
    return 0;
}

/* Some collectives, so that what they keep is set up. */
static void warm_up(void)
{
    int sum;

    for (int i = 0; i < 4; i++)
        MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, world);
    MPI_Barrier(world);
}

typedef struct {
    const char *name;
    void (*run)(void);
    int victim_too; /* the rank that dies calls it, too */
} call_t;

/* The one that the program was asked for, and the death. */
static inline void run_call(const call_t calls[], size_t n)
{
    size_t i = 0;

    while (i < n && strcmp(call, calls[i].name))
        i++;
    if (i == n) {
        printf("no such call: %s\n", call);
        MPI_Abort(world, 1);
    }
    if (me != victim || calls[i].victim_too)
        calls[i].run();
    if (me == victim)
        die();
}

/* The end of main. */
static int finish(void)
{
    repair();
    call = "MPI_Finalize";
    MPI_Finalize();
    return 0;
}

/* The first words of the program: CALL, and whether the rank is killed, after some collectives. */
static void begin(int argc, char **argv)
{
    program = argv[0];
    world = MPI_COMM_WORLD;
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_rank(world, &me);
    MPI_Comm_size(world, &size);
    victim = size - 1;
    dies_by_signal = argc > 2 && !strcmp(argv[2], "kill");
    call = argc > 1 ? argv[1] : "";
    signal(SIGALRM, hangs);
    alarm(SECONDS + (unsigned) size);
    if (argc > 3 && !strcmp(argv[3], "warm"))
        warm_up();
}

#endif /* SURVIVE_H_INCLUDED */
