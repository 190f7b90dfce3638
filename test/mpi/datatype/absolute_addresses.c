/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Datatypes of absolute addresses: MPI_BOTTOM in all calls that pack and unpack.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

static int ints[2] = {1, 2};
static double number = 3;

static void check(const char *what)
{
    CT_CHECK(ints[0] == 1 && ints[1] == 2 && number == 3, "%s: %d, %d, %g", what, ints[0], ints[1],
             number);
    ints[0] = ints[1] = 0;
    number = 0;
}

int main(int argc, char **argv)
{
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, type;
    int lengths[2] = {2, 1}, position = 0;
    MPI_Count large = 0;
    MPI_Aint at[2], place = 0;
    char bytes[100], external[100];

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Get_address(ints, &at[0]);
    MPI_Get_address(&number, &at[1]);
    MPI_Type_create_struct(2, lengths, at, types, &type);
    MPI_Type_commit(&type);

    MPI_Pack(MPI_BOTTOM, 1, type, bytes, sizeof(bytes), &position, MPI_COMM_WORLD);
    MPI_Pack_external("external32", MPI_BOTTOM, 1, type, external, sizeof(external), &place);
    check("before");
    position = 0;
    MPI_Unpack(bytes, sizeof(bytes), &position, MPI_BOTTOM, 1, type, MPI_COMM_WORLD);
    check("MPI_Unpack");
    MPI_Unpack_c(bytes, sizeof(bytes), &large, MPI_BOTTOM, 1, type, MPI_COMM_WORLD);
    check("MPI_Unpack_c");
    place = 0;
    MPI_Unpack_external("external32", external, sizeof(external), &place, MPI_BOTTOM, 1, type);
    check("MPI_Unpack_external");
    MPI_Type_free(&type);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
