/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * mpiexec --enable-recovery: in each round some ranks are killed at random moments, also in the
 * repair itself.  The others shrink, spawn as many, merge, and restore the order of the ranks.  Any
 * rank may die in a later round, also one that was spawned.
 *
 *   survive_spawn ROUNDS SEED [LONGEST]    a kill comes within LONGEST us, or 30,000
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "drawn.h"

enum { TAG = 5, TAG_PLACE = 6, SECONDS = 90, MOST = 64 };

static char **words;
static int rounds;

/* One or two ranks, of which the second may die in the repair. */
static int is_victim(void)
{
    int first = (int) draw(1, (unsigned) size), second = (int) draw(2, (unsigned) size);

    return me == first || (size > 2 && draw(3, 2) && me == second);
}

static void set_death(int is_on)
{
    static timer_t timer;
    static int has_timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    struct itimerspec when = {.it_value = {0, 0}};

    if (!has_timer && timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
        fail("timer_create");
    has_timer = 1;
    if (is_on)
        when.it_value.tv_nsec = 1000 * (long) (1 + draw(4 + (unsigned) me, longest));
    timer_settime(timer, 0, &when, NULL);
}

/* ---- work ---- */

static int exchange(MPI_Comm comm)
{
    int next = (me + 1) % size, previous = (me + size - 1) % size, got = -1;
    int well = MPI_Sendrecv(&me, 1, MPI_INT, next, TAG, &got, 1, MPI_INT, previous, TAG, comm,
                            MPI_STATUS_IGNORE) == MPI_SUCCESS;

    if (well && got != previous)
        fail("a wrong message");
    return well;
}

static int add(MPI_Comm comm)
{
    int sum = 0, well = MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS;

    if (well && sum != size * (size - 1) / 2)
        fail("a wrong sum");
    return well;
}

static int collect(MPI_Comm comm)
{
    static char bytes[1 << 16];
    int got = 0;

    if (MPI_Bcast(bytes, sizeof(bytes), MPI_BYTE, size - 1, comm) != MPI_SUCCESS)
        return 0;
    if (me > 0)
        return MPI_Send(&me, 1, MPI_INT, 0, TAG, comm) == MPI_SUCCESS;
    for (int i = 1; i < size; i++) {
        if (MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, TAG, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return 0;
    }
    return 1;
}

static void work_until_death(MPI_Comm comm)
{
    place = "the work";
    while (exchange(comm) && add(comm) && collect(comm)) {
    }
    MPIX_Comm_revoke(comm);
}

/* ---- the repair ---- */

static void free_comm(MPI_Comm *comm, int is_revoked)
{
    if (*comm == MPI_COMM_NULL)
        return;
    if (is_revoked)
        MPIX_Comm_revoke(*comm);
    MPI_Comm_free(comm);
}

/* True on all members, or on none. */
static int agree(MPI_Comm comm, int well)
{
    return MPIX_Comm_agree(comm, &well) == MPI_SUCCESS && well;
}

/* Rank 0 of the living tells each new process its rank, and the round: also those behind a dead
 * one, which wait for that. */
static int send_places(MPI_Comm inter, MPI_Comm living, MPI_Comm comm)
{
    MPI_Group all, alive, dead;
    int rank, n, well = 1;

    MPI_Comm_rank(living, &rank);
    if (rank > 0)
        return 1;
    MPI_Comm_group(comm, &all);
    MPI_Comm_group(living, &alive);
    MPI_Group_difference(all, alive, &dead);
    MPI_Group_size(dead, &n);
    for (int i = 0; i < n; i++) {
        int sent[3] = {0, round_now, size};
        MPI_Group_translate_ranks(dead, 1, &i, all, &sent[0]);
        well &= MPI_Send(sent, 3, MPI_INT, i, TAG_PLACE, inter) == MPI_SUCCESS;
    }
    MPI_Group_free(&dead);
    MPI_Group_free(&alive);
    MPI_Group_free(&all);
    return well;
}

/* All of both groups: MPI_COMM_NULL if somebody has failed. */
static MPI_Comm join(MPI_Comm inter, int is_new, int well)
{
    MPI_Comm merged = MPI_COMM_NULL, ordered = MPI_COMM_NULL;

    place = "MPI_Intercomm_merge";
    if (well)
        well = MPI_Intercomm_merge(inter, is_new, &merged) == MPI_SUCCESS;
    place = "the agreement of both groups";
    if (!agree(inter, well)) {
        free_comm(&merged, 1);
        return MPI_COMM_NULL;
    }
    MPI_Comm_set_errhandler(merged, MPI_ERRORS_RETURN);
    place = "MPI_Comm_split";
    well = MPI_Comm_split(merged, 0, me, &ordered) == MPI_SUCCESS;
    place = "the agreement of all";
    if (!agree(merged, well))
        free_comm(&ordered, 1);
    free_comm(&merged, 0);
    return ordered;
}

/* The living of the communicator and new processes; MPI_COMM_NULL: try again. */
static MPI_Comm replace_dead(MPI_Comm comm)
{
    MPI_Comm living = MPI_COMM_NULL, inter = MPI_COMM_NULL, repaired = MPI_COMM_NULL;
    int n, well;

    place = "MPIX_Comm_shrink";
    if (MPIX_Comm_shrink(comm, &living) != MPI_SUCCESS)
        fail("no shrunk communicator");
    MPI_Comm_set_errhandler(living, MPI_ERRORS_RETURN);
    MPI_Comm_size(living, &n);
    place = "MPI_Comm_spawn";
    well = MPI_Comm_spawn(words[0], words + 1, size - n, MPI_INFO_NULL, 0, living, &inter,
                          MPI_ERRCODES_IGNORE) == MPI_SUCCESS;
    if (!well && inter != MPI_COMM_NULL)
        fail("an intercommunicator after an error");
    place = "the agreement after the spawn";
    MPIX_Comm_agree(living, &well); /* the flag is right after another death, too */
    if (well) {
        MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
        repaired = join(inter, 0, send_places(inter, living, comm));
        free_comm(&inter, repaired == MPI_COMM_NULL);
    } else {
        free_comm(&inter, 1);
    }
    free_comm(&living, 0);
    return repaired;
}

static MPI_Comm repair(MPI_Comm comm)
{
    MPI_Comm repaired;

    while ((repaired = replace_dead(comm)) == MPI_COMM_NULL)
        ;
    free_comm(&comm, 0);
    return repaired;
}

static void check_order(MPI_Comm comm)
{
    int rank, n;

    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n);
    if (rank != me || n != size)
        fail("the ranks are in another order");
}

/* A spawned process that cannot join leaves: the others spawn again. */
static MPI_Comm come_in(MPI_Comm parents)
{
    MPI_Comm comm;
    int got[3] = {0, 0, 0}, well;

    MPI_Comm_set_errhandler(parents, MPI_ERRORS_RETURN);
    place = "the place of a new process";
    well = MPI_Recv(got, 3, MPI_INT, 0, TAG_PLACE, parents, MPI_STATUS_IGNORE) == MPI_SUCCESS;
    me = got[0], round_now = got[1], size = got[2];
    comm = join(parents, 1, well);
    free_comm(&parents, comm == MPI_COMM_NULL);
    return comm;
}

int main(int argc, char **argv)
{
    MPI_Comm comm;

    words = argv;
    rounds = argc > 1 ? atoi(argv[1]) : 3;
    seed = argc > 2 ? (unsigned) atoi(argv[2]) : 1;
    longest = argc > 3 ? (unsigned) atoi(argv[3]) : longest;
    signal(SIGALRM, hangs);
    alarm(SECONDS);
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_get_parent(&comm);
    if (comm != MPI_COMM_NULL) {
        comm = come_in(comm);
    } else {
        MPI_Comm_rank(MPI_COMM_WORLD, &me);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        agree(MPI_COMM_WORLD, 1); /* nobody dies before all have the duplicate */
    }
    while (comm != MPI_COMM_NULL && round_now < rounds) {
        check_order(comm);
        if (is_victim())
            set_death(1);
        work_until_death(comm);
        round_now++;
        comm = repair(comm);
    }
    place = "the end";
    if (comm != MPI_COMM_NULL) {
        check_order(comm);
        set_death(0);
        while (!agree(comm, add(comm))) /* one that was to die later than the repair may have */
            comm = repair(comm);
        if (me == 0)
            printf(" No Errors\n");
        fflush(stdout);
        free_comm(&comm, 0);
    }
    MPI_Finalize();
    return 0;
}
