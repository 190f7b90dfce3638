/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The last process has no memory for one of the allocations of a new window, each in turn: the window can be made on all processes, or
 * on none.  Nothing leaks: no memory, and no context ids, of which there are fewer than attempts (MPIR_CVAR_CTXID_LIMIT).  When there
 * is memory again, windows can be made and used.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"
#include "cmaptest_malloc.h"

#ifdef CT_HAVE_MALLOC

enum { CREATE, ALLOCATE, PAGES, SHARED, DYNAMIC, KINDS };
enum { MOST = 2000 };

static const char *const names[] = {"MPI_Win_create", "MPI_Win_allocate", "MPI_Win_allocate of pages", "MPI_Win_allocate_shared",
    "MPI_Win_create_dynamic"
};
static __thread int countdown;  /* to the allocation of this thread that fails; 0: none does */
static __thread int refused;
static __thread long alive;     /* allocations of this thread */
static char memory[4096];
static MPI_Comm node;
static int size, is_victim;

static int ct_refuses(void)
{
    int refuses = countdown > 0 && --countdown == 0;

    refused += refuses;
    return refuses;
}

static void ct_allocated(void *p, size_t bytes)
{
    alive++;
}

static void ct_frees(void *p)
{
    alive--;
}

static int make(int kind, MPI_Win *win)
{
    char *base;

    switch (kind) {
        case CREATE:
            return MPI_Win_create(memory, sizeof(memory), 1, MPI_INFO_NULL, MPI_COMM_WORLD, win);
        case ALLOCATE:
            return MPI_Win_allocate(1000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, win);
        case PAGES:
            return MPI_Win_allocate(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, win);
        case SHARED:
            return MPI_Win_allocate_shared(1000, 1, MPI_INFO_NULL, node, &base, win);
        default:
            return MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win);
    }
}

/* Each process counts at the next. */
static void use(int kind, MPI_Win win)
{
    int rank, n, got = -1, one = 1, zero = 0;
    MPI_Comm comm = kind == SHARED ? node : MPI_COMM_WORLD;
    MPI_Aint where = 0;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n);
    if (kind == DYNAMIC) {
        MPI_Win_attach(win, memory, sizeof(memory));
        MPI_Get_address(memory, &where);
    }
    MPI_Sendrecv_replace(&where, 1, MPI_AINT, (rank + n - 1) % n, 0, (rank + 1) % n, 0, comm, MPI_STATUS_IGNORE);
    MPI_Win_fence(0, win);
    MPI_Put(&zero, 1, MPI_INT, (rank + 1) % n, where, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Accumulate(&one, 1, MPI_INT, (rank + 1) % n, where, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    MPI_Get(&got, 1, MPI_INT, (rank + 1) % n, where, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CT_CHECK(got == 1, "%s: %d instead of 1", names[kind], got);
    if (kind == DYNAMIC)
        MPI_Win_detach(win, memory);
}

/* Of the processes with which the window is made. */
static int failures(int kind, int failed, int *members)
{
    int sum = 0;
    MPI_Comm comm = kind == SHARED ? node : MPI_COMM_WORLD;

    MPI_Allreduce(&failed, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_size(comm, members);
    return sum;
}

/* Fails the n-th allocation of the victim.  Answers whether there was one. */
static int attempt(int kind, int nth, int is_again)
{
    int result, failed, members, any;
    long before = alive;
    MPI_Win win;

    refused = 0;
    countdown = is_victim ? nth : 0;
    result = make(kind, &win);
    countdown = 0;
    if (result == MPI_SUCCESS && nth % 8 == 1)
        use(kind, win);
    if (result == MPI_SUCCESS)
        MPI_Win_free(&win);
    CT_CHECK(!is_again || result == MPI_SUCCESS || alive == before, "%s without the allocation %d leaves %ld", names[kind], nth,
             alive - before);
    failed = failures(kind, result != MPI_SUCCESS, &members);
    CT_CHECK(failed == 0 || failed == members, "%s without the allocation %d fails on %d of %d", names[kind], nth, failed, members);
    MPI_Allreduce(&refused, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CT_CHECK(any || failed == 0, "%s fails with all the memory", names[kind]);
    return any;
}

static void check(int kind)
{
    int nth = 1;

    /* what the first window of a kind needs and keeps is there */
    attempt(kind, 0, 0);
    while (nth < MOST && attempt(kind, nth, 0)) {
        attempt(kind, nth, 1);
        nth++;
    }
    CT_CHECK(nth < MOST, "%s has no end", names[kind]);
    attempt(kind, 0, 0);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    is_victim = ct_me == size - 1;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int kind = 0; kind < KINDS; kind++)
        check(kind);
    MPI_Comm_free(&node);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}

#else

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MTest_Finalize(0);
    return 0;
}

#endif
