/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_MAX and MPI_MIN of unsigned integers whose highest bit is set: each even process has the
 * largest value, each odd one the smallest that a signed type would take for more.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

#define COUNT 5

/* All functions that reduce, for one type. */
#define CHECK_TYPE(c_type, mpi_type) \
    do { \
        c_type large = (c_type) -1, small = large / 2, in[COUNT], out[COUNT]; \
        c_type most = large, least = size > 1 ? small : large; \
        for (int i = 0; i < COUNT; i++) \
            in[i] = ct_me % 2 ? small : large; \
        MPI_Allreduce(in, out, COUNT, mpi_type, MPI_MAX, MPI_COMM_WORLD); \
        check(out[0] == most && out[COUNT - 1] == most, #mpi_type, "MPI_Allreduce, MPI_MAX"); \
        MPI_Allreduce(in, out, COUNT, mpi_type, MPI_MIN, MPI_COMM_WORLD); \
        check(out[0] == least && out[COUNT - 1] == least, #mpi_type, "MPI_Allreduce, MPI_MIN"); \
        in[0] = small; \
        out[0] = large; \
        MPI_Reduce_local(in, out, 1, mpi_type, MPI_MAX); \
        check(out[0] == large, #mpi_type, "MPI_Reduce_local, MPI_MAX"); \
        MPI_Reduce_local(in, out, 1, mpi_type, MPI_MIN); \
        check(out[0] == small, #mpi_type, "MPI_Reduce_local, MPI_MIN"); \
        in[0] = large; \
        out[0] = small; \
        accumulate(&in[0], &out[0], sizeof(c_type), mpi_type); \
        check(out[0] == large, #mpi_type, "MPI_Accumulate, MPI_MAX"); \
    } while (0)

static void check(int right, const char *type, const char *what)
{
    CT_CHECK(right, "%s of %s is wrong", what, type);
}

/* Into a window of its own. */
static void accumulate(void *in, void *inout, int bytes, MPI_Datatype type)
{
    MPI_Win win;
    void *memory;

    MPI_Win_allocate(bytes, bytes, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &win);
    memcpy(memory, inout, bytes);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Accumulate(in, 1, type, 0, 0, 1, type, MPI_MAX, win);
    MPI_Win_unlock(0, win);
    memcpy(inout, memory, bytes);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    int size;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_TYPE(unsigned char, MPI_UNSIGNED_CHAR);
    CHECK_TYPE(unsigned short, MPI_UNSIGNED_SHORT);
    CHECK_TYPE(unsigned, MPI_UNSIGNED);
    CHECK_TYPE(unsigned long, MPI_UNSIGNED_LONG);
    CHECK_TYPE(unsigned long long, MPI_UNSIGNED_LONG_LONG);
    CHECK_TYPE(uint8_t, MPI_UINT8_T);
    CHECK_TYPE(uint16_t, MPI_UINT16_T);
    CHECK_TYPE(uint32_t, MPI_UINT32_T);
    CHECK_TYPE(uint64_t, MPI_UINT64_T);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
