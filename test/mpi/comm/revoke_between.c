/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One member revokes a communicator instead of taking part in its second collective, in which the
 * others set up what small collectives share; the communicator is of two groups, or of one.  Some
 * members learn of it in the set-up, others after it: each call ends, with MPIX_ERR_REVOKED unless
 * it needs no message of the one that is missing.  All of them agree then, and shrink.
 */
#include "cmaptest.h"

enum { TAG = 9, MORE = 12 }; /* times the call that met the fault most often */
enum call {
    GROUPS_DUP,
    GROUPS_SPLIT,
    GROUPS_MERGE,
    GROUPS_CREATE,
    GROUPS_ALLREDUCE,
    GROUPS_BARRIER,
    BETWEEN = GROUPS_BARRIER,
    GROUP_SPLIT,
    GROUP_WINDOW,
    GROUP_ALLREDUCE,
    GROUP_BCAST,
    GROUP_BARRIER,
    CALLS
};

static int size, is_low;
static unsigned dice = 5; /* the same on all processes */

static MPI_Comm between(void)
{
    MPI_Comm half, inter;

    MPI_Comm_split(MPI_COMM_WORLD, is_low, ct_me, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_low ? size / 2 : 0, TAG, &inter);
    MPI_Comm_free(&half);
    return inter;
}

/* The first collective sets nothing up.  All end it before the revocation. */
static MPI_Comm of_one_group(void)
{
    MPI_Comm copy;

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Barrier(copy);
    MPI_Barrier(MPI_COMM_WORLD);
    return copy;
}

static int create_between(MPI_Comm inter, MPI_Comm *made)
{
    MPI_Group local;
    int result;

    MPI_Comm_group(inter, &local);
    result = MPI_Comm_create(inter, local, made);
    MPI_Group_free(&local);
    return result;
}

static int make_window(MPI_Comm comm)
{
    MPI_Win win;
    int *base, result = MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, comm, &base, &win);

    if (result == MPI_SUCCESS)
        MPI_Win_free(&win);
    return result;
}

static int do_call(MPI_Comm comm, enum call call)
{
    MPI_Comm made = MPI_COMM_NULL;
    int one = 1, sum, result = MPI_SUCCESS;

    switch (call) {
        case GROUPS_DUP: result = MPI_Comm_dup(comm, &made); break;
        case GROUP_SPLIT:
        case GROUPS_SPLIT: result = MPI_Comm_split(comm, 0, ct_me, &made); break;
        case GROUPS_MERGE: result = MPI_Intercomm_merge(comm, is_low, &made); break;
        case GROUPS_CREATE: result = create_between(comm, &made); break;
        case GROUP_ALLREDUCE:
        case GROUPS_ALLREDUCE: result = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm); break;
        case GROUP_BCAST: result = MPI_Bcast(&one, 1, MPI_INT, 0, comm); break;
        case GROUP_WINDOW: result = make_window(comm); break;
        default: result = MPI_Barrier(comm);
    }
    if (result == MPI_SUCCESS && made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    return result;
}

static void pause_for(int microseconds)
{
    double end = MPI_Wtime() + 1e-6 * microseconds;

    while (MPI_Wtime() < end)
        ;
}

static void repair(MPI_Comm comm)
{
    MPI_Comm small;
    int flag = 1;

    CT_CHECK(MPIX_Comm_agree(comm, &flag) == MPI_SUCCESS && flag == 1, "no agreement");
    CT_CHECK(MPIX_Comm_shrink(comm, &small) == MPI_SUCCESS, "no shrink");
    MPI_Comm_free(&small);
}

static void interrupted(enum call call)
{
    MPI_Comm comm = call <= BETWEEN ? between() : of_one_group();
    int revoker = rand_r(&dice) % size, result, class_;

    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (rand() % 3 == 0)
        pause_for(rand() % 1500);
    if (ct_me == revoker) {
        MPIX_Comm_revoke(comm);
    } else {
        result = do_call(comm, call);
        class_ = ct_class_of(result);
        CT_CHECK(class_ == MPIX_ERR_REVOKED || (call == GROUP_BCAST && class_ == MPI_SUCCESS),
                 "call %d without a member that revokes: class %d", call, class_);
    }
    repair(comm);
    MPI_Comm_free(&comm);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 && !strncmp(argv[1], "-rounds=", 8) ? atoi(argv[1] + 8) : 100;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    is_low = ct_me < size / 2;
    srand((unsigned) ct_me + 1);
    for (int round = 0; round < rounds; round++) {
        for (int call = 0; call < CALLS; call++)
            interrupted(call);
        for (int i = 0; i < MORE; i++)
            interrupted(GROUPS_DUP);
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
