/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Copies of datatypes whose extent is negative: each begins before the one before it.  What is
 * packed, unpacked and sent is the model's list of displacements.
 */
#include <stdbool.h>
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { INTS = 4000, ORIGIN = 2000, MOST = 400 };

static int n, places[MOST]; /* of the integers of all copies, from ORIGIN */

static void add_copies(int count, int extent, const int *part, int length)
{
    n = 0;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < length; k++)
            places[n++] = i * extent + part[k];
    }
}

/* `overlap`: copies take the same integers, and cannot be received */
static void check(const char *what, int count, MPI_Datatype type, bool overlap)
{
    int *in = ct_ints(INTS), *out = ct_ints(INTS), packed[MOST], position = 0, wrong = 0;

    for (int i = 0; i < INTS; i++)
        in[i] = i;
    MPI_Pack(in + ORIGIN, count, type, packed, sizeof(packed), &position, MPI_COMM_WORLD);
    CT_CHECK(position == n * (int) sizeof(int), "%s: %d bytes packed", what, position);
    for (int i = 0; i < n; i++)
        wrong += packed[i] != ORIGIN + places[i];
    CT_CHECK(wrong == 0, "%s: %d of %d integers are packed wrong", what, wrong, n);
    wrong = 0;
    memset(packed, 0, sizeof(packed));
    MPI_Sendrecv(in + ORIGIN, count, type, 0, 0, packed, n, MPI_INT, 0, 0, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        wrong += packed[i] != ORIGIN + places[i];
    CT_CHECK(wrong == 0, "%s: %d of %d integers are sent wrong", what, wrong, n);
    if (!overlap) {
        position = wrong = 0;
        MPI_Unpack(packed, n * (int) sizeof(int), &position, out + ORIGIN, count, type,
                   MPI_COMM_WORLD);
        for (int i = 0; i < n; i++) {
            wrong += out[ORIGIN + places[i]] != ORIGIN + places[i];
            out[ORIGIN + places[i]] = 0;
        }
        for (int i = 0; i < INTS; i++)
            wrong += out[i] != 0;
        CT_CHECK(wrong == 0, "%s: %d of %d integers are unpacked wrong", what, wrong, n);
    }
    free(in);
    free(out);
}

/* Two integers, one in another `depth` times, whose next copy is 7 integers before */
static MPI_Datatype backward(int depth)
{
    MPI_Datatype part, back;
    int two[2] = {0, 3};

    MPI_Type_create_indexed_block(2, 1, two, MPI_INT, &part);
    for (int i = 0; i < depth; i++) {
        MPI_Aint at = 0;
        MPI_Datatype deeper, wider;

        MPI_Type_create_hindexed_block(1, 1, &at, part, &deeper);
        MPI_Type_create_resized(deeper, 0, 16 + 4 * i, &wider);
        MPI_Type_free(&part);
        MPI_Type_free(&deeper);
        part = wider;
    }
    MPI_Type_create_resized(part, 0, -7 * (MPI_Aint) sizeof(int), &back);
    MPI_Type_free(&part);
    return back;
}

/* Copies of `parts` parts are (parts - 2) * 7 integers apart: that is what the bounds say. */
static void check_contiguous(int depth, int parts, int count)
{
    MPI_Datatype back = backward(depth), type;
    MPI_Aint lb, extent;
    int places_of_one[20];
    char what[60];

    MPI_Type_contiguous(parts, back, &type);
    MPI_Type_commit(&type);
    MPI_Type_get_extent(type, &lb, &extent);
    CT_CHECK(lb == (1 - parts) * 28 && extent == (parts - 2) * 28, "%d parts: lb %ld, extent %ld",
             parts, (long) lb, (long) extent);
    for (int i = 0; i < 2 * parts; i++)
        places_of_one[i] = -7 * (i / 2) + 3 * (i % 2);
    add_copies(count, 7 * (parts - 2), places_of_one, 2 * parts);
    snprintf(what, sizeof(what), "%d copies of %d parts at depth %d", count, parts, depth);
    check(what, count, type, parts > 1 && count > 1);
    MPI_Type_free(&type);
    MPI_Type_free(&back);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    for (int depth = 0; depth < 5; depth++) {
        for (int parts = 1; parts < 5; parts++) {
            for (int count = 0; count < 4; count++)
                check_contiguous(depth, parts, count);
        }
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
