/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One rank of a world whose others do not exist (mpirank1): local calls work, and whatever needs the others ends at once with
 * an error that says so. Prints "ok", or what was wrong.
 *
 * Argument: what to try; an error that MPI returns is checked, one that ends the job is for the caller to look at.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, wrong;

/* An error, and one in which these words are. */
static void expect(int result, const char *words)
{
    char text[MPI_MAX_ERROR_STRING] = "success";
    int length;

    if (result != MPI_SUCCESS)
        MPI_Error_string(result, text, &length);
    if (result == MPI_SUCCESS || !strstr(text, words)) {
        printf("not \"%s\": %s\n", words, text);
        wrong = 1;
    }
}

static void try_messages(int other)
{
    char words[64], in = 0, out = 5;
    MPI_Request request;
    MPI_Status status;
    char *much = calloc(1 << 20, 1);

    snprintf(words, sizeof(words), "Rank %d of the world does not exist", other);
    expect(MPI_Send(&out, 1, MPI_CHAR, other, 0, MPI_COMM_WORLD), words);
    expect(MPI_Ssend(much, 1 << 20, MPI_CHAR, other, 0, MPI_COMM_WORLD), words);
    expect(MPI_Isend(&out, 1, MPI_CHAR, other, 0, MPI_COMM_WORLD, &request), words);
    free(much);
    MPI_Sendrecv(&out, 1, MPI_CHAR, rank, 1, &in, 1, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
    if (in != 5 || status.MPI_SOURCE != rank) {
        printf("message to itself\n");
        wrong = 1;
    }
}

static void try_collectives(void)
{
    int one = 1, sum = 0;
    MPI_Request request;
    MPI_Comm pair;
    MPI_Win win;

    expect(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
    expect(MPI_Bcast(&one, 1, MPI_INT, rank, MPI_COMM_WORLD), "nobody can answer");
    expect(MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, rank, MPI_COMM_WORLD), "nobody can answer");
    expect(MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request), "nobody can answer");
    expect(MPI_Win_create(&one, sizeof(one), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), "nobody can answer");
    expect(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &pair), "no scenario");
    if (MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF) || sum != 1) {
        printf("reduction by itself\n");
        wrong = 1;
    }
}

static void try_group(void)
{
    MPI_Group group, odd;
    int range[1][3] = { { 1, size - 1, 2 } }, last = size - 1, found;

    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Group_range_incl(group, 1, range, &odd);
    MPI_Group_translate_ranks(group, 1, &last, odd, &found);
    if (found != (size % 2 ? MPI_UNDEFINED : size / 2 - 1)) {
        printf("the last rank has number %d among the odd ones\n", found);
        wrong = 1;
    }
    MPI_Group_free(&odd);
    MPI_Group_free(&group);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "all";
    char in;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (!strcmp(what, "receive"))
        MPI_Recv(&in, 1, MPI_CHAR, (rank + 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(what, "probe"))
        MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(what, "fatal")) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (!strcmp(what, "all")) {
        try_messages((rank + 1) % size);
        try_messages((rank + size / 2) % size);
        try_collectives();
        try_group();
    }
    if (!strcmp(what, "colour"))
        expect(MPI_Comm_split(MPI_COMM_WORLD, 7, 0, &(MPI_Comm) { MPI_COMM_NULL }), "colour 7");
    MPI_Finalize();
    if (!wrong)
        printf("ok rank %d of %d\n", rank, size);
    return wrong;
}
