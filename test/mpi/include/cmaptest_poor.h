/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Calls of MPI in which one process fails to allocate once.  The n-th allocation of libmpi fails, for n = 1, 2, .., until the call
 * makes no more.  Those of the network library do not count: without memory it ends the process.
 */
#ifndef CMAPTEST_POOR_H_INCLUDED
#define CMAPTEST_POOR_H_INCLUDED

#ifndef _GNU_SOURCE
#error "cmaptest_poor.h needs _GNU_SOURCE before the first include (dladdr)"
#endif

#include <dlfcn.h>
#include "cmaptest_mpit.h"
#include "cmaptest_malloc.h"

#ifdef CT_HAVE_MALLOC

static __thread int ct_countdown; /* to the allocation that fails, in this thread; 0: all succeed; -1: all fail */
static __thread int ct_refused;   /* allocations that failed */
static __thread int ct_allocates; /* of MPI, since ct_poor_begin; watched also where none fails */
static __thread int ct_watches;

/* A network library ends the process when it has no memory; the C library asks for itself. */
static int ct_is_of_mpi(const void *caller)
{
    static const char *const others[] = {"libuc", "libfabric", "libc.", "libhwloc", "ld-linux"};
    Dl_info where;

    if (!dladdr(caller, &where) || !where.dli_fname)
        return 1;
    for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (strstr(where.dli_fname, others[i]))
            return 0;
    }
    return 1;
}

static int ct_refuses(void)
{
    if (!ct_watches || !ct_is_of_mpi(ct_caller))
        return 0;
    ct_allocates++;
    if (ct_countdown == 0 || (ct_countdown > 0 && --ct_countdown > 0))
        return 0;
    ct_refused++;
    return 1;
}

static void ct_allocated(void *p, size_t size)
{
}

static void ct_frees(void *p)
{
}

/* From here on the n-th allocation of this process fails, none when n is 0, all when it is -1. */
static inline void ct_poor_begin(int n)
{
    ct_refused = ct_allocates = 0;
    ct_countdown = n;
    ct_watches = 1;
}

/* How many allocations failed. */
static inline int ct_poor_end(void)
{
    ct_watches = ct_countdown = 0;
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
    return (ct_outcome) {all[0], all[1], all[2]};
}

static inline int ct_class_of(int result)
{
    int class = MPI_SUCCESS;

    if (result != MPI_SUCCESS)
        MPI_Error_class(result, &class);
    return class;
}

/* The victim lacks memory, and says so; to the others another member has failed. */
static inline void ct_check_class(int result, int refused, const char *what, int victim, int n)
{
    int class = ct_class_of(result);

    CT_CHECK(!refused || class == MPI_SUCCESS || class == MPI_ERR_NO_MEM, "%s, allocation %d of %d fails: class %d there", what,
             n, victim, class);
    CT_CHECK(class == MPI_SUCCESS || class == MPI_ERR_NO_MEM || class == MPI_ERR_OTHER,
             "%s, allocation %d of %d fails: class %d", what, n, victim, class);
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
    CT_CHECK(result == MPI_SUCCESS && sum == size, "%s, after allocation %d of %d failed: a sum of %d ones is %d (%d)", what, n,
             victim, size, sum, ct_class_of(result));
}

/* It adds, and so does a duplicate, whose id all members know. */
static inline void ct_check_works(MPI_Comm comm, const char *what, int victim, int n)
{
    MPI_Comm copy;
    int result;

    ct_check_sum(comm, what, victim, n);
    result = MPI_Comm_dup(comm, &copy);
    CT_CHECK(result == MPI_SUCCESS, "%s, after allocation %d of %d failed: MPI_Comm_dup says %d", what, n, victim,
             ct_class_of(result));
    if (result != MPI_SUCCESS)
        return;
    ct_check_sum(copy, what, victim, n);
    MPI_Comm_free(&copy);
}

#endif
#endif /* CMAPTEST_POOR_H_INCLUDED */
