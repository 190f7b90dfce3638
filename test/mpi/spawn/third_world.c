/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Processes that come to know each other in other ways than by MPI_Init: the two halves of a world
 * connect by a port; a process of it spawns one with which the first ranks of both worlds exchange
 * all kinds of messages; and that one then tells another process of the first world about it. A
 * process is the same one whoever tells of it, and messages of processes with the same rank in
 * their worlds are not taken for each other's.
 *
 * To be run on 2 ranks or more, with and without nodes of their own.
 */
#include "cmaptest.h"

#define LONG_MESSAGE 300000

static int world_rank, world_size;

/* Each way round: short, acknowledged and long messages, partitions, and accumulates. */
static void exchange(MPI_Comm comm, int peer, int mine, int other)
{
    static int out[LONG_MESSAGE], in[LONG_MESSAGE];
    MPI_Request send, receive;

    for (int i = 0; i < LONG_MESSAGE; i++)
        out[i] = mine;
    MPI_Irecv(in, 1, MPI_INT, peer, 1, comm, &receive);
    MPI_Ssend(out, 1, MPI_INT, peer, 1, comm);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    CT_CHECK(in[0] == other, "acknowledged message has %d, not %d", in[0], other);
    MPI_Sendrecv(out, LONG_MESSAGE, MPI_INT, peer, 2, in, LONG_MESSAGE, MPI_INT, peer, 2, comm,
                 MPI_STATUS_IGNORE);
    CT_CHECK(in[0] == other && in[LONG_MESSAGE - 1] == other, "long message has %d, not %d", in[0],
             other);
    memset(in, 0, 4 * sizeof(int));
    MPI_Precv_init(in, 2, 2, MPI_INT, peer, 3, comm, MPI_INFO_NULL, &receive);
    MPI_Psend_init(out, 2, 2, MPI_INT, peer, 3, comm, MPI_INFO_NULL, &send);
    for (int round = 0; round < 3; round++) {
        MPI_Start(&receive);
        MPI_Start(&send);
        MPI_Pready(1, send);
        MPI_Pready(0, send);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
        CT_CHECK(in[0] == other && in[3] == other, "partitions have %d, not %d", in[0], other);
    }
    MPI_Request_free(&send);
    MPI_Request_free(&receive);
}

static void accumulate(MPI_Comm comm)
{
    long sum = 0, one = 1;
    int size, rank;
    MPI_Win win;

    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    MPI_Win_create(&sum, sizeof(sum), sizeof(sum), MPI_INFO_NULL, comm, &win);
    for (int i = 0; i < size; i++) {
        MPI_Win_lock(MPI_LOCK_SHARED, i, 0, win);
        MPI_Accumulate(&one, 1, MPI_LONG, i, 0, 1, MPI_LONG, MPI_SUM, win);
        MPI_Win_unlock(i, win);
    }
    MPI_Barrier(comm);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    CT_CHECK(sum == size, "sum is %ld, not %d", sum, size);
    MPI_Win_unlock(rank, win);
    MPI_Win_free(&win);
}

/* The lower half accepts, the upper one connects: both know each other, if not yet their
 * addresses. */
static void connect_halves(void)
{
    int upper = world_rank >= world_size / 2, first = upper ? world_size / 2 : 0, rank, remote;
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm half, inter;
    MPI_Group mine, world;

    MPI_Comm_split(MPI_COMM_WORLD, upper, world_rank, &half);
    if (world_rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (upper)
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter);
    else
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter);
    MPI_Comm_remote_size(inter, &remote);
    MPI_Comm_remote_group(inter, &mine);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < remote; i++) {
        MPI_Group_translate_ranks(mine, 1, &i, world, &rank);
        CT_CHECK(rank == (upper ? 0 : world_size / 2) + i, "remote rank %d is %d of the world", i,
                 rank);
    }
    if (world_rank - first < remote && world_rank - first < world_size / 2)
        exchange(inter, world_rank - first, world_rank,
                 (upper ? 0 : world_size / 2) + world_rank - first);
    MPI_Group_free(&mine);
    MPI_Group_free(&world);
    MPI_Comm_disconnect(&inter);
    MPI_Comm_free(&half);
    if (world_rank == 0)
        MPI_Close_port(port);
}

/* Rank 0 of the first world and the child, which are both rank 0 at home; then the last rank
 * connects to the two of them. */
static void check_two(MPI_Comm both, int mine, int other, char *port)
{
    int rank;

    MPI_Comm_rank(both, &rank);
    exchange(both, 1 - rank, mine, other);
    accumulate(both);
    if (rank == 1) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 4, both);
    } else {
        MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 1, 4, both, MPI_STATUS_IGNORE);
    }
}

/* The child is root: its world knows nothing of who comes, nor does it know that rank 0 is of
 * the same world as that. */
static void meet_third(MPI_Comm both, int rank_of_both, const char *port)
{
    MPI_Comm inter, all;
    int size, rank;

    if (both == MPI_COMM_NULL)
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    else
        MPI_Comm_accept(port, MPI_INFO_NULL, 1, both, &inter);
    MPI_Intercomm_merge(inter, both == MPI_COMM_NULL, &all);
    MPI_Comm_size(all, &size);
    MPI_Comm_rank(all, &rank);
    CT_CHECK(size == 3 && rank == (both == MPI_COMM_NULL ? 2 : rank_of_both), "rank %d of %d", rank,
             size);
    for (int peer = 0; peer < 3; peer++) {
        if (peer != rank)
            exchange(all, peer, 10 + rank, 10 + peer);
    }
    accumulate(all);
    if (rank != 1) {
        MPI_Group group, world;
        int from[2] = {0, 2}, to[2];

        MPI_Comm_group(all, &group);
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        MPI_Group_translate_ranks(group, 2, from, world, to);
        CT_CHECK(to[0] == 0 && to[1] == world_size - 1, "ranks 0 and 2 are %d and %d of the world",
                 to[0], to[1]);
        MPI_Group_free(&group);
        MPI_Group_free(&world);
    }
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&inter);
}

static void be_first(char *program)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm child = MPI_COMM_NULL, both = MPI_COMM_NULL;

    if (world_rank == 0) {
        MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child,
                       MPI_ERRCODES_IGNORE);
        MPI_Intercomm_merge(child, 0, &both);
        check_two(both, 0, 100, port);
        MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, world_size - 1, 5, MPI_COMM_WORLD);
    } else if (world_rank == world_size - 1) {
        MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (world_rank == 0 || world_rank == world_size - 1)
        meet_third(both, 0, port);
    if (both != MPI_COMM_NULL) {
        MPI_Comm_free(&both);
        MPI_Comm_disconnect(&child);
    }
}

static void be_child(MPI_Comm parent)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm both;

    MPI_Intercomm_merge(parent, 1, &both);
    check_two(both, 100, 0, port);
    meet_third(both, 1, port);
    MPI_Close_port(port);
    MPI_Comm_free(&both);
    MPI_Comm_disconnect(&parent);
}

int main(int argc, char **argv)
{
    MPI_Comm parent;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    ct_me = world_rank;
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        be_child(parent);
        MPI_Finalize();
        return ct_errs;
    }
    if (world_size > 1)
        connect_halves();
    if (world_size > 1)
        be_first(argv[0]);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
