/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Operations on both sides of 4 GB from the window's begin, each by itself and several in a
 * message, with few elements and with more than 255.  Of the window's memory only what is used
 * exists.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

#include <sys/mman.h>

enum { WORDS = 600, MOST = 300 };

static const MPI_Aint border = (MPI_Aint) 1 << 32,
                      room = ((MPI_Aint) 1 << 32) + ((MPI_Aint) 1 << 20);
static int size;
static MPI_Win win;
static char *memory;      /* of the last process */
static long model[WORDS]; /* around the border, a word in 8 bytes */

static MPI_Aint place(int word) { return border + 8 * (MPI_Aint) (word - WORDS / 2); }

static void write_words(int target, int first, int n)
{
    static long in[MOST];

    for (int i = 0; i < n; i++) {
        in[i] = 1000 * first + n + i;
        model[first + i] += in[i];
    }
    MPI_Accumulate(in, n, MPI_LONG, target, place(first), n, MPI_LONG, MPI_SUM, win);
    MPI_Win_flush(target, win);
}

static void read_words(int target, int first, int n)
{
    static long got[MOST];
    long last = 0;

    MPI_Get(got, n, MPI_LONG, target, place(first), n, MPI_LONG, win);
    MPI_Fetch_and_op(NULL, &last, MPI_LONG, target, place(first + n - 1), MPI_NO_OP, win);
    MPI_Win_flush(target, win);
    for (int i = 0; i < n; i++)
        CT_CHECK(got[i] == model[first + i], "word %d is %ld, not %ld", first + i, got[i],
                 model[first + i]);
    CT_CHECK(last == model[first + n - 1], "the last of %d from %d is %ld, not %ld", n, first, last,
             model[first + n - 1]);
}

/* What is near the window's begin must stay as it is. */
static void check_near(void)
{
    for (int i = 0; i < 8 * WORDS; i++)
        CT_CHECK(memory[i] == 0, "byte %d is %d", i, memory[i]);
}

static void check_all(void)
{
    const int firsts[] = {0, 298, 299, 300, 301, WORDS - MOST}, counts[] = {1, 2, 255, 256, MOST};

    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 5; k++) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, size - 1, 0, win);
            write_words(size - 1, firsts[i], firsts[i] + counts[k] > WORDS ? 1 : counts[k]);
            read_words(size - 1, firsts[i], firsts[i] + counts[k] > WORDS ? 1 : counts[k]);
            MPI_Win_unlock(size - 1, win);
        }
    }
}

int main(int argc, char **argv)
{
    int has = 1, all_have;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (ct_me == size - 1) {
        memory = mmap(NULL, (size_t) room, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        has = memory != MAP_FAILED;
    }
    MPI_Allreduce(&has, &all_have, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all_have) {
        MPI_Win_create(memory, ct_me == size - 1 ? room : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                       &win);
        if (ct_me == 0)
            check_all();
        MPI_Barrier(MPI_COMM_WORLD);
        if (ct_me == size - 1)
            check_near();
        MPI_Win_free(&win);
    } else {
        MTestPrintfMsg(1, "skipped: there is no room for so much memory, even without using it\n");
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
