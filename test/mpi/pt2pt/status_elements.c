/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Status_set_elements and _x set a number of basic elements: MPI_Get_elements gives it back,
 * and MPI_Get_count says how many whole copies of the type that is.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

static void check_number(MPI_Datatype type, int in_type, MPI_Count elements, int small)
{
    MPI_Status status;
    MPI_Count got;
    int few, count, wanted = elements % in_type ? MPI_UNDEFINED : (int) (elements / in_type);

    memset(&status, 0, sizeof(status));
    if (small)
        MPI_Status_set_elements(&status, type, (int) elements);
    else
        MPI_Status_set_elements_x(&status, type, elements);
    MPI_Get_elements_x(&status, type, &got);
    CT_CHECK(got == elements, "%lld elements: %lld", (long long) elements, (long long) got);
    if (elements > 1000000)
        return;
    MPI_Get_elements(&status, type, &few);
    CT_CHECK(few == elements, "%lld elements: %d", (long long) elements, few);
    MPI_Get_count(&status, type, &count);
    CT_CHECK(count == wanted, "%lld elements: %d copies, not %d", (long long) elements, count,
             wanted);
}

static void check_type(MPI_Datatype type, int in_type)
{
    for (int n = 0; n < 4 * in_type + 2; n++) {
        check_number(type, in_type, n, 0);
        check_number(type, in_type, n, 1);
    }
    check_number(type, in_type, ((MPI_Count) 1 << 33) + 1, 0);
}

int main(int argc, char **argv)
{
    int blocks[] = {2, 1, 3};
    MPI_Aint places[] = {0, 16, 32};
    MPI_Datatype parts[] = {MPI_SHORT, MPI_DOUBLE, MPI_INT}, pair, spread, mixed, nested;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_vector(3, 2, 5, MPI_DOUBLE, &spread);
    MPI_Type_create_struct(3, blocks, places, parts, &mixed);
    MPI_Type_vector(2, 2, 3, mixed, &nested);
    MPI_Type_commit(&pair);
    MPI_Type_commit(&spread);
    MPI_Type_commit(&mixed);
    MPI_Type_commit(&nested);
    check_type(MPI_INT, 1);
    check_type(MPI_BYTE, 1);
    check_type(pair, 2);
    check_type(spread, 6);
    check_type(mixed, 6);
    check_type(nested, 24);
    MPI_Type_free(&pair);
    MPI_Type_free(&spread);
    MPI_Type_free(&mixed);
    MPI_Type_free(&nested);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
