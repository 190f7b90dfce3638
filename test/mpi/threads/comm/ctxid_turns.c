/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Creations on one communicator, in several threads at once: the first thread makes duplicates,
 * blocking and pending ones in turns, the others communicators of groups, with the least, the
 * second and the greatest tag.  With few ids (MPIR_CVAR_CTXID_LIMIT) each has to search, and
 * searches take turns: none has the place of another one, or processes that put them in different
 * orders search for ever.
 *
 * Argument: -rounds=N (creations of a thread, default 1000)
 */
#include "cmaptest_threads.h"
#include "cmaptest.h"

enum { THREADS = 4 };

static int rounds, world_size, greatest_tag;

static int duplicate(int round, MPI_Comm *made)
{
    MPI_Request request;
    int result;

    if (round % 2)
        return MPI_Comm_dup(MPI_COMM_WORLD, made);
    result = MPI_Comm_idup(MPI_COMM_WORLD, made, &request);
    return result ? result : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Without the first process or the last one. */
static int of_group(int thread, int round, MPI_Comm *made)
{
    const int tags[THREADS] = {-1, 0, 1, greatest_tag};
    int result = MPI_SUCCESS, first = (thread + round) % 2, rank;
    MPI_Group all, some;

    *made = MPI_COMM_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_range_incl(all, 1, (int[1][3]){{first, world_size - 2 + first, 1}}, &some);
    MPI_Group_rank(some, &rank);
    if (rank != MPI_UNDEFINED)
        result = MPI_Comm_create_group(MPI_COMM_WORLD, some, tags[thread], made);
    MPI_Group_free(&all);
    MPI_Group_free(&some);
    return result;
}

/* There may be no id; what there is has one at all its members. */
static MTEST_THREAD_RETURN_TYPE work(void *number)
{
    int thread = (int) (size_t) number;

    for (int round = 0; round < rounds; round++) {
        MPI_Comm made;
        int stamp = THREADS * round + thread, sum = 0, size;
        int result = thread == 0 ? duplicate(round, &made) : of_group(thread, round, &made);
        if (result != MPI_SUCCESS || made == MPI_COMM_NULL)
            continue;
        MPI_Comm_size(made, &size);
        MPI_Allreduce(&stamp, &sum, 1, MPI_INT, MPI_SUM, made);
        CT_CHECK(sum == stamp * size, "thread %d, round %d: the sum is %d", thread, round, sum);
        MPI_Comm_free(&made);
    }
    return MTEST_THREAD_RETVAL_IGN;
}

int main(int argc, char **argv)
{
    int has_tag, *tag_ub;

    ct_init_threads(&argc, &argv);
    MTestArgList *args = MTestArgListCreate(argc, argv);
    rounds = MTestArgListGetInt_with_default(args, "rounds", 1000);
    MTestArgListDestroy(args);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag_ub, &has_tag);
    greatest_tag = *tag_ub;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    ct_in_threads(THREADS, work);

    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
