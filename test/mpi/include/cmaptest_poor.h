/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The harness of tests without memory: it fails allocations of the thread that asks for that, and
 * says what must be true afterwards.
 *
 *     for (n = 1; n < MOST; n++) {                        each allocation of a call fails once
 *         ct_poor_begin(ct_me == victim ? n : 0);
 *         result = MPI_Something(..);
 *         refused = ct_poor_end();
 *         ct_outcome all = ct_outcome_of(result, 1, refused);
 *         ct_check_class(result, refused, "MPI_Something", victim, n);
 *         if (!all.refused)
 *             break;
 *     }
 *
 * With the argument -from, for which the test calls ct_poor_mode, all later allocations of the call
 * fail, too.
 *
 * A call that may be repeated when there is memory again:
 *
 *     for (ct_try t = ct_without("MPI_Win_lock", n, 3); ct_goes_on(&t);)
 *         ct_tried(&t, MPI_Win_lock(..));
 */
#ifndef CMAPTEST_POOR_H_INCLUDED
#define CMAPTEST_POOR_H_INCLUDED

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include <dlfcn.h>
#include "cmaptest_mpit.h"
#include "cmaptest_malloc.h"

enum { CT_ALL_FAIL = -1 };

static __thread int ct_watches;   /* is this thread between ct_poor_begin and ct_poor_end? */
static __thread int ct_first;     /* the allocation that fails, since ct_poor_begin; 0: none does */
static __thread int ct_and_later; /* all after it fail, too */
static __thread int ct_allocates; /* allocations that counted since ct_poor_begin */
static __thread int ct_refused;   /* those of them that failed */
static __thread long ct_alive;    /* allocations of this thread, less what it freed */
static int ct_from_on;            /* where one allocation fails, all later ones do */
static int ct_refused_ever;       /* failed in all threads, since the program began */
static int ct_failed_calls;       /* calls of a ct_try that were errors */

/* Does an allocation of libmpi or of the test count?  A test may set it; without it all count. */
static int (*ct_counts)(void);

#ifdef CT_HAVE_MALLOC

/* Only those of libmpi and of the test may fail.  A network library ends the process when it has
 * no memory, and takes some whenever a message arrives; the C library asks for itself (the strdup
 * of libmpi comes to this program first). */
static int ct_is_of_mpi(const void *caller)
{
    static const char *const others[] = {"libuc",   "libfabric", "libibverbs", "librdmacm",
                                         "libnuma", "libhwloc",  "libc.",      "ld-linux"};
    const char *name;
    Dl_info where;

    if (!dladdr(caller, &where) || !where.dli_fname)
        return 1;
    name = strrchr(where.dli_fname, '/');
    name = name ? name + 1 : where.dli_fname;
    for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (!strncmp(name, others[i], strlen(others[i])))
            return 0;
    }
    return 1;
}

static int ct_refuses(void)
{
    int counts;

    if (!ct_watches)
        return 0;
    ct_watches = 0; /* what these functions allocate themselves does not count */
    counts = ct_is_of_mpi(ct_caller) && (!ct_counts || ct_counts());
    ct_watches = 1;
    if (!counts)
        return 0;
    ct_allocates++;
    if (ct_allocates != ct_first && !(ct_and_later && ct_allocates > ct_first))
        return 0;
    ct_refused++;
    ct_refused_ever++;
    return 1;
}

static void ct_allocated(void *p, size_t size) { ct_alive++; }

static void ct_frees(void *p) { ct_alive--; }

#endif

/* Can allocations fail here?  If not the test has nothing to do. */
static inline int ct_can_be_poor(void)
{
#ifdef CT_HAVE_MALLOC
    return 1;
#else
    MTestPrintfMsg(1, "skipped: the names of the C library's own allocator are unknown here\n");
    return 0;
#endif
}

/* Before such a test: processes that meet for the first time allocate in the network library, and
 * end there without memory. */
static inline void ct_connect_all(void)
{
    int size, got;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int d = 0; d < size; d++)
        MPI_Sendrecv(&ct_me, 1, MPI_INT, (ct_me + d) % size, 0, &got, 1, MPI_INT,
                     (ct_me + size - d) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ---- a time without memory ---- */

static inline void ct_poor_begin_at(int first, int and_later)
{
    ct_first = first;
    ct_and_later = and_later;
    ct_refused = ct_allocates = 0;
    ct_watches = 1;
}

/* From here on the n-th allocation of this thread fails, none for n = 0, each for CT_ALL_FAIL. */
static inline void ct_poor_begin(int n)
{
    ct_poor_begin_at(n == CT_ALL_FAIL ? 1 : n, n == CT_ALL_FAIL || (ct_from_on && n > 0));
}

/* Looks at an argument of the program. */
static inline void ct_poor_mode(const char *argument)
{
    ct_from_on = ct_from_on || !strcmp(argument, "-from");
}

/* `n` allocations succeed, and then none does. */
static inline void ct_poor_begin_after(int n) { ct_poor_begin_at(n + 1, 1); }

/* How many allocations failed. */
static inline int ct_poor_end(void)
{
    ct_watches = 0;
    return ct_refused;
}

/* ---- what all processes of MPI_COMM_WORLD have seen ---- */

typedef struct ct_outcome {
    int failed, succeeded, refused; /* processes; allocations */
} ct_outcome;

/* Of a call that returned `result` here.  A process without a call passes calls = 0. */
static inline ct_outcome ct_outcome_of(int result, int calls, int refused)
{
    int mine[3] = {calls && result != MPI_SUCCESS, calls && result == MPI_SUCCESS, refused}, all[3];

    MPI_Allreduce(mine, all, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return (ct_outcome){all[0], all[1], all[2]};
}

/* Says an error what it may say where memory is missing here or in another process? */
static inline int ct_is_class_of_poor(int class)
{
    return class == MPI_SUCCESS || class == MPI_ERR_NO_MEM || class == MPI_ERR_OTHER;
}

/* The victim lacks memory, and says so; to the others another member has failed. */
static inline void ct_check_class(int result, int refused, const char *what, int victim, int n)
{
    int class = ct_class_of(result);

    CT_CHECK(!refused || class == MPI_SUCCESS || class == MPI_ERR_NO_MEM,
             "%s, allocation %d of %d fails: class %d there", what, n, victim, class);
    CT_CHECK(ct_is_class_of_poor(class), "%s, allocation %d of %d fails: class %d", what, n, victim,
             class);
}

/* ---- a call that is repeated when there is memory again ---- */

typedef struct ct_try {
    const char *what;
    int nth, most; /* the allocation that fails in the first call (0: none), and calls at most */
    int calls, result;
} ct_try;

static inline ct_try ct_without(const char *what, int nth, int most)
{
    return (ct_try){.what = what, .nth = nth, .most = most, .result = MPI_ERR_OTHER};
}

/* Is there a call to make?  Not when the last one succeeded, or there were too many. */
static inline int ct_goes_on(ct_try *t)
{
    if (t->calls > 0 && t->result == MPI_SUCCESS)
        return 0;
    if (t->calls == t->most) {
        ct_fail("%s fails with all the memory", t->what);
        return 0;
    }
    ct_poor_begin(t->calls == 0 ? t->nth : 0);
    return 1;
}

static inline void ct_tried(ct_try *t, int result)
{
    int class = ct_class_of(result);

    ct_poor_end();
    t->calls++;
    t->result = result;
    ct_failed_calls += result != MPI_SUCCESS;
    CT_CHECK(ct_is_class_of_poor(class), "%s without the allocation %d: class %d", t->what, t->nth,
             class);
}

/* ---- context ids ---- */

static inline long long ct_ids_used(void)
{
    ct_pvar used;
    long long n = 0;

    if (ct_pvar_find("ctxid_used", &used)) {
        n = ct_pvar_read(&used);
        ct_pvar_close(&used);
    }
    return n;
}

/* ---- communicators that work ---- */

static inline int ct_is_inter(MPI_Comm comm)
{
    int flag;

    MPI_Comm_test_inter(comm, &flag);
    return flag;
}

/* The sum of what the other group, or all, put in. */
static inline void ct_check_sum(MPI_Comm comm, const char *what, int victim, int n)
{
    int size, one = 1, sum = -1, result;

    if (ct_is_inter(comm))
        MPI_Comm_remote_size(comm, &size);
    else
        MPI_Comm_size(comm, &size);
    result = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    CT_CHECK(result == MPI_SUCCESS && sum == size,
             "%s, after allocation %d of %d failed: a sum of %d ones is %d (%d)", what, n, victim,
             size, sum, ct_class_of(result));
}

/* It adds, and so does a duplicate, whose id all members know. */
static inline void ct_check_works(MPI_Comm comm, const char *what, int victim, int n)
{
    MPI_Comm copy;
    int result;

    ct_check_sum(comm, what, victim, n);
    result = MPI_Comm_dup(comm, &copy);
    CT_CHECK(result == MPI_SUCCESS, "%s, after allocation %d of %d failed: MPI_Comm_dup says %d",
             what, n, victim, ct_class_of(result));
    if (result != MPI_SUCCESS)
        return;
    ct_check_sum(copy, what, victim, n);
    MPI_Comm_free(&copy);
}

#endif /* CMAPTEST_POOR_H_INCLUDED */
