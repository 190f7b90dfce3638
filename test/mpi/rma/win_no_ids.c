/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * When no context id is left, on all processes or on the last one alone, no window can be made: that is an error on all of them,
 * whatever the kind of window.  Nothing leaks, and when there is an id again, windows can be made and used.
 * Wants MPIR_CVAR_CTXID_LIMIT.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { CREATE, ALLOCATE, SHARED, DYNAMIC, KINDS };
enum { MOST = 10000, ROUNDS = 20, BYTES = 4096 };

static const char *const names[] = {"MPI_Win_create", "MPI_Win_allocate", "MPI_Win_allocate_shared", "MPI_Win_create_dynamic"};
static char memory[BYTES];
static MPI_Comm node;
static int node_has_last;

static int make(int kind, MPI_Win *win)
{
    char *base;
    MPI_Comm comm = kind == SHARED ? node : MPI_COMM_WORLD;

    if (kind == CREATE)
        return MPI_Win_create(memory, BYTES, 1, MPI_INFO_NULL, comm, win);
    if (kind == ALLOCATE)
        return MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, comm, &base, win);
    if (kind == SHARED)
        return MPI_Win_allocate_shared(BYTES, 1, MPI_INFO_NULL, comm, &base, win);
    return MPI_Win_create_dynamic(MPI_INFO_NULL, comm, win);
}

/* A number travels around. */
static void use(int kind, MPI_Win win)
{
    int rank, size, got = -1;
    MPI_Comm comm = kind == SHARED ? node : MPI_COMM_WORLD;
    MPI_Aint where = 0;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (kind == DYNAMIC) {
        MPI_Win_attach(win, memory, BYTES);
        MPI_Get_address(memory, &where);
    }
    MPI_Sendrecv_replace(&where, 1, MPI_AINT, (rank + size - 1) % size, 0, (rank + 1) % size, 0, comm, MPI_STATUS_IGNORE);
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, where, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Get(&got, 1, MPI_INT, (rank + 1) % size, where, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CT_CHECK(got == rank, "%s: %d instead of %d", names[kind], got, rank);
    if (kind == DYNAMIC)
        MPI_Win_detach(win, memory);
}

/* Takes all ids, of the processes of `comm`; returns how many. */
static int exhaust(MPI_Comm comm, MPI_Comm *taken)
{
    int n = 0;

    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    while (n < MOST && MPI_Comm_dup(comm, &taken[n]) == MPI_SUCCESS)
        n++;
    CT_CHECK(n > 0 && n < MOST, "%d communicators before the end", n);
    return n;
}

/* A window of a node of which no process is without ids can be made. */
static void refuse(int kind, int all, const char *what)
{
    MPI_Win win;
    int result = make(kind, &win), refused = all || kind != SHARED || node_has_last;

    CT_CHECK((result != MPI_SUCCESS) == refused, "%s %s while no id is left %s", names[kind], result ? "fails" : "succeeds", what);
    if (result == MPI_SUCCESS)
        MPI_Win_free(&win);
}

static void refuse_all(int all, const char *what)
{
    for (int kind = 0; kind < KINDS; kind++) {
        for (int i = 0; i < ROUNDS; i++)
            refuse(kind, all, what);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void allow_all(void)
{
    for (int kind = 0; kind < KINDS; kind++) {
        MPI_Win win;
        int result = make(kind, &win);

        CT_CHECK(result == MPI_SUCCESS, "%s fails while ids are left", names[kind]);
        if (result == MPI_SUCCESS) {
            use(kind, win);
            MPI_Win_free(&win);
        }
    }
}

static void check(MPI_Comm comm, int takes_part, const char *what)
{
    static MPI_Comm taken[MOST];
    int n = takes_part ? exhaust(comm, taken) : 0, again;

    MPI_Barrier(MPI_COMM_WORLD);
    refuse_all(comm == MPI_COMM_WORLD, what);
    if (n > 0)
        MPI_Comm_free(&taken[--n]);
    MPI_Barrier(MPI_COMM_WORLD);
    allow_all();
    again = takes_part ? exhaust(comm, &taken[n]) : 0;
    CT_CHECK(!takes_part || again == 1, "%d ids are free, not 1", again);
    for (n += again; n > 0;)
        MPI_Comm_free(&taken[--n]);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int size, is_last;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    is_last = ct_me == size - 1;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Allreduce(&is_last, &node_has_last, 1, MPI_INT, MPI_MAX, node);
    allow_all();
    check(MPI_COMM_WORLD, 1, "on any process");
    check(MPI_COMM_SELF, is_last, "on the last process");
    MPI_Comm_free(&node);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
