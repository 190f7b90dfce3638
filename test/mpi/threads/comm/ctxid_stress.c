/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Every thread of every process makes communicators while the others do: duplicates, pending
 * duplicates, splits, communicators of groups, on overlapping parents.  All end, each has an id of
 * its own (messages on them stay apart), and all ids come back.
 *
 * Arguments: -threads=N (default 8)  -rounds=N (creations of a thread, default 200) -scarce=1:
 *            there may be too few ids.  A creation that fails does so on all its members, and the
 *            thread gives back what it has; none waits for an id that no thread would ever give
 *            back.  (No pending duplicates: MPICH knows the last 128 errors, and other threads have
 *            as many before the one of a request is read.)
 */
#include "cmaptest_threads.h"
#include "cmaptest_mpit.h"

#define MOST_THREADS 32
#define KEPT 5

static MPI_Comm parent[MOST_THREADS];
static int threads, rounds, world_size, scarce;

/* Did it find an id?  MPI calls return errors only where ids are scarce. */
static int found(int mpi_errno, MPI_Comm *made)
{
    if (mpi_errno == MPI_SUCCESS)
        return 1;
    *made = MPI_COMM_NULL;
    return 0;
}

static void check_own_message(MPI_Comm comm, int stamp, const char *what)
{
    int rank, size, got = -1;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Sendrecv(&stamp, 1, MPI_INT, (rank + 1) % size, 1, &got, 1, MPI_INT, MPI_ANY_SOURCE,
                 MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
    CT_CHECK(got == stamp, "%s: message %d, not %d", what, got, stamp);
}

/* Two pending at once, completed in either order. */
static int pending_pair(MPI_Comm from, int round, MPI_Comm *second)
{
    MPI_Comm first;
    MPI_Request request[2];
    int ends[2];

    MPI_Comm_idup(from, &first, &request[0]);
    MPI_Comm_idup(from, second, &request[1]);
    for (int i = 0; i < 2; i++) {
        int which = (round + ct_me + i) % 2;
        ends[which] = MPI_Wait(&request[which], MPI_STATUS_IGNORE);
    }
    if (found(ends[0], &first)) {
        check_own_message(first, 2 * round, "first of a pair");
        MPI_Comm_free(&first);
    }
    return ends[1];
}

/* Over the world, by all threads at once: only the tag tells them apart. */
static int of_group(int thread, int round, MPI_Comm *made)
{
    int mpi_errno = MPI_SUCCESS;
    MPI_Group all, some;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_range_incl(all, 1, (int[1][3]){{(thread + round) % 2, world_size - 1, 1}}, &some);
    if (ct_me >= (thread + round) % 2)
        mpi_errno = MPI_Comm_create_group(MPI_COMM_WORLD, some, thread, made);
    MPI_Group_free(&all);
    MPI_Group_free(&some);
    return mpi_errno;
}

static int create(int thread, int round, MPI_Comm *made)
{
    MPI_Comm from = parent[thread];

    switch ((round + thread) % 5) {
        case 0: return MPI_Comm_dup(from, made);
        case 1:
            return MPI_Comm_split(from, (ct_me + round) % 3 ? ct_me % 2 : MPI_UNDEFINED, -ct_me,
                                  made);
        case 2: return scarce ? MPI_Comm_dup(from, made) : pending_pair(from, round, made);
        case 3: return of_group(thread, round, made);
        default: return MPI_Comm_split(from, 0, round * ct_me, made);
    }
}

static void free_all(MPI_Comm kept[KEPT])
{
    for (int i = 0; i < KEPT; i++) {
        if (kept[i] != MPI_COMM_NULL)
            MPI_Comm_free(&kept[i]);
    }
}

static MTEST_THREAD_RETURN_TYPE work(void *number)
{
    int thread = (int) (size_t) number;
    MPI_Comm kept[KEPT];

    for (int i = 0; i < KEPT; i++)
        kept[i] = MPI_COMM_NULL;
    for (int i = 0; i < rounds; i++) {
        int slot = i % KEPT;
        if (kept[slot] != MPI_COMM_NULL)
            MPI_Comm_free(&kept[slot]);
        if (!found(create(thread, i, &kept[slot]), &kept[slot]))
            free_all(kept);
        else if (kept[slot] != MPI_COMM_NULL)
            check_own_message(kept[slot], 1000 * thread + i, "new");
    }
    free_all(kept);
    return MTEST_THREAD_RETVAL_IGN;
}

static void make_parents(void)
{
    for (int i = 0; i < threads; i++) {
        if (i % 2)
            MPI_Comm_split(MPI_COMM_WORLD, 0, -ct_me, &parent[i]);
        else
            MPI_Comm_dup(MPI_COMM_WORLD, &parent[i]);
    }
}

static void let_errors_return(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < threads; i++)
        MPI_Comm_set_errhandler(parent[i], MPI_ERRORS_RETURN);
}

int main(int argc, char **argv)
{
    ct_pvar used;

    ct_init_threads(&argc, &argv);
    ct_mpit_begin();
    MTestArgList *args = MTestArgListCreate(argc, argv);
    threads = MTestArgListGetInt_with_default(args, "threads", 8);
    rounds = MTestArgListGetInt_with_default(args, "rounds", 200);
    scarce = MTestArgListGetInt_with_default(args, "scarce", 0);
    MTestArgListDestroy(args);
    if (threads > MOST_THREADS)
        threads = MOST_THREADS;
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    int sees_used = ct_pvar_find("ctxid_used", &used);
    long long before = sees_used ? ct_pvar_read(&used) : 0;

    make_parents();
    if (scarce)
        let_errors_return();
    for (int i = 0; i < threads; i++)
        MTest_Start_thread(work, (void *) (size_t) i);
    MTest_Join_threads();
    for (int i = 0; i < threads; i++)
        MPI_Comm_free(&parent[i]);
    long long after = sees_used ? ct_pvar_read(&used) : 0;
    CT_CHECK(after == before, "%lld ids in use, %lld before", after, before);

    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
