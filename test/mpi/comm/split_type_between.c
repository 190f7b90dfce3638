/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Comm_split_type between groups: MPI_ERR_COMM for each type, on sides of the same size and of
 * different sizes, and the intercommunicator stays usable.
 */
#include "cmaptest.h"

static const int types[] = {MPI_COMM_TYPE_SHARED, MPI_COMM_TYPE_HW_GUIDED,
                            MPI_COMM_TYPE_HW_UNGUIDED, MPIX_COMM_TYPE_NEIGHBORHOOD, MPI_UNDEFINED};

static void split_of_type(MPI_Comm inter, int type)
{
    MPI_Comm child = MPI_COMM_WORLD;
    int code = MPI_Comm_split_type(inter, type, 0, MPI_INFO_NULL, &child), class_ = MPI_SUCCESS;

    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class_);
    CT_CHECK(class_ == MPI_ERR_COMM,
             "split of type %d between groups: error class %d, not MPI_ERR_COMM", type, class_);
}

static void still_works(MPI_Comm inter)
{
    MPI_Comm child;
    int one = 1, sum = 0, remote;

    MPI_Comm_remote_size(inter, &remote);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter);
    CT_CHECK(sum == remote, "a sum of %d, not %d, after the refused splits", sum, remote);
    MPI_Comm_split(inter, 0, 0, &child);
    MPI_Comm_remote_size(child, &sum);
    CT_CHECK(sum == remote, "a remote group of %d, not %d, after the refused splits", sum, remote);
    MPI_Comm_free(&child);
}

/* The ranks below `first` are one side. */
static void sides(int first)
{
    MPI_Comm half, inter;
    int is_low = ct_me < first;

    MPI_Comm_split(MPI_COMM_WORLD, is_low, ct_me, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_low ? first : 0, 0, &inter);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        split_of_type(inter, types[i]);
    still_works(inter);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    int size;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int first = 1; first < size; first++)
        sides(first);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
