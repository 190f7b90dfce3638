/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Codes that a program adds to predefined classes, and to its own: the class of each is the one
 * that it was added to, and its string is the program's, or empty. An error handler gets the code.
 */
#include "cmaptest.h"

static int handled;

static void handle(MPI_Comm *comm, int *code, ...)
{
    (void) comm;
    handled = *code;
}

static void check_string(int code, const char *expected)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    MPI_Error_string(code, text, &length);
    CT_CHECK(!strcmp(text, expected), "the string of %d is '%s', not '%s'", code, text, expected);
}

static int check_code(int class)
{
    int code, found;

    MPI_Add_error_code(class, &code);
    MPI_Error_class(code, &found);
    CT_CHECK(found == class, "a code of class %d has class %d", class, found);
    check_string(code, "");
    MPI_Add_error_string(code, "mine");
    check_string(code, "mine");
    MPI_Comm_call_errhandler(MPI_COMM_SELF, code);
    CT_CHECK(handled == code, "the handler got %d, not %d", handled, code);
    return code;
}

int main(int argc, char **argv)
{
    int classes[] = {MPI_ERR_ARG, MPI_ERR_TRUNCATE, MPI_ERR_OTHER, MPI_ERR_INFO_VALUE, -1};
    int codes[10];
    MPI_Errhandler handler;

    MTest_Init(&argc, &argv);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    MPI_Add_error_class(&classes[4]);
    for (int i = 0; i < 10; i++) {
        codes[i] = check_code(classes[i % 5]);
        for (int k = 0; k < i; k++)
            CT_CHECK(codes[k] != codes[i], "two codes are %d", codes[i]);
    }
    MPI_Remove_error_string(codes[0]);
    MPI_Remove_error_code(codes[0]);
    MPI_Errhandler_free(&handler);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
