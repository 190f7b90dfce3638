/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Error codes and classes of the program until there are no more: each has a value and a string of
 * its own, one too many is an error, and what is deleted can be added again, without its string.
 */
#include "cmaptest.h"

#define MOST 10000

static int codes[MOST], classes[MOST];

static void check_string(int value, const char *expected)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    MPI_Error_string(value, text, &length);
    CT_CHECK(strcmp(text, expected) == 0, "the string of %d is '%s', not '%s'", value, text,
             expected);
}

static void name_of(int i, char *text) { snprintf(text, 32, "number %d", i); }

static int compare(const void *a, const void *b) { return *(const int *) a - *(const int *) b; }

static int fill_codes(int class)
{
    int n = 0;
    char text[32];

    while (n < MOST && MPI_Add_error_code(class, &codes[n]) == MPI_SUCCESS) {
        name_of(n, text);
        MPI_Add_error_string(codes[n], text);
        n++;
    }
    CT_CHECK(n > 1000 && n < MOST, "%d codes", n);
    for (int i = 0; i < n; i++) {
        name_of(i, text);
        check_string(codes[i], text);
    }
    return n;
}

static void check_codes(int class)
{
    int n = fill_codes(class), code, of;

    MPI_Error_class(codes[n - 1], &of);
    CT_CHECK(of == class, "the class of the last code is %d", of);
    MPIX_Delete_error_code(codes[n - 1]);
    CT_CHECK(MPI_Add_error_code(class, &code) == MPI_SUCCESS, "no code after one was deleted");
    check_string(code, "");
    codes[n - 1] = code;
    qsort(codes, n, sizeof(int), compare);
    for (int i = 1; i < n; i++)
        CT_CHECK(codes[i] != codes[i - 1], "two codes are %d", codes[i]);
}

static void check_classes(void)
{
    int n = 0, class;

    while (n < MOST && MPI_Add_error_class(&classes[n]) == MPI_SUCCESS)
        n++;
    CT_CHECK(n > 50 && n < MOST, "%d classes", n);
    if (n == 0 || n == MOST)
        return;
    MPI_Add_error_string(classes[n - 1], "the last class");
    MPIX_Delete_error_class(classes[n - 1]);
    CT_CHECK(MPI_Add_error_class(&class) == MPI_SUCCESS, "no class after one was deleted");
    check_string(class, "");
}

int main(int argc, char **argv)
{
    int class;

    MTest_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Add_error_class(&class);
    check_codes(class);
    check_classes();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
