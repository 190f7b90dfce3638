/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * An active persistent collective is not freed, and not started a second time, also by one call of
 * MPI_Startall: the class is MPI_ERR_REQUEST, and the operation ends as if nothing had been.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

static void check_class(const char *what, int err)
{
    int class;

    MPI_Error_class(err, &class);
    CT_CHECK(class == MPI_ERR_REQUEST, "%s: class %d", what, class);
}

int main(int argc, char **argv)
{
    int value, sum, size;
    MPI_Request request, twice[2];

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < 3; round++) {
        MPI_Request same = request;

        value = ct_me + round;
        if (round == 1) {
            twice[0] = twice[1] = request;
            check_class("two starts in one call", MPI_Startall(2, twice));
        } else {
            MPI_Start(&request);
        }
        check_class("a second start", MPI_Start(&request));
        check_class("freed while active", MPI_Request_free(&same));
        CT_CHECK(same == request, "the handle has changed");
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CT_CHECK(sum == size * (size - 1) / 2 + size * round, "round %d: the sum is %d", round,
                 sum);
    }
    MPI_Request_free(&request);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
