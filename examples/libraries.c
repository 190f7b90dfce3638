/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What libraries do: each duplicates the communicator it is given, so that its messages meet nobody
 * else's, and makes another duplicate for each of its objects.  Thousands of communicators, all
 * with the members of the world.
 *
 *     mpicc -o libraries libraries.c && MPIR_CVAR_CMAP_REPORT=1 mpiexec -n 4 ./libraries 10 100
 *     MPIR_CVAR_CMAP_REPORT=1 mpirank1 --world 1048576 ./libraries 10 100
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void name_it(MPI_Comm comm, const char *what, int number)
{
    char name[MPI_MAX_OBJECT_NAME];

    snprintf(name, sizeof name, "%s %d", what, number);
    MPI_Comm_set_name(comm, name);
}

/* -1 for a text that is no number. */
static int number_of(const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);

    return end == text || *end || number < 0 || number > 1 << 20 ? -1 : (int) number;
}

/* Its own communicator, and one for each of its objects. */
static void library(int number, int objects, MPI_Comm *own)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &own[0]);
    name_it(own[0], "library", number);
    for (int i = 1; i <= objects; i++) {
        MPI_Comm_dup(own[0], &own[i]);
        name_it(own[i], "objects of library", number);
    }
}

int main(int argc, char **argv)
{
    int libraries, objects;
    MPI_Comm *own;

    MPI_Init(&argc, &argv);
    libraries = argc > 1 ? number_of(argv[1]) : 10;
    objects = argc > 2 ? number_of(argv[2]) : 100;
    if (libraries < 1 || objects < 0 || argc > 3 ||
        !(own = malloc((size_t) (objects + 1) * sizeof *own))) {
        fprintf(stderr, "usage: libraries [LIBRARIES (1 or more) [OBJECTS of each (0 or more)]]\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
        return 1;
    }
    /* The communicators stay: the report at MPI_Finalize is to show them. */
    for (int k = 0; k < libraries; k++)
        library(k, objects, own);
    free(own);
    MPI_Finalize();
    return 0;
}
