/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * An operation that is not defined for the datatype is MPI_ERR_OP at the origin, unless there are
 * no data.  The basic type of a derived type counts.  Nothing is done at the target, and the epoch
 * goes on.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { ACC, GET_ACC, RACC, RGET_ACC, FOP, CALLS };
enum { LOCK, LOCK_ALL, FENCE, PSCW, SYNCS };
enum { WORDS = 64 }; /* of the window, each of 8 bytes */

static const char *const call_names[] = {"accumulate", "get_accumulate", "raccumulate",
                                         "rget_accumulate", "fetch_and_op"};
static int size;
static MPI_Win win;
static MPI_Op user_op;
static int count = 1; /* of what a call moves */
static long in[WORDS], out[WORDS], *base;

static int call(int kind, MPI_Datatype type, MPI_Op op, int target, MPI_Request *request)
{
    switch (kind) {
        case ACC: return MPI_Accumulate(in, count, type, target, 0, count, type, op, win);
        case GET_ACC:
            return MPI_Get_accumulate(in, count, type, out, count, type, target, 0, count, type, op,
                                      win);
        case RACC:
            return MPI_Raccumulate(in, count, type, target, 0, count, type, op, win, request);
        case RGET_ACC:
            return MPI_Rget_accumulate(in, count, type, out, count, type, target, 0, count, type,
                                       op, win, request);
        default: return MPI_Fetch_and_op(in, out, type, target, 0, op, win);
    }
}

/* Class of the error, MPI_SUCCESS if there is none. */
static int class_of(int kind, MPI_Datatype type, MPI_Op op, int target)
{
    int class = MPI_SUCCESS, error;
    MPI_Request request = MPI_REQUEST_NULL;

    error = call(kind, type, op, target, &request);
    if (error)
        MPI_Error_class(error, &class);
    else
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    return class;
}

/* Requests are for epochs of locks; MPI_Fetch_and_op is for predefined datatypes. */
static int is_called(int kind, int sync, int is_derived)
{
    return !((kind == RACC || kind == RGET_ACC) && sync >= FENCE) && !(kind == FOP && is_derived);
}

static void expect(int sync, int target, MPI_Datatype type, int is_derived, MPI_Op op, int want,
                   const char *what)
{
    for (int kind = 0; kind < CALLS; kind++) {
        int class;

        if (!is_called(kind, sync, is_derived) ||
            (op == MPI_NO_OP && (kind == ACC || kind == RACC)))
            continue;
        class = class_of(kind, type, op, target);
        CT_CHECK(class == want, "%s, %s to %d in an epoch of kind %d: class %d, not %d",
                 call_names[kind], what, target, sync, class, want);
    }
}

/* Also as the basic type of derived ones. */
static void expect_all(int sync, int target, MPI_Datatype type, MPI_Op op, int want,
                       const char *what)
{
    MPI_Datatype vector, nested;

    MPI_Type_vector(2, 1, 2, type, &vector);
    MPI_Type_contiguous(1, vector, &nested);
    MPI_Type_commit(&vector);
    MPI_Type_commit(&nested);
    expect(sync, target, type, 0, op, want, what);
    expect(sync, target, vector, 1, op, want, what);
    expect(sync, target, nested, 1, op, want, what);
    MPI_Type_free(&vector);
    MPI_Type_free(&nested);
}

static void check_wrong(int sync, int target)
{
    expect_all(sync, target, MPI_INT, MPI_MAXLOC, MPI_ERR_OP, "MPI_INT with MPI_MAXLOC");
    expect_all(sync, target, MPI_LONG, MPI_MINLOC, MPI_ERR_OP, "MPI_LONG with MPI_MINLOC");
    expect_all(sync, target, MPI_DOUBLE, MPI_BAND, MPI_ERR_OP, "MPI_DOUBLE with MPI_BAND");
    expect_all(sync, target, MPI_FLOAT, MPI_BXOR, MPI_ERR_OP, "MPI_FLOAT with MPI_BXOR");
    expect_all(sync, target, MPI_BYTE, MPI_SUM, MPI_ERR_OP, "MPI_BYTE with MPI_SUM");
    expect_all(sync, target, MPI_DOUBLE_INT, MPI_SUM, MPI_ERR_OP, "MPI_DOUBLE_INT with MPI_SUM");
    expect_all(sync, target, MPI_C_DOUBLE_COMPLEX, MPI_MAX, MPI_ERR_OP,
               "MPI_C_DOUBLE_COMPLEX with MPI_MAX");
    expect_all(sync, target, MPI_INT, user_op, MPI_ERR_OP,
               "MPI_INT with an operation of the user's");
    expect_all(sync, target, MPI_INT, MPI_OP_NULL, MPI_ERR_OP, "MPI_INT with MPI_OP_NULL");
}

/* Without data any operation fits: mpi4py calls MPI_SUM with no MPI_BYTE.  MPI_Fetch_and_op always
 * has data. */
static void check_no_data(int sync, int target)
{
    MPI_Datatype derived;

    MPI_Type_contiguous(1, MPI_BYTE, &derived);
    MPI_Type_commit(&derived);
    count = 0;
    expect(sync, target, derived, 1, MPI_SUM, MPI_SUCCESS, "no MPI_BYTE with MPI_SUM");
    expect(sync, target, derived, 1, MPI_MAXLOC, MPI_SUCCESS, "no MPI_BYTE with MPI_MAXLOC");
    count = 1;
    MPI_Type_free(&derived);
}

/* They change nothing: what is written is what is there, 0. */
static void check_right(int sync, int target)
{
    MPI_Datatype none;

    MPI_Type_contiguous(0, MPI_INT, &none);
    MPI_Type_commit(&none);
    expect(sync, target, none, 1, MPI_BAND, MPI_SUCCESS, "no data with MPI_BAND");
    MPI_Type_free(&none);
    expect_all(sync, target, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_SUCCESS,
               "MPI_DOUBLE_INT with MPI_MAXLOC");
    expect_all(sync, target, MPI_2INT, MPI_MINLOC, MPI_SUCCESS, "MPI_2INT with MPI_MINLOC");
    expect_all(sync, target, MPI_BYTE, MPI_BOR, MPI_SUCCESS, "MPI_BYTE with MPI_BOR");
    expect_all(sync, target, MPI_INT, MPI_LAND, MPI_SUCCESS, "MPI_INT with MPI_LAND");
    expect_all(sync, target, MPI_DOUBLE, MPI_REPLACE, MPI_SUCCESS, "MPI_DOUBLE with MPI_REPLACE");
    expect_all(sync, target, MPI_DOUBLE_INT, MPI_REPLACE, MPI_SUCCESS,
               "MPI_DOUBLE_INT with MPI_REPLACE");
    expect_all(sync, target, MPI_BYTE, MPI_NO_OP, MPI_SUCCESS, "MPI_BYTE with MPI_NO_OP");
}

/* One word of each process behind those that the other operations reach. */
static void add_one(int target)
{
    static const long one = 1;

    MPI_Accumulate(&one, 1, MPI_LONG, target, (WORDS - 1) * sizeof(long), 1, MPI_LONG, MPI_SUM,
                   win);
}

static void access_all(int sync)
{
    for (int target = 0; target < size; target++) {
        if (sync == LOCK)
            MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
        check_wrong(sync, target);
        check_right(sync, target);
        check_no_data(sync, target);
        add_one(target);
        check_wrong(sync, target);
        if (sync == LOCK)
            MPI_Win_unlock(target, win);
    }
    check_wrong(sync, MPI_PROC_NULL);
}

static void epoch(int sync, MPI_Group all)
{
    if (sync == LOCK_ALL)
        MPI_Win_lock_all(0, win);
    if (sync == FENCE)
        MPI_Win_fence(0, win);
    if (sync == PSCW) {
        MPI_Win_post(all, 0, win);
        MPI_Win_start(all, 0, win);
    }
    access_all(sync);
    if (sync == LOCK_ALL)
        MPI_Win_unlock_all(win);
    if (sync == FENCE)
        MPI_Win_fence(0, win);
    if (sync == PSCW) {
        MPI_Win_complete(win);
        MPI_Win_wait(win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_memory(int epochs)
{
    MPI_Win_lock(MPI_LOCK_SHARED, ct_me, 0, win);
    for (int i = 0; i < WORDS - 1; i++)
        CT_CHECK(base[i] == 0, "after %d epochs word %d is %lx", epochs, i, base[i]);
    CT_CHECK(base[WORDS - 1] == (long) epochs * size, "after %d epochs of %d the counter is %ld",
             epochs, size, base[WORDS - 1]);
    MPI_Win_unlock(ct_me, win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_window(int allocated)
{
    MPI_Aint bytes = WORDS * sizeof(long);
    long *memory = ct_alloc(WORDS, sizeof(long));
    MPI_Group all;

    if (allocated)
        MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    else
        MPI_Win_create(base = memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    memset(base, 0, bytes);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_get_group(win, &all);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int sync = 0; sync < SYNCS; sync++) {
        epoch(sync, all);
        check_memory(sync + 1);
    }
    MPI_Group_free(&all);
    MPI_Win_free(&win);
    free(memory);
}

static void keep(void *from, void *to, int *count, MPI_Datatype *type) {}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Op_create(keep, 1, &user_op);
    for (int allocated = 0; allocated < 2; allocated++)
        check_window(allocated);
    MPI_Op_free(&user_op);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
