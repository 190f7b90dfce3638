/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Attributes of communicators, datatypes and windows: a delete function deletes another attribute
 * of the object, before or behind its own; a failure of one of several is reported; an attribute
 * that is set twice is one. A communicator that could not be freed can be used, and be freed then.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { KEYS = 4, COMM = 0, TYPE, WINDOW, KINDS };

static const char *const names[KINDS] = {"communicator", "datatype", "window"};

static int keys[KINDS][KEYS], deleted[KEYS], victim = -1, failing = -1;
static MPI_Comm comm;
static MPI_Datatype type;
static MPI_Win win;

static void set(int kind, int i, void *value)
{
    if (kind == COMM)
        MPI_Comm_set_attr(comm, keys[kind][i], value);
    else if (kind == TYPE)
        MPI_Type_set_attr(type, keys[kind][i], value);
    else
        MPI_Win_set_attr(win, keys[kind][i], value);
}

static int drop(int kind, int i)
{
    return kind == COMM   ? MPI_Comm_delete_attr(comm, keys[kind][i])
           : kind == TYPE ? MPI_Type_delete_attr(type, keys[kind][i])
                          : MPI_Win_delete_attr(win, keys[kind][i]);
}

static void *get(int kind, int i)
{
    void *value = NULL;
    int found = 0;

    if (kind == COMM)
        MPI_Comm_get_attr(comm, keys[kind][i], &value, &found);
    else if (kind == TYPE)
        MPI_Type_get_attr(type, keys[kind][i], &value, &found);
    else
        MPI_Win_get_attr(win, keys[kind][i], &value, &found);
    return found ? value : NULL;
}

static int on_delete(int kind, int key)
{
    int me = 0;

    while (keys[kind][me] != key)
        me++;
    deleted[me]++;
    if (victim >= 0 && victim != me) {
        int other = victim;

        victim = -1;
        drop(kind, other);
    }
    return me == failing ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int delete_comm(MPI_Comm object, int key, void *value, void *state)
{
    return on_delete(COMM, key);
}

static int delete_type(MPI_Datatype object, int key, void *value, void *state)
{
    return on_delete(TYPE, key);
}

static int delete_win(MPI_Win object, int key, void *value, void *state)
{
    return on_delete(WINDOW, key);
}

static void make_object(int kind)
{
    if (kind == COMM) {
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    } else if (kind == TYPE) {
        MPI_Type_contiguous(3, MPI_INT, &type);
    } else {
        MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    }
}

static int free_object(int kind)
{
    return kind == COMM   ? MPI_Comm_free(&comm)
           : kind == TYPE ? MPI_Type_free(&type)
                          : MPI_Win_free(&win);
}

static void expect_once(int kind, const char *when)
{
    for (int i = 0; i < KEYS; i++) {
        CT_CHECK(deleted[i] == 1, "%s, %s: attribute %d was deleted %d times", names[kind], when, i,
                 deleted[i]);
        deleted[i] = 0;
    }
}

/* Attribute `first` goes, and its delete function lets `second` go. */
static void delete_two(int kind, int first, int second)
{
    make_object(kind);
    for (int i = 0; i < KEYS; i++)
        set(kind, i, &keys[kind][i]);
    victim = second;
    CT_CHECK(drop(kind, first) == MPI_SUCCESS, "%s: cannot delete %d", names[kind], first);
    for (int i = 0; i < KEYS; i++)
        CT_CHECK(get(kind, i) == (i == first || i == second ? NULL : &keys[kind][i]),
                 "%s: after %d and %d, %d is wrong", names[kind], first, second, i);
    set(kind, first, &keys[kind][first]);
    CT_CHECK(get(kind, first) == &keys[kind][first], "%s: %d cannot be set again", names[kind],
             first);
    deleted[first] = 0;
    CT_CHECK(free_object(kind) == MPI_SUCCESS, "%s: cannot be freed", names[kind]);
    expect_once(kind, "one deletes another");
}

/* Freeing the object, the first delete function that runs lets `other` go. */
static void free_all(int kind, int other)
{
    make_object(kind);
    for (int i = 0; i < KEYS; i++)
        set(kind, i, &keys[kind][i]);
    victim = other;
    CT_CHECK(free_object(kind) == MPI_SUCCESS, "%s: cannot be freed", names[kind]);
    victim = -1;
    expect_once(kind, "freed");
}

static void set_twice(int kind)
{
    make_object(kind);
    for (int i = KEYS - 1; i >= 0; i--)
        set(kind, i, &keys[kind][i]);
    for (int i = 0; i < KEYS; i++)
        set(kind, i, &deleted[i]);
    expect_once(kind, "set again");
    for (int i = 0; i < KEYS; i++)
        CT_CHECK(get(kind, i) == &deleted[i], "%s: %d has its old value", names[kind], i);
    free_object(kind);
    expect_once(kind, "set twice and freed");
}

static void fail_one(int which)
{
    MPI_Comm again;

    make_object(COMM);
    for (int i = 0; i < KEYS; i++)
        set(COMM, i, &keys[COMM][i]);
    again = comm;
    failing = which;
    CT_CHECK(MPI_Comm_free(&comm) != MPI_SUCCESS, "the failure of attribute %d is lost", which);
    failing = -1;
    memset(deleted, 0, sizeof(deleted));
    comm = again;
    CT_CHECK(MPI_Barrier(comm) == MPI_SUCCESS, "the communicator cannot be used");
    CT_CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS, "the communicator cannot be freed then");
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    for (int i = 0; i < KEYS; i++) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_comm, &keys[COMM][i], NULL);
        MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, delete_type, &keys[TYPE][i], NULL);
        MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_win, &keys[WINDOW][i], NULL);
    }
    for (int kind = 0; kind < KINDS; kind++) {
        for (int first = 0; first < KEYS; first++)
            for (int second = 0; second < KEYS; second++)
                if (first != second)
                    delete_two(kind, first, second);
        for (int other = 0; other < KEYS; other++)
            free_all(kind, other);
        set_twice(kind);
    }
    for (int which = 0; which < KEYS; which++)
        fail_one(which);
    for (int i = 0; i < KEYS; i++) {
        MPI_Comm_free_keyval(&keys[COMM][i]);
        MPI_Type_free_keyval(&keys[TYPE][i]);
        MPI_Win_free_keyval(&keys[WINDOW][i]);
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
