/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A broadcast whose members pass different lengths, as a composition of node communicators, from a
 * root that is not the first process of its node.  The error of each member has a text that ends:
 * no error is the cause of itself.
 */
#include "mpitest.h"
#include "cmaptest.h"

enum { MOST = 100, ROUNDS = 20 };

static void expect_text(int code, int n)
{
    char text[MPI_MAX_ERROR_STRING + 1];
    int length = 0, class_ = MPI_SUCCESS;

    MPI_Error_class(code, &class_);
    MPI_Error_string(code, text, &length);
    CT_CHECK(!strstr(text, "INTERNAL ERROR"), "%d elements: %s", n, text);
    CT_CHECK(class_ == MPI_ERR_TRUNCATE || class_ == MPI_ERR_OTHER,
             "%d elements: error class %d, %s", n, class_, text);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    int numbers[MOST] = {0}, size, failed = 0;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int round = 0; round < ROUNDS; round++) {
        int n = ct_me == 1 ? MOST : MOST - 1 - round;
        int result = MPI_Bcast(numbers, n, MPI_INT, 1, comm);

        if (result != MPI_SUCCESS) {
            expect_text(result, n);
            failed++;
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CT_CHECK(failed > 0, "%d broadcasts of different lengths, and no error", ROUNDS);
    MPI_Comm_free(&comm);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
