/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings in the environment: what is no value of their kind is an error, also when MPI_T is
 * initialized once more, and nothing else is made of it.
 */
#include "mpi.h"
#include "mpitest.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REFUSED = -1, FORGOTTEN = -2, ABSENT = 3 };

static const struct {
    const char *name, *value;
    double wanted; /* or REFUSED */
} cases[] = {
    {"MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE", "4096", 4096},
    {"MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE", "+17", 17},
    {"MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE", "", 2048}, /* the default */
    {"MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE", "4k", REFUSED},
    {"MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE", "-", REFUSED},
    {"MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE", "4294967360", REFUSED}, /* 64 in 32 bits */
    {"MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE", "99999999999999999999", REFUSED},
    {"MPIR_CVAR_CMAP_ALPHA", "0.5", 0.5},
    {"MPIR_CVAR_CMAP_ALPHA", "0,5", REFUSED},
    {"MPIR_CVAR_CMAP_ALPHA", "half", REFUSED},
    {"MPIR_CVAR_PRINT_ERROR_STACK", "no", 0},
    {"MPIR_CVAR_PRINT_ERROR_STACK", "2", REFUSED},
    {"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "ring", REFUSED},
    {"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "", REFUSED},
};

/* The variable's value in this process, which has not asked for it before. */
static double value_of(const char *name)
{
    int index, count, provided, whole;
    double number;
    MPI_Datatype type;
    MPI_T_cvar_handle handle;

    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS ? FORGOTTEN : REFUSED;
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS)
        _exit(ABSENT);
    if (MPI_T_cvar_get_info(index, NULL, NULL, NULL, &type, NULL, NULL, NULL, NULL, NULL) !=
            MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
        _exit(2);
    if (type == MPI_INT) {
        MPI_T_cvar_read(handle, &whole);
        return whole;
    }
    MPI_T_cvar_read(handle, &number);
    return number;
}

/* In a process of its own: the variables are read once. */
static int errors_of(const char *name, const char *value, double wanted)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(2);
        setenv(name, value, 1);
        _exit(value_of(name) != wanted);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 1;
    /* the only one that is no int comes with the maps */
    if (WIFEXITED(status) && WEXITSTATUS(status) == ABSENT)
        return strncmp(name, "MPIR_CVAR_CMAP_", 15) != 0;
    if (status != 0) {
        fprintf(stderr, wanted == REFUSED ? "%s=%s is accepted\n" : "%s=%s is not %g\n", name,
                value, wanted);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    int errs = 0;

    /* before MPI starts anything that a fork would copy */
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        errs += errors_of(cases[i].name, cases[i].value, cases[i].wanted);
    MTest_Init(&argc, &argv);
    MTest_Finalize(errs);
    return MTestReturnValue(errs);
}
