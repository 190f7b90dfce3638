/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Rank 1 is gone before anybody has used it. Who uses it then gets an error that names it, and goes
 * on with others. Rank 1 becomes another program instead of dying, because mpiexec would end the
 * job. Rank 0 writes "ok", or what was wrong, into a file.
 *
 * Arguments: the file; to be run on 3 ranks
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SECONDS 5

static FILE *file;

static int use_the_dead(void)
{
    char text[MPI_MAX_ERROR_STRING] = "success";
    int length, result, out = 1;

    result = MPI_Send(&out, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (result != MPI_SUCCESS)
        MPI_Error_string(result, text, &length);
    if (result == MPI_SUCCESS || !strstr(text, "cannot reach process 1,")) {
        fprintf(file, "using a process that is gone: %s\n", text);
        return 1;
    }
    return 0;
}

static int work(const char *name)
{
    int in = 0, wrong;

    file = fopen(name, "w");
    if (!file)
        return 1;
    sleep(SECONDS / 2); /* rank 1 is gone by now */
    wrong = use_the_dead() + use_the_dead();
    MPI_Recv(&in, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    fprintf(file, wrong == 0 && in == 2 ? "ok\n" : "message of rank 2: %d\n", in);
    fclose(file);
    return 0;
}

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 1) {
        char seconds[16];
        snprintf(seconds, sizeof(seconds), "%d", 2 * SECONDS);
        execlp("sleep", "sleep", seconds, (char *) NULL);
    }
    if (rank == 2) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        sleep(SECONDS); /* its message waits in its memory */
    }
    if (rank == 0)
        work(argv[1]);
    sleep(SECONDS);
    _exit(0); /* MPI_Finalize would wait for rank 1 */
}
