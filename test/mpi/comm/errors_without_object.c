/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * An error that belongs to no object calls the error handler of MPI_COMM_SELF if there is one, and
 * that of MPI_COMM_WORLD otherwise. Errors of a communicator are its own.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

static int of_world, of_self;

static void handle_world(MPI_Comm *comm, int *code, ...) { of_world++; }

static void handle_self(MPI_Comm *comm, int *code, ...) { of_self++; }

static void expect(int world, int self, const char *what)
{
    CT_CHECK(of_world == world && of_self == self,
             "%s: %d calls of the world's handler and %d of the process's", what, of_world,
             of_self);
    of_world = of_self = 0;
}

static int wrong_type(void)
{
    MPI_Datatype made;

    return MPI_Type_contiguous(-1, MPI_INT, &made);
}

int main(int argc, char **argv)
{
    MPI_Errhandler world, self;
    int size;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_create_errhandler(handle_world, &world);
    MPI_Comm_create_errhandler(handle_self, &self);

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, world);
    CT_CHECK(wrong_type() != MPI_SUCCESS, "a wrong type is accepted");
    expect(1, 0, "without a handler of MPI_COMM_SELF");

    MPI_Comm_set_errhandler(MPI_COMM_SELF, self);
    CT_CHECK(wrong_type() != MPI_SUCCESS, "a wrong type is accepted");
    expect(0, 1, "with both handlers");
    MPI_Comm_size(MPI_COMM_NULL, &size);
    expect(0, 1, "MPI_COMM_NULL");
    MPI_Send(&size, 1, MPI_INT, 1 << 20, 0, MPI_COMM_WORLD);
    expect(1, 0, "a wrong rank of MPI_COMM_WORLD");

    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CT_CHECK(wrong_type() != MPI_SUCCESS, "a wrong type is accepted");
    expect(0, 0, "with MPI_ERRORS_RETURN on MPI_COMM_SELF");

    MPI_Errhandler_free(&world);
    MPI_Errhandler_free(&self);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
