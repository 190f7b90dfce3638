/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The keys of MPI_INFO_ENV, and of MPI_Info_create_env before MPI is initialized: the command and
 * its arguments, the number of processes, the working directory, the host, the architecture, and
 * the level of threads that the environment asks for. MPI_Info_create_env prefers arguments that it
 * is given.
 */
#include "cmaptest.h"

#include <sys/utsname.h>
#include <unistd.h>

static void check_key(MPI_Info info, const char *key, const char *value, const char *what)
{
    char got[MPI_MAX_INFO_VAL] = "";
    int length = sizeof(got), flag = 0;

    MPI_Info_get_string(info, key, &length, got, &flag);
    CT_CHECK(flag == (value != NULL) && (!flag || strcmp(got, value) == 0), "%s: %s is %s, not %s",
             what, key, flag ? got : "missing", value ? value : "missing");
}

static void check_place(MPI_Info info, const char *what)
{
    char directory[MPI_MAX_INFO_VAL];
    struct utsname system;

    uname(&system);
    check_key(info, "host", system.nodename, what);
    check_key(info, "arch", system.machine, what);
    check_key(info, "wdir", getcwd(directory, sizeof(directory)), what);
    check_key(info, "thread_level", getenv("MPIR_CVAR_DEFAULT_THREAD_LEVEL"), what);
    check_key(info, "mpi_memory_alloc_kinds", "system,mpi", what);
}

static void check_made(int argc, char **argv, const char *command, const char *words)
{
    MPI_Info made;

    MPI_Info_create_env(argc, argv, &made);
    check_key(made, "command", command, "made");
    check_key(made, "argv", words, "made");
    check_place(made, "made");
    MPI_Info_free(&made);
}

/* mpiexec tells it. */
static void check_processes(void)
{
    char number[20];
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(number, sizeof(number), "%d", size);
    check_key(MPI_INFO_ENV, "maxprocs", number, "MPI_INFO_ENV");
}

int main(int argc, char **argv)
{
    char *other[] = {"other", "a b", "c", NULL}, *one[] = {"other", NULL};
    char words[MPI_MAX_INFO_VAL] = "", *own = argc > 1 ? words : NULL;
    char *huge = malloc(2 * MPI_MAX_INFO_VAL), *too_long[] = {"other", huge, NULL};
    char *command = argv[0];

    for (int i = 1; i < argc; i++) {
        strcat(words, i > 1 ? " " : "");
        strcat(words, argv[i]);
    }
    memset(huge, 'x', 2 * MPI_MAX_INFO_VAL);
    huge[MPI_MAX_INFO_VAL] = '\0';
    check_made(argc, argv, command, own);
    check_made(0, NULL, command, own);
    check_made(3, other, "other", "a b c");
    check_made(1, one, "other", NULL);
    check_made(2, too_long, "other", NULL);
    huge[MPI_MAX_INFO_VAL] = 'x';
    huge[2 * MPI_MAX_INFO_VAL - 1] = '\0';
    check_made(2, too_long, "other", NULL);
    free(huge);
    MTest_Init(&argc, &argv);
    check_key(MPI_INFO_ENV, "command", command, "MPI_INFO_ENV");
    check_key(MPI_INFO_ENV, "argv", own, "MPI_INFO_ENV");
    check_place(MPI_INFO_ENV, "MPI_INFO_ENV");
    check_processes();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
