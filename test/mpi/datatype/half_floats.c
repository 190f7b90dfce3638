/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPIX_C_FLOAT16 is a datatype like others: it has a name, a size and an extent, it is sent alone,
 * in vectors and in external32, and it is reduced, accumulated, and matched by its size.
 */
#include "cmaptest.h"

enum { N = 1000 };

static int members;

static unsigned short one(int i) { return (unsigned short) (0x3c00 + (i & 0xff)); }

static void check_type(void)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int size = -1, length;
    MPI_Aint low = -1, extent = -1;

    MPI_Type_get_name(MPIX_C_FLOAT16, name, &length);
    CT_CHECK(strcmp(name, "MPIX_C_FLOAT16") == 0, "name %s", name);
    MPI_Type_size(MPIX_C_FLOAT16, &size);
    MPI_Type_get_extent(MPIX_C_FLOAT16, &low, &extent);
    CT_CHECK(size == 2 && low == 0 && extent == 2, "size %d, bounds %ld, %ld", size, (long) low,
             (long) extent);
}

static void check_same(const unsigned short *got, const unsigned short *want, int step,
                       const char *what)
{
    for (int i = 0; i < N; i += step)
        if (got[i] != want[i]) {
            CT_CHECK(0, "%s: element %d is %x, not %x", what, i, got[i], want[i]);
            return;
        }
}

static void check_messages(const unsigned short *data)
{
    unsigned short got[N] = {0};
    char packed[2 * N];
    MPI_Aint at = 0, size = 0;
    MPI_Datatype every_other;

    MPI_Sendrecv(data, N, MPIX_C_FLOAT16, (ct_me + 1) % members, 0, got, N, MPIX_C_FLOAT16,
                 (ct_me + members - 1) % members, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check_same(got, data, 1, "message");
    memset(got, 0, sizeof(got));
    MPI_Type_vector(N / 2, 1, 2, MPIX_C_FLOAT16, &every_other);
    MPI_Type_commit(&every_other);
    MPI_Sendrecv(data, 1, every_other, ct_me, 0, got, 1, every_other, ct_me, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    check_same(got, data, 2, "vector");
    CT_CHECK(got[1] == 0, "the gap of a vector is written");
    MPI_Type_free(&every_other);

    MPI_Pack_external_size("external32", N, MPIX_C_FLOAT16, &size);
    MPI_Pack_external("external32", data, N, MPIX_C_FLOAT16, packed, sizeof(packed), &at);
    CT_CHECK(size == 2 * N && at == 2 * N, "external32: %ld and %ld bytes", (long) size, (long) at);
    CT_CHECK(packed[2] == 0x3c && packed[3] == 1, "external32: %x %x", packed[2], packed[3]);
    at = 0;
    memset(got, 0, sizeof(got));
    MPI_Unpack_external("external32", packed, sizeof(packed), &at, got, N, MPIX_C_FLOAT16);
    check_same(got, data, 1, "external32");
}

/* 1 is 0x3c00, 2 is 0x4000, and 3 is 0x4200 */
static void check_sums(void)
{
    static const unsigned short number[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};
    unsigned short mine = number[1], sum = 0, *shared;
    MPI_Win win;

    MPI_Allreduce(&mine, &sum, 1, MPIX_C_FLOAT16, MPI_SUM, MPI_COMM_WORLD);
    CT_CHECK(sum == number[members], "the sum is %x", sum);
    MPI_Win_allocate(2, 2, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &win);
    *shared = 0;
    MPI_Win_fence(0, win);
    MPI_Accumulate(&mine, 1, MPIX_C_FLOAT16, 0, 0, 1, MPIX_C_FLOAT16, MPI_SUM, win);
    MPI_Win_fence(0, win);
    CT_CHECK(ct_me > 0 || *shared == number[members], "accumulated %x", *shared);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    unsigned short data[N];

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &members);
    for (int i = 0; i < N; i++)
        data[i] = one(i);
    check_type();
    check_messages(data);
    check_sums();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
