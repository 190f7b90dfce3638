/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * With many datatypes alive, one element of each without gaps, of 1 to 16 bytes to the basic type,
 * is packed, unpacked and sent whole, and so are several of them and none.
 *
 * Argument: -types=N (default 1200)
 */
#include "mpitest.h"
#include "cmaptest.h"

#define ITEMS 5 /* of the basic type in one element */
#define ELEMENTS 3
#define MAX_BYTES (ELEMENTS * ITEMS * 16)

static const MPI_Datatype basic[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE,
                                     MPI_C_DOUBLE_COMPLEX};

enum { BASIC = sizeof(basic) / sizeof(basic[0]) };

/* In turns of another basic type, and one on top of another. */
static void make_types(MPI_Datatype *types, int n)
{
    for (int i = 0; i < n; i++) {
        if (i % 2) {
            MPI_Datatype inner;
            MPI_Type_contiguous(ITEMS, basic[i % BASIC], &inner);
            MPI_Type_dup(inner, &types[i]);
            MPI_Type_free(&inner);
        } else {
            MPI_Type_contiguous(ITEMS, basic[i % BASIC], &types[i]);
        }
        MPI_Type_commit(&types[i]);
    }
}

static int bytes_of(int i, int count)
{
    int size;

    MPI_Type_size(basic[i % BASIC], &size);
    return size * ITEMS * count;
}

static void fill(char *data, int i)
{
    for (int k = 0; k < MAX_BYTES; k++)
        data[k] = (char) (i + 7 * k + 1);
}

/* `data` has what fill() wrote up to `bytes`, and zeros behind. */
static void expect_data(const char *data, int i, int bytes, const char *what)
{
    char want[MAX_BYTES];

    fill(want, i);
    memset(want + bytes, 0, MAX_BYTES - bytes);
    CT_CHECK(!memcmp(data, want, MAX_BYTES), "type %d, %d bytes: %s differs", i, bytes, what);
}

static void check_packing(MPI_Datatype type, int i, int count)
{
    char in[MAX_BYTES], packed[MAX_BYTES] = {0}, out[MAX_BYTES] = {0};
    int bytes = bytes_of(i, count), position = 0;

    fill(in, i);
    MPI_Pack(in, count, type, packed, MAX_BYTES, &position, MPI_COMM_SELF);
    CT_CHECK(position == bytes, "type %d: %d of %d bytes are packed", i, position, bytes);
    expect_data(packed, i, bytes, "what is packed");
    position = 0;
    MPI_Unpack(packed, bytes, &position, out, count, type, MPI_COMM_SELF);
    CT_CHECK(position == bytes, "type %d: %d of %d bytes are unpacked", i, position, bytes);
    expect_data(out, i, bytes, "what is unpacked");
}

/* Around a ring. */
static void check_message(MPI_Datatype type, int i, int count, int rank, int size)
{
    char in[MAX_BYTES], out[MAX_BYTES] = {0};
    int left = (rank + size - 1) % size, received;
    MPI_Status status;

    fill(in, i);
    MPI_Sendrecv(in, count, type, (rank + 1) % size, i, out, ELEMENTS, type, left, i,
                 MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, type, &received);
    CT_CHECK(received == count, "type %d: %d of %d elements came", i, received, count);
    expect_data(out, i, bytes_of(i, count), "what came");
}

int main(int argc, char **argv)
{
    int rank, size;

    MTest_Init(&argc, &argv);
    MTestArgList *args = MTestArgListCreate(argc, argv);
    int n = MTestArgListGetInt_with_default(args, "types", 1200);
    MTestArgListDestroy(args);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ct_me = rank;
    MPI_Datatype *types = ct_alloc(n, sizeof(MPI_Datatype));
    make_types(types, n);
    for (int i = 0; i < n; i++) {
        for (int count = 0; count <= ELEMENTS; count++) {
            check_packing(types[i], i, count);
            check_message(types[i], i, count, rank, size);
        }
    }
    for (int i = 0; i < n; i++)
        MPI_Type_free(&types[i]);
    free(types);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
