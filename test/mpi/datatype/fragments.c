/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Messages of elements with 16 bytes and more, which a network may cut anywhere, from a buffer
 * without gaps into one with gaps, and the reverse.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

static void check(MPI_Datatype basic, int width, int count, int odd)
{
    /* elements `width` bytes apart; the first message begins with an odd number of bytes */
    char *packed = ct_alloc((size_t) count * 16 + odd, 1);
    char *apart = ct_alloc((size_t) count * width + odd, 1);
    MPI_Datatype element, type, types[2];
    int lengths[2] = {odd, count}, size, wrong = 0, to, from, ranks;
    MPI_Aint at[2] = {0, odd};

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    to = (ct_me + 1) % ranks;
    from = (ct_me + ranks - 1) % ranks;
    MPI_Type_size(basic, &size);
    MPI_Type_create_resized(basic, 0, width, &element);
    types[0] = MPI_BYTE;
    types[1] = element;
    MPI_Type_create_struct(2, lengths, at, types, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < count * size + odd; i++)
        packed[i] = (char) (i + i / 251);

    MPI_Sendrecv(packed, count * size + odd, MPI_BYTE, to, 1, apart, 1, type, from, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < count * size; i++)
        wrong += apart[odd + i / size * width + i % size] != packed[odd + i];
    CT_CHECK(wrong == 0, "%d of %d bytes arrive wrong, %d apart, %d before", wrong, count * size,
             width, odd);
    memset(packed, 0, (size_t) count * size + odd);
    MPI_Sendrecv(apart, 1, type, to, 2, packed, count * size + odd, MPI_BYTE, from, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    wrong = 0;
    for (int i = 0; i < count * size + odd; i++)
        wrong += packed[i] != (char) (i + i / 251);
    CT_CHECK(wrong == 0, "%d of %d bytes are sent wrong, %d apart, %d before", wrong, count * size,
             width, odd);
    MPI_Type_free(&element);
    MPI_Type_free(&type);
    free(packed);
    free(apart);
}

int main(int argc, char **argv)
{
    static const int counts[] = {1, 700, 5000, 60000}, odds[] = {0, 1, 4, 9};

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    for (int c = 0; c < 4; c++) {
        for (int o = 0; o < 4; o++) {
            check(MPI_C_DOUBLE_COMPLEX, 24, counts[c], odds[o]);
            check(MPI_DOUBLE, 16, counts[c], odds[o]);
            check(MPI_DOUBLE_INT, 24, counts[c], odds[o]);
        }
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
