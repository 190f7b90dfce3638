/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Comm_dup and MPI_Comm_idup copy attributes before they know whether there will be a communicator.  When there is
 * none (a copy function refused, no context id is free) every copy is deleted again.
 *
 * For the latter: MPIR_CVAR_CTXID_LIMIT, and -limit=N with the same number
 */
#include "cmaptest.h"

#define KEYS 3

static int keys[KEYS], copies, deletes, refusing = -1;

static int copy(MPI_Comm comm, int key, void *number, void *value, void *copied, int *flag)
{
    *flag = 1;
    *(void **) copied = value;
    if (refusing >= 0 && key == keys[refusing])
        return MPI_ERR_OTHER;
    copies++;
    return MPI_SUCCESS;
}

static int delete(MPI_Comm comm, int key, void *value, void *number)
{
    int size;

    CT_CHECK(MPI_Comm_size(comm, &size) == MPI_SUCCESS, "an attribute is deleted from no communicator");
    deletes++;
    return MPI_SUCCESS;
}

static int duplicate(MPI_Comm parent, MPI_Comm *made)
{
    return MPI_Comm_dup(parent, made);
}

static int duplicate_later(MPI_Comm parent, MPI_Comm *made)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int result = MPI_Comm_idup(parent, made, &request);

    return (result == MPI_SUCCESS) ? MPI_Wait(&request, MPI_STATUS_IGNORE) : result;
}

static const struct {
    int (*make)(MPI_Comm parent, MPI_Comm *made);
    const char *name;
} calls[] = {
    {duplicate, "MPI_Comm_dup"},
    {duplicate_later, "MPI_Comm_idup"}
};

static MPI_Comm with_attributes(MPI_Comm like)
{
    MPI_Comm comm;

    MPI_Comm_dup(like, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < KEYS; i++)
        MPI_Comm_set_attr(comm, keys[i], NULL);
    return comm;
}

static void expect_balance(int live, const char *call, const char *why)
{
    CT_CHECK(copies - deletes == live, "%s, %s: %d attributes copied, %d deleted, %d in use", call, why,
             copies, deletes, live);
    copies = deletes = 0;
}

static void check_afterwards(MPI_Comm parent, int call)
{
    MPI_Comm made;

    CT_CHECK(calls[call].make(parent, &made) == MPI_SUCCESS, "%s fails afterwards", calls[call].name);
    MPI_Comm_free(&made);
    CT_CHECK(copies == KEYS, "%s copies %d attributes", calls[call].name, copies);
    expect_balance(0, calls[call].name, "afterwards");
}

static void check_refused(MPI_Comm parent, int call)
{
    MPI_Comm made;

    for (refusing = 0; refusing < KEYS; refusing++) {
        CT_CHECK(calls[call].make(parent, &made) != MPI_SUCCESS, "%s: nobody minds", calls[call].name);
        expect_balance(0, calls[call].name, "a copy is refused");
    }
    refusing = -1;
    check_afterwards(parent, call);
}

static void check_exhausted(MPI_Comm parent, int call, int limit)
{
    MPI_Comm *made = ct_alloc(limit, sizeof(MPI_Comm)), none;
    int n = 0;

    while (n < limit && calls[call].make(parent, &made[n]) == MPI_SUCCESS)
        n++;
    CT_CHECK(n < limit, "%d communicators with %d ids", n, limit);
    expect_balance(n * KEYS, calls[call].name, "at the limit");
    for (int i = 0; i < 3; i++)
        CT_CHECK(calls[call].make(parent, &none) != MPI_SUCCESS, "%s works once more", calls[call].name);
    expect_balance(0, calls[call].name, "beyond the limit");
    for (int i = 0; i < n; i++)
        MPI_Comm_free(&made[i]);
    expect_balance(-n * KEYS, calls[call].name, "freed");
    check_afterwards(parent, call);
    free(made);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MTestArgList *args = MTestArgListCreate(argc, argv);
    int limit = MTestArgListGetInt_with_default(args, "limit", 0);

    MTestArgListDestroy(args);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < KEYS; i++)
        MPI_Comm_create_keyval(copy, delete, &keys[i], NULL);
    MPI_Comm parent = with_attributes(MPI_COMM_WORLD);
    for (int call = 0; call < 2; call++) {
        check_refused(parent, call);
        if (limit > 0)
            check_exhausted(parent, call, limit);
    }
    MPI_Comm_free(&parent);
    for (int i = 0; i < KEYS; i++)
        MPI_Comm_free_keyval(&keys[i]);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
