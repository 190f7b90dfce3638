/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What goes into a window arrives at the address asked for, wherever the window begins: memory of
 * the program's own at every byte and multiple of 4 bytes, and windows of a few bytes, which
 * MPI_Win_allocate puts side by side in the memory of a node.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

#define WORDS 32
#define UNTOUCHED -1

/* Every rank puts its number to the next one, adds 1000 to it there, and gets it back; by the
 * owner's memory and the reader's. */
static void check_window(MPI_Win win, const int *first, int rank, int size, const char *what)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    int thousand = 1000, got = UNTOUCHED;

    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CT_CHECK(*first == previous, "%s: %d put, not %d", what, *first, previous);
    MPI_Win_fence(0, win);
    MPI_Accumulate(&thousand, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    MPI_Get(&got, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CT_CHECK(*first == previous + 1000, "%s: %d, not %d more", what, *first, thousand);
    CT_CHECK(got == rank + 1000, "%s: got %d, not %d", what, got, rank + 1000);
}

static void check_created(int rank, int size)
{
    for (int start = 1; start < 12; start++) {
        int words[WORDS];
        MPI_Win win;

        for (int i = 0; i < WORDS; i++)
            words[i] = UNTOUCHED;
        MPI_Win_create(&words[start], sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                       &win);
        check_window(win, &words[start], rank, size, "window of the program's memory");
        MPI_Win_free(&win);
        for (int i = 0; i < WORDS; i++)
            CT_CHECK(i == start || words[i] == UNTOUCHED, "word %d beside the window: %d",
                     i - start, words[i]);
    }
}

/* A window of one byte at every address: the byte is put, its neighbours stay. */
static void check_bytes(int rank, int size)
{
    for (int start = 1; start < 18; start++) {
        signed char bytes[20], mine = (signed char) rank, got = UNTOUCHED;
        int next = (rank + 1) % size, previous = (rank + size - 1) % size;
        MPI_Win win;

        memset(bytes, UNTOUCHED, sizeof(bytes));
        MPI_Win_create(&bytes[start], 1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_fence(0, win);
        MPI_Put(&mine, 1, MPI_SIGNED_CHAR, next, 0, 1, MPI_SIGNED_CHAR, win);
        MPI_Win_fence(0, win);
        MPI_Get(&got, 1, MPI_SIGNED_CHAR, next, 0, 1, MPI_SIGNED_CHAR, win);
        MPI_Win_fence(0, win);
        MPI_Win_free(&win);
        CT_CHECK(got == mine, "byte %d: got %d, not %d", start, got, mine);
        for (int i = 0; i < 20; i++)
            CT_CHECK(bytes[i] == (i == start ? previous : UNTOUCHED),
                     "window of byte %d: byte %d is %d", start, i, bytes[i]);
    }
}

static void check_allocated(int rank, int size)
{
    for (int words = 1; words < 6; words++) {
        int *mine;
        MPI_Win win;

        MPI_Win_allocate((MPI_Aint) (words * sizeof(int)), sizeof(int), MPI_INFO_NULL,
                         MPI_COMM_WORLD, &mine, &win);
        for (int i = 0; i < words; i++)
            mine[i] = UNTOUCHED;
        check_window(win, mine, rank, size, "allocated window");
        for (int i = 1; i < words; i++)
            CT_CHECK(mine[i] == UNTOUCHED, "word %d of %d: %d", i, words, mine[i]);
        MPI_Win_free(&win);
    }
}

int main(int argc, char **argv)
{
    int size;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check_created(ct_me, size);
    check_bytes(ct_me, size);
    check_allocated(ct_me, size);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
