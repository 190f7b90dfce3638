/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * AFAPI in a program that has MPI as well, in any order: -order=pmfe calls p_init, MPI_Init,
 * MPI_Finalize and p_exit; x is a p_init that must fail, after MPI_Finalize.  After each of them,
 * what is there works, and MPI says whether the program has initialized it.  AFAPI's communicators
 * are its own: the attributes and the error handler of MPI_COMM_WORLD do not get there.
 */
#include "mpitest.h"
#include "afapi_checks.h"

static int errs, afapi_on, mpi_on, mpi_was_on, copies;

static void check(int right, const char *what, const char *when)
{
    if (!right && errs++ == 0)
        printf("[%d] after %s: wrong: %s\n", IPROC, when, what);
}

static int count_copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    copies++;
    *flag = 0;
    return MPI_SUCCESS;
}

static void set_attribute(void)
{
    int keyval;

    MPI_Comm_create_keyval(count_copy, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &copies);
    MPI_Comm_free_keyval(&keyval);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

static void check_mpi(const char *when)
{
    int initialized, finalized, rank, size, sum;

    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    check(initialized == (mpi_on || mpi_was_on), "MPI_Initialized", when);
    check(finalized == mpi_was_on, "MPI_Finalized", when);
    if (!mpi_on)
        return;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(sum == size * (size - 1) / 2, "MPI_Allreduce", when);
}

/* p_lany and p_lwait are those of the node. */
static void check_nodes(const char *when)
{
    MPI_Comm node;
    int members, flag = IPROC == 0;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &members);
    MPI_Allreduce(MPI_IN_PLACE, &flag, 1, MPI_INT, MPI_LOR, node);
    check(p_lany(IPROC == 0) == flag, "p_lany", when);
    for (int i = 0; flag && i < 3; i++)
        p_lwait(); /* the other nodes do not call it */
    MPI_Comm_free(&node);
}

static void check_afapi(const char *when)
{
    if (!afapi_on)
        return;
    check(p_reduceAdd32(IPROC) == NPROC * (NPROC - 1) / 2, "p_reduceAdd32", when);
    check(p_scanAdd32(1) == IPROC + 1, "p_scanAdd32", when);
    if (mpi_on)
        check_nodes(when);
}

static void check_place(void)
{
    int rank, size;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check(IPROC == rank && NPROC == size && CPROC == 0, "IPROC, NPROC or CPROC", "both");
}

static void step(char what)
{
    switch (what) {
        case 'p':
            check(p_init() == 0, "p_init", "p_init");
            afapi_on = 1;
            check(copies == 0, "attributes were copied", "p_init");
            break;
        case 'x':
            check(freopen("/dev/null", "w", stderr) && p_init() == 1, "p_init succeeds",
                  "MPI_Finalize");
            break;
        case 'e':
            p_exit();
            afapi_on = 0;
            break;
        case 'm':
            MPI_Init(NULL, NULL);
            mpi_on = 1;
            set_attribute();
            break;
        case 'f':
            MPI_Finalize();
            mpi_on = 0;
            mpi_was_on = 1;
            break;
    }
    if (afapi_on && mpi_on)
        check_place();
}

int main(int argc, char **argv)
{
    const char *order = argc > 1 && strncmp(argv[1], "-order=", 7) == 0 ? argv[1] + 7 : "mpef";
    int all = 0, me = -1;

    for (const char *s = order; *s; s++) {
        if (*s == 'e') {
            all = p_reduceAdd32(errs + afapi_check_all(6));
            me = IPROC;
        }
        if (*s == 'f' && !afapi_on)
            MPI_Comm_rank(MPI_COMM_WORLD, &me);
        step(*s);
        check_mpi(s);
        check_afapi(s);
    }
    if (me == 0 && all == 0 && errs == 0)
        printf(" No Errors\n");
    return all + errs != 0;
}
