/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A spawn, and a connection, with few context ids left at the parents: none, one, two, three.  With
 * too few the parents get the error of exhausted ids and go on; the spawned processes fail in
 * MPI_Init.  No id is lost.
 */
#include "cmaptest.h"

enum {
    ENOUGH = 2, /* for the roots and for the intercommunicator */
    MOST = 3,
    ROOM = 300,
    CHILDREN = 2 /* on two hosts, both abort */
};

static MPI_Comm comm[ROOM];
static int ranks;

static void free_to(int *n, int least)
{
    while (*n > least)
        MPI_Comm_free(&comm[--*n]);
}

/* All members have the same outcome.  An error of the root says that ids are missing, or that the
 * spawned processes have ended, if it heard of that first. */
static void check(int left, int error)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length, class, failed = error != MPI_SUCCESS, number;

    MPI_Allreduce(&failed, &number, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CT_CHECK(number == failed * ranks, "%d of %d failed", number, ranks);
    CT_CHECK(failed == (left < ENOUGH), "%d ids left: %s", left, failed ? "an error" : "no error");
    MPI_Error_string(error, text, &length);
    MPI_Error_class(error, &class);
    CT_CHECK(!failed || ct_me != 0 || strstr(text, "context id") || class == MPI_ERR_SPAWN,
             "no word of ids: %s", text);
}

static void spawn(char *program, int left)
{
    MPI_Comm inter = MPI_COMM_NULL;
    char *args[] = {"-child", NULL};
    int error = MPI_Comm_spawn(program, args, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                               MPI_ERRCODES_IGNORE);

    check(left, error);
    if (error == MPI_SUCCESS)
        MPI_Comm_disconnect(&inter);
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    int all, n;

    if (argc > 1) /* its MPI_Init may fail */
        CT_CHECK(freopen("/dev/null", "w", stderr), "no /dev/null");
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return 0;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    all = n = ct_take_all(MPI_COMM_WORLD, comm, ROOM);
    CT_CHECK(all > MOST, "%d communicators", all);
    for (int left = 0; left <= MOST; left++) {
        free_to(&n, all - left);
        spawn(argv[0], left);
        free_to(&n, 0);
        n = ct_take_all(MPI_COMM_WORLD, comm, ROOM);
        CT_CHECK(n == all, "%d ids left: %d communicators became %d", left, all, n);
    }
    free_to(&n, 0);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
