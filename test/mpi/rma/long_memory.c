/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The first operations on a window of MPI_Win_create may be active messages.  A long one takes no
 * more memory than its data need: a put and a get none beside the window and the program's buffer,
 * an accumulate its operand at the target, and a get_accumulate also the result.  Data that are
 * not contiguous at the target are copied there once.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

#include <sys/resource.h>

enum { WORDS = 1 << 23, KILOBYTES = WORDS / 1024 * sizeof(long) };
enum { PUT, GET, ACCUMULATE, STRIDED, GET_ACCUMULATE, KINDS };

static const char *const names[KINDS] = {"put", "get", "accumulate", "strided put",
                                         "get_accumulate"};
static long *memory, *data, *result;

/* The most memory that the process has had so far, in KB. */
static long peak(void)
{
    struct rusage used;

    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
}

/* All pages exist before memory is measured. */
static void fill(int kind)
{
    for (int i = 0; i < WORDS; i++) {
        memory[i] = 3L * i;
        data[i] = 5L * i + kind;
        result[i] = -1;
    }
}

/* To every second word. */
static void put_strided(MPI_Win win)
{
    MPI_Datatype type;

    MPI_Type_vector(WORDS / 2, 1, 2, MPI_LONG, &type);
    MPI_Type_commit(&type);
    MPI_Put(data, WORDS / 2, MPI_LONG, 1, 0, 1, type, win);
    MPI_Type_free(&type);
}

static void call(int kind, MPI_Win win)
{
    if (kind == PUT)
        MPI_Put(data, WORDS, MPI_LONG, 1, 0, WORDS, MPI_LONG, win);
    else if (kind == GET)
        MPI_Get(result, WORDS, MPI_LONG, 1, 0, WORDS, MPI_LONG, win);
    else if (kind == ACCUMULATE)
        MPI_Accumulate(data, WORDS, MPI_LONG, 1, 0, WORDS, MPI_LONG, MPI_SUM, win);
    else if (kind == STRIDED)
        put_strided(win);
    else
        MPI_Get_accumulate(data, WORDS, MPI_LONG, result, WORDS, MPI_LONG, 1, 0, WORDS, MPI_LONG,
                           MPI_SUM, win);
}

static void check_words(int kind)
{
    int is_read = kind == GET || kind == GET_ACCUMULATE, wrong = 0;

    for (int i = 0; i < WORDS && !wrong; i++) {
        long before = 3L * i, other = 5L * i + kind, now = before;

        if (kind == PUT)
            now = other;
        else if (kind == STRIDED)
            now = i % 2 ? before : 5L * (i / 2) + kind;
        else if (kind != GET)
            now = before + other;
        if (ct_me == 1)
            wrong = memory[i] != now;
        else if (ct_me == 0)
            wrong = result[i] != (is_read ? before : -1);
        CT_CHECK(!wrong, "%s: word %d is %ld", names[kind], i, ct_me ? memory[i] : result[i]);
    }
}

static void check(int kind)
{
    /* of the target; the origin needs none */
    static const int buffers[KINDS] = {0, 0, 1, 1, 2};
    MPI_Win win;
    long before, most = (ct_me == 1 ? buffers[kind] * KILOBYTES : 0) + KILOBYTES / 2;

    fill(kind);
    MPI_Win_create(memory, WORDS * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    before = peak();
    if (ct_me == 0)
        call(kind, win);
    MPI_Win_fence(0, win);
    CT_CHECK(peak() - before < most, "%s of %ld KB took %ld KB more", names[kind], (long) KILOBYTES,
             peak() - before);
    check_words(kind);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    memory = ct_alloc(WORDS, sizeof(long));
    data = ct_alloc(WORDS, sizeof(long));
    result = ct_alloc(WORDS, sizeof(long));
    for (int kind = 0; kind < KINDS; kind++)
        check(kind);
    free(result);
    free(data);
    free(memory);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
