/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Comm_dup and MPI_Comm_idup copy attributes before they know whether there will be a
 * communicator.  When there is none (a copy function refused, on all members or on one; no context
 * id is free) every copy is deleted again, and all members hear of it.  Also between groups.
 *
 * For the latter: MPIR_CVAR_CTXID_LIMIT, and -limit=N with the same number
 */
#include "cmaptest.h"

#define KEYS 3

static int keys[KEYS], copies, deletes, refusing = -1;
static int refuser = -1; /* the one process that does; -1: all */

static int copy(MPI_Comm comm, int key, void *number, void *value, void *copied, int *flag)
{
    *flag = 1;
    *(void **) copied = value;
    if (refusing >= 0 && key == keys[refusing] && (refuser < 0 || refuser == ct_me))
        return MPI_ERR_OTHER;
    copies++;
    return MPI_SUCCESS;
}

static int delete (MPI_Comm comm, int key, void *value, void *number)
{
    int size;

    CT_CHECK(MPI_Comm_size(comm, &size) == MPI_SUCCESS,
             "an attribute is deleted from no communicator");
    deletes++;
    return MPI_SUCCESS;
}

static int duplicate(MPI_Comm parent, MPI_Comm *made) { return MPI_Comm_dup(parent, made); }

static int duplicate_later(MPI_Comm parent, MPI_Comm *made)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int result = MPI_Comm_idup(parent, made, &request);

    return (result == MPI_SUCCESS) ? MPI_Wait(&request, MPI_STATUS_IGNORE) : result;
}

static const struct {
    int (*make)(MPI_Comm parent, MPI_Comm *made);
    const char *name;
} calls[] = {{duplicate, "MPI_Comm_dup"}, {duplicate_later, "MPI_Comm_idup"}};

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
    CT_CHECK(copies - deletes == live, "%s, %s: %d attributes copied, %d deleted, %d in use", call,
             why, copies, deletes, live);
    copies = deletes = 0;
}

static void check_afterwards(MPI_Comm parent, int call)
{
    MPI_Comm made;

    CT_CHECK(calls[call].make(parent, &made) == MPI_SUCCESS, "%s fails afterwards",
             calls[call].name);
    MPI_Comm_free(&made);
    CT_CHECK(copies == KEYS, "%s copies %d attributes", calls[call].name, copies);
    expect_balance(0, calls[call].name, "afterwards");
}

static void check_refused(MPI_Comm parent, int call)
{
    MPI_Comm made;

    for (refusing = 0; refusing < KEYS; refusing++) {
        CT_CHECK(calls[call].make(parent, &made) != MPI_SUCCESS, "%s: nobody minds",
                 calls[call].name);
        expect_balance(0, calls[call].name, "a copy is refused");
    }
    refusing = -1;
    check_afterwards(parent, call);
}

/* The parent's nonblocking collectives meet as before. */
static void check_parent(MPI_Comm parent)
{
    MPI_Request request;

    CT_CHECK(MPI_Ibarrier(parent, &request) == MPI_SUCCESS &&
                 MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS,
             "the parent works no more");
}

static void check_refused_by_one(MPI_Comm parent, int call)
{
    MPI_Comm made;
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    refusing = KEYS - 1;
    for (refuser = 0; refuser < size; refuser++) {
        CT_CHECK(calls[call].make(parent, &made) != MPI_SUCCESS,
                 "%s: process %d refuses, and nobody minds", calls[call].name, refuser);
        expect_balance(0, calls[call].name, "one refuses");
        check_parent(parent);
    }
    refusing = refuser = -1;
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
        CT_CHECK(calls[call].make(parent, &none) != MPI_SUCCESS, "%s works once more",
                 calls[call].name);
    expect_balance(0, calls[call].name, "beyond the limit");
    for (int i = 0; i < n; i++)
        MPI_Comm_free(&made[i]);
    expect_balance(-n * KEYS, calls[call].name, "freed");
    check_afterwards(parent, call);
    free(made);
}

static MPI_Comm between_groups(void)
{
    MPI_Comm half, inter;

    MPI_Comm_split(MPI_COMM_WORLD, ct_me % 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - ct_me % 2, 1, &inter);
    MPI_Comm_free(&half);
    return inter;
}

static void check_all(MPI_Comm like, int limit)
{
    MPI_Comm parent = with_attributes(like);

    for (int call = 0; call < 2; call++) {
        check_refused(parent, call);
        check_refused_by_one(parent, call);
        if (limit > 0)
            check_exhausted(parent, call, limit);
    }
    MPI_Comm_free(&parent);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MTestArgList *args = MTestArgListCreate(argc, argv);
    int limit = MTestArgListGetInt_with_default(args, "limit", 0), size;

    MTestArgListDestroy(args);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < KEYS; i++)
        MPI_Comm_create_keyval(copy, delete, &keys[i], NULL);
    check_all(MPI_COMM_WORLD, limit);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1) {
        MPI_Comm inter = between_groups();
        copies = deletes = 0;
        check_all(inter, limit);
        MPI_Comm_free(&inter);
    }
    for (int i = 0; i < KEYS; i++)
        MPI_Comm_free_keyval(&keys[i]);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
