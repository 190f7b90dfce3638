/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * If a spawned process ends before it calls MPI_Init, MPI_Comm_spawn returns an error that names
 * the program and its exit status, in all processes. If others call MPI_Init, it fails there, on
 * all hosts, and the parents go on. The next spawn succeeds.
 */
#include "cmaptest.h"

static int rank;

static void spawn_none(char *program, int n)
{
    char *args[] = { "-quit", NULL }, text[MPI_MAX_ERROR_STRING];
    MPI_Comm inter = MPI_COMM_NULL;
    int length, result = MPI_Comm_spawn(program, args, n, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                                        MPI_ERRCODES_IGNORE);

    CT_CHECK(result != MPI_SUCCESS, "no error, although the processes ended");
    if (result == MPI_SUCCESS || rank != 0)
        return;
    MPI_Error_string(result, text, &length);
    CT_CHECK(strstr(text, "ended before MPI_Init") && strstr(text, "no_child") &&
             strstr(text, "exit status 0"), "the error does not say who ended, and how: %s", text);
}

static void spawn_some(char *program)
{
    char *quit[] = { "-quit", NULL }, *silent[] = { "-silent", NULL }, **args[] = { quit, silent };
    char *commands[] = { program, program }, text[MPI_MAX_ERROR_STRING];
    int n[] = { 1, 3 }, length, result;
    MPI_Info infos[] = { MPI_INFO_NULL, MPI_INFO_NULL };
    MPI_Comm inter = MPI_COMM_NULL;

    result = MPI_Comm_spawn_multiple(2, commands, args, n, infos, 0, MPI_COMM_WORLD, &inter,
                                     MPI_ERRCODES_IGNORE);
    MPI_Error_string(result, text, &length);
    CT_CHECK(result != MPI_SUCCESS, "no error, although a process ended");
    CT_CHECK(rank != 0 || strstr(text, "ended before MPI_Init"), "another error: %s", text);
}

static void spawn_one(char *program)
{
    MPI_Comm inter;
    int got = -1;

    MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                   MPI_ERRCODES_IGNORE);
    MPI_Bcast(&got, 1, MPI_INT, 0, inter);
    CT_CHECK(got == 5, "%d from the child", got);
    MPI_Comm_disconnect(&inter);
}

static int be_child(MPI_Comm parent)
{
    int number = 5;

    MPI_Bcast(&number, 1, MPI_INT, MPI_ROOT, parent);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Comm parent;

    if (argc > 1 && !strcmp(argv[1], "-quit"))
        return 0;
    if (argc > 1 && !strcmp(argv[1], "-silent"))        /* MPI_Init is to fail */
        CT_CHECK(freopen("/dev/null", "w", stderr), "no /dev/null");
    MTest_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        return be_child(parent);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ct_me = rank;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int n = 1; n <= 3; n += 2)
        spawn_none(argv[0], n);
    spawn_some(argv[0]);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    spawn_one(argv[0]);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
