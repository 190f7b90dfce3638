/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What a launcher has to do for a job, by the first argument:
 *   talk    ranks, sizes, nodes, a split and one-sided puts: rank 0 writes one line if all is right
 *   abort   the last rank aborts with status 7 while the others wait for it
 *   kill    the last rank kills itself while the others wait for it
 *   spawn   spawns one process, which answers; or rank 0 writes why that is refused
 *   wait    the child of spawn
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, errs;

static void check(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "process %d of %d: wrong %s\n", rank, size, what);
        errs++;
    }
}

/* The nodes that MPI sees are the hosts. */
static int count_nodes(void)
{
    enum { LENGTH = MPI_MAX_PROCESSOR_NAME };
    char mine[LENGTH] = "", *all = malloc((size_t) size * LENGTH);
    int here = 0, local_size, local_rank, first, nodes;
    MPI_Comm node;

    gethostname(mine, LENGTH);
    MPI_Allgather(mine, LENGTH, MPI_CHAR, all, LENGTH, MPI_CHAR, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        here += strcmp(all + (size_t) i * LENGTH, mine) == 0;
    free(all);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &local_size);
    MPI_Comm_rank(node, &local_rank);
    MPI_Comm_free(&node);
    check(local_size == here, "number of processes on this node");
    first = local_rank == 0;
    MPI_Allreduce(&first, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return nodes;
}

static void all_to_all(void)
{
    int *sent = malloc(size * sizeof(int)), *came = malloc(size * sizeof(int));

    for (int i = 0; i < size; i++)
        sent[i] = 1000 * rank + i;
    MPI_Alltoall(sent, 1, MPI_INT, came, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        check(came[i] == 1000 * i + rank, "value of an all-to-all");
    free(sent);
    free(came);
}

static void split(void)
{
    int sum, right = 0;
    MPI_Comm part;

    for (int i = rank % 2; i < size; i += 2)
        right += i;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part);
    check(sum == right, "sum of a part");
    MPI_Comm_free(&part);
}

/* Each process puts its rank into the memory of all others. */
static void put(void)
{
    int *memory;
    MPI_Win win;

    MPI_Win_allocate(size * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < size; i++)
        MPI_Put(&rank, 1, MPI_INT, (rank + i) % size, rank, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < size; i++)
        check(memory[i] == i, "value that was put");
    MPI_Win_free(&win);
}

static void talk(void)
{
    int nodes = count_nodes(), all;

    all_to_all();
    split();
    put();
    MPI_Reduce(&errs, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all == 0)
        printf("%d processes, nodes: %d, all is right\n", size, nodes);
}

static void spawn(const char *program)
{
    char *argv[] = {"wait", NULL}, text[MPI_MAX_ERROR_STRING];
    int length, answer, error;
    MPI_Comm child;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    error = MPI_Comm_spawn(program, argv, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child,
                           MPI_ERRCODES_IGNORE);
    if (error) {
        MPI_Error_string(error, text, &length);
        if (rank == 0)
            printf("refused: %s\n", text);
        return;
    }
    MPI_Bcast(&answer, 1, MPI_INT, 0, child);
    check(answer == 42, "answer of a child");
    MPI_Comm_disconnect(&child);
    if (rank == 0 && errs == 0)
        printf("spawned, all is right\n");
}

static void answer(void)
{
    int number = 42;
    MPI_Comm parent;

    MPI_Comm_get_parent(&parent);
    MPI_Bcast(&number, 1, MPI_INT, MPI_ROOT, parent);
    MPI_Comm_disconnect(&parent);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "talk";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(what, "talk") == 0)
        talk();
    else if (strcmp(what, "spawn") == 0)
        spawn(argv[0]);
    else if (strcmp(what, "wait") == 0)
        answer();
    else {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == size - 1 && strcmp(what, "abort") == 0)
            MPI_Abort(MPI_COMM_WORLD, 7);
        if (rank == size - 1)
            raise(SIGKILL);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return errs != 0;
}
