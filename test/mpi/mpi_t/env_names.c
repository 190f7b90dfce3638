/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names in the environment that are misspelt names of variables: MPI_Init says so on standard
 * error, with the name that is meant, and says nothing of other names.
 */
#include "mpi.h"
#include "mpitest.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *name, *meant; /* NULL: nothing is said */
} cases[] = {
    {"MPIR_CVAR_CMAP_STRATEGI", "MPIR_CVAR_CMAP_STRATEGY"},
    {"MPIR_CVAR_CMAP_STRATGEY", "MPIR_CVAR_CMAP_STRATEGY"},
    {"MPIR_CVAR_CMAP_STRATGY", "MPIR_CVAR_CMAP_STRATEGY"},
    {"MPIR_CVAR_PROGRES_YIELD", "MPIR_CVAR_PROGRESS_YIELD"},
    {"MPIR_CVAR_BCAST_INTRA_ALGORITHMS", "MPIR_CVAR_BCAST_INTRA_ALGORITHM"},
    {"MPIR_CVAR_CMAP_STRATEGY", NULL},
    {"MPIR_CVAR_OF_ANOTHER_VERSION", NULL},
    {"MPIR_CVAR_", NULL},
    {"MPIR_CVAR_A_NAME_THAT_IS_LONGER_THAN_THE_NAMES_OF_ALL_VARIABLES_OF_THIS_LIBRARY_TOGETHER_"
     "WITH_THEIR_VALUES",
     NULL},
    {"MY_MPIR_CVAR_CMAP_STRATEGI", NULL},
};

/* What MPI_Init and MPI_Finalize say in a process of their own, which is a world by itself. */
static int say(const char *name, char *said, size_t room)
{
    int ends[2], status;
    size_t n = 0;
    ssize_t got;
    pid_t child;

    if (pipe(ends) || (child = fork()) < 0)
        return 1;
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        unsetenv("PMI_FD");
        unsetenv("PMI_RANK");
        unsetenv("PMI_SIZE");
        setenv(name, "time", 1);
        MPI_Init(NULL, NULL);
        MPI_Finalize();
        _exit(0);
    }
    close(ends[1]);
    while ((got = read(ends[0], said + n, room - 1 - n)) > 0)
        n += got;
    said[n] = '\0';
    close(ends[0]);
    return waitpid(child, &status, 0) != child || status != 0;
}

static int errors_of(const char *name, const char *meant)
{
    char said[4096];
    int failed = say(name, said, sizeof(said));
    int right = meant ? strstr(said, name) && strstr(said, meant) : !strstr(said, "Did you mean");

    if (failed || !right)
        fprintf(stderr, "%s: %s\n%s\n", name,
                failed  ? "MPI_Init fails"
                : meant ? "is not told of"
                        : "is told of",
                said);
    return failed || !right;
}

int main(int argc, char **argv)
{
    int errs = 0;

    /* before MPI starts anything that a fork would copy */
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        errs += errors_of(cases[i].name, cases[i].meant);
    MTest_Init(&argc, &argv);
    MTest_Finalize(errs);
    return MTestReturnValue(errs);
}
