/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Elements of datatypes with several predefined types: messages that end in the middle of a
 * datatype, and statuses that are set.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

/* The sizes of the elements of one copy, in order */
typedef struct list {
    int n;
    int bytes[200];
} list;

static void add(list *l, int times, int n, const int *bytes)
{
    for (int i = 0; i < times * n; i++)
        l->bytes[l->n++] = bytes[i % n];
}

/* How many elements `bytes` bytes are, or -1 if the last one is not whole */
static int elements_of(const list *l, int bytes)
{
    int n = 0;

    while (bytes > 0)
        bytes -= l->bytes[n++ % l->n];
    return bytes < 0 ? -1 : n;
}

static void check(const char *what, MPI_Datatype type, const list *l)
{
    char in[4000] = {0}, out[9000];
    int size, got, count, bytes = 0;
    MPI_Status status;

    MPI_Type_commit(&type);
    MPI_Type_size(type, &size);
    for (int b = 0; b <= 2 * size && b < (int) sizeof(in); b++) {
        int want = elements_of(l, b);

        MPI_Sendrecv(in, b, MPI_BYTE, 0, 0, out + 500, 2, type, 0, 0, MPI_COMM_SELF, &status);
        MPI_Get_elements(&status, type, &got);
        CT_CHECK(got == (want < 0 ? MPI_UNDEFINED : want), "%s: %d elements of %d bytes, not %d",
                 what, got, b, want);
    }
    for (int n = 0; n <= 2 * l->n; n++) {
        MPI_Count elements;

        MPI_Status_set_elements(&status, type, n);
        MPI_Get_elements_x(&status, type, &elements);
        CT_CHECK(elements == n, "%s: %d elements are %d", what, n, (int) elements);
        MPI_Get_count(&status, MPI_BYTE, &count);
        CT_CHECK(count == bytes, "%s: %d elements are %d bytes, not %d", what, n, count, bytes);
        bytes += l->bytes[n % l->n];
    }
    MPI_Type_free(&type);
}

static MPI_Datatype make_struct(int n, const int *lengths, const MPI_Datatype *types)
{
    MPI_Aint at[4] = {0, 40, 80, 200};
    MPI_Datatype type;

    MPI_Type_create_struct(n, lengths, at, types, &type);
    return type;
}

int main(int argc, char **argv)
{
    static const int same[2] = {4, 4}, unlike[2] = {4, 8}, pair[2] = {2, 4}, wide[1] = {16};
    int ones[4] = {1, 1, 1, 1}, some[3] = {2, 1, 3}, sizes[2] = {4, 3}, parts[2] = {2, 3};
    int begins[2] = {1, 0}, way[1] = {MPI_DISTRIBUTE_CYCLIC}, block[1] = {2}, procs[1] = {2};
    int length[1] = {7};
    MPI_Datatype int_float, int_double, type, types[3];
    list l;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    int_float = make_struct(2, ones, (MPI_Datatype[]){MPI_INT, MPI_FLOAT});
    int_double = make_struct(2, ones, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE});

    l.n = 0;
    add(&l, 1, 2, same);
    MPI_Type_dup(int_float, &type);
    check("struct of one size", type, &l);

    l.n = 0;
    add(&l, 2, 1, same);
    MPI_Type_contiguous(2, MPI_INT, &type);
    check("two integers", type, &l);

    l.n = 0;
    add(&l, 6, 2, unlike);
    MPI_Type_vector(3, 2, 5, int_double, &type);
    check("vector", type, &l);

    l.n = 0;
    add(&l, 6, 2, unlike);
    MPI_Type_create_subarray(2, sizes, parts, begins, MPI_ORDER_C, int_double, &type);
    check("subarray", type, &l);

    l.n = 0;
    add(&l, 3, 2, unlike);
    MPI_Type_create_darray(2, 1, 1, length, way, block, procs, MPI_ORDER_C, int_double, &type);
    check("distributed array", type, &l);

    /* the same, where a limited number of them counts */
    types[0] = MPI_C_DOUBLE_COMPLEX;
    MPI_Type_vector(3, 2, 3, int_double, &types[1]);
    types[2] = MPI_SHORT_INT;
    l.n = 0;
    add(&l, 2, 1, wide);
    add(&l, 6, 2, unlike);
    add(&l, 3, 2, pair);
    type = make_struct(3, some, types);
    MPI_Type_free(&types[1]);
    check("struct of complex numbers, a vector and pairs", type, &l);

    types[0] = int_float;
    types[1] = int_double;
    types[2] = MPI_2INT;
    l.n = 0;
    add(&l, 2, 2, same);
    add(&l, 1, 2, unlike);
    add(&l, 3, 2, same);
    check("struct of structs", make_struct(3, some, types), &l);

    MPI_Type_free(&int_float);
    MPI_Type_free(&int_double);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
