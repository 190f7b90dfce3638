/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The bounds of a struct are those that its parts were given, if there are any.  A struct of parts
 * without gaps is one block wherever it begins.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

static void check_extent(const char *what, MPI_Datatype type, MPI_Aint lb, MPI_Aint ub)
{
    MPI_Aint begin, extent;

    MPI_Type_get_extent(type, &begin, &extent);
    CT_CHECK(begin == lb && begin + extent == ub, "%s: bounds %ld, %ld, not %ld, %ld", what,
             (long) begin, (long) (begin + extent), (long) lb, (long) ub);
    MPI_Type_free(&type);
}

static MPI_Datatype pair(MPI_Datatype a, MPI_Aint at_a, MPI_Datatype b, MPI_Aint at_b)
{
    MPI_Datatype types[2] = {a, b}, type;
    MPI_Aint at[2] = {at_a, at_b};
    int lengths[2] = {1, 1};

    MPI_Type_create_struct(2, lengths, at, types, &type);
    return type;
}

static void check_given(void)
{
    int sizes[2] = {4, 4}, parts[2] = {1, 1}, begins[2] = {2, 2};
    MPI_Datatype bounded, same, array, three, inner;

    MPI_Type_create_resized(MPI_INT, -8, 24, &bounded);
    MPI_Type_create_resized(MPI_INT, 0, 4, &same);
    MPI_Type_create_subarray(2, sizes, parts, begins, MPI_ORDER_C, MPI_INT, &array);
    MPI_Type_contiguous(3, bounded, &three);
    inner = pair(MPI_CHAR, 500, bounded, 0);

    check_extent("resized, then double", pair(bounded, 0, MPI_DOUBLE, 200), -8, 16);
    check_extent("double, then resized", pair(MPI_DOUBLE, 200, bounded, 0), -8, 16);
    check_extent("two resized", pair(bounded, 0, bounded, 100), -8, 116);
    check_extent("resized to its own bounds", pair(same, 8, MPI_DOUBLE, 0), 8, 12);
    check_extent("array", pair(MPI_DOUBLE, 800, array, 0), 0, 64);
    check_extent("three resized", pair(three, 8, MPI_CHAR, 900), 0, 72);
    check_extent("in another struct", pair(MPI_DOUBLE, 800, inner, 40), 32, 56);
    check_extent("odd, and not padded", pair(bounded, 1, MPI_CHAR, 3), -7, 17);
    check_extent("none given", pair(MPI_INT, 4, MPI_CHAR, 8), 4, 12);

    MPI_Type_free(&bounded);
    MPI_Type_free(&same);
    MPI_Type_free(&array);
    MPI_Type_free(&three);
    MPI_Type_free(&inner);
}

/* An int and a float at 8, without a gap, in a vector that has gaps */
static void check_one_block(void)
{
    enum { COPIES = 5000 };
    MPI_Datatype block = pair(MPI_INT, 8, MPI_FLOAT, 12), vector, large[2];
    int *in = ct_ints(4 * COPIES + 4), *out = ct_ints(2 * COPIES), position = 0, wrong = 0;

    MPI_Type_vector(COPIES, 1, 2, block, &vector);
    MPI_Type_commit(&vector);
    for (int i = 0; i < 4 * COPIES + 4; i++)
        in[i] = i;
    MPI_Pack(in, 1, vector, out, 2 * COPIES * (int) sizeof(int), &position, MPI_COMM_WORLD);
    for (int i = 0; i < 2 * COPIES; i++)
        wrong += out[i] != 2 + 4 * (i / 2) + i % 2;
    CT_CHECK(wrong == 0, "%d of %d integers are packed wrong", wrong, 2 * COPIES);
    MPI_Type_free(&vector);

    /* large blocks are copied one by one */
    MPI_Type_contiguous(COPIES, MPI_INT, &large[0]);
    MPI_Type_contiguous(COPIES, MPI_FLOAT, &large[1]);
    MPI_Type_free(&block);
    block = pair(large[0], 4, large[1], 4 + 4 * COPIES);
    MPI_Type_create_hvector(2, 1, 4 * (2 * COPIES + 1), block, &vector);
    MPI_Type_commit(&vector);
    free(in);
    free(out);
    in = ct_ints(4 * COPIES + 2);
    out = ct_ints(4 * COPIES);
    for (int i = 0; i < 4 * COPIES + 2; i++)
        in[i] = i;
    position = wrong = 0;
    MPI_Pack(in, 1, vector, out, 4 * COPIES * (int) sizeof(int), &position, MPI_COMM_WORLD);
    for (int i = 0; i < 4 * COPIES; i++)
        wrong += out[i] != 1 + i + i / (2 * COPIES);
    CT_CHECK(wrong == 0, "%d of %d integers of large blocks are wrong", wrong, 4 * COPIES);
    MPI_Type_free(&large[0]);
    MPI_Type_free(&large[1]);
    MPI_Type_free(&block);
    MPI_Type_free(&vector);
    free(in);
    free(out);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    check_given();
    check_one_block();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
