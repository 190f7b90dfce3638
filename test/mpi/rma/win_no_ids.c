/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * When no context id is left, on all processes or on the last one alone, no window can be made:
 * that is an error on all of them, whatever the kind of window.  Nothing leaks, and when there is
 * an id again, windows can be made and used.  Wants MPIR_CVAR_CTXID_LIMIT.
 */
#include "mpitest.h"
#include "cmaptest_win.h"

enum { MOST = 10000, ROUNDS = 20 };

static int node_has_last;

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
    int result = ct_win_make(kind, &win);
    int refused = all || kind != CT_WIN_SHARED || node_has_last;

    CT_CHECK((result != MPI_SUCCESS) == refused, "%s %s while no id is left %s", ct_win_names[kind],
             result ? "fails" : "succeeds", what);
    if (result == MPI_SUCCESS)
        MPI_Win_free(&win);
}

static void refuse_all(int all, const char *what)
{
    for (int kind = 0; kind < CT_WIN_KINDS; kind++) {
        for (int i = 0; i < ROUNDS; i++)
            refuse(kind, all, what);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void allow_all(void)
{
    for (int kind = 0; kind < CT_WIN_KINDS; kind++) {
        MPI_Win win;
        int result = ct_win_make(kind, &win);

        CT_CHECK(result == MPI_SUCCESS, "%s fails while ids are left", ct_win_names[kind]);
        if (result == MPI_SUCCESS) {
            ct_win_use(kind, win);
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
    ct_win_begin();
    MPI_Allreduce(&is_last, &node_has_last, 1, MPI_INT, MPI_MAX, ct_win_node);
    allow_all();
    check(MPI_COMM_WORLD, 1, "on any process");
    check(MPI_COMM_SELF, is_last, "on the last process");
    ct_win_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
