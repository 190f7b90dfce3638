/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Windows that are not freed before MPI_Finalize: the call returns an error that names them, and
 * MPI is as useful as before.  The windows can be freed, and MPI finalized.  First for windows of
 * each kind on all processes, then on the last process alone.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { CREATE, ALLOCATE, SHARED, DYNAMIC, KINDS };

static const char *const makers[] = {"MPI_Win_create,", "MPI_Win_allocate,",
                                     "MPI_Win_allocate_shared,", "MPI_Win_create_dynamic,"};
static long memory[100];

static MPI_Win make(int kind, MPI_Comm comm)
{
    MPI_Win win;
    long *base;

    if (kind == CREATE)
        MPI_Win_create(memory, sizeof(memory), 1, MPI_INFO_NULL, comm, &win);
    else if (kind == ALLOCATE)
        MPI_Win_allocate(sizeof(memory), 1, MPI_INFO_NULL, comm, &base, &win);
    else if (kind == SHARED)
        MPI_Win_allocate_shared(sizeof(memory), 1, MPI_INFO_NULL, comm, &base, &win);
    else
        MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &win);
    return win;
}

static void expect_text(const char *text, const char *part)
{
    CT_CHECK(strstr(text, part) != NULL, "the error does not say '%s': %s", part, text);
}

/* MPI_Finalize returns an error that has these words. */
static void refuse(const char *first, const char *second)
{
    int result = MPI_Finalize(), class = MPI_SUCCESS, length, finalized;
    char text[MPI_MAX_ERROR_STRING] = "";

    MPI_Finalized(&finalized);
    CT_CHECK(result != MPI_SUCCESS && !finalized, "MPI_Finalize succeeds");
    if (finalized)
        exit(1);
    MPI_Error_class(result, &class);
    MPI_Error_string(result, text, &length);
    CT_CHECK(class == MPI_ERR_WIN, "class %d: %s", class, text);
    expect_text(text, first);
    expect_text(text, second);
}

static void check_all(MPI_Comm comm)
{
    MPI_Win win[KINDS];

    for (int kind = 0; kind < KINDS; kind++) {
        win[kind] = make(kind, comm);
        MPI_Win_set_name(win[kind], "a halo");
        refuse("a halo", makers[kind]);
        MPI_Win_fence(0, win[kind]);
        MPI_Win_fence(0, win[kind]);
        MPI_Win_free(&win[kind]);
    }
    for (int kind = 0; kind < KINDS; kind++)
        win[kind] = make(kind, comm);
    refuse(makers[CREATE], makers[DYNAMIC]);
    for (int kind = 0; kind < KINDS; kind++)
        MPI_Win_free(&win[kind]);
}

static void check_last(int size)
{
    MPI_Win win;

    if (ct_me != size - 1)
        return;
    win = make(CREATE, MPI_COMM_SELF);
    refuse("800 bytes", "1 process");
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    int size;
    MPI_Comm node;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    check_all(node);
    MPI_Comm_free(&node);
    check_last(size);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
