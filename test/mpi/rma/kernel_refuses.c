/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel refuses to copy memory of other processes: of all ranks from the start on (-all), of
 * rank 1 from the start on (-one), or of rank 1 after it has copied (-later).  Long collectives and
 * new windows notice nothing.  In a window that has been copied to, one synchronization of rank 1
 * returns an error; later operations are messages.
 */
#include "cmaptest.h"
#include "cmaptest_refuse.h"

enum { N = 20000, CALLS = 4 };

static int rank, size;
static int in[N], out[16 * N];

static void check_part(int from, int call, const int *part)
{
    for (int i = 0; i < N; i++) {
        if (part[i] != from * 1000 + i + call) {
            CT_CHECK(0, "call %d: element %d of rank %d is %d", call, i, from, part[i]);
            return;
        }
    }
}

static void collectives(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int call = 0; call < CALLS; call++) {
        for (int i = 0; i < N; i++)
            in[i] = rank * 1000 + i + call;
        MPI_Allgather(in, N, MPI_INT, out, N, MPI_INT, comm);
        for (int r = 0; r < size; r++)
            check_part(r, call, out + r * N);
        MPI_Gather(in, N, MPI_INT, out, N, MPI_INT, call % size, comm);
        if (rank == call % size)
            check_part(size - 1, call, out + (size - 1) * N);
        MPI_Allreduce(in, out, N, MPI_INT, MPI_MAX, call % 2 ? comm : MPI_COMM_WORLD);
        check_part(size - 1, call, out);
    }
    MPI_Comm_free(&comm);
}

typedef struct {
    MPI_Win win;
    long words[16]; /* a counter, and a word for each rank */
    MPI_Aint begins[16];
} window_t;

static void make(window_t *window)
{
    MPI_Aint begin;

    memset(window->words, 0, sizeof(window->words));
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window->win);
    MPI_Win_set_errhandler(window->win, MPI_ERRORS_RETURN);
    MPI_Win_attach(window->win, window->words, sizeof(window->words));
    MPI_Get_address(window->words, &begin);
    MPI_Allgather(&begin, 1, MPI_AINT, window->begins, 1, MPI_AINT, MPI_COMM_WORLD);
}

/* Errors of operations on all others, and of their synchronization. */
static int access_all(window_t *window)
{
    const long one = 1;
    long before;
    int errs = 0;

    for (int target = 0; target < size; target++) {
        MPI_Aint begin = window->begins[target];

        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window->win);
        errs += MPI_Fetch_and_op(&one, &before, MPI_LONG, target, begin, MPI_SUM, window->win) !=
                MPI_SUCCESS;
        errs += MPI_Put(&one, 1, MPI_LONG, target, begin + (1 + rank) * (MPI_Aint) sizeof(long), 1,
                        MPI_LONG, window->win) != MPI_SUCCESS;
        errs += MPI_Win_unlock(target, window->win) != MPI_SUCCESS;
    }
    return errs;
}

static void check(window_t *window, long rounds)
{
    MPI_Barrier(MPI_COMM_WORLD);
    CT_CHECK(window->words[0] == rounds * size, "the counter is %ld instead of %ld",
             window->words[0], rounds * size);
    for (int r = 0; r < size; r++)
        CT_CHECK(window->words[1 + r] == 1, "rank %d has not put", r);
}

static void free_window(window_t *window)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(window->win, window->words);
    MPI_Win_free(&window->win);
}

static void new_window(void)
{
    window_t window;

    make(&window);
    CT_CHECK(access_all(&window) == 0, "an operation in a new window failed");
    check(&window, 1);
    free_window(&window);
}

/* It has been copied to.  What rank 1 does after one error to each target counts. */
static void refuse_later(void)
{
    window_t window;

    make(&window);
    access_all(&window);
    check(&window, 1);
    if (rank == 1 && ct_refuse_copies())
        access_all(&window);
    MPI_Barrier(MPI_COMM_WORLD);
    memset(window.words, 0, sizeof(window.words));
    MPI_Barrier(MPI_COMM_WORLD);
    CT_CHECK(access_all(&window) == 0, "an operation failed after the error");
    check(&window, 1);
    free_window(&window);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "", *number = getenv("PMI_RANK");

    if (!strcmp(mode, "-all") || (!strcmp(mode, "-one") && number && atoi(number) == 1))
        ct_refuse_copies();
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    collectives();
    new_window();
    if (!strcmp(mode, "-later"))
        refuse_later();
    collectives();
    new_window();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
