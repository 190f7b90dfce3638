/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Two jobs become connected while rank 0 of the first one has receives of the world pending, from
 * any source with any tag and with the first tags by number, and while messages of its world wait
 * for their receives. What the jobs tell each other to become connected, and the messages of the
 * user's, are not taken for each other.
 *
 * To be run on 2 ranks or more, with and without nodes of their own.
 */
#include "cmaptest.h"

enum { TAGS = 20, PENDING = TAGS + 1, EARLY = 100 };

static int rank, size;

static void become_connected(char **argv)
{
    MPI_Comm children, all;
    int sum = 0, one = 1, members;

    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                   MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(children, 0, &all);
    MPI_Comm_size(all, &members);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
    CT_CHECK(members == size + 2 && sum == members, "%d members, sum %d", members, sum);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&children);
}

static int be_child(MPI_Comm parents)
{
    MPI_Comm all;
    int sum = 0, one = 1;

    MPI_Intercomm_merge(parents, 1, &all);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&parents);
    MPI_Finalize();
    return 0;
}

/* The receives of rank 0: one for each tag from rank 1, and before them one that takes anything. */
static void with_pending_receives(char **argv)
{
    MPI_Request receive[PENDING];
    MPI_Status status;
    int got[PENDING];

    for (int i = 0; rank == 0 && i < PENDING; i++)
        MPI_Irecv(&got[i], 1, MPI_INT, i == 0 ? MPI_ANY_SOURCE : 1, i == 0 ? MPI_ANY_TAG : i - 1,
                  MPI_COMM_WORLD, &receive[i]);
    become_connected(argv);
    for (int i = 0; rank == 1 && i < PENDING; i++) {
        int tag = i == 0 ? TAGS : i - 1;
        MPI_Send(&tag, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    }
    for (int i = 0; rank == 0 && i < PENDING; i++) {
        int tag = i == 0 ? TAGS : i - 1;
        MPI_Wait(&receive[i], &status);
        CT_CHECK(got[i] == tag && status.MPI_SOURCE == 1 && status.MPI_TAG == tag,
                 "receive %d got %d with tag %d from %d", i, got[i], status.MPI_TAG,
                 status.MPI_SOURCE);
    }
}

static void with_waiting_messages(char **argv)
{
    MPI_Request acknowledged = MPI_REQUEST_NULL;
    int got, value;

    for (int tag = 0; rank == 1 && tag < TAGS; tag++) {
        value = EARLY + tag;
        MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    }
    if (rank == 1)
        MPI_Issend(&value, 1, MPI_INT, 0, TAGS, MPI_COMM_WORLD, &acknowledged);
    MPI_Barrier(MPI_COMM_WORLD);
    become_connected(argv);
    for (int tag = 0; rank == 0 && tag < TAGS; tag++) {
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CT_CHECK(got == EARLY + tag, "message %d is %d", EARLY + tag, got);
    }
    if (rank == 0)
        MPI_Recv(&got, 1, MPI_INT, 1, TAGS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&acknowledged, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Comm parents;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ct_me = rank;
    MPI_Comm_get_parent(&parents);
    if (parents != MPI_COMM_NULL)
        return be_child(parents);
    with_pending_receives(argv);
    with_waiting_messages(argv);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
