/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Comm_split as one rank of a large world, when the system has no address space for what a
 * split reserves: an error of class MPI_ERR_NO_MEM.  Once there is address space the same split
 * works, and so does the next one.  Needs the scenario "same" twice.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static int failed;

static void check(int is_right, const char *what)
{
    if (!is_right)
        printf("%s\n", what);
    failed |= !is_right;
}

static int split(void)
{
    MPI_Comm made = MPI_COMM_NULL;
    int result = MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &made);

    check((result == MPI_SUCCESS) == (made != MPI_COMM_NULL), "an error and a communicator");
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    return result;
}

static void check_error(int result)
{
    char text[MPI_MAX_ERROR_STRING];
    int class, length;

    MPI_Error_class(result, &class);
    MPI_Error_string(result, text, &length);
    check(class == MPI_ERR_NO_MEM, "without address space: no error of class MPI_ERR_NO_MEM");
    check(strstr(text, "descriptions of MPI_Comm_split") != NULL, text);
}

int main(int argc, char **argv)
{
    struct rlimit before, none;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    getrlimit(RLIMIT_AS, &before);
    none = before;
    none.rlim_cur = 1;
    setrlimit(RLIMIT_AS, &none);
    int result = split();
    setrlimit(RLIMIT_AS, &before);
    check_error(result);
    check(split() == MPI_SUCCESS, "with address space: an error");
    check(split() == MPI_SUCCESS, "the second split: an error");
    MPI_Finalize();
    return failed;
}
