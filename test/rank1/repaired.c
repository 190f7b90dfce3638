/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * usage: repaired DEAD [FIRST]: a rank of a world in which so many ranks have died, FIRST among
 * them.  The living agree and shrink, at all sizes.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int is_right, const char *what)
{
    if (!is_right) {
        printf("wrong: %s\n", what);
        exit(1);
    }
}

/* Progress learns of deaths. */
static void learn(int rank, int expected)
{
    MPI_Group failed;
    int n = 0, arrived;

    while (n < expected) {
        MPI_Iprobe(rank, 0, MPI_COMM_WORLD, &arrived, MPI_STATUS_IGNORE);
        MPIX_Comm_get_failed(MPI_COMM_WORLD, &failed);
        MPI_Group_size(failed, &n);
        if (failed != MPI_GROUP_EMPTY)
            MPI_Group_free(&failed);
    }
    check(n == expected, "how many have failed");
}

static void agree(MPI_Comm comm, int expected)
{
    int flag = 6, error = MPIX_Comm_agree(comm, &flag);

    check(error == expected && flag == 6, "MPIX_Comm_agree");
}

static int members_of(MPI_Comm comm, int *rank)
{
    int size;

    MPI_Comm_rank(comm, rank);
    MPI_Comm_size(comm, &size);
    return size;
}

static void check_shrunk(MPI_Comm shrunk, int living, int first_dead)
{
    MPI_Group world, group;
    int rank, own, former;

    check(members_of(shrunk, &rank) == living, "the size of the shrunk one");
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_group(shrunk, &group);
    MPI_Group_translate_ranks(group, 1, &rank, world, &former);
    members_of(MPI_COMM_WORLD, &own);
    check(former == own, "the own rank");
    if (first_dead >= 0) {
        MPI_Group_translate_ranks(world, 1, &first_dead, group, &former);
        check(former == MPI_UNDEFINED, "the dead is no member");
    }
    MPI_Group_free(&world);
    MPI_Group_free(&group);
    agree(shrunk, MPI_SUCCESS);
}

static MPI_Comm shrink_later(MPI_Comm comm)
{
    MPI_Request request;
    MPI_Comm shrunk;

    check(MPIX_Comm_ishrink(comm, &shrunk, &request) == MPI_SUCCESS, "MPIX_Comm_ishrink");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return shrunk;
}

int main(int argc, char **argv)
{
    MPI_Comm shrunk, again;
    int rank, size, dead, acked, first;

    MPI_Init(&argc, &argv);
    dead = atoi(argv[1]);
    first = argc > 2 ? atoi(argv[2]) : -1;
    size = members_of(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    learn(rank, dead);
    agree(MPI_COMM_WORLD, dead ? MPIX_ERR_PROC_FAILED : MPI_SUCCESS);
    if (dead > 1) {
        MPIX_Comm_ack_failed(MPI_COMM_WORLD, dead / 2, &acked);
        agree(MPI_COMM_WORLD, MPIX_ERR_PROC_FAILED);
    }
    MPIX_Comm_ack_failed(MPI_COMM_WORLD, dead, &acked);
    check(acked == dead, "how many are acknowledged");
    agree(MPI_COMM_WORLD, MPI_SUCCESS);
    check(MPIX_Comm_shrink(MPI_COMM_WORLD, &shrunk) == MPI_SUCCESS, "MPIX_Comm_shrink");
    check_shrunk(shrunk, size - dead, first);
    again = shrink_later(shrunk);
    check_shrunk(again, size - dead, first);
    MPI_Comm_free(&again);
    MPI_Comm_free(&shrunk);
    printf("ok rank %d of %d, %d dead\n", rank, size, dead);
    MPI_Finalize();
    return 0;
}
