/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Remove_error_class, _code and _string: strings go first, then codes, then the class. What is
 * predefined, gone or still in use is an error, and stays as it is.
 */
#include "cmaptest.h"

static void check_refused(int err, const char *what)
{
    int class = MPI_SUCCESS;

    if (err)
        MPI_Error_class(err, &class);
    CT_CHECK(class == MPI_ERR_ARG, "%s: class %d", what, class);
}

static void check_done(int err, const char *what)
{
    CT_CHECK(err == MPI_SUCCESS, "%s: error %d", what, err);
}

static void check_string(int value, const char *expected)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    MPI_Error_string(value, text, &length);
    CT_CHECK(strcmp(text, expected) == 0, "the string of %d is '%s'", value, text);
}

static void check_predefined(void)
{
    check_refused(MPI_Remove_error_class(MPI_SUCCESS), "class MPI_SUCCESS");
    check_refused(MPI_Remove_error_class(MPI_ERR_OTHER), "class MPI_ERR_OTHER");
    check_refused(MPI_Remove_error_code(MPI_SUCCESS), "code MPI_SUCCESS");
    check_refused(MPI_Remove_error_code(MPI_ERR_OTHER), "code MPI_ERR_OTHER");
    check_refused(MPI_Remove_error_string(MPI_SUCCESS), "string of MPI_SUCCESS");
    check_refused(MPI_Remove_error_string(MPI_ERR_OTHER), "string of MPI_ERR_OTHER");
    check_refused(MPI_Remove_error_class(-1), "class -1");
    check_refused(MPI_Remove_error_code(-1), "code -1");
}

static void remove_code(int class, int code)
{
    MPI_Add_error_string(code, "a code");
    check_refused(MPI_Remove_error_class(class), "a class with codes");
    check_refused(MPI_Remove_error_code(code), "a code with a string");
    check_string(code, "a code");
    check_done(MPI_Remove_error_string(code), "a code's string");
    check_string(code, "");
    check_refused(MPI_Remove_error_string(code), "a code's string again");
    check_done(MPI_Remove_error_code(code), "a code");
    check_refused(MPI_Remove_error_code(code), "a code again");
}

int main(int argc, char **argv)
{
    int class, other, code[2], *last, flag, before;

    MTest_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check_predefined();
    for (int turn = 0; turn < 3; turn++) {
        MPI_Add_error_class(&class);
        MPI_Add_error_class(&other);
        MPI_Add_error_string(class, "a class");
        MPI_Add_error_code(class, &code[0]);
        MPI_Add_error_code(class, &code[1]);
        remove_code(class, code[0]);
        remove_code(class, code[1]);
        check_refused(MPI_Remove_error_class(class), "a class with a string");
        check_string(class, "a class");
        check_done(MPI_Remove_error_string(class), "a class's string");
        MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
        before = *last;
        check_done(MPI_Remove_error_class(class), "a class");
        check_refused(MPI_Remove_error_class(class), "a class again");
        MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
        CT_CHECK(*last >= before, "MPI_LASTUSEDCODE falls from %d to %d", before, *last);
        check_done(MPI_Remove_error_class(other), "the other class");
    }
    /* codes of a predefined class, too */
    MPI_Add_error_code(MPI_ERR_OTHER, &code[0]);
    check_done(MPI_Remove_error_code(code[0]), "a code of MPI_ERR_OTHER");
    check_refused(MPI_Remove_error_code(code[0]), "a code of MPI_ERR_OTHER again");
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
