/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations that change nothing leave the target's memory alone: rank 0 stores into a word which
 * the others read, or compare in vain, beside a counter that they increase by the next operation.
 */
#include "cmaptest.h"

enum { READ, COMPARE, KINDS };
enum { ROUNDS = 3000, LOOKS = 100 };

static const char *const kind_names[KINDS] = {"read", "compared"};
static int rank, size;
static MPI_Win win;
static MPI_Aint begin; /* of rank 0's words */

static MPI_Aint word(int i) { return begin + i * (MPI_Aint) sizeof(long); }

/* Until all have increased the counter as often as they do. */
static void store(volatile long *words, int kind, int before)
{
    const int counter = before ? 1 : 0, own = 1 - counter;
    int found;

    words[0] = words[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (long i = 1; words[counter] < (long) ROUNDS * (size - 1); i++) {
        words[own] = i;
        for (int look = 0; look < LOOKS && words[own] == i; look++) {
        }
        if (words[own] != i) {
            CT_CHECK(0, "a word that was %s is %ld instead of %ld", kind_names[kind], words[own],
                     i);
            words[own] = i;
        }
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    }
}

static void access_words(int kind, int before)
{
    const int counter = before ? 1 : 0, other = 1 - counter;
    const long one = 1, never = -1;
    long result, seen;

    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Fetch_and_op(&one, &result, MPI_LONG, 0, word(counter), MPI_SUM, win);
        if (kind == READ)
            MPI_Fetch_and_op(NULL, &seen, MPI_LONG, 0, word(other), MPI_NO_OP, win);
        else
            MPI_Compare_and_swap(&one, &never, &seen, MPI_LONG, 0, word(other), win);
        MPI_Win_flush(0, win);
    }
}

int main(int argc, char **argv)
{
    long words[2] = {0, 0};

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, words, sizeof(words));
    MPI_Get_address(words, &begin);
    MPI_Bcast(&begin, 1, MPI_AINT, 0, MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (int kind = 0; kind < KINDS; kind++) {
        for (int before = 0; before < 2; before++) {
            if (rank == 0)
                store(words, kind, before);
            else
                access_words(kind, before);
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    MPI_Win_unlock_all(win);
    MPI_Win_detach(win, words);
    MPI_Win_free(&win);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
