/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * An attribute's copy function returns an error class of its own, many times.  Later errors of MPI
 * have their own classes.
 */
#include "cmaptest.h"

enum { MANY = 300 }; /* more than MPICH remembers errors */

static int refuse(MPI_Comm comm, int key, void *extra, void *value, void *copied, int *flag)
{
    *flag = 0;
    return MPI_ERR_FILE;
}

int main(int argc, char **argv)
{
    MPI_Comm made;
    int key, number = 0;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(refuse, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    for (int i = 0; i < MANY; i++)
        CT_CHECK(ct_class_of(MPI_Comm_dup(MPI_COMM_SELF, &made)) == MPI_ERR_FILE,
                 "the error of the copy function is lost");
    for (int i = 0; i < MANY; i++) {
        int got = ct_class_of(MPI_Send(&number, 1, MPI_INT, 7, 0, MPI_COMM_SELF));
        CT_CHECK(got == MPI_ERR_RANK, "a send to rank 7 of 1: class %d", got);
    }
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
    MPI_Comm_free_keyval(&key);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
