/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A revocation that comes late does not reach another communicator with the same context id, whose
 * members are of other worlds.  A parent and its first child make a communicator.  The parent frees
 * it and makes one with its second child, which gets the id: it has no other one left.  The first
 * child, which still has the first communicator, revokes it then.  The second one works on.
 */
#include "cmaptest.h"

enum { PARENT, REVOKES, OTHER, ROOM = 300, POLLS = 1000 };

static void look_for_messages(MPI_Comm all)
{
    int has_come;

    MPI_Barrier(all);
    for (int i = 0; i < POLLS; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, all, &has_come, MPI_STATUS_IGNORE);
    MPI_Barrier(all);
}

static void check_works(MPI_Comm pair)
{
    int mine, got = -1, error;

    MPI_Comm_rank(pair, &mine);
    MPI_Comm_set_errhandler(pair, MPI_ERRORS_RETURN);
    error = MPI_Sendrecv(&mine, 1, MPI_INT, 1 - mine, 1, &got, 1, MPI_INT, 1 - mine, 1, pair,
                         MPI_STATUS_IGNORE);
    CT_CHECK(error == MPI_SUCCESS && got == 1 - mine, "error %d, %d came", error, got);
}

static void run(MPI_Comm all)
{
    static MPI_Comm comm[ROOM];
    MPI_Comm first, second = MPI_COMM_NULL;
    int n = 0;

    first = ct_pair(all, PARENT, REVOKES, REVOKES);
    if (ct_me == PARENT) {
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        n = ct_take_all(MPI_COMM_SELF, comm, ROOM);
        MPI_Comm_free(&first);
    }
    MPI_Barrier(all);
    if (ct_me != REVOKES)
        second = ct_pair(all, PARENT, OTHER, OTHER);
    look_for_messages(all);
    if (ct_me == REVOKES)
        MPIX_Comm_revoke(first);
    look_for_messages(all);
    if (ct_me != REVOKES)
        check_works(second);
    MPI_Barrier(all);
    MPI_Comm_free(ct_me == REVOKES ? &first : &second);
    while (n > 0)
        MPI_Comm_free(&comm[--n]);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, inter, all;
    int is_child;

    MTest_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    is_child = parent != MPI_COMM_NULL;
    inter = parent;
    if (!is_child)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                       MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(inter, is_child, &all);
    MPI_Comm_rank(all, &ct_me);
    run(all);
    MPI_Allreduce(MPI_IN_PLACE, &ct_errs, 1, MPI_INT, MPI_SUM, all);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&inter);
    if (is_child) {
        MPI_Finalize();
        return 0;
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
